//! Variables of instantiated modules inside of ENABLED.
//!
//! With `I == INSTANCE M WITH x <- e`, the formula `I!(ENABLED A)` asks whether M's own variable x has a next value
//! such that A holds. It does not ask for a next value of e. So inside of an ENABLED or a fairness condition of M, x'
//! is a variable of its own.

use kilter_spec::ir::DefId;

use super::Compiler;
use crate::node::Var;

/// The ENABLED that is being compiled.
pub(super) struct Inside {
    /// The instances around it, written `I!J!`.
    pub(super) prefix: String,
    /// The variables of instantiated modules that it mentions.
    pub(super) variables: Vec<DefId>,
}

impl Compiler<'_> {
    /// The instances around the expression that is being compiled, written `I!J!`.
    pub(super) fn instance_prefix(&self) -> String {
        let name = self.context.map(|context| self.origins.name(context));
        name.map(|name| prefix(name).to_owned()).unwrap_or_default()
    }

    /// The index of the variable that a definition stands for inside of an ENABLED. `None` if the definition means what
    /// it was replaced with.
    pub(super) fn own_variable(&mut self, def: DefId) -> Option<Var> {
        let definition = &self.spec.defs[def];
        let inside = self.inside.as_mut()?;
        if !definition.for_variable || !inside.prefix.starts_with(prefix(&definition.name)) {
            return None;
        }
        let known = inside.variables.iter().position(|other| *other == def);
        let index = known.unwrap_or_else(|| {
            inside.variables.push(def);
            inside.variables.len() - 1
        });
        Some((self.spec.variables.len() + index) as Var)
    }
}

/// Returns `I!J!` for `I!J!x`.
fn prefix(name: &str) -> &str {
    name.rfind('!').map_or("", |end| &name[..=end])
}
