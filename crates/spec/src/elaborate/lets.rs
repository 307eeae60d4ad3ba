//! Resolves LET … IN.

use std::collections::VecDeque;
use std::rc::Rc;

use kilter_syntax::ast::{self, Ident, Unit, UnitKind};

use super::instance::Site;
use super::{Elaborator, Env, node};
use crate::errors;
use crate::ir::{DefId, Expr, ExprKind};
use crate::scope::{Frame, Item, ItemId, ItemKind, Scope, Symbol};

/// The definitions of one LET.
#[derive(Default)]
pub(super) struct LetState {
    /// The items whose body is not resolved yet.
    queue: VecDeque<ItemId>,
    defs: Vec<DefId>,
}

impl LetState {
    pub(super) fn add(&mut self, def: DefId, item: ItemId) {
        self.defs.push(def);
        self.queue.push_back(item);
    }
}

impl<'a> Elaborator<'a> {
    pub(crate) fn let_in(&mut self, env: &Env, units: &'a [Unit], body: &'a ast::Expr) -> Expr {
        let span = body.span;
        let (env, owner) = self.open_let(env, units);
        let body = self.expr(&env, body);
        self.close_let(owner, span, body)
    }

    /// Declares and resolves the definitions of a LET. Returns the environment of its body, and the index of the LET.
    pub(crate) fn open_let(&mut self, env: &Env, units: &'a [Unit]) -> (Env, usize) {
        let owner = self.lets.len();
        self.lets.push(LetState::default());
        let mut env = env.clone();
        let mut declared = Vec::new();
        for unit in units {
            self.let_unit(&mut env, unit, owner, &mut declared);
        }
        for item in declared {
            let item = &self.items[item];
            if matches!(item.kind, ItemKind::Recursive) {
                self.report.push(errors::recursive_without_definition(item.span, &item.short));
            }
        }
        (env, owner)
    }

    /// Resolves the items that instances in the LET still need, and makes the LET around its body.
    pub(crate) fn close_let(&mut self, owner: usize, span: kilter_base::Span, body: Expr) -> Expr {
        while let Some(item) = self.lets[owner].queue.pop_front() {
            self.elaborate_item(item);
        }
        let defs = std::mem::take(&mut self.lets[owner].defs);
        node(span, ExprKind::Let { defs, body })
    }

    fn let_unit(&mut self, env: &mut Env, unit: &'a Unit, owner: usize, declared: &mut Vec<ItemId>) {
        match &unit.kind {
            UnitKind::Recursive(decls) => {
                for decl in decls {
                    let params = vec![0; decl.arity as usize].into();
                    declared.extend(self.let_item(env, &decl.name, owner, ItemKind::Recursive, params));
                }
            }
            UnitKind::Operator(def) => {
                let params = def.params.iter().map(|param| param.arity).collect();
                self.let_item(env, &def.name, owner, ItemKind::Operator(def), params);
            }
            UnitKind::Function(def) => {
                self.let_item(env, &def.name, owner, ItemKind::Function(def), Rc::new([]));
            }
            UnitKind::ModuleDef(def) => {
                if !self.is_free_in(&env.scope, &def.name) {
                    return;
                }
                let site = Site {
                    scope: env.scope.clone(),
                    frame: Frame { captured: env.leading.clone(), params: Rc::new([]) },
                    prefix: String::new(),
                    module: env.module.clone(),
                    owner: Some(owner),
                };
                if let Some(symbol) = self.instance(&site, def) {
                    env.scope = Scope::with(&env.scope, vec![(def.name.name.clone(), symbol, def.name.span)]);
                }
            }
            UnitKind::Separator => {}
            _ => self.report.push(errors::unsupported(unit.span, "such units in a LET")),
        }
    }

    fn let_item(
        &mut self,
        env: &mut Env,
        name: &'a Ident,
        owner: usize,
        kind: ItemKind<'a>,
        params: Rc<[u32]>,
    ) -> Option<ItemId> {
        if let Some((Symbol::Item(item), _)) = self.lookup(&env.scope, &name.name)
            && self.items[item].owner == Some(owner)
            && self.fill_recursive(item, name, &kind, &params, &env.scope.clone())
        {
            self.elaborate_now(item, owner);
            return None;
        }
        if !self.is_free_in(&env.scope, name) {
            return None;
        }
        let recursive = matches!(kind, ItemKind::Recursive);
        let item = self.items.push(Item {
            name: name.name.clone(),
            short: name.name.clone(),
            module: env.module.clone(),
            span: name.span,
            kind,
            params,
            frame: Frame { captured: env.leading.clone(), params: Rc::new([]) },
            scope: env.scope.clone(),
            def: None,
            owner: Some(owner),
            in_let: true,
            for_variable: false,
        });
        if !recursive {
            self.elaborate_now(item, owner);
        }
        env.scope = Scope::with(&env.scope, vec![(name.name.clone(), Symbol::Item(item), name.span)]);
        Some(item)
    }

    fn elaborate_now(&mut self, item: ItemId, owner: usize) {
        self.def_of(item);
        self.lets[owner].queue.retain(|waiting| *waiting != item);
        self.elaborate_item(item);
    }
}
