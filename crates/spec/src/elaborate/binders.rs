//! Resolves bound names.

use kilter_syntax::ast::{self, Ident, Pattern};

use super::{Elaborator, Env};
use crate::ir::{Bound, LocalId};
use crate::scope::{Scope, Symbol};

impl<'a> Elaborator<'a> {
    /// Binds names with their arities. Adds them to `env`.
    pub(crate) fn bind(&mut self, env: &mut Env, names: &[(&'a Ident, u32)]) -> Vec<LocalId> {
        let mut locals = Vec::new();
        for (name, arity) in names {
            let local = self.local(&name.name, name.span, *arity);
            locals.push(local);
            if self.is_free_in(&env.scope, name) {
                env.scope =
                    Scope::with(&env.scope, vec![(name.name.clone(), Symbol::Local(local), name.span)]);
            }
        }
        locals
    }

    /// Resolves `x, y \in S, <<a, b>> \in T`. The sets cannot refer to the names.
    pub(crate) fn bounds(&mut self, env: &Env, bounds: &'a [ast::Bound]) -> (Env, Vec<Bound>) {
        let sets: Vec<_> = bounds.iter().map(|bound| self.expr(env, &bound.set)).collect();
        let mut env = env.clone();
        let bounds = bounds
            .iter()
            .zip(sets)
            .map(|(bound, set)| {
                let (locals, tuple) = self.pattern(&mut env, &bound.pattern);
                Bound { locals, tuple, set }
            })
            .collect();
        (env, bounds)
    }

    /// Resolves a bound with one set, as in CHOOSE.
    pub(crate) fn bound(&mut self, env: &Env, pattern: &'a Pattern, set: &'a ast::Expr) -> (Env, Bound) {
        let set = self.expr(env, set);
        let mut env = env.clone();
        let (locals, tuple) = self.pattern(&mut env, pattern);
        (env, Bound { locals, tuple, set })
    }

    fn pattern(&mut self, env: &mut Env, pattern: &'a Pattern) -> (Vec<LocalId>, bool) {
        let (names, tuple) = match pattern {
            Pattern::Names(names) => (names, false),
            Pattern::Tuple(names) => (names, true),
        };
        let idents: Vec<_> = names.iter().collect();
        (self.bind_idents(env, &idents), tuple)
    }
}
