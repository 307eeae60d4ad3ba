//! Variables of instantiated modules inside of ENABLED.
//!
//! With `I == INSTANCE M WITH x <- e`, the formula `I!(ENABLED A)` asks whether there is a next value of M's own variable x such
//! that A holds, whatever e is; it does not ask for a next value of e. So where ENABLED or a fairness condition is written in
//! M, x' is a variable of its own.

use kilter_spec::ir::DefId;

use super::Compiler;
use crate::node::Var;

/// The ENABLED that is being compiled.
pub(super) struct Inside {
    /// The instances around it, such as `I!`.
    pub(super) prefix: String,
    /// The variables of instantiated modules that it mentions.
    pub(super) variables: Vec<DefId>,
}

impl Compiler<'_> {
    /// The instances around what is being compiled.
    pub(super) fn instance_prefix(&self) -> String {
        let name = self.context.map(|context| self.origins.name(context));
        name.map(|name| prefix(name).to_owned()).unwrap_or_default()
    }

    /// The number of the variable that a definition stands for, where it is independent of what replaces it.
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

/// `I!J!` of `I!J!x`
fn prefix(name: &str) -> &str {
    name.rfind('!').map_or("", |end| &name[..=end])
}
