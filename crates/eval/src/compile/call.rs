//! Operator calls.
//!
//! A call is expanded in place: parameters become thunks, evaluated at their first use. Recursive operators, and
//! operators that are passed to recursive operators, become functions with frames of their own; what their bodies
//! read from frames around them is captured as extra arguments.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;

use kilter_base::{Id, Name, Span};
use kilter_spec::ir::{Arg, Core, Def, DefBody, DefId, Expr, ExprKind, Level, LocalId, OpArg};
use kilter_spec::native::Native;

use super::env::{Binding, Compiled, Env, LetBinding, LetOperator, OpThunk, Thunk};
use super::free::Free;
use super::{Compiler, DEPTH_MAX, EXPANSION_MAX, Frame};
use crate::node::{Function, FunctionId, Kind, Node, Operator, Slot};

/// A function that has been called, compiled or being compiled.
pub(super) struct FunctionInfo<'s> {
    pub(super) compiled: Option<Function>,
    /// What its body reads from frames around it, in the order of the extra arguments.
    captures: Vec<Capture<'s>>,
    /// What the body depends on besides its arguments; going by its level until it has been compiled.
    free: Free,
    /// Whether its body has been compiled as an action, or is being compiled.
    act_begun: bool,
}

/// Something of an outer frame that a function reads.
#[derive(Clone)]
pub(super) enum Capture<'s> {
    Slot { slot: Slot, frame: u32, param: bool },
    Thunk(Rc<Thunk<'s>>, bool),
}

impl Capture<'_> {
    fn same(&self, other: &Capture<'_>) -> bool {
        match (self, other) {
            (Capture::Slot { slot: a, frame: f, .. }, Capture::Slot { slot: b, frame: g, .. }) => {
                a == b && f == g
            }
            (Capture::Thunk(a, p), Capture::Thunk(b, q)) => {
                Rc::as_ptr(a).cast::<()>() == Rc::as_ptr(b).cast() && p == q
            }
            _ => false,
        }
    }
}

/// A function's source.
struct Source<'s> {
    name: Name,
    params: Vec<LocalId>,
    body: &'s Expr,
    env: Env<'s>,
    primed: bool,
}

impl<'s> Compiler<'s> {
    /// A local without arguments.
    pub(super) fn local(&mut self, local: LocalId, env: &Env<'s>, primed: bool, span: Span) -> Node {
        match env.local(local).cloned() {
            Some(Binding::Slot { slot, frame, param }) => self.slot(slot, frame, param, span),
            Some(Binding::Thunk(thunk)) => self.thunk(&thunk, primed, span),
            Some(Binding::Op(_)) => self.refuse("an operator was used as a value", span),
            None => self.refuse("a name was used outside of the expression that binds it", span),
        }
    }

    pub(super) fn refuse(&mut self, why: &str, span: Span) -> Node {
        self.node(Kind::Refuse(why.into()), span)
    }

    fn slot(&mut self, slot: Slot, frame: u32, param: bool, span: Span) -> Node {
        if frame != self.frame {
            return self.captured(&Capture::Slot { slot, frame, param }, span);
        }
        self.top().slots.insert(slot);
        self.node(if param { Kind::Param(slot) } else { Kind::Slot(slot) }, span)
    }

    /// Reads something of an outer frame through a slot of this one.
    fn captured(&mut self, capture: &Capture<'s>, span: Span) -> Node {
        let known = self.frames[self.frame as usize].captures.iter().find(|(other, _)| other.same(capture));
        let slot = match known {
            Some((_, slot)) => *slot,
            None => {
                let slot = self.new_slot();
                self.frames[self.frame as usize].captures.push((capture.clone(), slot));
                slot
            }
        };
        self.top().slots.insert(slot);
        self.node(Kind::Param(slot), span)
    }

    /// A use of an argument or LET definition.
    pub(super) fn thunk(&mut self, thunk: &Rc<Thunk<'s>>, primed: bool, span: Span) -> Node {
        let primed = primed || thunk.primed;
        let env = thunk.env.borrow().clone();
        if is_trivial(thunk.expr) {
            return self.expr(thunk.expr, &env, primed);
        }
        let known = thunk.compiled.borrow()[usize::from(primed)].clone();
        if thunk.frame != self.frame {
            if let Some(compiled) = &known
                && let Kind::Cell(cell, node) = &compiled.node.kind
            {
                return self.node(Kind::Cell(*cell, node.clone()), span);
            }
            return self.captured(&Capture::Thunk(thunk.clone(), primed), span);
        }
        let compiled = match known {
            Some(compiled) if !self.in_enabled => compiled,
            _ => self.compile_thunk(thunk, &env, primed),
        };
        self.top().merge(&compiled.free);
        let kind = match (&compiled.node.kind, compiled.slot) {
            (Kind::Cell(cell, node), _) => Kind::Cell(*cell, node.clone()),
            (_, Some(slot)) => {
                self.top().lazies.insert(slot);
                Kind::Lazy(slot, compiled.node.clone())
            }
            (_, None) => Kind::Shared(compiled.node.clone()),
        };
        self.node(kind, span)
    }

    fn compile_thunk(&mut self, thunk: &Rc<Thunk<'s>>, env: &Env<'s>, primed: bool) -> Compiled {
        self.depth += 1;
        let (node, free) = self.tracked(|this| match thunk.def {
            Some(def) => this.recursive_function(def, thunk.expr, env, primed),
            None => this.expr(thunk.expr, env, primed),
        });
        self.depth -= 1;
        // What depends on the next state may change while an action is being evaluated: it is not kept.
        let keep = free.primed.is_empty() && !free.impure && !self.in_enabled;
        let slot = (keep && !free.is_constant()).then(|| self.new_slot());
        let compiled = Compiled { node: Arc::new(node), slot, free: Rc::new(free) };
        if !self.in_enabled {
            thunk.compiled.borrow_mut()[usize::from(primed)] = Some(compiled.clone());
        }
        compiled
    }

    /// A definition applied to arguments.
    pub(super) fn call(
        &mut self,
        def: DefId,
        args: &'s [Arg],
        env: &Env<'s>,
        primed: bool,
        span: Span,
    ) -> Node {
        match env.let_def(def).cloned() {
            Some(LetBinding::Thunk(thunk)) => return self.thunk(&thunk, primed, span),
            Some(LetBinding::Itself { slot, frame }) => return self.slot(slot, frame, false, span),
            Some(LetBinding::Operator(operator)) => {
                return self.call_let(def, &operator, args, env, primed, span);
            }
            None => {}
        }
        let definition = &self.spec.defs[def];
        match &definition.body {
            DefBody::Native(native) => self.native(*native, args, env, primed, span),
            DefBody::Expr(body) => self.call_top(def, definition, body, args, env, primed, span),
        }
    }

    #[allow(clippy::too_many_arguments, reason = "a definition taken apart once")]
    fn call_top(
        &mut self,
        def: DefId,
        definition: &'s Def,
        body: &'s Expr,
        args: &'s [Arg],
        env: &Env<'s>,
        primed: bool,
        span: Span,
    ) -> Node {
        if definition.params.is_empty() && definition.level == Level::Constant {
            return self.constant_def(def, definition, body, span);
        }
        let is_function = matches!(*body.kind, ExprKind::Function { .. });
        if definition.recursive && is_function && definition.params.is_empty() {
            return self.recursive_function(def, body, &Env::default(), primed);
        }
        if definition.recursive || self.origins.len() > EXPANSION_MAX || self.depth > DEPTH_MAX {
            let function = self.function_of_def(def, definition, body, primed);
            return self.call_function(function, &definition.params, args, env, primed, span);
        }
        self.expand(definition, body, &Env::default(), args, env, primed, span)
    }

    /// A constant definition is evaluated once, wherever it is used.
    fn constant_def(&mut self, def: DefId, definition: &'s Def, body: &'s Expr, span: Span) -> Node {
        if let Some((cell, node)) = self.constant_defs.get(&def) {
            let kind = Kind::Cell(*cell, node.clone());
            return self.node(kind, span);
        }
        let (frame, context) = (self.frame, self.context);
        self.root_frame();
        self.context = Some(self.origins.call(definition.name.clone(), span, context));
        let recursive = definition.recursive;
        let is_function = matches!(*body.kind, ExprKind::Function { .. });
        let (node, free) = self.tracked(|this| {
            if recursive && is_function {
                this.recursive_function(def, body, &Env::default(), false)
            } else if recursive {
                let function = this.function_of_def(def, definition, body, false);
                this.node(Kind::Call(function, Box::default()), span)
            } else {
                this.expr(body, &Env::default(), false)
            }
        });
        let own_frame = self.frame;
        (self.frame, self.context) = (frame, context);
        if let Kind::Value(value) = node.kind {
            return self.node(Kind::Value(value), span);
        }
        // A constant that was drawn at random is drawn once, as in TLC.
        if free.effect {
            self.top().impure = true;
            self.top().effect = true;
            let function = self.functions.len();
            self.functions.push(FunctionInfo {
                compiled: Some(Function {
                    name: definition.name.clone(),
                    frame: own_frame,
                    body: node,
                    act: None,
                }),
                captures: Vec::new(),
                free,
                act_begun: false,
            });
            return self.node(Kind::Call(FunctionId::from_index(function), Box::default()), span);
        }
        // The body has a frame of its own, so it is a call, made at most once.
        let function = FunctionId::from_index(self.functions.len());
        self.functions.push(FunctionInfo {
            compiled: Some(Function {
                name: definition.name.clone(),
                frame: own_frame,
                body: node,
                act: None,
            }),
            captures: Vec::new(),
            free,
            act_begun: false,
        });
        let call = Arc::new(self.node(Kind::Call(function, Box::default()), span));
        let cell = self.new_cell();
        self.constant_defs.insert(def, (cell, call.clone()));
        self.node(Kind::Cell(cell, call), span)
    }

    /// A recursive function: its body reaches it through a slot.
    pub(super) fn recursive_function(
        &mut self,
        def: DefId,
        body: &'s Expr,
        env: &Env<'s>,
        primed: bool,
    ) -> Node {
        let slot = self.new_slot();
        let env = env.bind_let(def, LetBinding::Itself { slot, frame: self.frame });
        match &*body.kind {
            ExprKind::Function { bounds, body: value } => {
                self.function(bounds, value, &env, primed, Some(slot), body.span)
            }
            _ => self.refuse("a recursive function must be defined as f[x \\in S] == e", body.span),
        }
    }

    #[allow(clippy::too_many_arguments, reason = "a definition taken apart once")]
    fn expand(
        &mut self,
        definition: &'s Def,
        body: &'s Expr,
        outer: &Env<'s>,
        args: &'s [Arg],
        env: &Env<'s>,
        primed: bool,
        span: Span,
    ) -> Node {
        let (inner, thunks) = self.bind_args(&definition.params, args, outer, env, primed);
        let context = self.context;
        self.context = Some(self.origins.call(definition.name.clone(), span, context));
        self.depth += 1;
        let (node, mut free) = self.tracked(|this| this.expr(body, &inner, primed));
        self.depth -= 1;
        let slots = thunk_slots(&thunks);
        Self::unbind(&mut free, &slots);
        let node = if slots.is_empty() {
            node
        } else {
            self.node(Kind::Scope(slots.into(), Box::new(node)), body.span)
        };
        self.context = context;
        self.top().merge(&free);
        node
    }

    /// Binds parameters to arguments, which stand in `env`, on top of `outer`.
    pub(super) fn bind_args(
        &mut self,
        params: &[LocalId],
        args: &'s [Arg],
        outer: &Env<'s>,
        env: &Env<'s>,
        primed: bool,
    ) -> (Env<'s>, Vec<Rc<Thunk<'s>>>) {
        let mut inner = outer.clone();
        let mut thunks = Vec::new();
        for (param, arg) in params.iter().zip(args) {
            let binding = match arg {
                Arg::Expr(expr) => {
                    let thunk = Rc::new(Thunk::new(expr, env.clone(), primed, self.frame));
                    thunks.push(thunk.clone());
                    Binding::Thunk(thunk)
                }
                Arg::Op(op) => Self::op_binding(op, env, primed),
            };
            inner = inner.bind(*param, binding);
        }
        (inner, thunks)
    }

    /// An operator argument; one that is itself a parameter is passed on as it is.
    fn op_binding(op: &'s OpArg, env: &Env<'s>, primed: bool) -> Binding<'s> {
        match op {
            OpArg::Local(local) => match env.local(*local) {
                Some(binding) => binding.clone(),
                None => Binding::Op(Rc::new(OpThunk { op, env: env.clone(), primed })),
            },
            _ => Binding::Op(Rc::new(OpThunk { op, env: env.clone(), primed })),
        }
    }

    fn call_let(
        &mut self,
        def: DefId,
        operator: &Rc<LetOperator<'s>>,
        args: &'s [Arg],
        env: &Env<'s>,
        primed: bool,
        span: Span,
    ) -> Node {
        let definition = &self.spec.defs[def];
        let DefBody::Expr(body) = &definition.body else {
            return self.refuse("a LET definition cannot be native", span);
        };
        let primed = primed || operator.primed;
        let outer = operator.env.borrow().clone();
        if !definition.recursive {
            return self.expand(definition, body, &outer, args, env, primed, span);
        }
        let cell = &operator.function[usize::from(primed)];
        let function = cell.get().unwrap_or_else(|| {
            let function = self.declare_function(definition.level);
            cell.set(Some(function));
            self.compile_function(
                function,
                &Source {
                    name: definition.name.clone(),
                    params: definition.params.clone(),
                    body,
                    env: outer,
                    primed,
                },
            );
            function
        });
        self.call_function(function, &definition.params, args, env, primed, span)
    }

    pub(super) fn function_of_def(
        &mut self,
        def: DefId,
        definition: &'s Def,
        body: &'s Expr,
        primed: bool,
    ) -> FunctionId {
        if let Some(function) = self.function_of_def.get(&(def, primed)) {
            return *function;
        }
        let function = self.declare_function(definition.level);
        self.function_of_def.insert((def, primed), function);
        let source = Source {
            name: definition.name.clone(),
            params: definition.params.clone(),
            body,
            env: Env::default(),
            primed,
        };
        self.compile_function(function, &source);
        function
    }

    fn declare_function(&mut self, level: Level) -> FunctionId {
        let free = self.free_of_level(level);
        self.functions.push(FunctionInfo { compiled: None, captures: Vec::new(), free, act_begun: false });
        FunctionId::from_index(self.functions.len() - 1)
    }

    /// Compiles a function's body, again for as long as it turns out to capture more: calls of itself pass captures on.
    fn compile_function(&mut self, id: FunctionId, source: &Source<'s>) {
        let (outer_frame, outer_enabled) = (self.frame, self.in_enabled);
        self.in_enabled = false;
        loop {
            let known = self.functions[id.index()].captures.clone();
            self.frame = self.frames.len() as u32;
            let mut frame = Frame { n_slots: source.params.len() as u32, captures: Vec::new() };
            for capture in &known {
                frame.captures.push((capture.clone(), frame.n_slots));
                frame.n_slots += 1;
            }
            self.frames.push(frame);
            let mut env = source.env.clone();
            for (slot, param) in source.params.iter().enumerate() {
                env = env.bind(*param, Binding::Slot { slot: slot as u32, frame: self.frame, param: true });
            }
            let (body, mut free) = self.tracked(|this| this.expr(source.body, &env, source.primed));
            let captures: Vec<_> = self.frames[self.frame as usize]
                .captures
                .iter()
                .map(|(capture, _)| capture.clone())
                .collect();
            let done = captures.len() == known.len();
            self.functions[id.index()].captures = captures;
            if done {
                free.slots.clear();
                free.lazies.clear();
                free.loops = true;
                let info = &mut self.functions[id.index()];
                info.compiled =
                    Some(Function { name: source.name.clone(), frame: self.frame, body, act: None });
                info.free = free;
                break;
            }
        }
        (self.frame, self.in_enabled) = (outer_frame, outer_enabled);
    }

    /// The frame of a function whose body should now be compiled as an action too; nothing if it has been.
    pub(super) fn begin_act(&mut self, function: FunctionId) -> Option<u32> {
        let info = &mut self.functions[function.index()];
        // A function that is still being compiled calls itself; whoever began will come here in the end.
        let frame = info.compiled.as_ref()?.frame;
        (!std::mem::replace(&mut info.act_begun, true)).then_some(frame)
    }

    pub(super) fn end_act(&mut self, function: FunctionId, act: crate::node::Act) {
        if let Some(compiled) = &mut self.functions[function.index()].compiled {
            compiled.act = Some(act);
        }
    }

    fn call_function(
        &mut self,
        function: FunctionId,
        params: &[LocalId],
        args: &'s [Arg],
        env: &Env<'s>,
        primed: bool,
        span: Span,
    ) -> Node {
        let mut nodes = Vec::with_capacity(params.len());
        for arg in args {
            nodes.push(match arg {
                Arg::Expr(expr) => self.expr(expr, env, primed),
                Arg::Op(op) => self.closure(op, env, primed, span),
            });
        }
        let captures = self.functions[function.index()].captures.clone();
        for capture in &captures {
            nodes.push(self.reference(capture, span));
        }
        let free = self.functions[function.index()].free.clone();
        self.top().merge(&free);
        self.node(Kind::Call(function, nodes.into()), span)
    }

    /// The value of a capture, as seen from the current frame.
    fn reference(&mut self, capture: &Capture<'s>, span: Span) -> Node {
        match capture {
            Capture::Slot { slot, frame, param } => self.slot(*slot, *frame, *param, span),
            Capture::Thunk(thunk, primed) => self.thunk(thunk, *primed, span),
        }
    }

    /// An operator as a value that exists at run time.
    fn closure(&mut self, op: &'s OpArg, env: &Env<'s>, primed: bool, span: Span) -> Node {
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
        self.top().merge(&free);
        let nodes: Vec<Node> = captures.iter().map(|capture| self.reference(capture, span)).collect();
        self.node(Kind::Closure(function, nodes.into()), span)
    }

    /// Applies an operator argument to the values in `slots` of the current frame.
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
                let (node, mut free) = self.tracked(|this| this.expr(body, &inner, thunk.primed));
                self.context = context;
                let scope = thunk_slots(&thunks);
                Self::unbind(&mut free, &scope);
                self.top().merge(&free);
                if scope.is_empty() {
                    node
                } else {
                    self.node(Kind::Scope(scope.into(), Box::new(node)), span)
                }
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

    /// An operator parameter applied to arguments.
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
                // What the operator depends on is not known here, but its slot holds something without lasting
                // identity, so that nothing with it in its key is ever looked up.
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
                let (node, mut free) = self.tracked(|this| this.expr(body, &inner, both));
                let scope = thunk_slots(&thunks);
                Self::unbind(&mut free, &scope);
                self.top().merge(&free);
                if scope.is_empty() {
                    node
                } else {
                    self.node(Kind::Scope(scope.into(), Box::new(node)), span)
                }
            }
            OpArg::Core(op) => {
                let nodes = args
                    .iter()
                    .filter_map(|arg| match arg {
                        Arg::Expr(expr) => Some(self.expr(expr, env, primed)),
                        Arg::Op(_) => None,
                    })
                    .collect();
                self.core_nodes(*op, nodes, span)
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
                let (node, mut free) = self.tracked(|this| this.expr(body, &inner, both));
                let scope = thunk_slots(&thunks);
                Self::unbind(&mut free, &scope);
                self.top().merge(&free);
                if scope.is_empty() {
                    node
                } else {
                    self.node(Kind::Scope(scope.into(), Box::new(node)), span)
                }
            }
            OpArg::Local(_) => self.refuse("an operator was used outside of what binds it", span),
        }
    }

    /// A native operator: value arguments as nodes, operator arguments expanded over slots of their own.
    fn native(&mut self, native: Native, args: &'s [Arg], env: &Env<'s>, primed: bool, span: Span) -> Node {
        let mut nodes = Vec::new();
        let mut operators = Vec::new();
        for arg in args {
            match arg {
                Arg::Expr(expr) => nodes.push(self.expr(expr, env, primed)),
                Arg::Op(op) => {
                    let operator = self.operator(native, op, env, primed, span);
                    operators.push(operator);
                }
            }
        }
        self.native_nodes(native, nodes, operators, span)
    }

    fn operator(
        &mut self,
        native: Native,
        op: &'s OpArg,
        env: &Env<'s>,
        primed: bool,
        span: Span,
    ) -> Operator {
        let n_params = match op {
            OpArg::Lambda { params, .. } => params.len(),
            OpArg::Def { def, leading } => self.spec.defs[*def].params.len() - leading.len(),
            OpArg::Core(op) => core_arity(*op),
            OpArg::Local(local) => self.spec.locals[*local].arity as usize,
        };
        let _ = native;
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

    /// Adds a LET's definitions to the environment.
    pub(super) fn bind_lets(
        &mut self,
        defs: &'s [DefId],
        env: &Env<'s>,
        primed: bool,
    ) -> (Env<'s>, Vec<Rc<Thunk<'s>>>) {
        let mut inner = env.clone();
        let mut thunks: Vec<Rc<Thunk<'s>>> = Vec::new();
        let mut operators: Vec<Rc<LetOperator<'s>>> = Vec::new();
        for def in defs {
            let definition = &self.spec.defs[*def];
            let DefBody::Expr(body) = &definition.body else { continue };
            let is_function = matches!(*body.kind, ExprKind::Function { .. });
            if definition.params.is_empty() && (!definition.recursive || is_function) {
                let mut thunk = Thunk::new(body, env.clone(), primed, self.frame);
                thunk.def = definition.recursive.then_some(*def);
                let thunk = Rc::new(thunk);
                thunks.push(thunk.clone());
                inner = inner.bind_let(*def, LetBinding::Thunk(thunk));
            } else {
                let operator = Rc::new(LetOperator {
                    env: RefCell::new(env.clone()),
                    primed,
                    function: [Cell::new(None), Cell::new(None)],
                });
                operators.push(operator.clone());
                inner = inner.bind_let(*def, LetBinding::Operator(operator));
            }
        }
        for thunk in &thunks {
            *thunk.env.borrow_mut() = inner.clone();
        }
        for operator in &operators {
            *operator.env.borrow_mut() = inner.clone();
        }
        (inner, thunks)
    }
}

/// The slots in which thunks keep their values.
pub(super) fn thunk_slots(thunks: &[Rc<Thunk<'_>>]) -> Vec<Slot> {
    thunks.iter().flat_map(|thunk| thunk.slots()).collect()
}

/// Whether an expression costs no more than reading a slot, so that it can be repeated.
fn is_trivial(expr: &Expr) -> bool {
    matches!(*expr.kind, ExprKind::Value(_) | ExprKind::Var(_) | ExprKind::Local(_))
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
