//! Words of the command line, with their meanings.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use kilter_explore::config::{Peers, SearchWord};
use kilter_explore::{Fault, searched_faults};

/// A word, its meaning, and its help text.
type Word<T> = (&'static str, T, &'static str);

const SEARCHES: [Word<SearchWord>; 5] = [
    ("dfs", SearchWord::Dfs, "Every order of events"),
    ("dpor", SearchWord::Dpor, "One order of each set of orders that lead to the same"),
    ("bfs", SearchWord::Bfs, "Shortest sequences first"),
    ("random", SearchWord::Random, "Random orders"),
    ("pct", SearchWord::Pct, "Random priorities of nodes that change at a few random steps"),
];

const PEERS: [Word<Peers>; 3] = [
    ("claimed", Peers::Claimed, "Same role, same functions, same content"),
    ("alike", Peers::Alike, "And the peers hold the same, up to names"),
    ("symmetric", Peers::Symmetric, "And nothing in the whole system tells them apart"),
];

/// Parses the name of a search.
pub(super) fn searches() -> impl TypedValueParser<Value = SearchWord> {
    one_of(&SEARCHES)
}

/// Parses a degree of similarity of peers.
pub(super) fn peers() -> impl TypedValueParser<Value = Peers> {
    one_of(&PEERS)
}

/// Parses a kind of fault.
pub(super) fn fault_kinds() -> impl TypedValueParser<Value = Fault> {
    let possible = searched_faults().map(|fault| {
        let place = if fault.destroys_events() { "" } else { "; with --faults-anywhere" };
        PossibleValue::new(fault.word()).help(format!("{}{place}", fault.meaning()))
    });
    PossibleValuesParser::new(possible).try_map(|text| text.parse::<Fault>())
}

fn one_of<T: Copy + Send + Sync + 'static>(words: &'static [Word<T>]) -> impl TypedValueParser<Value = T> {
    let possible = words.iter().map(|(word, _, help)| PossibleValue::new(*word).help(*help));
    PossibleValuesParser::new(possible).try_map(move |text| {
        let found = words.iter().find(|(word, ..)| *word == text);
        found.map(|(_, meaning, _)| *meaning).ok_or("it is none of these")
    })
}
