//! Compiles expressions.

use std::rc::Rc;
use std::sync::Arc;

use kilter_base::Span;
use kilter_spec::ir::{self, Core, Expr, ExprKind, Level, LocalId};
use kilter_spec::native::{Native, Order, Purity, Row};

use super::cache::unchanged_vars;
use super::env::{Binding, Env};
use super::instance::Inside;
use super::{Compiler, LEVELS_UNCHECKED};
use crate::node::{
    Act, Binary, Binder, Bound, Kind, Lambda, NativeCall, Node, Operator, Slot, Target, Test, Update,
};
use crate::run::native::{Evaluation, evaluation};

/// The text of the error when the compiler has no stack left for an expression.
pub(super) const TOO_DEEP: &str =
    "the expression is nested too deeply once the definitions that it uses are written out";

impl<'s> Compiler<'s> {
    /// Compiles an expression. With `primed`, its variables are those of the next state.
    pub(super) fn expr(&mut self, expr: &'s Expr, env: &Env<'s>, primed: bool) -> Node {
        if self.stack_end.is_near() {
            return self.refuse(TOO_DEEP, expr.span);
        }
        self.level += 1;
        let (node, free) = self.tracked(|this| this.expr_kind(expr, env, primed));
        self.level -= 1;
        let node = self.economize(node, &free, expr.span);
        if matches!(node.kind, Kind::Cell(..)) {
            self.deps.insert(node.origin, Rc::default());
        } else {
            self.top().merge(&free);
            self.deps.insert(node.origin, Rc::new(free));
        }
        if self.level % LEVELS_UNCHECKED == LEVELS_UNCHECKED - 1 { Self::checked(node) } else { node }
    }

    fn boxed(&mut self, expr: &'s Expr, env: &Env<'s>, primed: bool) -> Box<Node> {
        Box::new(self.expr(expr, env, primed))
    }

    fn pair(&mut self, a: &'s Expr, b: &'s Expr, env: &Env<'s>, primed: bool) -> [Node; 2] {
        [self.expr(a, env, primed), self.expr(b, env, primed)]
    }

    fn all<'e>(
        &mut self,
        exprs: impl IntoIterator<Item = &'s Expr> + 'e,
        env: &Env<'s>,
        primed: bool,
    ) -> Vec<Node> {
        exprs.into_iter().map(|expr| self.expr(expr, env, primed)).collect()
    }

    fn fields(
        &mut self,
        fields: &'s [(kilter_value::Value, Expr)],
        env: &Env<'s>,
        primed: bool,
    ) -> Box<[(kilter_value::Value, Node)]> {
        fields.iter().map(|(name, expr)| (*name, self.expr(expr, env, primed))).collect()
    }

    /// Compiles a record constructor. Sorts the fields into the order in which records keep them.
    fn record(&mut self, fields: &'s [(kilter_value::Value, Expr)], env: &Env<'s>, primed: bool) -> Kind {
        let mut nodes: Vec<(kilter_value::Value, Node)> = self.fields(fields, env, primed).into();
        nodes.sort_by_key(|(name, _)| name.as_string_number());
        nodes.dedup_by_key(|(name, _)| *name);
        let (names, values): (Vec<_>, Vec<Node>) = nodes.into_iter().unzip();
        Kind::Record(self.store.set_sorted(&names), values.into())
    }

    fn expr_kind(&mut self, expr: &'s Expr, env: &Env<'s>, primed: bool) -> Node {
        let span = expr.span;
        let kind = match &*expr.kind {
            ExprKind::Value(value) => Kind::Value(*value),
            ExprKind::Var(var) => {
                if primed {
                    self.top().primed.insert(var.0);
                    Kind::VarPrimed(var.0)
                } else {
                    self.top().vars.insert(var.0);
                    Kind::Var(var.0)
                }
            }
            ExprKind::Local(local) => return self.local(*local, env, primed, span),
            ExprKind::Call { def, .. } if primed && self.own_variable(*def).is_some() => {
                Kind::VarPrimed(self.own_variable(*def).unwrap_or_default())
            }
            ExprKind::Call { def, args } => return self.call(*def, args, env, primed, span),
            ExprKind::CallLocal { local, args } => return self.call_local(*local, args, env, primed, span),
            ExprKind::Core { op, args } => return self.core(*op, &args.iter().collect::<Vec<_>>(), env, primed, span),
            ExprKind::Quantifier { all, bounds, body } => {
                let (binder, free) = self.tracked(|this| this.binder(bounds, body, env, primed));
                self.top().merge(&free);
                Kind::Quantifier(*all, Box::new(self.narrow_quantifier(*all, binder, &free)))
            }
            ExprKind::Choose { bound, body } => {
                Kind::Choose(Box::new(self.binder(std::slice::from_ref(bound), body, env, primed)))
            }
            ExprKind::Filter { bound, body } => {
                Kind::Filter(Box::new(self.binder(std::slice::from_ref(bound), body, env, primed)))
            }
            ExprKind::Map { bounds, body } => Kind::Map(Box::new(self.binder(bounds, body, env, primed))),
            ExprKind::Function { bounds, body } => return self.function(bounds, body, env, primed, None, span),
            ExprKind::UnboundedQuantifier { .. } => {
                Kind::Refuse("a quantifier without a set cannot be evaluated; write \\A x \\in S : … or \\E x \\in S : …".into())
            }
            ExprKind::UnboundedChoose { .. } => {
                Kind::Refuse("CHOOSE without a set cannot be evaluated; write CHOOSE x \\in S : …, or give the definition a model value in the configuration".into())
            }
            ExprKind::TemporalQuantifier { .. } => {
                Kind::Refuse("\\AA and \\EE cannot be evaluated".into())
            }
            ExprKind::SetEnum(items) => Kind::SetEnum(self.all(items, env, primed).into()),
            ExprKind::Tuple(items) => Kind::Tuple(self.all(items, env, primed).into()),
            ExprKind::Product(items) => Kind::Product(self.all(items, env, primed).into()),
            ExprKind::Index { function, arg } => Kind::Index(Box::new(self.pair(function, arg, env, primed))),
            ExprKind::Field { record, field } => Kind::Field(self.boxed(record, env, primed), *field),
            ExprKind::FunctionSet { domain, range } => Kind::FunctionSet(Box::new(self.pair(domain, range, env, primed))),
            ExprKind::Record(fields) => self.record(fields, env, primed),
            ExprKind::RecordSet(fields) => Kind::RecordSet(self.fields(fields, env, primed)),
            ExprKind::Except { function, updates } => {
                let function = self.boxed(function, env, primed);
                Kind::Except(function, updates.iter().map(|update| self.update(update, env, primed)).collect())
            }
            ExprKind::If { condition, then, otherwise } => Kind::If(Box::new([
                self.expr(condition, env, primed),
                self.expr(then, env, primed),
                self.expr(otherwise, env, primed),
            ])),
            ExprKind::Case { arms, other } => {
                let arms = arms
                    .iter()
                    .map(|(guard, value)| (self.expr(guard, env, primed), self.expr(value, env, primed)))
                    .collect();
                Kind::Case(arms, other.as_ref().map(|other| self.boxed(other, env, primed)))
            }
            ExprKind::Let { defs, body } => return self.let_in(defs, body, env, primed, span),
            ExprKind::SubscriptAction { angle, action, subscript } => {
                return self.subscript_action(*angle, action, subscript, env, span);
            }
            ExprKind::Fairness { .. } => {
                Kind::Refuse("a fairness condition is a temporal formula and cannot be evaluated in a state".into())
            }
        };
        self.node(kind, span)
    }

    fn let_in(
        &mut self,
        defs: &'s [ir::DefId],
        body: &'s Expr,
        env: &Env<'s>,
        primed: bool,
        span: Span,
    ) -> Node {
        let (inner, thunks) = self.bind_lets(defs, env, primed);
        self.expr_in_scope(body, &inner, primed, &thunks, span)
    }

    /// Compiles `[A]_v` or `<<A>>_v` as a predicate.
    fn subscript_action(
        &mut self,
        angle: bool,
        action: &'s Expr,
        subscript: &'s Expr,
        env: &Env<'s>,
        span: Span,
    ) -> Node {
        let action = self.expr(action, env, false);
        let unchanged = self.unchanged_node(subscript, env, span);
        if angle {
            let changed = self.node(Kind::Not(Box::new(unchanged)), span);
            self.node(Kind::And(Box::new([action, changed])), span)
        } else {
            self.node(Kind::Or(Box::new([action, unchanged])), span)
        }
    }

    pub(super) fn core(
        &mut self,
        op: Core,
        args: &[&'s Expr],
        env: &Env<'s>,
        primed: bool,
        span: Span,
    ) -> Node {
        match op {
            Core::Prime => self.expr(args[0], env, true),
            Core::Unchanged => self.unchanged_node(args[0], env, span),
            Core::Enabled if primed => {
                self.in_next(span, |this| this.core(Core::Enabled, args, env, false, span))
            }
            Core::Enabled => self.enabled(span, |this| this.plain_act(args[0], env)),
            _ => {
                let nodes = args.iter().map(|arg| self.expr(arg, env, primed)).collect();
                self.core_nodes(op, nodes, span)
            }
        }
    }

    /// Compiles `ENABLED A`.
    pub(super) fn enabled(&mut self, span: Span, build: impl FnOnce(&mut Self) -> Act) -> Node {
        let outer = std::mem::replace(&mut self.in_enabled, true);
        let inside = Inside { prefix: self.instance_prefix(), variables: Vec::new() };
        let around = self.inside.replace(inside);
        let (act, mut free) = self.tracked(build);
        self.in_enabled = outer;
        let n_more = self.inside.as_ref().map_or(0, |inside| inside.variables.len() as u32);
        self.inside = around;
        // Inside of ENABLED the next state is a hypothetical one, so the result reads no primed variable.
        free.primed.clear();
        free.vars.extend(unchanged_vars(&act));
        free.loops = true;
        self.top().merge(&free);
        self.node(Kind::Enabled(Box::new(act), n_more), span)
    }

    /// Compiles an expression below a prime that has to see the next state as the current one, such as an ENABLED.
    pub(super) fn in_next(&mut self, span: Span, build: impl FnOnce(&mut Self) -> Node) -> Node {
        let (node, mut free) = self.tracked(build);
        if !free.lazies.is_empty() {
            // The lazy slots may already hold values, but for the current state.
            let text =
                "ENABLED below a prime, with arguments or LET definitions from outside, is not supported";
            return self.node(Kind::Refuse(text.into()), span);
        }
        free.primed.append(&mut free.vars);
        self.top().merge(&free);
        self.node(Kind::InNext(Box::new(node)), span)
    }

    /// Makes the node of a built-in operator from its compiled operands.
    pub(super) fn core_nodes(&mut self, op: Core, nodes: Vec<Node>, span: Span) -> Node {
        let mut operands = nodes.into_iter();
        let mut next = || operands.next().expect("the resolver has checked the number of operands");
        let mut two = || Box::new([next(), next()]);
        let kind = match op {
            Core::And => Kind::And(operands.collect()),
            Core::Or => Kind::Or(operands.collect()),
            Core::Implies => Kind::Implies(two()),
            Core::Equiv => Kind::Equiv(two()),
            Core::Eq => Kind::Test(Test::Eq, two()),
            Core::NotEq => Kind::Test(Test::NotEq, two()),
            Core::In => Kind::In(true, two()),
            Core::NotIn => Kind::In(false, two()),
            Core::Cup => Kind::Binary(Binary::Cup, two()),
            Core::Cap => Kind::Binary(Binary::Cap, two()),
            Core::Minus => Kind::Binary(Binary::Minus, two()),
            Core::SubsetEq => Kind::Test(Test::SubsetEq, two()),
            Core::Not => Kind::Not(Box::new(next())),
            Core::Powerset => Kind::Powerset(Box::new(next())),
            Core::BigUnion => {
                self.top().loops = true;
                Kind::BigUnion(Box::new(next()))
            }
            Core::Domain => Kind::Domain(Box::new(next())),
            Core::Prime | Core::Unchanged | Core::Enabled => {
                Kind::Refuse("an operator on states was passed as an argument".into())
            }
            Core::Compose => Kind::Refuse("action composition (\\cdot) is not supported".into()),
            Core::Always | Core::Eventually | Core::LeadsTo | Core::Guarantees => {
                Kind::Refuse("a temporal formula cannot be evaluated in a state".into())
            }
        };
        self.node(kind, span)
    }

    /// Makes the node of a native operator from its compiled arguments.
    pub(super) fn native_nodes(
        &mut self,
        native: Native,
        nodes: Vec<Node>,
        operators: Vec<Operator>,
        span: Span,
    ) -> Node {
        let kind = match evaluation(native) {
            Evaluation::Binary(op) => Kind::Binary(op, Box::new(operands(nodes))),
            Evaluation::Test(test) => Kind::Test(test, Box::new(operands(nodes))),
            Evaluation::Value(value) => Kind::Value(value),
            Evaluation::Call => {
                self.note_native(native.row(), !operators.is_empty());
                let (args, operators) = (nodes.into(), operators.into());
                Kind::Native(Box::new(NativeCall { native, args, operators }))
            }
        };
        self.node(kind, span)
    }

    /// Notes what the value of a native operator depends on besides its arguments.
    fn note_native(&mut self, row: Row, takes_operators: bool) {
        self.sequential |= row.order == Order::Fixed;
        self.asks_behavior |= row.purity == Purity::Behavior;
        let free = self.top();
        free.impure |= row.purity != Purity::Pure;
        free.effect |= matches!(row.purity, Purity::Behavior | Purity::Effect);
        free.loops |= takes_operators;
    }

    /// Compiles bound names. Their sets are compiled in `env`; the returned environment has the names too.
    pub(super) fn bounds(
        &mut self,
        bounds: &'s [ir::Bound],
        env: &Env<'s>,
        primed: bool,
    ) -> (Box<[Bound]>, Env<'s>, Vec<Slot>) {
        let mut inner = env.clone();
        let mut slots = Vec::new();
        let compiled = bounds
            .iter()
            .map(|bound| {
                let set = self.expr(&bound.set, env, primed);
                let mut own = Vec::new();
                for local in &bound.locals {
                    let (extended, slot) = self.bind_slot(&inner, *local);
                    inner = extended;
                    own.push(slot);
                }
                slots.extend(&own);
                let target = if bound.tuple { Target::Tuple(own.into()) } else { Target::Slots(own.into()) };
                let name = |local: &LocalId| self.spec.locals[*local].name.clone();
                Bound { names: bound.locals.iter().map(name).collect(), target, set }
            })
            .collect();
        (compiled, inner, slots)
    }

    fn binder(&mut self, bounds: &'s [ir::Bound], body: &'s Expr, env: &Env<'s>, primed: bool) -> Binder {
        let (bounds, inner, slots) = self.bounds(bounds, env, primed);
        let (body, mut free) = self.tracked(|this| this.expr(body, &inner, primed));
        Self::unbind(&mut free, &slots);
        self.top().merge(&free);
        self.top().loops = true;
        Binder { bounds, body }
    }

    /// Compiles `[x \in S |-> e]`.
    pub(super) fn function(
        &mut self,
        bounds: &'s [ir::Bound],
        body: &'s Expr,
        env: &Env<'s>,
        primed: bool,
        itself: Option<Slot>,
        span: Span,
    ) -> Node {
        let (bounds, inner, slots) = self.bounds(bounds, env, primed);
        let ((body, act), mut free) = self.tracked(|this| {
            let may_act = itself.is_some() || body.level == Level::Action;
            let act = (may_act && is_formula(body)).then(|| this.act_below(body, &inner, primed));
            (this.expr(body, &inner, primed), act)
        });
        Self::unbind(&mut free, &slots);
        if let Some(slot) = itself {
            free.slots.remove(&slot);
        }
        let captures = free.slots.union(&free.lazies).copied().collect();
        self.top().merge(&free);
        self.top().loops = true;
        let lambda = Lambda { bounds, body, act, itself, captures, frame: self.frame };
        self.node(Kind::Function(Arc::new(lambda)), span)
    }

    fn update(&mut self, update: &'s ir::Update, env: &Env<'s>, primed: bool) -> Update {
        let path = self.all(&update.path, env, primed).into();
        let slot = self.new_slot();
        let inner = env.bind(update.at, Binding::Slot { slot, frame: self.frame, param: false });
        let (value, mut free) = self.tracked(|this| this.expr(&update.value, &inner, primed));
        let at = free.slots.remove(&slot).then_some(slot);
        self.top().merge(&free);
        Update { path, at, value }
    }
}

/// Takes the two operands of an infix operator.
fn operands(nodes: Vec<Node>) -> [Node; 2] {
    <[Node; 2]>::try_from(nodes).expect("the resolver has checked the number of operands")
}

/// Whether an expression looks like a formula, going by its outermost operator.
fn is_formula(expr: &Expr) -> bool {
    match &*expr.kind {
        ExprKind::Core { op, .. } => matches!(op, Core::And | Core::Or | Core::Implies),
        ExprKind::Quantifier { .. } => true,
        ExprKind::If { then, .. } => is_formula(then),
        ExprKind::Let { body, .. } => is_formula(body),
        _ => false,
    }
}
