//! Finds out which nodes have a part of a variable, by its value in an initial state.

use kilter_value::{Store, Value};

use crate::mapping::{Compared, Mapping};

/// A variable of the kind `node`, and the nodes that have no part of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Owned {
    /// The name of the variable.
    pub variable: String,
    /// The nodes that have a part of it.
    pub by: Vec<String>,
    /// The nodes that have none.
    pub not_by: Vec<String>,
    /// The nodes that have none and that the mapping names in `nodes`.
    pub wrongly_named: Vec<String>,
}

/// The variables that some node has no part of. `initial` has the values of all variables in an initial state.
pub fn owners(mapping: &Mapping, initial: &[Value], store: &Store) -> Vec<Owned> {
    let mut owned = Vec::new();
    for (variable, value) in mapping.variables.iter().zip(initial) {
        let Compared::Node(_, named) = &variable.kind else { continue };
        let has_part = |node: Value| {
            let domain = store.domain(*value).and_then(|domain| store.items(domain));
            domain.is_some_and(|domain| domain.iter().any(|item| item == node))
        };
        let nodes = mapping.words.nodes().iter().enumerate();
        let (by, without): (Vec<_>, Vec<_>) = nodes.partition(|(_, (_, node))| has_part(*node));
        let names = |nodes: &[(usize, &(String, Value))]| -> Vec<String> {
            nodes.iter().map(|(_, (name, _))| name.clone()).collect()
        };
        let is_named = |node: usize| named.as_ref().is_some_and(|named| named.contains(&node));
        let wrongly: Vec<_> = without.iter().copied().filter(|(node, _)| is_named(*node)).collect();
        if !without.is_empty() {
            owned.push(Owned {
                variable: variable.name.clone(),
                by: names(&by),
                not_by: names(&without),
                wrongly_named: names(&wrongly),
            });
        }
    }
    owned
}
