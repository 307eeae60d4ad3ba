//! Resolves instances, in which the constants and variables of a module get a meaning.

use std::rc::Rc;

use kilter_base::Name;
use kilter_syntax::ast::{self, Ident, Module, ModuleDef, OpDecl};

use super::core::is_core;
use super::{Demand, Elaborator};
use crate::ir::Level;
use crate::load::Loaded;
use crate::scope::{
    Entry, Frame, FrameParam, Instance, Item, ItemKind, LinkedId, Scope, ScopeKind, Substitution, Symbol,
    World,
};
use crate::{errors, suggest};

/// The place of an INSTANCE.
pub(crate) struct Site {
    pub(crate) scope: Rc<Scope>,
    pub(crate) frame: Frame,
    pub(crate) prefix: String,
    pub(crate) module: Name,
    pub(crate) owner: Option<usize>,
}

/// The most instances inside of each other. More means that a module instantiates itself.
const INSTANCES_MAX: usize = 50;

impl<'a> Elaborator<'a> {
    /// Declares `I(a) == INSTANCE M`.
    pub(crate) fn named_instance(&mut self, linked: LinkedId, def: &'a ModuleDef, since: u32) {
        if !self.is_free(linked, &def.name, since) {
            return;
        }
        let site = self.site(linked, since);
        let Some(symbol) = self.instance(&site, def) else { return };
        let origin = site.module;
        let entry = Entry {
            symbol,
            since,
            local: def.local,
            declared: false,
            span: def.name.span,
            origin,
            passed_on: false,
        };
        self.insert(linked, def.name.name.clone(), entry);
    }

    /// Declares the names of `INSTANCE M`.
    pub(crate) fn unnamed_instance(
        &mut self,
        linked: LinkedId,
        instance: &'a ast::Instance,
        since: u32,
        local: bool,
    ) {
        let site = self.site(linked, since);
        let Some(source) = self.instantiate(&site, instance, "", &[]) else { return };
        for name in self.linked[source].order.clone() {
            let entry = self.linked[source].names[&name].clone();
            if !entry.local && !entry.declared {
                let passed_on = entry.passed_on || self.passes_on(linked);
                self.import(linked, name, Entry { since, local, passed_on, ..entry }, instance.span);
            }
        }
    }

    fn site(&self, linked: LinkedId, since: u32) -> Site {
        let world = &self.worlds[self.linked[linked].world];
        Site {
            scope: self.module_scope(linked, since),
            frame: world.frame.clone(),
            prefix: world.prefix.clone(),
            module: self.linked[linked].tree.name.name.clone(),
            owner: world.owner,
        }
    }

    pub(crate) fn instance(&mut self, site: &Site, def: &'a ModuleDef) -> Option<Symbol> {
        let linked = self.instantiate(site, &def.instance, &def.name.name, &def.params)?;
        let params = def.params.iter().map(|param| param.arity).collect();
        Some(Symbol::Instance(self.instances.push(Instance { linked, params })))
    }

    /// Links a module in a new world, in which its declared names have the meaning that the instance gives them.
    fn instantiate(
        &mut self,
        site: &Site,
        instance: &'a ast::Instance,
        name: &str,
        params: &'a [OpDecl],
    ) -> Option<LinkedId> {
        let (tree, file, outer) = self.find_module(&site.scope, &instance.module)?;
        if site.prefix.matches('!').count() > INSTANCES_MAX || self.stack_end.is_near() {
            self.report.push(errors::module_cycle(instance.span, &instance.module.name));
            return None;
        }
        let first = site.frame.captured.len() + site.frame.params.len();
        let mut names = Vec::new();
        for (index, param) in params.iter().enumerate() {
            if self.is_free_in(&site.scope, &param.name) {
                names.push((param.name.name.clone(), Symbol::Param(first + index), param.name.span));
            }
        }
        let own = params.iter().map(|param| FrameParam {
            name: param.name.name.clone(),
            span: param.name.span,
            arity: param.arity,
        });
        let frame = Frame {
            captured: site.frame.captured.clone(),
            params: site.frame.params.iter().cloned().chain(own).collect(),
        };
        let substitution = Substitution {
            instance,
            scope: Scope::with(&site.scope, names),
            frame: frame.clone(),
            module: site.module.clone(),
            strict: self.has_variables(tree),
        };
        let prefix = if name.is_empty() { site.prefix.clone() } else { format!("{}{name}!", site.prefix) };
        let world = self.worlds.push(World {
            prefix,
            frame,
            linked: std::collections::BTreeMap::new(),
            substitution: Some(substitution),
            owner: site.owner,
        });
        let linked = self.link(tree, file, outer, world);
        self.check_targets(linked, instance);
        Some(linked)
    }

    fn check_targets(&mut self, linked: LinkedId, instance: &'a ast::Instance) {
        let names = &self.linked[linked].names;
        for (index, (target, _)) in instance.substitutions.iter().enumerate() {
            if instance.substitutions[..index].iter().any(|(before, _)| before.name == target.name) {
                self.report.push(errors::substituted_twice(target.span, &target.name));
            } else if !names.get(&target.name).is_some_and(|entry| entry.declared) {
                let declared =
                    names.iter().filter(|(_, entry)| entry.declared).map(|(name, _)| name.as_str());
                let closest = suggest::closest(&target.name, declared);
                let error =
                    errors::no_such_parameter(target.span, &target.name, &instance.module.name, closest);
                self.report.push(error);
            }
        }
    }

    /// What a declared constant or variable stands for in an instance.
    pub(crate) fn substitute(
        &mut self,
        linked: LinkedId,
        name: &'a Ident,
        arity: u32,
        variable: bool,
    ) -> Option<Symbol> {
        let world = self.linked[linked].world;
        let substitution = self.worlds[world].substitution.clone()?;
        let explicit =
            substitution.instance.substitutions.iter().find(|(target, _)| target.name == name.name);
        let symbol = match explicit {
            Some((_, expr)) => {
                let symbol = self.alias(&substitution, expr);
                match symbol {
                    Some(symbol) if self.arity_of(symbol, &substitution.frame) == Some(arity as usize) => {
                        self.keep_variable(linked, name, symbol, variable, &substitution)
                    }
                    Some(_) => {
                        self.report.push(errors::substitution_arity(expr.span, &name.name, arity as usize));
                        self.substitute_item(linked, name, arity, &substitution, ItemKind::Statement)
                    }
                    None => {
                        let kind = ItemKind::Substitute(expr);
                        let symbol = self.substitute_item(linked, name, arity, &substitution, kind);
                        self.mark_variable(symbol, variable)
                    }
                }
            }
            None => match self.lookup(&substitution.scope, &name.name) {
                Some((symbol, _)) if self.arity_of(symbol, &substitution.frame) == Some(arity as usize) => {
                    self.keep_variable(linked, name, symbol, variable, &substitution)
                }
                Some(_) => {
                    let span = substitution.instance.span;
                    self.report.push(errors::substitution_arity(span, &name.name, arity as usize));
                    self.substitute_item(linked, name, arity, &substitution, ItemKind::Statement)
                }
                None => {
                    let (span, module) = (substitution.instance.span, &substitution.instance.module.name);
                    self.report.push(errors::missing_substitution(span, &name.name, module, name.span));
                    self.substitute_item(linked, name, arity, &substitution, ItemKind::Statement)
                }
            },
        };
        if substitution.strict {
            let span = explicit.map_or(substitution.instance.span, |(_, expr)| expr.span);
            self.demand(symbol, variable, span, &name.name);
        }
        Some(symbol)
    }

    /// A variable may stand for something other than a variable, or for a variable that another one stands for already.
    /// Then it gets a definition of its own, because inside of ENABLED its next value is independent of what it stands
    /// for.
    fn keep_variable(
        &mut self,
        linked: LinkedId,
        name: &Ident,
        symbol: Symbol,
        variable: bool,
        substitution: &Substitution<'a>,
    ) -> Symbol {
        if !variable || matches!(symbol, Symbol::Var(_)) && !self.is_taken(linked, symbol) {
            return symbol;
        }
        let item = self.substitute_item(linked, name, 0, substitution, ItemKind::Alias(symbol));
        self.mark_variable(item, true)
    }

    /// Whether another declared name of the module stands for this symbol.
    fn is_taken(&self, linked: LinkedId, symbol: Symbol) -> bool {
        self.linked[linked].names.values().any(|entry| entry.declared && entry.symbol == symbol)
    }

    fn mark_variable(&mut self, symbol: Symbol, variable: bool) -> Symbol {
        if let Symbol::Item(item) = symbol {
            self.items[item].for_variable = variable;
        }
        symbol
    }

    /// The symbol itself, if a declared name is replaced by nothing but another name.
    fn alias(&self, substitution: &Substitution<'a>, expr: &'a ast::Expr) -> Option<Symbol> {
        match &*expr.kind {
            ast::ExprKind::Apply { op, args, .. }
                if op.prefix.is_empty() && args.is_empty() && !is_core(&op.name.name) =>
            {
                let (symbol, _) = self.lookup(&substitution.scope, &op.name.name)?;
                if matches!(symbol, Symbol::Instance(_)) { None } else { Some(symbol) }
            }
            _ => None,
        }
    }

    fn substitute_item(
        &mut self,
        linked: LinkedId,
        name: &Ident,
        arity: u32,
        substitution: &Substitution<'a>,
        kind: ItemKind<'a>,
    ) -> Symbol {
        let world = &self.worlds[self.linked[linked].world];
        let item = Item {
            name: format!("{}{}", world.prefix, name.name).into(),
            short: name.name.clone(),
            module: substitution.module.clone(),
            span: name.span,
            kind,
            params: vec![0; arity as usize].into(),
            frame: substitution.frame.clone(),
            scope: substitution.scope.clone(),
            def: None,
            owner: world.owner,
            in_let: world.owner.is_some(),
            for_variable: false,
        };
        Symbol::Item(self.items.push(item))
    }

    fn demand(&mut self, symbol: Symbol, variable: bool, span: kilter_base::Span, name: &Name) {
        let max = if variable { Level::State } else { Level::Constant };
        let (def, level) = match symbol {
            Symbol::Item(item) => (Some(self.def_of(item)), Level::Constant),
            Symbol::Var(_) => (None, Level::State),
            _ => return,
        };
        self.demands.push(Demand { def, level, max, span, name: name.clone() });
    }

    pub(crate) fn arity_of(&self, symbol: Symbol, frame: &Frame) -> Option<usize> {
        match symbol {
            Symbol::Var(_) => Some(0),
            Symbol::Item(item) => Some(self.items[item].params.len()),
            Symbol::Local(local) => Some(self.spec.locals[local].arity as usize),
            Symbol::Param(index) => Some(match index.checked_sub(frame.captured.len()) {
                None => self.spec.locals[frame.captured[index]].arity as usize,
                Some(own) => frame.params[own].arity as usize,
            }),
            Symbol::Instance(_) => None,
        }
    }

    /// The module that a name after EXTENDS or INSTANCE stands for.
    pub(crate) fn find_module(
        &mut self,
        scope: &Rc<Scope>,
        name: &Ident,
    ) -> Option<(&'a Module, &'a Loaded, Option<Rc<Scope>>)> {
        let mut next = Some(scope);
        while let Some(scope) = next {
            if let ScopeKind::Module { linked, limit } = &scope.kind
                && let Some(nested) = self.linked[*linked].nested.get(&name.name)
                && nested.since < *limit
            {
                return Some((nested.tree, nested.file, Some(nested.scope.clone())));
            }
            next = scope.parent.as_ref();
        }
        let modules = self.modules;
        let found = modules.find(&name.name);
        if found.is_none() {
            let closest = suggest::closest(&name.name, modules.iter().map(|loaded| loaded.name.as_str()));
            self.report.push(errors::module_not_found(name.span, &name.name, closest));
        }
        found.map(|loaded| (&loaded.tree, loaded, None))
    }
}
