//! Sets of ways through an action, each stored once. Merges edges that differ only in their way.

use rustc_hash::FxHashMap;

use crate::graph::{Label, OneWay, Parts};
use crate::lists::Lists;

/// An edge by one way: source, target, label, exchange.
pub(crate) type RawEdge = (u32, u32, u32, u32);

/// Lists of numbers, each stored once.
#[derive(Debug, Default)]
pub(crate) struct Interned {
    pub(crate) lists: Lists,
    ids: FxHashMap<Box<[u32]>, u32>,
}

impl Interned {
    pub(crate) fn add(&mut self, words: impl Iterator<Item = u32>) -> u32 {
        let words: Box<[u32]> = words.collect();
        if let Some(id) = self.ids.get(&words) {
            return *id;
        }
        let id = self.lists.push(words.iter().copied());
        self.ids.insert(words, id);
        id
    }
}

/// Puts edges, which must be sorted by source, into a graph that has its states and ways already. Edges of a state with
/// the same target, action, arguments and exchange become one edge with all of their ways. It has the place of the
/// first of them.
pub(crate) fn place_edges(parts: &mut Parts, labels: &[OneWay], edges: &[RawEdge]) {
    parts.targets.reserve_exact(edges.len());
    parts.edge_labels.reserve_exact(edges.len());
    parts.starts.reserve_exact(parts.n_states as usize + 1);
    parts.starts.push(0);
    let mut sets = Sets::default();
    let mut label_ids = FxHashMap::default();
    let mut of_state = OfState::default();
    let mut rest = edges;
    for state in 0..parts.n_states {
        let n_own = rest.iter().take_while(|(source, ..)| *source == state).count();
        let (own, others) = rest.split_at(n_own);
        of_state.merge(own, labels, &mut sets, parts);
        for Merged { target, exchange, label, set } in of_state.edges.drain(..) {
            let ways = sets.keep(set, &mut parts.way_sets);
            let label = Label::new(label.action, label.args, ways);
            parts.targets.push(target);
            parts.edge_labels.push(*label_ids.entry(label).or_insert_with(|| {
                parts.labels.push(label);
                parts.labels.len() as u32 - 1
            }));
            if !parts.exchanges.is_empty() {
                parts.edge_exchanges.push(exchange);
            }
        }
        parts.starts.push(u32::try_from(parts.targets.len()).expect("fewer than 2^32 edges"));
        rest = others;
    }
    assert!(rest.is_empty(), "edges start at states of the graph");
}

/// The edges of one state.
#[derive(Default)]
struct OfState {
    edges: Vec<Merged>,
    /// The index of an edge, by target, exchange, action and arguments.
    places: FxHashMap<(u32, u32, u32, u32), usize>,
}

/// An edge with all of its ways so far.
struct Merged {
    target: u32,
    exchange: u32,
    label: OneWay,
    set: u32,
}

impl OfState {
    fn merge(&mut self, own: &[RawEdge], labels: &[OneWay], sets: &mut Sets, parts: &Parts) {
        self.places.clear();
        for (_, target, label, exchange) in own {
            let label = labels[*label as usize];
            let key = (*target, *exchange, label.action, label.args);
            let place = *self.places.entry(key).or_insert(self.edges.len());
            if place == self.edges.len() {
                self.edges.push(Merged { target: *target, exchange: *exchange, label, set: EMPTY });
            }
            let edge = &mut self.edges[place];
            edge.set = sets.with(edge.set, label.way, parts);
        }
    }
}

/// The set without ways, which no edge keeps.
const EMPTY: u32 = u32::MAX;

/// Sets of ways that are being built. Sets that were only steps to larger ones are not kept.
#[derive(Default)]
struct Sets {
    all: Interned,
    /// The set with one more way.
    larger: FxHashMap<(u32, u32), u32>,
    kept: FxHashMap<u32, u32>,
}

impl Sets {
    fn with(&mut self, set: u32, way: u32, parts: &Parts) -> u32 {
        if let Some(larger) = self.larger.get(&(set, way)) {
            return *larger;
        }
        let mut ways = if set == EMPTY { Vec::new() } else { self.all.lists.get(set).to_vec() };
        if !ways.contains(&way) {
            ways.push(way);
        }
        // Ways are sorted in the order of the text, because their numbers depend on the order of the search. Numbers
        // only tell blocks at one place apart.
        ways.sort_by_cached_key(|way| (places(*way, parts), parts.ways.get(*way), *way));
        let larger = self.all.add(ways.into_iter());
        self.larger.insert((set, way), larger);
        larger
    }

    /// The index of a set in the graph.
    fn keep(&mut self, set: u32, kept: &mut Lists) -> u32 {
        *self.kept.entry(set).or_insert_with(|| kept.push(self.all.lists.get(set).iter().copied()))
    }
}

/// The places at which a way's blocks start.
fn places(way: u32, parts: &Parts) -> Vec<(&str, u32, u32)> {
    let place = |number: &u32| {
        let block = &parts.blocks[*number as usize];
        (parts.files[block.file as usize].as_str(), block.line, block.column)
    };
    parts.ways.get(way).iter().map(place).collect()
}
