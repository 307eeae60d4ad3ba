//! Compiles operator calls.
//!
//! A call is expanded in place. Its arguments become thunks, which are evaluated at their first use.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;

use kilter_base::{Id, Span};
use kilter_spec::ir::{Arg, Def, DefBody, DefId, Expr, ExprKind, Level, LocalId};

use super::env::{Binding, Compiled, Env, LetBinding, LetOperator, Thunk};
use super::free::Free;
use super::function::{Capture, FunctionInfo, Source};
use super::{Compiler, DEPTH_MAX, EXPANSION_MAX};
use crate::node::{Function, FunctionId, Kind, Node, Slot};

impl<'s> Compiler<'s> {
    /// Compiles a use of a local name without arguments.
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

    pub(super) fn slot(&mut self, slot: Slot, frame: u32, param: bool, span: Span) -> Node {
        if frame != self.frame {
            return self.captured(&Capture::Slot { slot, frame, param }, span);
        }
        self.top().slots.insert(slot);
        self.node(if param { Kind::Param(slot) } else { Kind::Slot(slot) }, span)
    }

    /// Compiles a read from an outer frame. The value is captured in a slot of this frame.
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

    /// Compiles a use of an argument or LET definition.
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
        // A value that depends on the next state may change while an action runs, so it is not kept.
        let keep = free.primed.is_empty() && !free.impure && !self.in_enabled;
        let slot = (keep && !free.is_constant()).then(|| self.new_slot());
        let compiled = Compiled { node: Arc::new(node), slot, free: Rc::new(free) };
        if !self.in_enabled {
            thunk.compiled.borrow_mut()[usize::from(primed)] = Some(compiled.clone());
        }
        compiled
    }

    /// Compiles a definition applied to arguments.
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
        if definition.recursive
            && is_function
            && definition.params.is_empty()
            && !self.open_functions.contains(&def)
        {
            self.open_functions.push(def);
            let node = self.recursive_function(def, body, &Env::default(), primed);
            self.open_functions.pop();
            return node;
        }
        if definition.recursive || self.origins.len() > EXPANSION_MAX || self.depth > DEPTH_MAX {
            let function = self.function_of_def(def, definition, body, primed);
            return self.call_function(function, &definition.params, args, env, primed, span);
        }
        self.expand(definition, body, &Env::default(), args, env, primed, span)
    }

    /// Compiles a constant definition to one cell, which all its uses share.
    fn constant_def(&mut self, def: DefId, definition: &'s Def, body: &'s Expr, span: Span) -> Node {
        if let Some((cell, node)) = self.constant_defs.get(&def) {
            let kind = Kind::Cell(*cell, node.clone());
            return self.node(kind, span);
        }
        if self.open_functions.contains(&def) {
            // Two functions call each other. The way back has to be a call, because an expansion would not end.
            let function = self.function_of_def(def, definition, body, false);
            return self.node(Kind::Call(function, Box::default()), span);
        }
        self.open_functions.push(def);
        let (frame, context) = (self.frame, self.context);
        self.root_frame();
        self.context = Some(self.origins.body(definition.name.clone()));
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
        self.open_functions.pop();
        if let Kind::Value(value) = node.kind {
            return self.node(Kind::Value(value), span);
        }
        // As in TLC, a constant that is drawn at random is drawn once.
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
        // The body has a frame of its own, so it is called. The cell makes sure that this happens once.
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

    /// Compiles a recursive function. Its body reaches the function through a slot.
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
        let node = self.expr_in_scope(body, &inner, primed, &thunks, body.span);
        self.depth -= 1;
        self.context = context;
        node
    }

    /// Compiles an expression and empties the slots of `thunks` each time that it is entered.
    pub(super) fn expr_in_scope(
        &mut self,
        body: &'s Expr,
        env: &Env<'s>,
        primed: bool,
        thunks: &[Rc<Thunk<'s>>],
        span: Span,
    ) -> Node {
        let (node, mut free) = self.tracked(|this| this.expr(body, env, primed));
        let slots = thunk_slots(thunks);
        Self::unbind(&mut free, &slots);
        self.top().merge(&free);
        if slots.is_empty() { node } else { self.node(Kind::Scope(slots.into(), Box::new(node)), span) }
    }

    /// Wraps `body` so that it first empties the slots of the arguments and LET definitions around it.
    pub(super) fn forgetting(&mut self, body: Node, free: &Free, span: Span) -> Node {
        if free.lazies.is_empty() {
            return body;
        }
        self.node(Kind::Scope(free.lazies.iter().copied().collect(), Box::new(body)), span)
    }

    /// Binds parameters on top of `outer` to arguments, whose names have their meaning in `env`.
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

    pub(super) fn call_let(
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
                    function: None,
                },
            );
            function
        });
        self.call_function(function, &definition.params, args, env, primed, span)
    }

    /// Adds the definitions of a LET to the environment.
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

/// Whether an expression is as cheap as reading a slot, so that it can be repeated at each use.
fn is_trivial(expr: &Expr) -> bool {
    matches!(*expr.kind, ExprKind::Value(_) | ExprKind::Var(_) | ExprKind::Local(_))
}
