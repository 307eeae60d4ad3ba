//! Turns modules into definitions, by resolving their names.
//!
//! - [`units`]     declares the names of a module
//! - [`instance`]  gives the constants and variables of a module their meaning in an instance
//! - [`items`]     makes a definition of a declared name when it is first used
//! - [`names`]     finds what a name stands for
//! - [`apply`]     operators and their arguments
//! - [`select`]    names of subexpressions, such as `Op!2`
//! - [`binders`]   bound names and tuple patterns
//! - [`exprs`]     everything else in an expression

mod apply;
mod binders;
mod core;
mod exprs;
mod instance;
mod items;
mod lets;
mod names;
mod select;
mod units;

pub(crate) use apply::call_operator;

use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;

use kilter_base::memory::StackEnd;
use kilter_base::{IdVec, Name, Sources, Span};
use kilter_value::{Store, Value};

use crate::ir::{DefId, Expr, ExprKind, Formula, Level, Local, LocalId, Spec};
use crate::load::{Loaded, Modules};
use crate::report::Report;
use crate::scope::{
    Frame, Instance, InstanceId, Item, ItemId, Linked, LinkedId, Scope, ScopeKind, World, WorldId,
};

/// The state of linking one root module.
pub(crate) struct Elaborator<'a> {
    pub(crate) modules: &'a Modules,
    pub(crate) store: &'a Store,
    pub(crate) sources: &'a Sources,
    pub(crate) spec: Spec,
    pub(crate) items: IdVec<ItemId, Item<'a>>,
    pub(crate) linked: IdVec<LinkedId, Linked<'a>>,
    pub(crate) instances: IdVec<InstanceId, Instance>,
    pub(crate) worlds: IdVec<WorldId, World<'a>>,
    /// The items outside of LETs whose body is not resolved yet.
    pub(crate) queue: VecDeque<ItemId>,
    /// All LETs so far, open or closed.
    lets: Vec<lets::LetState>,
    pub(crate) report: Report,
    /// The limits of levels that instances impose.
    pub(crate) demands: Vec<Demand>,
    /// Theorems without a name. They are only checked.
    pub(crate) theorems: Vec<Expr>,
    /// The item of each definition.
    pub(crate) item_of: BTreeMap<DefId, ItemId>,
    /// The named parts of definitions, by the definition and the span of the path that names the part.
    parts: BTreeMap<(ItemId, Span), ItemId>,
    /// The end of the stack that nested expressions may use.
    pub(crate) stack_end: StackEnd,
}

/// A limit on the level of what replaces a declared name.
pub(crate) struct Demand {
    pub(crate) def: Option<DefId>,
    /// The level of a substitute that is not a definition.
    pub(crate) level: Level,
    pub(crate) max: Level,
    pub(crate) span: Span,
    pub(crate) name: Name,
}

/// The place of an expression.
#[derive(Clone)]
pub(crate) struct Env {
    pub(crate) scope: Rc<Scope>,
    /// The leading parameters of the definition around it, which belong to enclosing instances.
    pub(crate) leading: Rc<[LocalId]>,
    /// The module that it is written in.
    pub(crate) module: Name,
}

impl<'a> Elaborator<'a> {
    pub(crate) fn new(
        modules: &'a Modules,
        sources: &'a Sources,
        store: &'a Store,
        stack_end: StackEnd,
    ) -> Self {
        let mut worlds = IdVec::new();
        worlds.push(World {
            prefix: String::new(),
            frame: Frame::empty(),
            linked: BTreeMap::new(),
            substitution: None,
            owner: None,
        });
        Elaborator {
            modules,
            store,
            sources,
            spec: Spec { check_deadlock: true, ..Spec::default() },
            items: IdVec::new(),
            linked: IdVec::new(),
            instances: IdVec::new(),
            worlds,
            queue: VecDeque::new(),
            lets: Vec::new(),
            report: Report::default(),
            demands: Vec::new(),
            theorems: Vec::new(),
            item_of: BTreeMap::new(),
            parts: BTreeMap::new(),
            stack_end,
        }
    }

    /// Links `root` and resolves all its definitions. Of instances, only the definitions that are used are resolved.
    pub(crate) fn run(&mut self, root: &'a Loaded) -> LinkedId {
        self.spec.module = Some(root.name.clone());
        let linked = self.link(&root.tree, root, None, WorldId(0));
        for extended in self.extended(linked) {
            if !self.linked[extended].file.builtin {
                self.request_all(extended);
            }
            self.assumptions(extended);
        }
        self.drain();
        linked
    }

    /// Also resolves the modules nested in `linked` on their own, to report their mistakes.
    pub(crate) fn check_nested(&mut self, linked: LinkedId) {
        let nested: Vec<_> = self.linked[linked].nested.values().cloned().collect();
        for module in nested {
            if module.tree.span.file != self.linked[linked].tree.span.file {
                continue;
            }
            let linked = self.link(module.tree, module.file, Some(module.scope), WorldId(0));
            self.request_all(linked);
            self.drain();
            self.check_nested(linked);
        }
    }

    /// The modules that a module extends, each after those that it extends itself. The module itself comes last.
    pub(crate) fn extended(&self, linked: LinkedId) -> Vec<LinkedId> {
        let mut order = Vec::new();
        self.extended_into(linked, &mut order);
        order
    }

    fn extended_into(&self, linked: LinkedId, order: &mut Vec<LinkedId>) {
        if order.contains(&linked) {
            return;
        }
        for extended in &self.linked[linked].extends {
            self.extended_into(*extended, order);
        }
        order.push(linked);
    }

    fn request_all(&mut self, linked: LinkedId) {
        let module = self.linked[linked].tree.name.name.clone();
        let items: Vec<ItemId> = self.linked[linked]
            .order
            .iter()
            .filter_map(|name| match self.linked[linked].names[name].symbol {
                crate::scope::Symbol::Item(item) => Some(item),
                _ => None,
            })
            .filter(|item| self.items[*item].module == module)
            .collect();
        for item in items {
            self.def_of(item);
        }
        for (theorem, since) in self.linked[linked].theorems.clone() {
            let env = self.module_env(linked, since);
            let theorem = self.expr(&env, theorem);
            self.theorems.push(theorem);
        }
    }

    fn assumptions(&mut self, linked: LinkedId) {
        for (name, body, since) in self.linked[linked].assumptions.clone() {
            let env = self.module_env(linked, since);
            let expr = self.expr(&env, body);
            let name =
                name.map_or_else(|| Name::from(self.sources.place(body.span)), |name| name.name.clone());
            self.spec.assumptions.push(Formula { name, expr });
        }
    }

    /// The environment of expressions in unit `since` of a module.
    pub(crate) fn module_env(&self, linked: LinkedId, since: u32) -> Env {
        let module = &self.linked[linked];
        Env {
            scope: self.module_scope(linked, since),
            leading: self.worlds[module.world].frame.captured.clone(),
            module: module.tree.name.name.clone(),
        }
    }

    pub(crate) fn module_scope(&self, linked: LinkedId, limit: u32) -> Rc<Scope> {
        let parent = self.linked[linked].outer.clone();
        Rc::new(Scope { parent, kind: ScopeKind::Module { linked, limit } })
    }

    /// Resolves the bodies of all items in the queue.
    pub(crate) fn drain(&mut self) {
        while let Some(item) = self.queue.pop_front() {
            self.elaborate_item(item);
        }
    }

    pub(crate) fn local(&mut self, name: &Name, span: Span, arity: u32) -> LocalId {
        self.spec.locals.push(Local { name: name.clone(), span, arity })
    }
}

/// Makes a node. Its level is computed later.
pub(crate) fn node(span: Span, kind: ExprKind) -> Expr {
    Expr { kind: Box::new(kind), span, level: Level::Constant }
}

/// The expression in a place where an error was reported.
pub(crate) fn hole(span: Span) -> Expr {
    node(span, ExprKind::Value(Value::FALSE))
}
