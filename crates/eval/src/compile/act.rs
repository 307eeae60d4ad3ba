//! Compiles actions, that is expressions that assign primed variables, and splits Next into named actions.
//!
//! An initial predicate is compiled as an action in which every variable is primed: there `x = e` assigns.

use std::rc::Rc;

use kilter_base::{Name, Span};
use kilter_spec::ir::{Bound, Core, DefBody, Expr, ExprKind, Formula, Level, LocalId};

use super::Compiler;
use super::call::thunk_slots;
use super::env::{Binding, Env, LetBinding, Thunk};
use super::expr::TOO_DEEP;
use crate::node::{Act, ActBinder, ActKind, Action, Kind, Slot, Var};
use crate::program::{Named, Start, Step};

/// The place of an action in the structure of Next, while Next is being split.
#[derive(Clone)]
struct Place<'s> {
    /// The name of the innermost definition around it.
    name: Name,
    /// The parameters of that definition.
    params: Vec<LocalId>,
    /// The names bound by `\E` on the way, with what they stand for.
    bound: Vec<(LocalId, Binding<'s>)>,
    /// Whether no definition has been entered yet but the one that the configuration names.
    root: bool,
}

impl<'s> Compiler<'s> {
    pub(super) fn init(&mut self, formula: &'s Formula) -> Start {
        self.root_frame();
        let (body, free) = self.tracked(|this| this.act(&formula.expr, &Env::default(), true, None));
        Named {
            name: formula.name.clone(),
            span: formula.expr.span,
            frame: self.frame,
            vars: Vec::new(),
            primed: Vec::new(),
            impure: free.impure,
            body,
        }
    }

    pub(super) fn next(&mut self, formula: &'s Formula) -> Step {
        self.root_frame();
        let place = Place { name: formula.name.clone(), params: Vec::new(), bound: Vec::new(), root: true };
        let (body, free) = self.tracked(|this| this.act(&formula.expr, &Env::default(), false, Some(&place)));
        let body = self.cache_units(body);
        Named {
            name: formula.name.clone(),
            span: formula.expr.span,
            frame: self.frame,
            vars: free.vars.into_iter().collect(),
            primed: Vec::new(),
            impure: false,
            body,
        }
    }

    /// Compiles an action without splitting it into named ones.
    pub(super) fn plain_act(&mut self, expr: &'s Expr, env: &Env<'s>) -> Act {
        self.act(expr, env, false, None)
    }

    /// Compiles the body of a function or operator as an action.
    pub(super) fn act_below(&mut self, expr: &'s Expr, env: &Env<'s>, primed: bool) -> Act {
        self.act(expr, env, primed, None)
    }

    pub(super) fn make(&mut self, kind: ActKind, span: Span) -> Act {
        let origin = self.origins.add(span, self.context);
        Act { kind, origin }
    }

    fn act(&mut self, expr: &'s Expr, env: &Env<'s>, primed: bool, place: Option<&Place<'s>>) -> Act {
        let span = expr.span;
        if self.stack_end.is_near() {
            let refused = self.refuse(TOO_DEEP, span);
            return self.make(ActKind::Guard(refused), span);
        }
        // Disjunctions, `\E` and calls are split further. Everything else is an action with a name.
        match (&*expr.kind, place) {
            (ExprKind::Core { op: Core::Or, args }, _) => {
                let arms = args
                    .iter()
                    .map(|arg| (self.block(arg.span), self.act(arg, env, primed, place)))
                    .collect();
                self.make(ActKind::Or(arms), span)
            }
            (ExprKind::Quantifier { all: false, bounds, body }, _) => {
                let (act, free) =
                    self.tracked(|this| this.exists_act(bounds, body, env, primed, place, span));
                self.top().merge(&free);
                self.act_deps.insert(act.origin, free);
                act
            }
            (ExprKind::Let { defs, body }, _) => {
                let (inner, thunks) = self.bind_lets(defs, env, primed);
                self.scoped(&thunks, span, |this| this.act(body, &inner, primed, place))
            }
            (ExprKind::Call { .. } | ExprKind::Local(_) | ExprKind::CallLocal { .. }, _) => {
                self.act_call(expr, env, primed, place)
            }
            (ExprKind::Core { op: Core::And, args }, Some(place)) if place.root => {
                match self.only_structured(args) {
                    Some(inner) => {
                        let items = args
                            .iter()
                            .enumerate()
                            .map(|(i, arg)| self.act(arg, env, primed, (i == inner).then_some(place)))
                            .collect();
                        self.make(ActKind::And(items), span)
                    }
                    None => self.named(expr, env, primed, place),
                }
            }
            (ExprKind::SubscriptAction { angle: false, action, subscript }, Some(_)) => {
                let arm = (self.block(action.span), self.act(action, env, primed, place));
                let stutter = self.unchanged(subscript, env, span);
                let other = (self.block(subscript.span), stutter);
                self.make(ActKind::Or(Box::new([arm, other])), span)
            }
            (_, Some(place)) => self.named(expr, env, primed, place),
            (_, None) => self.act_kind(expr, env, primed),
        }
    }

    /// Compiles `\E x \in S : A`.
    fn exists_act(
        &mut self,
        bounds: &'s [Bound],
        body: &'s Expr,
        env: &Env<'s>,
        primed: bool,
        place: Option<&Place<'s>>,
        span: Span,
    ) -> Act {
        let (compiled, inner, slots) = self.bounds(bounds, env, primed);
        let place = place.map(|place| {
            let mut place = place.clone();
            for local in bounds.iter().flat_map(|bound| &bound.locals) {
                if let Some(binding) = inner.local(*local) {
                    place.bound.push((*local, binding.clone()));
                }
            }
            place
        });
        let (body, mut free) = self.tracked(|this| this.act(body, &inner, primed, place.as_ref()));
        Self::unbind(&mut free, &slots);
        self.top().merge(&free);
        self.exists(compiled.into(), body, span)
    }

    /// The index of the only conjunct that can be split further, as in `(A \/ B) /\ history' = …`. `None` if there are
    /// several or none.
    fn only_structured(&self, args: &[Expr]) -> Option<usize> {
        let mut found = None;
        for (i, arg) in args.iter().enumerate() {
            let structured = match &*arg.kind {
                ExprKind::Core { op: Core::Or, .. } | ExprKind::Quantifier { all: false, .. } => true,
                ExprKind::Call { def, .. } => matches!(self.spec.defs[*def].body, DefBody::Expr(_)),
                _ => false,
            };
            if arg.level == Level::Action && structured {
                if found.is_some() {
                    return None;
                }
                found = Some(i);
            }
        }
        found
    }

    /// Compiles a leaf of Next: an action with a name and arguments.
    fn named(&mut self, expr: &'s Expr, env: &Env<'s>, primed: bool, place: &Place<'s>) -> Act {
        let (body, free) = self.tracked(|this| this.act_kind(expr, env, primed));
        self.top().merge(&free);
        let mut args: Vec<(Name, crate::node::Node)> = Vec::new();
        let mut shown: Vec<Slot> = Vec::new();
        let params = place.params.iter().filter_map(|local| Some((*local, env.local(*local)?.clone(), true)));
        let bound = place.bound.iter().map(|(local, binding)| (*local, binding.clone(), false));
        for (local, binding, is_param) in params.chain(bound).collect::<Vec<_>>() {
            let info = &self.spec.locals[local];
            if info.arity > 0 {
                continue;
            }
            let env = Env::default().bind(local, binding);
            let (node, free) = self.tracked(|this| this.local(local, &env, primed, info.span));
            if !free.primed.is_empty() {
                continue;
            }
            if let Kind::Slot(slot) = node.kind {
                if shown.contains(&slot) && !is_param {
                    continue;
                }
                shown.push(slot);
            }
            self.top().merge(&free);
            args.push((info.name.clone(), node));
        }
        let origin = self.origins.add(expr.span, self.context);
        self.act_deps.insert(origin, free);
        let id = self.actions.push(Action { name: place.name.clone(), args, origin });
        Act { kind: ActKind::Named(id, Box::new(body)), origin }
    }

    /// Compiles a body. If thunks keep their values in slots, the slots are emptied before the body runs.
    fn scoped(&mut self, thunks: &[Rc<Thunk<'s>>], span: Span, build: impl FnOnce(&mut Self) -> Act) -> Act {
        let (act, mut free) = self.tracked(build);
        let slots = thunk_slots(thunks);
        Self::unbind(&mut free, &slots);
        self.top().merge(&free);
        if slots.is_empty() { act } else { self.make(ActKind::Scope(slots.into(), Box::new(act)), span) }
    }

    /// Compiles a name or an operator call that stands for an action. Its body is compiled as an action too.
    fn act_call(&mut self, expr: &'s Expr, env: &Env<'s>, primed: bool, place: Option<&Place<'s>>) -> Act {
        let span = expr.span;
        let leaf = |this: &mut Self| match place {
            Some(place) => this.named_guard(expr, env, primed, place),
            None => this.guard(expr, env, primed),
        };
        match &*expr.kind {
            ExprKind::Local(local) => match env.local(*local).cloned() {
                Some(Binding::Thunk(thunk)) => {
                    let inner = thunk.env.borrow().clone();
                    self.act(thunk.expr, &inner, primed || thunk.primed, place)
                }
                _ => leaf(self),
            },
            ExprKind::Call { def, args } => {
                let definition = &self.spec.defs[*def];
                let DefBody::Expr(body) = &definition.body else { return leaf(self) };
                if definition.recursive {
                    let act = leaf(self);
                    self.compile_act_of(&act, &definition.params, body, env.let_def(*def), primed);
                    return act;
                }
                let Some((body, inner, thunks, both)) = self.expansion(*def, body, args, env, primed) else {
                    return leaf(self);
                };
                let place = place.map(|place| Place {
                    name: definition.name.clone(),
                    params: definition.params.clone(),
                    bound: place.bound.clone(),
                    root: false,
                });
                // A definition that only passes Next on, as in `Next == Steps`, is still the root.
                let context = self.context;
                self.context = Some(self.origins.call(definition.name.clone(), span, context));
                let act = self.scoped(&thunks, span, |this| this.act(body, &inner, both, place.as_ref()));
                self.context = context;
                act
            }
            ExprKind::CallLocal { local, args } => match env.local(*local).cloned() {
                Some(Binding::Op(thunk)) => match self.op_expansion(&thunk, args, env, primed) {
                    Some((body, inner, thunks, both)) => {
                        self.scoped(&thunks, span, |this| this.act(body, &inner, both, place))
                    }
                    None => leaf(self),
                },
                _ => leaf(self),
            },
            _ => leaf(self),
        }
    }

    /// Compiles the body of a recursive operator as an action too, if that has not been done yet.
    fn compile_act_of(
        &mut self,
        act: &Act,
        params: &[LocalId],
        body: &'s Expr,
        binding: Option<&LetBinding<'s>>,
        primed: bool,
    ) {
        let kind = match &act.kind {
            ActKind::Named(_, inner) => &inner.kind,
            kind => kind,
        };
        let ActKind::Call(function, _) = kind else { return };
        let (env, primed) = match binding {
            Some(LetBinding::Operator(operator)) => {
                (operator.env.borrow().clone(), primed || operator.primed)
            }
            _ => (Env::default(), primed),
        };
        let Some(frame) = self.begin_act(*function) else { return };
        let mut inner = env;
        for (slot, param) in params.iter().enumerate() {
            inner = inner.bind(*param, Binding::Slot { slot: slot as u32, frame, param: true });
        }
        let outer = std::mem::replace(&mut self.frame, frame);
        let (act, _) = self.tracked(|this| this.act(body, &inner, primed, None));
        self.frame = outer;
        self.end_act(*function, act);
    }

    fn named_guard(&mut self, expr: &'s Expr, env: &Env<'s>, primed: bool, place: &Place<'s>) -> Act {
        let body = self.guard(expr, env, primed);
        let origin = self.origins.add(expr.span, self.context);
        let id = self.actions.push(Action { name: place.name.clone(), args: Vec::new(), origin });
        Act { kind: ActKind::Named(id, Box::new(body)), origin }
    }

    fn guard(&mut self, expr: &'s Expr, env: &Env<'s>, primed: bool) -> Act {
        let node = self.expr(expr, env, primed);
        match node.kind {
            Kind::Call(function, args) => self.make(ActKind::Call(function, args), expr.span),
            // Before the body is compiled, nobody knows whether a call of a recursive action can be looked up. So it is
            // not.
            Kind::Memo(memo) if matches!(memo.body.kind, Kind::Call(..)) && expr.level == Level::Action => {
                let Kind::Call(function, args) = memo.body.kind else { unreachable!("just matched") };
                self.make(ActKind::Call(function, args), expr.span)
            }
            _ => self.make(ActKind::Guard(node), expr.span),
        }
    }

    fn act_kind(&mut self, expr: &'s Expr, env: &Env<'s>, primed: bool) -> Act {
        let span = expr.span;
        let kind = match &*expr.kind {
            ExprKind::Core { op: Core::And, args } => {
                ActKind::And(args.iter().map(|arg| self.act(arg, env, primed, None)).collect())
            }
            ExprKind::Quantifier { all: true, bounds, body } => {
                let (bounds, inner, slots) = self.bounds(bounds, env, primed);
                let (body, mut free) = self.tracked(|this| this.act(body, &inner, primed, None));
                Self::unbind(&mut free, &slots);
                self.top().merge(&free);
                ActKind::Forall(Box::new(ActBinder { bounds, body }))
            }
            ExprKind::Core { op: Core::Eq, args } => match self.assigned_var(&args[0], env, primed) {
                Some(var) => ActKind::Assign(var, self.expr(&args[1], env, primed)),
                None => return self.guard(expr, env, primed),
            },
            ExprKind::Core { op: Core::In, args } => match self.assigned_var(&args[0], env, primed) {
                Some(var) => ActKind::AssignIn(var, self.expr(&args[1], env, primed)),
                None => return self.guard(expr, env, primed),
            },
            ExprKind::Core { op: Core::SubsetEq, args } => match self.assigned_var(&args[0], env, primed) {
                Some(var) => ActKind::AssignSubset(var, self.expr(&args[1], env, primed)),
                None => return self.guard(expr, env, primed),
            },
            ExprKind::Core { op: Core::Unchanged, args } => return self.unchanged(&args[0], env, span),
            ExprKind::Core { op: Core::Compose, args } => {
                let [first, second] = [&args[0], &args[1]].map(|arg| self.act(arg, env, primed, None));
                ActKind::Compose(Box::new([first, second]))
            }
            ExprKind::Index { function, arg } => {
                if let Some(act) = self.act_at(function, arg, env, primed, span) {
                    return act;
                }
                ActKind::Index(Box::new([self.expr(function, env, primed), self.expr(arg, env, primed)]))
            }
            ExprKind::Core { op: Core::Implies, args } => {
                let condition = self.expr(&args[0], env, primed);
                ActKind::Implies(condition, Box::new(self.act(&args[1], env, primed, None)))
            }
            ExprKind::If { condition, then, otherwise } => {
                let condition = self.expr(condition, env, primed);
                let then = (self.block(then.span), self.act(then, env, primed, None));
                let otherwise = (self.block(otherwise.span), self.act(otherwise, env, primed, None));
                ActKind::If(condition, Box::new([then, otherwise]))
            }
            ExprKind::Case { arms, other } => {
                let arms = arms
                    .iter()
                    .map(|(guard, value)| {
                        let guard = self.expr(guard, env, primed);
                        (guard, self.block(value.span), self.act(value, env, primed, None))
                    })
                    .collect();
                let other = other
                    .as_ref()
                    .map(|other| Box::new((self.block(other.span), self.act(other, env, primed, None))));
                ActKind::Case(arms, other)
            }
            ExprKind::SubscriptAction { angle, action, subscript } => {
                if *angle {
                    return self.angle_act(action, subscript, env, primed, span);
                }
                let act = self.act(action, env, primed, None);
                let stutter = self.unchanged(subscript, env, span);
                let arms = [(self.block(action.span), act), (self.block(subscript.span), stutter)];
                ActKind::Or(Box::new(arms))
            }
            _ => return self.guard(expr, env, primed),
        };
        self.make(kind, span)
    }

    /// Compiles `UNCHANGED e`. Assigns variables where `e` is a variable or a tuple of variables, also through
    /// definitions.
    fn unchanged(&mut self, expr: &'s Expr, env: &Env<'s>, span: Span) -> Act {
        match &*expr.kind {
            ExprKind::Var(var) => return self.make(ActKind::Unchanged(var.0), span),
            ExprKind::Tuple(items) => {
                let items = items.iter().map(|item| self.unchanged(item, env, span)).collect();
                return self.make(ActKind::And(items), span);
            }
            ExprKind::Local(local) => {
                if let Some(Binding::Thunk(thunk)) = env.local(*local).cloned() {
                    let inner = thunk.env.borrow().clone();
                    return self.unchanged(thunk.expr, &inner, span);
                }
            }
            ExprKind::Call { def, args } => {
                if let Some(var) = self.own_variable(*def) {
                    let value = self.expr(expr, env, false);
                    return self.make(ActKind::Assign(var, value), span);
                }
                let definition = &self.spec.defs[*def];
                if let (DefBody::Expr(body), true, false) =
                    (&definition.body, definition.params.is_empty(), definition.recursive)
                    && let Some((body, inner, thunks, _)) = self.expansion(*def, body, args, env, false)
                {
                    return self.scoped(&thunks, span, |this| this.unchanged(body, &inner, span));
                }
            }
            _ => {}
        }
        let pair = Box::new([self.expr(expr, env, false), self.expr(expr, env, true)]);
        let node = self.node(Kind::Unchanged(pair), span);
        self.make(ActKind::Guard(node), span)
    }

    /// The variable that the left side of an equation assigns. Looks through definitions and arguments.
    fn assigned_var(&mut self, expr: &'s Expr, env: &Env<'s>, primed: bool) -> Option<Var> {
        match &*expr.kind {
            ExprKind::Var(var) if primed => Some(var.0),
            ExprKind::Core { op: Core::Prime, args } if !primed => self.assigned_var(&args[0], env, true),
            ExprKind::Local(local) => match env.local(*local).cloned()? {
                Binding::Thunk(thunk) => {
                    let inner = thunk.env.borrow().clone();
                    self.assigned_var(thunk.expr, &inner, primed || thunk.primed)
                }
                _ => None,
            },
            ExprKind::Call { def, args } => {
                if primed && let Some(var) = self.own_variable(*def) {
                    return Some(var);
                }
                let definition = &self.spec.defs[*def];
                let DefBody::Expr(body) = &definition.body else { return None };
                if definition.recursive {
                    return None;
                }
                let (body, inner, _, both) = self.expansion(*def, body, args, env, primed)?;
                self.assigned_var(body, &inner, both)
            }
            _ => None,
        }
    }
}
