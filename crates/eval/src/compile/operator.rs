//! Compiles operators as arguments. They are expanded where they are known, and closures where they are not.

use std::rc::Rc;

use kilter_base::{Id, Span};
use kilter_spec::ir::{Arg, Core, DefBody, DefId, Expr, ExprKind, LocalId, OpArg};
use kilter_spec::native::Native;

use super::env::{Binding, Env, LetBinding, OpThunk};
use super::function::FunctionInfo;
use super::{Compiler, Frame};
use crate::node::{Function, FunctionId, Kind, Node, Operator, Slot};

impl<'s> Compiler<'s> {
    /// The binding of an operator argument. An argument that is itself a parameter keeps its binding.
    pub(super) fn op_binding(op: &'s OpArg, env: &Env<'s>, primed: bool) -> Binding<'s> {
        match op {
            OpArg::Local(local) => match env.local(*local) {
                Some(binding) => binding.clone(),
                None => Binding::Op(Rc::new(OpThunk { op, env: env.clone(), primed })),
            },
            _ => Binding::Op(Rc::new(OpThunk { op, env: env.clone(), primed })),
        }
    }

    /// Compiles an operator to a value that can be passed at run time.
    pub(super) fn closure(&mut self, op: &'s OpArg, env: &Env<'s>, primed: bool, span: Span) -> Node {
        match Self::op_binding(op, env, primed) {
            Binding::Slot { slot, frame, param } => self.slot(slot, frame, param, span),
            Binding::Op(thunk) => self.closure_of(&thunk, span),
            Binding::Thunk(_) => self.refuse("a value was passed as an operator", span),
        }
    }

    fn closure_of(&mut self, thunk: &Rc<OpThunk<'s>>, span: Span) -> Node {
        let n_params = match thunk.op {
            OpArg::Lambda { params, .. } => params.len(),
            OpArg::Def { def, leading } => self.spec.defs[*def].params.len() - leading.len(),
            OpArg::Core(op) => core_arity(*op),
            OpArg::Local(_) => return self.refuse("an operator was used outside of what binds it", span),
        };
        let (outer_frame, outer_enabled) = (self.frame, self.in_enabled);
        let outer_context = self.leave_context();
        self.in_enabled = false;
        self.frame = self.frames.len() as u32;
        self.frames.push(Frame { n_slots: n_params as u32, captures: Vec::new() });
        let slots: Vec<Slot> = (0..n_params as u32).collect();
        let (body, mut free) = self.tracked(|this| this.apply_op(thunk, &slots, span));
        free.slots.clear();
        free.lazies.clear();
        free.loops = true;
        let captures: Vec<_> =
            self.frames[self.frame as usize].captures.iter().map(|(capture, _)| capture.clone()).collect();
        let function = FunctionId::from_index(self.functions.len());
        self.functions.push(FunctionInfo {
            compiled: Some(Function { name: "LAMBDA".into(), frame: self.frame, body, act: None }),
            captures: captures.clone(),
            free: free.clone(),
            act_begun: false,
        });
        (self.frame, self.in_enabled) = (outer_frame, outer_enabled);
        self.context = outer_context;
        self.top().merge(&free);
        let nodes: Vec<Node> = captures.iter().map(|capture| self.reference(capture, span)).collect();
        self.node(Kind::Closure(function, nodes.into()), span)
    }

    /// Compiles the application of an operator argument to the values in `slots` of the current frame.
    fn apply_op(&mut self, thunk: &Rc<OpThunk<'s>>, slots: &[Slot], span: Span) -> Node {
        let frame = self.frame;
        let param = |slot: Slot| Binding::Slot { slot, frame, param: true };
        match thunk.op {
            OpArg::Lambda { params, body } => {
                let mut env = thunk.env.clone();
                for (local, slot) in params.iter().zip(slots) {
                    env = env.bind(*local, param(*slot));
                }
                self.expr(body, &env, thunk.primed)
            }
            OpArg::Core(op) => {
                let nodes = slots.iter().map(|slot| self.slot(*slot, frame, true, span)).collect();
                self.core_nodes(*op, nodes, span)
            }
            OpArg::Def { def, leading } => self.apply_def(*def, leading, thunk, slots, span),
            OpArg::Local(_) => self.refuse("an operator was used outside of what binds it", span),
        }
    }

    fn apply_def(
        &mut self,
        def: DefId,
        leading: &'s [Arg],
        thunk: &Rc<OpThunk<'s>>,
        slots: &[Slot],
        span: Span,
    ) -> Node {
        let definition = &self.spec.defs[def];
        let frame = self.frame;
        match &definition.body {
            DefBody::Native(native) => {
                let nodes = slots.iter().map(|slot| self.slot(*slot, frame, true, span)).collect();
                self.native_nodes(*native, nodes, Vec::new(), span)
            }
            DefBody::Expr(body) if !definition.recursive => {
                let outer = match thunk.env.let_def(def) {
                    Some(LetBinding::Operator(operator)) => operator.env.borrow().clone(),
                    _ => Env::default(),
                };
                let (mut inner, thunks) =
                    self.bind_args(&definition.params, leading, &outer, &thunk.env, thunk.primed);
                for (local, slot) in definition.params[leading.len()..].iter().zip(slots) {
                    inner = inner.bind(*local, Binding::Slot { slot: *slot, frame, param: true });
                }
                let context = self.context;
                self.context = Some(self.origins.call(definition.name.clone(), span, context));
                let node = self.expr_in_scope(body, &inner, thunk.primed, &thunks, span);
                self.context = context;
                node
            }
            DefBody::Expr(body) => {
                let function = match thunk.env.let_def(def).cloned() {
                    Some(LetBinding::Operator(operator)) => {
                        operator.function[usize::from(thunk.primed)].get()
                    }
                    _ => Some(self.function_of_def(def, definition, body, thunk.primed)),
                };
                let Some(function) = function else {
                    return self.refuse("a recursive LET operator was passed before it was called", span);
                };
                let mut nodes: Vec<Node> = Vec::new();
                for arg in leading {
                    nodes.push(match arg {
                        Arg::Expr(expr) => self.expr(expr, &thunk.env, thunk.primed),
                        Arg::Op(op) => self.closure(op, &thunk.env, thunk.primed, span),
                    });
                }
                nodes
                    .extend(slots.iter().map(|slot| self.slot(*slot, frame, true, span)).collect::<Vec<_>>());
                let captures = self.functions[function.index()].captures.clone();
                for capture in &captures {
                    nodes.push(self.reference(capture, span));
                }
                let free = self.functions[function.index()].free.clone();
                self.top().merge(&free);
                self.node(Kind::Call(function, nodes.into()), span)
            }
        }
    }

    /// Compiles the application of an operator parameter to arguments.
    pub(super) fn call_local(
        &mut self,
        local: LocalId,
        args: &'s [Arg],
        env: &Env<'s>,
        primed: bool,
        span: Span,
    ) -> Node {
        match env.local(local).cloned() {
            Some(Binding::Op(thunk)) => self.apply_op_args(&thunk, args, env, primed, span),
            Some(Binding::Slot { slot, frame, param }) => {
                let operator = self.slot(slot, frame, param, span);
                let mut nodes = Vec::new();
                for arg in args {
                    nodes.push(match arg {
                        Arg::Expr(expr) => self.expr(expr, env, primed),
                        Arg::Op(op) => self.closure(op, env, primed, span),
                    });
                }
                // What the operator depends on is not known here. But its slot holds a closure, which is different each
                // time, so a key with that slot is never found.
                self.top().loops = true;
                self.node(Kind::Apply(Box::new(operator), nodes.into()), span)
            }
            _ => self.refuse("a value was applied to arguments", span),
        }
    }

    fn apply_op_args(
        &mut self,
        thunk: &Rc<OpThunk<'s>>,
        args: &'s [Arg],
        env: &Env<'s>,
        primed: bool,
        span: Span,
    ) -> Node {
        let both = primed || thunk.primed;
        match thunk.op {
            OpArg::Lambda { params, body } => {
                let (inner, thunks) = self.bind_args(params, args, &thunk.env, env, primed);
                self.expr_in_scope(body, &inner, both, &thunks, span)
            }
            OpArg::Core(op) => {
                let operands: Vec<&Expr> = args
                    .iter()
                    .filter_map(|arg| match arg {
                        Arg::Expr(expr) => Some(expr),
                        Arg::Op(_) => None,
                    })
                    .collect();
                self.core(*op, &operands, env, primed, span)
            }
            OpArg::Def { def, leading } if leading.is_empty() && thunk.env.let_def(*def).is_none() => {
                self.call(*def, args, env, both, span)
            }
            OpArg::Def { def, leading } => {
                let definition = &self.spec.defs[*def];
                let outer = match thunk.env.let_def(*def) {
                    Some(LetBinding::Operator(operator)) if definition.recursive => {
                        let operator = operator.clone();
                        return self.call_let(*def, &operator, args, env, both, span);
                    }
                    Some(LetBinding::Operator(operator)) => operator.env.borrow().clone(),
                    _ => Env::default(),
                };
                let DefBody::Expr(body) = &definition.body else {
                    return self.refuse("an instance cannot be native", span);
                };
                let n_leading = leading.len();
                let (inner, mut thunks) = self.bind_args(
                    &definition.params[..n_leading],
                    leading,
                    &outer,
                    &thunk.env,
                    thunk.primed,
                );
                let (inner, more) =
                    self.bind_args(&definition.params[n_leading..], args, &inner, env, primed);
                thunks.extend(more);
                self.expr_in_scope(body, &inner, both, &thunks, span)
            }
            OpArg::Local(_) => self.refuse("an operator was used outside of what binds it", span),
        }
    }

    /// Compiles a native operator. Arguments that are operators are expanded over slots of their own.
    pub(super) fn native(
        &mut self,
        native: Native,
        args: &'s [Arg],
        env: &Env<'s>,
        primed: bool,
        span: Span,
    ) -> Node {
        if primed && self.is_level(native, args) {
            return self.in_next(span, |this| this.native(native, args, env, false, span));
        }
        let mut nodes = Vec::new();
        let mut operators = Vec::new();
        for arg in args {
            match arg {
                Arg::Expr(expr) => nodes.push(self.expr(expr, env, primed)),
                Arg::Op(op) => {
                    let operator = self.operator(op, env, primed, span);
                    operators.push(operator);
                }
            }
        }
        self.native_nodes(native, nodes, operators, span)
    }

    /// Whether this is `TLCGet("level")`, the only register that is a function of the state.
    fn is_level(&self, native: Native, args: &[Arg]) -> bool {
        match (native, args) {
            (Native::TlcGet, [Arg::Expr(name)]) => match &*name.kind {
                ExprKind::Value(name) => self.store.string_text(*name) == Some("level"),
                _ => false,
            },
            _ => false,
        }
    }

    fn operator(&mut self, op: &'s OpArg, env: &Env<'s>, primed: bool, span: Span) -> Operator {
        let n_params = match op {
            OpArg::Lambda { params, .. } => params.len(),
            OpArg::Def { def, leading } => self.spec.defs[*def].params.len() - leading.len(),
            OpArg::Core(op) => core_arity(*op),
            OpArg::Local(local) => self.spec.locals[*local].arity as usize,
        };
        let slots: Vec<Slot> = (0..n_params).map(|_| self.new_slot()).collect();
        let (body, mut free) = self.tracked(|this| match Self::op_binding(op, env, primed) {
            Binding::Op(thunk) => this.apply_op(&thunk, &slots, span),
            Binding::Slot { slot, frame, param } => {
                let operator = this.slot(slot, frame, param, span);
                let own = this.frame;
                let nodes: Vec<Node> = slots.iter().map(|slot| this.slot(*slot, own, true, span)).collect();
                this.top().loops = true;
                this.node(Kind::Apply(Box::new(operator), nodes.into()), span)
            }
            Binding::Thunk(_) => this.refuse("a value was passed as an operator", span),
        });
        Self::unbind(&mut free, &slots);
        free.loops = true;
        self.top().merge(&free);
        Operator { params: slots.into(), body }
    }
}

fn core_arity(op: Core) -> usize {
    match op {
        Core::Not
        | Core::Powerset
        | Core::BigUnion
        | Core::Domain
        | Core::Prime
        | Core::Unchanged
        | Core::Enabled
        | Core::Always
        | Core::Eventually => 1,
        _ => 2,
    }
}
