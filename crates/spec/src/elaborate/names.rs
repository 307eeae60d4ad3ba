//! Finds out what a name stands for.

use std::rc::Rc;

use kilter_base::{Name, Span};
use kilter_syntax::ast::{Expr, Ident, OpPath};

use super::{Elaborator, Env};
use crate::ir::{Arg, LocalId, VarId};
use crate::native::Native;
use crate::scope::{InstanceId, ItemId, LinkedId, Scope, ScopeKind, Symbol};
use crate::{errors, suggest};

/// What a path stands for.
pub(crate) enum Target<'a> {
    Var(VarId),
    Local(LocalId),
    Item {
        item: ItemId,
        /// The arguments for the parameters of instances.
        leading: Vec<Arg>,
        /// The arguments inside of the path of a named subexpression.
        given: Vec<&'a Expr>,
    },
}

/// The modules to recommend for a name that is not defined. The most common come first.
const RECOMMENDED: &[&str] = &[
    "Naturals",
    "Integers",
    "Sequences",
    "FiniteSets",
    "TLC",
    "Reals",
    "TLCExt",
    "SequencesExt",
    "FiniteSetsExt",
    "Functions",
    "Folds",
    "Randomization",
    "Json",
    "IOUtils",
    "Bitwise",
    "CSV",
];

impl<'a> Elaborator<'a> {
    pub(crate) fn lookup(&self, scope: &Rc<Scope>, name: &str) -> Option<(Symbol, Span)> {
        let mut next = Some(scope);
        while let Some(scope) = next {
            match &scope.kind {
                ScopeKind::Names(names) => {
                    if let Some((_, symbol, span)) = names.iter().rev().find(|(known, ..)| known == name) {
                        return Some((*symbol, *span));
                    }
                }
                ScopeKind::Module { linked, limit } => {
                    if let Some(entry) = self.linked[*linked].names.get(name)
                        && entry.since < *limit
                    {
                        return Some((entry.symbol, entry.span));
                    }
                }
            }
            next = scope.parent.as_ref();
        }
        None
    }

    /// The module that defines a name, if the name is visible only through a community module that extends that module.
    pub(crate) fn passed_on(&self, scope: &Rc<Scope>, name: &str) -> Option<Name> {
        let mut next = Some(scope);
        while let Some(scope) = next {
            match &scope.kind {
                ScopeKind::Names(names) if names.iter().any(|(known, ..)| known == name) => return None,
                ScopeKind::Names(_) => {}
                ScopeKind::Module { linked, limit } => {
                    let entry = self.linked[*linked].names.get(name);
                    if let Some(entry) = entry.filter(|entry| entry.since < *limit) {
                        return entry.passed_on.then(|| entry.origin.clone());
                    }
                }
            }
            next = scope.parent.as_ref();
        }
        None
    }

    /// The definition or constant of the root that a name in the configuration stands for. The name may go through
    /// instances.
    pub(crate) fn root_item(&self, root: LinkedId, name: &str) -> Option<ItemId> {
        let mut linked = root;
        let mut steps = name.split('!').peekable();
        while let Some(step) = steps.next() {
            match self.linked[linked].names.get(step)?.symbol {
                Symbol::Item(item) if steps.peek().is_none() => return Some(item),
                Symbol::Instance(instance) => linked = self.instances[instance].linked,
                _ => return None,
            }
        }
        None
    }

    /// All names of modules that are visible in a scope.
    pub(crate) fn visible(&self, scope: &Rc<Scope>) -> Vec<&str> {
        let mut all = Vec::new();
        let mut next: Option<&Rc<Scope>> = Some(scope);
        while let Some(scope) = next {
            match &scope.kind {
                // These names belong to the scope, and cannot be borrowed for as long as the caller needs.
                ScopeKind::Names(_) => {}
                ScopeKind::Module { linked, limit } => {
                    let names = &self.linked[*linked].names;
                    all.extend(
                        names.iter().filter(|(_, entry)| entry.since < *limit).map(|(name, _)| name.as_str()),
                    );
                }
            }
            next = scope.parent.as_ref();
        }
        all
    }

    fn undefined(&mut self, scope: &Rc<Scope>, ident: &Ident) {
        let name = &ident.name;
        let diagnostic = if let Some(later) = self.later(scope, name) {
            errors::defined_later(ident.span, name, later)
        } else {
            let module = RECOMMENDED.iter().find(|module| Native::find(module, name).is_some()).copied();
            let mut visible: Vec<&str> = self.visible(scope);
            let locals = local_names(scope);
            visible.extend(locals.iter().map(Name::as_str));
            errors::undefined_name(ident.span, name, suggest::closest(name, visible), module)
        };
        self.report.push(diagnostic);
    }

    /// The place where a name is defined that is not visible yet.
    fn later(&self, scope: &Rc<Scope>, name: &str) -> Option<Span> {
        let mut next = Some(scope);
        while let Some(scope) = next {
            if let ScopeKind::Module { linked, .. } = &scope.kind
                && let Some(entry) = self.linked[*linked].names.get(name)
            {
                return Some(entry.span);
            }
            next = scope.parent.as_ref();
        }
        None
    }

    /// Finds what a path stands for. Reports an error if it stands for nothing.
    pub(crate) fn resolve(&mut self, env: &Env, path: &'a OpPath, args: &'a [Expr]) -> Option<Target<'a>> {
        let first = path.prefix.first().map_or(&path.name, |step| &step.name);
        let Some((symbol, _)) = self.lookup(&env.scope, &first.name) else {
            self.undefined(&env.scope, first);
            return None;
        };
        if path.prefix.is_empty() {
            return self.target(env, symbol, first, Vec::new());
        }
        match symbol {
            Symbol::Instance(instance) => self.through(env, instance, path, args),
            Symbol::Item(item) => {
                let leading = self.leading(env, item, Vec::new());
                self.select(item, leading, path, 0, args)
            }
            _ => {
                self.report.push(errors::not_an_instance(first.span, &first.name));
                None
            }
        }
    }

    /// Resolves `I(a)!J!Op`, from its first instance on.
    fn through(
        &mut self,
        env: &Env,
        first: InstanceId,
        path: &'a OpPath,
        args: &'a [Expr],
    ) -> Option<Target<'a>> {
        let mut instance = first;
        let mut given = Vec::new();
        for (index, step) in path.prefix.iter().enumerate() {
            let arities = self.instances[instance].params.clone();
            if arities.len() != step.args.len() {
                let error =
                    errors::wrong_arity(step.name.span, &step.name.name, arities.len(), step.args.len());
                self.report.push(error);
                return None;
            }
            for (arg, arity) in step.args.iter().zip(arities) {
                given.push(self.arg(env, arg, arity));
            }
            let name = path.prefix.get(index + 1).map_or(&path.name, |step| &step.name);
            let symbol = self.member(instance, &step.name.name, name)?;
            match symbol {
                Symbol::Instance(next) if index + 1 < path.prefix.len() => instance = next,
                Symbol::Item(item) if index + 1 < path.prefix.len() => {
                    let leading = self.leading(env, item, given);
                    return self.select(item, leading, path, index + 1, args);
                }
                symbol => return self.target(env, symbol, name, given),
            }
        }
        None
    }

    fn member(&mut self, instance: InstanceId, instance_name: &str, name: &Ident) -> Option<Symbol> {
        let names = &self.linked[self.instances[instance].linked].names;
        let exported = names.iter().filter(|(_, entry)| !entry.local && !entry.declared);
        match names.get(&name.name) {
            Some(entry) if !entry.local && !entry.declared => Some(entry.symbol),
            _ => {
                let closest = suggest::closest(&name.name, exported.map(|(name, _)| name.as_str()));
                self.report.push(errors::undefined_in_instance(
                    name.span,
                    instance_name,
                    &name.name,
                    closest,
                ));
                None
            }
        }
    }

    fn target(&mut self, env: &Env, symbol: Symbol, name: &Ident, given: Vec<Arg>) -> Option<Target<'a>> {
        match symbol {
            Symbol::Var(var) => Some(Target::Var(var)),
            Symbol::Local(local) => Some(Target::Local(local)),
            Symbol::Param(index) => Some(Target::Local(env.leading[index])),
            Symbol::Item(item) => {
                Some(Target::Item { item, leading: self.leading(env, item, given), given: Vec::new() })
            }
            Symbol::Instance(_) => {
                self.report.push(errors::incomplete_name(name.span, &name.name));
                None
            }
        }
    }

    /// The arguments for an item's leading parameters. First come those of the instances that enclose both the item and
    /// the place, then those given by the path.
    pub(crate) fn leading(&self, env: &Env, item: ItemId, given: Vec<Arg>) -> Vec<Arg> {
        let item = &self.items[item];
        let n_params = item.frame.params.len();
        if n_params < given.len() {
            // The item belongs to a module without parameters, which is the same in all instances.
            return Vec::new();
        }
        let first = item.frame.captured.len();
        let own = &env.leading[first..first + n_params - given.len()];
        own.iter().map(|local| self.local_arg(*local, item.span)).chain(given).collect()
    }
}

fn local_names(scope: &Rc<Scope>) -> Vec<Name> {
    let mut all = Vec::new();
    let mut next = Some(scope);
    while let Some(scope) = next {
        if let ScopeKind::Names(names) = &scope.kind {
            all.extend(names.iter().map(|(name, ..)| name.clone()));
        }
        next = scope.parent.as_ref();
    }
    all
}
