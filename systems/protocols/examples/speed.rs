//! How many events a second: the gossip of four nodes with two faults, in this process, on one core; a part of all orders.
//! `cargo run --release -p kilter-protocols --example speed`

use std::io::{self, Write};
use std::time::Instant;

use kilter_explore::{Explorer, Options, Search, Unwatched};
use kilter_protocols::{Shape, gossip};

fn main() -> io::Result<()> {
    let mut out = io::stdout().lock();
    for (name, search, count_states) in [
        ("dfs", Search::Dfs, false),
        ("dfs, states counted", Search::Dfs, true),
        ("dpor", Search::Dpor, false),
        ("random", Search::Random { seed: 1, walks: 50_000 }, false),
    ] {
        let sequences_max = Some(200_000);
        let options = Options { search, faults: 2, count_states, sequences_max, ..Options::default() };
        let started = Instant::now();
        let explorer = Explorer::new(gossip::system(Shape { n_nodes: 4, bug: false }), &options);
        let events = explorer.run(&mut Unwatched).expect("state machines can be run").counts.events;
        let milliseconds = started.elapsed().as_millis() as u64;
        writeln!(out, "{name}: {events} events, {} a second", events * 1000 / milliseconds.max(1))?;
    }
    Ok(())
}
