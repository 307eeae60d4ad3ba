//! The tables of the paper on our three protocols: sequences with each search (Table 3), gossip with more faults (Table 4) and more nodes
//! (figure 7). Prints Markdown. `cargo run --release -p kilter-protocols --example tables [SEQUENCES_MAX]`

use std::env;
use std::io::{self, Write};
use std::time::Instant;

use kilter_explore::{Counts, Explorer, Likeness, Options, Search, Subject, Unwatched};
use kilter_protocols::{Shape, broadcast, election, gossip};

/// A search by the name that the table gives it.
const SEARCHES: [(&str, Search, Option<Likeness>); 5] = [
    ("DFS", Search::Dfs, None),
    ("PRP", Search::Dfs, Some(Likeness::Claimed)),
    ("PRP, alike", Search::Dfs, Some(Likeness::Alike)),
    ("DPOR", Search::Dpor, None),
    ("PRP and DPOR", Search::Dpor, Some(Likeness::Claimed)),
];

/// What a search came to.
struct Row {
    counts: Counts,
    complete: bool,
    seconds: f64,
}

fn run<S: Subject>(subject: S, options: &Options) -> Row {
    let started = Instant::now();
    let explored = Explorer::new(subject, options).run(&mut Unwatched).expect("state machines can be run");
    let complete = explored.saved.is_none();
    Row { counts: explored.counts, complete, seconds: started.elapsed().as_secs_f64() }
}

fn sequences(row: &Row) -> String {
    format!("{}{}", row.counts.sequences, if row.complete { "" } else { "+" })
}

fn table_3<S: Subject>(
    out: &mut impl Write,
    name: &str,
    system: fn(Shape) -> S,
    faults: u32,
    most: u64,
) -> io::Result<()> {
    for bug in [false, true] {
        let mut all = None;
        for (search_name, search, peers) in SEARCHES {
            let options = Options {
                search,
                peers,
                faults,
                sequences_max: Some(most),
                count_states: false,
                ..Options::default()
            };
            let row = run(system(Shape { n_nodes: 3, bug }), &options);
            let n_all = *all.get_or_insert(row.counts.sequences);
            writeln!(
                out,
                "| {name}{} | {search_name} | 20 | {faults} | {} | {:.1} | {} | {} | {:.0} |",
                if bug { ", bug" } else { "" },
                sequences(&row),
                n_all as f64 / row.counts.sequences as f64,
                row.counts.failing,
                row.counts.late,
                row.counts.events as f64 / row.seconds
            )?;
            out.flush()?;
        }
    }
    Ok(())
}

fn main() -> io::Result<()> {
    let most = env::args().nth(1).and_then(|most| most.parse().ok()).unwrap_or(200_000);
    let mut out = io::stdout().lock();
    writeln!(out, "| protocol | search | k | faults | sequences | fewer by | failing | late | events/s |")?;
    writeln!(out, "| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")?;
    table_3(&mut out, "broadcast", broadcast::system, 1, most)?;
    table_3(&mut out, "election", election::system, 1, most)?;
    table_3(&mut out, "gossip", gossip::system, 1, most)?;
    table_3(&mut out, "gossip", gossip::system, 2, most)?;
    let peers = Some(Likeness::Claimed);
    let options = |search, peers, faults| Options {
        search,
        peers,
        faults,
        sequences_max: Some(most),
        count_states: false,
        ..Options::default()
    };
    writeln!(
        out,
        "\n| gossip, 10 nodes, PRP: faults | sequences | failing with the bug |\n| ---: | ---: | ---: |"
    )?;
    for faults in 0..=4 {
        let options = options(Search::Dfs, peers, faults);
        let right = run(gossip::system(Shape { n_nodes: 10, bug: false }), &options);
        let wrong = run(gossip::system(Shape { n_nodes: 10, bug: true }), &options);
        writeln!(out, "| {faults} | {} | {} |", sequences(&right), wrong.counts.failing)?;
    }
    writeln!(out, "\n| nodes | election, DFS | PRP | broadcast, DFS | PRP | gossip, DFS | PRP |")?;
    writeln!(out, "| ---: | ---: | ---: | ---: | ---: | ---: | ---: |")?;
    for n_nodes in 3..=10 {
        let shape = Shape { n_nodes, bug: false };
        let mut cells = Vec::new();
        for peers in [None, peers] {
            let options = options(Search::Dfs, peers, 0);
            cells.push([
                sequences(&run(election::system(shape), &options)),
                sequences(&run(broadcast::system(shape), &options)),
                sequences(&run(gossip::system(shape), &options)),
            ]);
        }
        let (all, some) = (&cells[0], &cells[1]);
        writeln!(
            out,
            "| {n_nodes} | {} | {} | {} | {} | {} | {} |",
            all[0], some[0], all[1], some[1], all[2], some[2]
        )?;
        out.flush()?;
    }
    Ok(())
}
