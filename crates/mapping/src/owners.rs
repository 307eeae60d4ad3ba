//! Finds out which nodes have a part of a variable, by its values in some states, and which nodes are nothing to the
//! specification.

use kilter_value::{Store, Value};

use crate::mapping::{Compared, Mapping, Place};

/// A variable of the kind `node`, and the nodes that have no part of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Owned {
    /// The name of the variable.
    pub variable: String,
    /// The nodes that have a part of it in some state.
    pub by: Vec<String>,
    /// The nodes that have none.
    pub not_by: Vec<String>,
    /// The nodes that have none and that the mapping names in `nodes`.
    pub wrongly_named: Vec<String>,
    /// The nodes that have a part and that the mapping does not name in `nodes`, if it has such a list.
    pub left_out: Vec<String>,
    /// What else has a part of it, and is no node.
    pub by_others: Vec<String>,
    /// Whether nodes may get a part later: there was none at all, or not the same ones in each state.
    pub grows: bool,
}

impl Owned {
    /// Whether the mapping says so that nothing of the variable is compared.
    pub fn is_not_compared(&self) -> bool {
        !self.by.is_empty() && self.left_out.len() == self.by.len()
    }

    /// What is not compared although a node has it, as a warning. `None` if all is compared.
    pub fn gap(&self) -> Option<String> {
        let Owned { variable, left_out, .. } = self;
        let (nodes, verb) = (left_out.join(", "), if left_out.len() == 1 { "has" } else { "have" });
        let what =
            if self.is_not_compared() { "nothing of it is compared" } else { "that part is not compared" };
        let help = "name all of them, or take `nodes` out";
        (!left_out.is_empty()).then(|| {
            format!("`nodes` of {variable} leaves out {nodes}, which {verb} a part of it: {what}; {help}")
        })
    }
}

/// Collects who has parts of variables.
pub struct Owners<'o> {
    mapping: &'o Mapping,
    store: &'o Store,
    /// For each variable of the kind `node`, its index, and the domains that it has had. `None` for a value that is no function.
    domains: Vec<(usize, Vec<Option<Value>>)>,
}

impl<'o> Owners<'o> {
    /// Knows no state yet.
    pub fn new(mapping: &'o Mapping, store: &'o Store) -> Owners<'o> {
        let of_nodes = mapping.variables.iter().enumerate();
        let of_nodes = of_nodes.filter(|(_, variable)| matches!(variable.kind, Compared::Node(..)));
        Owners { mapping, store, domains: of_nodes.map(|(index, _)| (index, Vec::new())).collect() }
    }

    /// Looks at a state: the values of all variables.
    pub fn look(&mut self, state: &[Value]) {
        for (index, domains) in &mut self.domains {
            let Some(value) = state.get(*index) else { continue };
            let domain = self.store.domain(*value);
            if !domains.contains(&domain) {
                domains.push(domain);
            }
        }
    }

    /// The variables that some node has no part of, that others than nodes have a part of, or of which the mapping leaves out a part.
    pub fn found(&self) -> Vec<Owned> {
        let seen = self.domains.iter().filter(|(_, domains)| !domains.is_empty());
        let owned = seen.map(|(index, domains)| self.of_variable(*index, domains));
        owned
            .filter(|owned| {
                !owned.not_by.is_empty() || !owned.by_others.is_empty() || !owned.left_out.is_empty()
            })
            .collect()
    }

    fn of_variable(&self, index: usize, domains: &[Option<Value>]) -> Owned {
        let Owners { mapping, store, .. } = self;
        let variable = &mapping.variables[index];
        let named = match &variable.kind {
            Compared::Node(_, named) => named.as_ref(),
            _ => None,
        };
        let mut have: Vec<Value> = Vec::new();
        for domain in domains.iter().flatten() {
            let items = store.items(*domain).map(|items| items.iter().collect::<Vec<Value>>());
            let more = items.unwrap_or_default().into_iter().filter(|value| !have.contains(value));
            have.extend(more.collect::<Vec<Value>>());
        }
        let nodes = mapping.words.nodes().iter().enumerate();
        let (by, without): (Vec<_>, Vec<_>) = nodes.partition(|(_, (_, node))| have.contains(node));
        let names = |nodes: &[(usize, &(String, Value))], is_wanted: &dyn Fn(usize) -> bool| -> Vec<String> {
            nodes.iter().filter(|(node, _)| is_wanted(*node)).map(|(_, (name, _))| name.clone()).collect()
        };
        let others = have.iter().filter(|value| mapping.words.node_of(**value).is_none());
        Owned {
            variable: variable.name.clone(),
            by: names(&by, &|_| true),
            not_by: names(&without, &|_| true),
            wrongly_named: names(&without, &|node| named.is_some_and(|named| named.contains(&node))),
            left_out: names(&by, &|node| named.is_some_and(|named| !named.contains(&node))),
            by_others: others.map(|value| store.show(*value)).collect(),
            grows: domains.len() > 1 || have.is_empty() && domains.iter().all(Option::is_some),
        }
    }
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
