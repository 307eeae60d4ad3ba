//! Finds out which nodes have a part of a variable, by its value in an initial state, and which nodes are nothing to the
//! specification.

use kilter_value::{Store, Value};

use crate::mapping::{Compared, Mapping, Place};

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
    /// What else has a part of it, and is no node.
    pub by_others: Vec<String>,
}

/// The variables that some node has no part of, or that others than nodes have a part of. `initial` has the values of all variables in an initial state.
pub fn owners(mapping: &Mapping, initial: &[Value], store: &Store) -> Vec<Owned> {
    let mut owned = Vec::new();
    for (variable, value) in mapping.variables.iter().zip(initial) {
        let Compared::Node(_, named) = &variable.kind else { continue };
        let domain = store.domain(*value).and_then(|domain| store.items(domain));
        let domain: Vec<Value> = domain.map(|domain| domain.iter().collect()).unwrap_or_default();
        let has_part = |node: Value| domain.contains(&node);
        let nodes = mapping.words.nodes().iter().enumerate();
        let (by, without): (Vec<_>, Vec<_>) = nodes.partition(|(_, (_, node))| has_part(*node));
        let names = |nodes: &[(usize, &(String, Value))]| -> Vec<String> {
            nodes.iter().map(|(_, (name, _))| name.clone()).collect()
        };
        let is_named = |node: usize| named.as_ref().is_some_and(|named| named.contains(&node));
        let wrongly: Vec<_> = without.iter().copied().filter(|(node, _)| is_named(*node)).collect();
        let others = domain.iter().filter(|value| mapping.words.node_of(**value).is_none());
        let by_others: Vec<String> = others.map(|value| store.show(*value)).collect();
        if !without.is_empty() || !by_others.is_empty() {
            owned.push(Owned {
                variable: variable.name.clone(),
                by: names(&by),
                not_by: names(&without),
                wrongly_named: names(&wrongly),
                by_others,
            });
        }
    }
    owned
}

/// The nodes whose names are nothing in the specification, and that the mapping says nothing of, where other nodes are
/// something. Nothing is compared at them, and no action happens there.
pub fn strangers(mapping: &Mapping) -> Vec<&str> {
    let (nodes, strangers) = (mapping.words.nodes(), mapping.words.strangers());
    if strangers.len() == nodes.len() {
        return Vec::new();
    }
    let is_named = |node: usize| {
        let in_variables = mapping.variables.iter().any(|variable| match &variable.kind {
            Compared::Global(_, named) => *named == Some(node),
            Compared::Node(_, named) => named.as_ref().is_some_and(|named| named.contains(&node)),
            _ => false,
        });
        in_variables || mapping.rules.iter().any(|rule| rule.node == Some(Place::Fixed(node)))
    };
    strangers.iter().filter(|node| !is_named(**node)).map(|node| nodes[*node].0.as_str()).collect()
}
