//! Makes definitions from declared names.

use std::rc::Rc;

use kilter_base::Span;
use kilter_syntax::ast::{self, Ident};

use super::{Elaborator, Env, hole, node};
use crate::errors;
use crate::ir::{Arg, Def, DefBody, DefId, Expr, ExprKind, Level, LocalId};
use crate::scope::{ItemId, ItemKind, Scope, Symbol};

impl<'a> Elaborator<'a> {
    /// The definition of an item. If it is new, its body is resolved later.
    pub(crate) fn def_of(&mut self, id: ItemId) -> DefId {
        let item = &self.items[id];
        if let Some(def) = item.def {
            return def;
        }
        let def = self.spec.defs.push(Def {
            name: item.name.clone(),
            params: Vec::new(),
            body: DefBody::Expr(hole(item.span)),
            level: Level::Constant,
            recursive: false,
            span: item.span,
            module: item.module.clone(),
            in_let: item.in_let,
            for_variable: item.for_variable,
        });
        match item.owner {
            Some(owner) => self.lets[owner].add(def, id),
            None => self.queue.push_back(id),
        }
        self.items[id].def = Some(def);
        self.item_of.insert(def, id);
        def
    }

    /// Gives an item's definition its parameters and its body.
    pub(crate) fn elaborate_item(&mut self, id: ItemId) {
        let def = self.def_of(id);
        let item = &self.items[id];
        let (kind, frame, span) = (item.kind.clone(), item.frame.clone(), item.span);
        let arities = item.params.clone();
        let (scope, module) = (item.scope.clone(), item.module.clone());
        let mut params: Vec<LocalId> =
            frame.params.iter().map(|param| self.local(&param.name, param.span, param.arity)).collect();
        let leading: Rc<[LocalId]> = frame.captured.iter().copied().chain(params.iter().copied()).collect();
        let mut env = Env { scope, leading, module };
        let body = match kind {
            ItemKind::Operator(operator) => {
                params.extend(self.bind_params(&mut env, &operator.params));
                self.expr(&env, &operator.body)
            }
            ItemKind::Function(function) => {
                let own = (function.name.name.clone(), Symbol::Item(id), function.name.span);
                if self.lookup(&env.scope, &function.name.name).is_none() {
                    env.scope = Scope::with(&env.scope, vec![own]);
                }
                let (env, bounds) = self.bounds(&env, &function.bounds);
                let body = self.expr(&env, &function.body);
                node(function.name.span.to(function.body.span), ExprKind::Function { bounds, body })
            }
            ItemKind::Formula(formula) => self.expr(&env, formula),
            ItemKind::Native(native) => {
                let name = self.items[id].short.clone();
                params.extend(arities.iter().map(|arity| self.local(&name, span, *arity)));
                self.spec.defs[def].params = params;
                self.spec.defs[def].body = DefBody::Native(native);
                return;
            }
            ItemKind::Constant | ItemKind::Recursive | ItemKind::Statement => {
                let name = self.items[id].short.clone();
                params.extend(arities.iter().map(|arity| self.local(&name, span, *arity)));
                hole(span)
            }
            ItemKind::Substitute(expr) => self.substitute_body(&env, expr, &arities, &mut params),
            ItemKind::Alias(symbol) => self.alias_body(&env, symbol, span),
            ItemKind::Part { layers, place } => self.part(&env, &layers, place, &mut params),
        };
        self.spec.defs[def].params = params;
        self.spec.defs[def].span = span;
        self.spec.defs[def].body = DefBody::Expr(body);
    }

    fn bind_params(&mut self, env: &mut Env, params: &'a [ast::OpDecl]) -> Vec<LocalId> {
        let names: Vec<_> = params.iter().map(|param| (&param.name, param.arity)).collect();
        self.bind(env, &names)
    }

    pub(crate) fn bind_idents(&mut self, env: &mut Env, names: &[&'a Ident]) -> Vec<LocalId> {
        let names: Vec<_> = names.iter().map(|name| (*name, 0)).collect();
        self.bind(env, &names)
    }

    pub(crate) fn alias_body(&mut self, env: &Env, symbol: Symbol, span: Span) -> Expr {
        match symbol {
            Symbol::Var(var) => node(span, ExprKind::Var(var)),
            Symbol::Local(local) => node(span, ExprKind::Local(local)),
            Symbol::Param(index) => node(span, ExprKind::Local(env.leading[index])),
            Symbol::Item(item) => {
                let args = self.leading(env, item, Vec::new());
                node(span, ExprKind::Call { def: self.def_of(item), args })
            }
            Symbol::Instance(_) => hole(span),
        }
    }

    /// The body of a definition that stands for an operator constant. It takes the constant's parameters and passes
    /// them on.
    fn substitute_body(
        &mut self,
        env: &Env,
        expr: &'a ast::Expr,
        arities: &[u32],
        params: &mut Vec<LocalId>,
    ) -> Expr {
        if arities.is_empty() {
            return self.expr(env, expr);
        }
        if let ast::ExprKind::Lambda { params: names, body } = &*expr.kind {
            if names.len() != arities.len() {
                self.report.push(errors::operator_wanted(expr.span, arities.len()));
                return hole(expr.span);
            }
            let mut env = env.clone();
            let idents: Vec<_> = names.iter().collect();
            params.extend(self.bind_idents(&mut env, &idents));
            return self.expr(&env, body);
        }
        let Arg::Op(operator) = self.arg(env, expr, arities.len() as u32) else { return hole(expr.span) };
        let name = "x".into();
        let locals: Vec<LocalId> = arities.iter().map(|arity| self.local(&name, expr.span, *arity)).collect();
        params.extend(&locals);
        let args = locals.iter().map(|local| self.local_arg(*local, expr.span)).collect();
        super::apply::call_operator(operator, args, expr.span)
    }

    /// A bound name as an argument, which is a value or an operator.
    pub(crate) fn local_arg(&self, local: LocalId, span: Span) -> Arg {
        if self.spec.locals[local].arity == 0 {
            Arg::Expr(node(span, ExprKind::Local(local)))
        } else {
            Arg::Op(crate::ir::OpArg::Local(local))
        }
    }
}
