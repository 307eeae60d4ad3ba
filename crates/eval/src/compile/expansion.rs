//! Expands operator calls in place where an action is expected.

use std::rc::Rc;

use kilter_spec::ir::{Arg, DefBody, DefId, Expr, OpArg};

use super::Compiler;
use super::env::{Env, LetBinding, OpThunk, Thunk};

/// An expanded operator call: its body, the environment inside, the thunks of its arguments, and whether it stands
/// below a prime.
pub(super) type Expansion<'s> = (&'s Expr, Env<'s>, Vec<Rc<Thunk<'s>>>, bool);

impl<'s> Compiler<'s> {
    /// Expands an operator argument that is applied where an action is expected.
    pub(super) fn op_expansion(
        &mut self,
        thunk: &Rc<OpThunk<'s>>,
        args: &'s [Arg],
        env: &Env<'s>,
        primed: bool,
    ) -> Option<Expansion<'s>> {
        let both = primed || thunk.primed;
        match thunk.op {
            OpArg::Lambda { params, body } => {
                let (inner, thunks) = self.bind_args(params, args, &thunk.env, env, primed);
                Some((body, inner, thunks, both))
            }
            OpArg::Def { def, leading } => {
                let definition = &self.spec.defs[*def];
                let DefBody::Expr(body) = &definition.body else { return None };
                if definition.recursive {
                    return None;
                }
                let outer = match thunk.env.let_def(*def) {
                    Some(LetBinding::Operator(operator)) => operator.env.borrow().clone(),
                    _ => Env::default(),
                };
                let (first, rest) = definition.params.split_at(leading.len());
                let (inner, mut thunks) = self.bind_args(first, leading, &outer, &thunk.env, thunk.primed);
                let (inner, more) = self.bind_args(rest, args, &inner, env, primed);
                thunks.extend(more);
                Some((body, inner, thunks, both))
            }
            _ => None,
        }
    }

    /// Expands a definition that is applied where an action is expected.
    pub(super) fn expansion(
        &mut self,
        def: DefId,
        body: &'s Expr,
        args: &'s [Arg],
        env: &Env<'s>,
        primed: bool,
    ) -> Option<Expansion<'s>> {
        let definition = &self.spec.defs[def];
        let (outer, both) = match env.let_def(def).cloned() {
            None => (Env::default(), primed),
            Some(LetBinding::Thunk(thunk)) => {
                let inner = thunk.env.borrow().clone();
                return Some((thunk.expr, inner, Vec::new(), primed || thunk.primed));
            }
            Some(LetBinding::Operator(operator)) => {
                (operator.env.borrow().clone(), primed || operator.primed)
            }
            Some(LetBinding::Itself { .. }) => return None,
        };
        let (inner, thunks) = self.bind_args(&definition.params, args, &outer, env, primed);
        Some((body, inner, thunks, both))
    }
}
