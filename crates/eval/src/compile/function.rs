//! Compiles functions with frames of their own: recursive operators, and operators that are passed to them.
//!
//! A function captures what its body reads from outer frames. The captured values are passed as extra arguments.

use std::rc::Rc;

use kilter_base::{Id, Name, Span};
use kilter_spec::ir::{Arg, Def, DefId, Expr, ExprKind, Level, LocalId};

use super::env::{Binding, Env, Thunk};
use super::free::Free;
use super::{Compiler, Frame};
use crate::node::{Function, FunctionId, Kind, Node, Slot};
use crate::origin::ContextId;

/// A function whose compilation has at least begun.
pub(super) struct FunctionInfo<'s> {
    pub(super) compiled: Option<Function>,
    /// What the body reads from outer frames, in the order of the extra arguments.
    pub(super) captures: Vec<Capture<'s>>,
    /// What the body depends on besides its arguments. Before the body is compiled this is an estimate by its level.
    pub(super) free: Free,
    /// Whether the compilation of its body as an action has begun.
    pub(super) act_begun: bool,
}

/// A slot or a thunk of an outer frame that a function reads.
#[derive(Clone)]
pub(super) enum Capture<'s> {
    Slot { slot: Slot, frame: u32, param: bool },
    Thunk(Rc<Thunk<'s>>, bool),
}

impl Capture<'_> {
    pub(super) fn same(&self, other: &Capture<'_>) -> bool {
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

/// The uncompiled form of a function.
pub(super) struct Source<'s> {
    pub(super) name: Name,
    pub(super) params: Vec<LocalId>,
    pub(super) body: &'s Expr,
    pub(super) env: Env<'s>,
    pub(super) primed: bool,
    /// The definition, if the body is that of a recursive function. Such a function must not be evaluated as a whole.
    pub(super) function: Option<DefId>,
}

impl<'s> Compiler<'s> {
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
        let is_function = definition.recursive && matches!(*body.kind, ExprKind::Function { .. });
        let source = Source {
            name: definition.name.clone(),
            params: definition.params.clone(),
            body,
            env: Env::default(),
            primed,
            function: is_function.then_some(def),
        };
        self.compile_function(function, &source);
        function
    }

    pub(super) fn declare_function(&mut self, level: Level) -> FunctionId {
        let free = self.free_of_level(level);
        self.functions.push(FunctionInfo { compiled: None, captures: Vec::new(), free, act_begun: false });
        FunctionId::from_index(self.functions.len() - 1)
    }

    /// Compiles a function's body. Calls of itself pass its captures on, so the body is compiled again until no new
    /// capture turns up.
    pub(super) fn compile_function(&mut self, id: FunctionId, source: &Source<'s>) {
        let (outer_frame, outer_enabled) = (self.frame, self.in_enabled);
        let outer_context = self.leave_context();
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
            let (body, mut free) = self.tracked(|this| match source.function {
                Some(def) => this.recursive_function(def, source.body, &env, source.primed),
                None => this.expr(source.body, &env, source.primed),
            });
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
        self.context = outer_context;
    }

    /// Enters the body of a function and returns the context to come back to. The calls around the body are not known,
    /// because it is called from many places. The name of the definition around it is kept, because it tells the
    /// instance.
    pub(super) fn leave_context(&mut self) -> Option<ContextId> {
        let name = self.context.map(|context| self.origins.name(context).clone());
        let body = name.map(|name| self.origins.body(name));
        std::mem::replace(&mut self.context, body)
    }

    /// Begins to compile a function's body as an action, and returns its frame. Returns `None` if that was begun
    /// before.
    pub(super) fn begin_act(&mut self, function: FunctionId) -> Option<u32> {
        let info = &mut self.functions[function.index()];
        // A function that is still being compiled calls itself. Whoever began with it comes here at the end.
        let frame = info.compiled.as_ref()?.frame;
        (!std::mem::replace(&mut info.act_begun, true)).then_some(frame)
    }

    pub(super) fn end_act(&mut self, function: FunctionId, act: crate::node::Act) {
        if let Some(compiled) = &mut self.functions[function.index()].compiled {
            compiled.act = Some(act);
        }
    }

    pub(super) fn call_function(
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

    /// Compiles a read of a captured value from the current frame.
    pub(super) fn reference(&mut self, capture: &Capture<'s>, span: Span) -> Node {
        match capture {
            Capture::Slot { slot, frame, param } => self.slot(*slot, *frame, *param, span),
            Capture::Thunk(thunk, primed) => self.thunk(thunk, *primed, span),
        }
    }
}
