//! Declares the names of a module, in order.

use std::collections::BTreeMap;
use std::rc::Rc;

use kilter_base::{Name, Span};
use kilter_syntax::ast::{Ident, Module, OpDecl, Unit, UnitKind};

use super::Elaborator;
use super::core::is_core;
use crate::ir::Variable;
use crate::load::Loaded;
use crate::native::Native;
use crate::scope::{Entry, Item, ItemId, ItemKind, Linked, LinkedId, Nested, Scope, Symbol, WorldId};
use crate::{builtin, errors};

impl<'a> Elaborator<'a> {
    /// Declares all names of a module in a world. Does so only once for each world.
    pub(crate) fn link(
        &mut self,
        tree: &'a Module,
        file: &'a Loaded,
        outer: Option<Rc<Scope>>,
        world: WorldId,
    ) -> LinkedId {
        // A module without parameters means the same everywhere, so it belongs to the root's world.
        let world = if outer.is_none() && self.is_closed(tree) { WorldId(0) } else { world };
        if let Some(linked) = self.worlds[world].linked.get(&tree.span) {
            return *linked;
        }
        let linked = self.linked.push(Linked {
            tree,
            file,
            world,
            outer,
            names: BTreeMap::new(),
            order: Vec::new(),
            nested: BTreeMap::new(),
            extends: Vec::new(),
            assumptions: Vec::new(),
            theorems: Vec::new(),
        });
        self.worlds[world].linked.insert(tree.span, linked);
        for extended in &tree.extends {
            self.extend(linked, extended);
        }
        for (index, unit) in tree.units.iter().enumerate() {
            self.unit(linked, unit, index as u32 + 1);
        }
        self.check_recursive(linked);
        linked
    }

    /// Whether neither a module nor any module that it extends declares a constant or a variable.
    pub(crate) fn is_closed(&self, tree: &Module) -> bool {
        !tree.units.iter().any(|unit| matches!(unit.kind, UnitKind::Constants(_) | UnitKind::Variables(_)))
            && tree.extends.iter().all(|extended| {
                self.modules
                    .find(&extended.name)
                    .is_some_and(|loaded| loaded.tree.span != tree.span && self.is_closed(&loaded.tree))
            })
    }

    /// Whether a module or one that it extends declares a variable.
    pub(crate) fn has_variables(&self, tree: &Module) -> bool {
        tree.units.iter().any(|unit| matches!(unit.kind, UnitKind::Variables(_)))
            || tree.extends.iter().any(|extended| {
                self.modules
                    .find(&extended.name)
                    .is_some_and(|loaded| loaded.tree.span != tree.span && self.has_variables(&loaded.tree))
            })
    }

    fn extend(&mut self, linked: LinkedId, extended: &'a Ident) {
        let scope = self.module_scope(linked, 1);
        let Some(module) = self.find_module(&scope, extended) else { return };
        let world = self.linked[linked].world;
        let source = self.link(module.0, module.1, module.2, world);
        self.linked[linked].extends.push(source);
        for name in self.linked[source].order.clone() {
            let entry = self.linked[source].names[&name].clone();
            if !entry.local {
                let passed_on = entry.passed_on || self.passes_on(linked);
                self.merge(linked, name, Entry { since: 0, passed_on, ..entry }, extended.span);
            }
        }
        let nested = self.linked[source].nested.clone();
        for (name, module) in nested {
            self.linked[linked].nested.entry(name).or_insert(Nested { since: 0, ..module });
        }
    }

    /// Adds a name from an extended module.
    fn merge(&mut self, linked: LinkedId, name: Name, entry: Entry, place: Span) {
        match self.linked[linked].names.get_mut(&name) {
            None => self.insert(linked, name, entry),
            Some(first) if first.symbol == entry.symbol || first.origin == entry.origin => {
                first.passed_on &= entry.passed_on;
            }
            Some(first) if first.passed_on != entry.passed_on => {
                let (own, passed) = if first.passed_on { (&entry, &*first) } else { (&*first, &entry) };
                self.report.push(errors::own_wins(place, &name, &passed.origin, own.span));
                if first.passed_on {
                    self.insert(linked, name, entry);
                }
            }
            Some(first) if first.declared == entry.declared => {
                self.report.push(errors::duplicate_import(place, &name, first.span));
            }
            Some(first) => self.report.push(errors::conflicting_import(place, &name, first.span)),
        }
    }

    /// Whether a module only passes on what it imports. This holds for community modules.
    pub(crate) fn passes_on(&self, linked: LinkedId) -> bool {
        let module = &self.linked[linked];
        module.file.builtin && !builtin::is_standard(&module.file.name)
    }

    /// Adds a name from an instance without a name.
    pub(crate) fn import(&mut self, linked: LinkedId, name: Name, entry: Entry, place: Span) {
        let scope = self.module_scope(linked, entry.since);
        let known = self.linked[linked].names.get_mut(&name);
        let same_text = known.is_some_and(|known| {
            known.passed_on &= entry.passed_on || known.origin != entry.origin;
            known.origin == entry.origin
        });
        let shadows = entry.passed_on && !same_text;
        match self.lookup(&scope, &name) {
            None => self.insert(linked, name, entry),
            Some((symbol, _)) if symbol == entry.symbol => {}
            Some((_, own)) if shadows && self.passed_on(&scope, &name).is_none() => {
                self.report.push(errors::own_wins(place, &name, &entry.origin, own));
            }
            Some(_) if !entry.passed_on && self.passed_on(&scope, &name).is_some() => {
                self.insert(linked, name, entry);
            }
            Some((symbol, first)) => {
                let same_kind = matches!((symbol, entry.symbol), (Symbol::Item(left), Symbol::Item(right))
                    if self.items[left].params == self.items[right].params
                        && !matches!(self.items[left].kind, ItemKind::Constant | ItemKind::Substitute(_)));
                if same_kind && same_text {
                    // The same text is imported in two ways, which is no conflict.
                } else if same_kind {
                    self.report.push(errors::duplicate_import(place, &name, first));
                } else {
                    self.report.push(errors::multiply_defined(place, &name, Some(first)));
                }
            }
        }
    }

    pub(crate) fn insert(&mut self, linked: LinkedId, name: Name, entry: Entry) {
        let module = &mut self.linked[linked];
        if module.names.insert(name.clone(), entry).is_none() {
            module.order.push(name);
        }
    }

    fn unit(&mut self, linked: LinkedId, unit: &'a Unit, since: u32) {
        match &unit.kind {
            UnitKind::Constants(decls) => {
                for decl in decls {
                    self.declare_constant(linked, decl, since);
                }
            }
            UnitKind::Variables(names) => {
                for name in names {
                    self.declare_variable(linked, name, since);
                }
            }
            UnitKind::Recursive(decls) => {
                for decl in decls {
                    let params = vec![0; decl.arity as usize];
                    self.define(linked, &decl.name, since, false, ItemKind::Recursive, params.into());
                }
            }
            UnitKind::Operator(def) => {
                let params = def.params.iter().map(|param| param.arity).collect();
                let kind = self
                    .native(linked, &def.name.name, def.params.len())
                    .map_or(ItemKind::Operator(def), ItemKind::Native);
                self.define(linked, &def.name, since, def.local, kind, params);
            }
            UnitKind::Function(def) => {
                self.define(linked, &def.name, since, def.local, ItemKind::Function(def), Rc::new([]));
            }
            UnitKind::ModuleDef(def) => self.named_instance(linked, def, since),
            UnitKind::Instance { local, instance } => self.unnamed_instance(linked, instance, since, *local),
            UnitKind::Assume { axiom: true, name, body } => {
                self.theorem(linked, name.as_ref(), Some(body), since);
            }
            UnitKind::Assume { axiom: false, name, body } => {
                self.linked[linked].assumptions.push((name.as_ref(), body, since));
                if let Some(name) = name {
                    self.define(linked, name, since, false, ItemKind::Formula(body), Rc::new([]));
                }
            }
            UnitKind::Theorem { name, body } => self.theorem(linked, name.as_ref(), body.as_ref(), since),
            UnitKind::Module(tree) => self.nested(linked, tree, since),
            UnitKind::UseOrHide | UnitKind::Separator => {}
        }
    }

    fn theorem(
        &mut self,
        linked: LinkedId,
        name: Option<&'a Ident>,
        body: Option<&'a kilter_syntax::ast::Expr>,
        since: u32,
    ) {
        match (name, body) {
            (Some(name), body) => {
                let kind = body.map_or(ItemKind::Statement, ItemKind::Formula);
                self.define(linked, name, since, false, kind, Rc::new([]));
            }
            (None, Some(body)) => self.linked[linked].theorems.push((body, since)),
            (None, None) => {}
        }
    }

    fn native(&self, linked: LinkedId, name: &str, arity: usize) -> Option<Native> {
        let module = &self.linked[linked];
        let allowed = module.file.natives.get(name) == Some(&(arity as u32))
            && module.tree.span == module.file.tree.span;
        if allowed { Native::find(&module.tree.name.name, name) } else { None }
    }

    fn nested(&mut self, linked: LinkedId, tree: &'a Module, since: u32) {
        let scope = self.module_scope(linked, since);
        let name = &tree.name.name;
        if self.linked[linked].nested.contains_key(name) || self.modules.find(name).is_some() {
            self.report.push(errors::module_multiply_defined(tree.name.span, name));
            return;
        }
        let file = self.linked[linked].file;
        self.linked[linked].nested.insert(name.clone(), Nested { tree, file, scope, since });
    }

    fn declare_constant(&mut self, linked: LinkedId, decl: &'a OpDecl, since: u32) {
        if self.is_redeclared(linked, &decl.name, since, false) {
            return;
        }
        let params: Rc<[u32]> = vec![0; decl.arity as usize].into();
        let world = self.linked[linked].world;
        if self.worlds[world].substitution.is_none() {
            self.define(linked, &decl.name, since, false, ItemKind::Constant, params);
        } else if self.is_free(linked, &decl.name, since) {
            let symbol = self.substitute(linked, &decl.name, decl.arity, false);
            self.declare(linked, &decl.name, since, symbol);
        }
    }

    fn declare_variable(&mut self, linked: LinkedId, name: &'a Ident, since: u32) {
        if self.is_redeclared(linked, name, since, true) || !self.is_free(linked, name, since) {
            return;
        }
        let world = self.linked[linked].world;
        let symbol = if self.worlds[world].substitution.is_none() {
            Some(Symbol::Var(self.spec.variables.push(Variable { name: name.name.clone(), span: name.span })))
        } else {
            self.substitute(linked, name, 0, true)
        };
        self.declare(linked, name, since, symbol);
    }

    fn declare(&mut self, linked: LinkedId, name: &Ident, since: u32, symbol: Option<Symbol>) {
        let origin = self.linked[linked].tree.name.name.clone();
        if let Some(symbol) = symbol {
            let entry = Entry {
                symbol,
                since,
                local: false,
                declared: true,
                span: name.span,
                origin,
                passed_on: false,
            };
            self.insert(linked, name.name.clone(), entry);
        }
    }

    /// Whether a constant or variable is declared already, here or around a nested module. That is only a warning,
    /// because both are the same. A constant and a variable of the same name are an error.
    fn is_redeclared(&mut self, linked: LinkedId, name: &Ident, since: u32, variable: bool) -> bool {
        let scope = self.module_scope(linked, since + 1);
        let Some((symbol, first)) = self.lookup(&scope, &name.name) else { return false };
        let declared = match symbol {
            Symbol::Var(_) => variable,
            Symbol::Item(item) => !variable && matches!(self.items[item].kind, ItemKind::Constant),
            _ => false,
        };
        if declared {
            self.report.push(errors::redeclared(name.span, &name.name, first));
        }
        declared
    }

    /// Whether a new name can be declared. Reports an error if not.
    pub(crate) fn is_free(&mut self, linked: LinkedId, name: &Ident, since: u32) -> bool {
        let scope = self.module_scope(linked, since + 1);
        self.is_free_in(&scope, name)
    }

    pub(crate) fn is_free_in(&mut self, scope: &Rc<Scope>, name: &Ident) -> bool {
        if is_core(&name.name) {
            self.report.push(errors::builtin_redefined(name.span, &name.name));
            return false;
        }
        let found = self.lookup(scope, &name.name);
        if let Some(module) = self.passed_on(scope, &name.name) {
            self.report.push(errors::own_wins(name.span, &name.name, &module, name.span));
            return true;
        }
        if let Some((_, first)) = found {
            self.report.push(errors::multiply_defined(name.span, &name.name, Some(first)));
        }
        found.is_none()
    }

    fn define(
        &mut self,
        linked: LinkedId,
        name: &'a Ident,
        since: u32,
        local: bool,
        kind: ItemKind<'a>,
        params: Rc<[u32]>,
    ) {
        let scope = self.module_scope(linked, since);
        if let Some((Symbol::Item(item), _)) = self.lookup(&scope, &name.name)
            && self.fill_recursive(item, name, &kind, &params, &scope)
        {
            return;
        }
        if !self.is_free(linked, name, since) {
            return;
        }
        let module = &self.linked[linked];
        let world = &self.worlds[module.world];
        let origin = module.tree.name.name.clone();
        let declared = matches!(kind, ItemKind::Constant);
        let item = self.items.push(Item {
            name: format!("{}{}", world.prefix, name.name).into(),
            short: name.name.clone(),
            module: origin.clone(),
            span: name.span,
            kind,
            params,
            frame: world.frame.clone(),
            scope,
            def: None,
            owner: world.owner,
            in_let: world.owner.is_some(),
            for_variable: false,
        });
        let entry = Entry {
            symbol: Symbol::Item(item),
            since,
            local,
            declared,
            span: name.span,
            origin,
            passed_on: false,
        };
        self.insert(linked, name.name.clone(), entry);
    }

    /// Defines an operator that was declared RECURSIVE. Returns `false` if `item` was not.
    pub(crate) fn fill_recursive(
        &mut self,
        item: ItemId,
        name: &Ident,
        kind: &ItemKind<'a>,
        params: &Rc<[u32]>,
        scope: &Rc<Scope>,
    ) -> bool {
        let declared = &mut self.items[item];
        if !matches!(declared.kind, ItemKind::Recursive) || matches!(kind, ItemKind::Recursive) {
            return false;
        }
        if declared.params.len() != params.len() {
            let error = errors::recursive_arity(name.span, &name.name, declared.params.len(), params.len());
            self.report.push(error);
        }
        declared.kind = kind.clone();
        declared.params = params.clone();
        declared.span = name.span;
        declared.scope = scope.clone();
        true
    }

    fn check_recursive(&mut self, linked: LinkedId) {
        let Linked { names, tree, .. } = &self.linked[linked];
        for entry in names.values() {
            if let Symbol::Item(item) = entry.symbol
                && let item = &self.items[item]
                && matches!(item.kind, ItemKind::Recursive)
                && entry.since > 0
                // A RECURSIVE operator that stands for a constant of an instance may still be defined after the
                // instance.
                && item.module == tree.name.name
            {
                self.report.push(errors::recursive_without_definition(item.span, &item.short));
            }
        }
    }
}
