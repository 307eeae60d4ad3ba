//! Reads version 2 of the format, in which an edge has one way through its action. Edges that differ only in their way
//! are merged.

use serde::Deserialize;

use crate::check;
use crate::graph::{Action, Block, Label, OneWay, Parts};
use crate::lists::{Lists, deltas};
use crate::values::Values;
use crate::ways::{RawEdge, place_edges};

/// The parts of a graph in version 2 of the format.
#[derive(Deserialize)]
pub(crate) struct SecondParts {
    origin: String,
    config: String,
    is_complete: bool,
    variables: Vec<String>,
    actions: Vec<Action>,
    files: Vec<String>,
    blocks: Vec<Block>,
    values: Values,
    arg_lists: Lists,
    block_lists: Lists,
    labels: Vec<OneWay>,
    n_states: u32,
    rows: Vec<u32>,
    initial: Vec<u32>,
    #[serde(with = "deltas")]
    starts: Vec<u32>,
    #[serde(with = "deltas")]
    targets: Vec<u32>,
    edge_labels: Vec<u32>,
    exchanges: Vec<Vec<(String, String)>>,
    edge_exchanges: Vec<u32>,
}

impl SecondParts {
    /// Converts to the present version. The result is the same as from a new check of the specification. The error
    /// names the part that is not valid.
    pub(crate) fn upgrade(self) -> Result<Parts, &'static str> {
        let (mut parts, labels) = self.one_way_each();
        check::check(&parts)?;
        let edges = edges_of(&parts);
        let labels = with_each_action_once(&mut parts, labels);
        parts.way_sets = Lists::default();
        parts.labels.clear();
        parts.starts.clear();
        parts.targets.clear();
        parts.edge_labels.clear();
        parts.edge_exchanges.clear();
        place_edges(&mut parts, &labels, &edges);
        Ok(parts)
    }

    /// Makes a set of each single way.
    fn one_way_each(self) -> (Parts, Vec<OneWay>) {
        let mut way_sets = Lists::default();
        (0..self.block_lists.len() as u32).for_each(|way| {
            way_sets.push([way]);
        });
        let parts = Parts {
            origin: self.origin,
            config: self.config,
            is_complete: self.is_complete,
            variables: self.variables,
            actions: self.actions,
            files: self.files,
            blocks: self.blocks,
            values: self.values,
            arg_lists: self.arg_lists,
            ways: self.block_lists,
            way_sets,
            labels: self.labels.iter().map(|one| Label::new(one.action, one.args, one.way)).collect(),
            n_states: self.n_states,
            rows: self.rows,
            initial: self.initial,
            starts: self.starts,
            targets: self.targets,
            edge_labels: self.edge_labels,
            exchanges: self.exchanges,
            edge_exchanges: self.edge_exchanges,
        };
        (parts, self.labels)
    }
}

fn edges_of(parts: &Parts) -> Vec<RawEdge> {
    let mut edges = Vec::with_capacity(parts.targets.len());
    for (source, range) in parts.starts.windows(2).enumerate() {
        for edge in range[0] as usize..range[1] as usize {
            let exchange = parts.edge_exchanges.get(edge).copied().unwrap_or(0);
            edges.push((source as u32, parts.targets[edge], parts.edge_labels[edge], exchange));
        }
    }
    edges
}

/// Merges actions with the same name and parameters. In version 2, there was one for each place in Next.
fn with_each_action_once(parts: &mut Parts, labels: Vec<OneWay>) -> Vec<OneWay> {
    let mut once: Vec<Action> = Vec::new();
    let mut numbers = Vec::with_capacity(parts.actions.len());
    for action in std::mem::take(&mut parts.actions) {
        let known = once.iter().position(|other| *other == action);
        numbers.push(known.unwrap_or(once.len()) as u32);
        if known.is_none() {
            once.push(action);
        }
    }
    parts.actions = once;
    labels.into_iter().map(|one| OneWay { action: numbers[one.action as usize], ..one }).collect()
}
