//! The tables of the paper on our three protocols: sequences with each search (Table 3), gossip with more faults (Table 4) and more nodes
//! (figure 7). Prints Markdown. `cargo run --release -p kilter-protocols --example tables [SECONDS_A_ROW]`

use std::env;
use std::io::{self, Write};
use std::time::{Duration, Instant};

use kilter_explore::{Counts, Explorer, Likeness, Options, Progress, Search, Subject};
use kilter_protocols::{Shape, broadcast, election, gossip};

/// A search by the name that the table gives it.
const SEARCHES: [(&str, Search, Option<Likeness>); 5] = [
    ("DFS", Search::Dfs, None),
    ("PRP", Search::Dfs, Some(Likeness::Claimed)),
    ("PRP, alike", Search::Dfs, Some(Likeness::Alike)),
    ("DPOR", Search::Dpor, None),
    ("PRP and DPOR", Search::Dpor, Some(Likeness::Claimed)),
];
/// An exchange between two nodes of the gossip is four events here; ten nodes need about twenty exchanges.
const DEPTH_OF_TEN: u32 = 120;

/// Ends a search after some time.
struct Until(Instant);

impl Progress for Until {
    fn goes_on(&mut self, _: &Counts) -> bool {
        Instant::now() < self.0
    }
}

/// What a search came to.
struct Row {
    counts: Counts,
    complete: bool,
    milliseconds: u64,
}

impl Row {
    /// With a plus if there are more.
    fn sequences(&self) -> String {
        format!("{}{}", self.counts.sequences, if self.complete { "" } else { "+" })
    }
}

fn run<S: Subject>(subject: S, options: &Options, time: Duration) -> Row {
    let started = Instant::now();
    let explorer = Explorer::new(subject, options);
    let explored = explorer.run(&mut Until(started + time)).expect("state machines can be run");
    let milliseconds = started.elapsed().as_millis() as u64;
    Row { complete: explored.saved.is_none(), counts: explored.counts, milliseconds }
}

fn options(search: Search, peers: Option<Likeness>, faults: u32, depth: u32) -> Options {
    Options { search, peers, faults, depth, count_states: false, ..Options::default() }
}

/// One fraction digit, without floating point.
fn ratio(n: u64, of: u64) -> String {
    let tenths = n * 10 / of.max(1);
    format!("{}.{}", tenths / 10, tenths % 10)
}

fn table_3<S: Subject>(
    out: &mut impl Write,
    name: &str,
    system: fn(Shape) -> S,
    faults: u32,
    time: Duration,
) -> io::Result<()> {
    for bug in [false, true] {
        let mut all = None;
        for (search_name, search, peers) in SEARCHES {
            let row = run(system(Shape { n_nodes: 3, bug }), &options(search, peers, faults, 20), time);
            let n_all = *all.get_or_insert(row.counts.sequences);
            writeln!(
                out,
                "| {name}{} | {search_name} | 20 | {faults} | {} | {} | {} | {} | {} |",
                if bug { ", bug" } else { "" },
                row.sequences(),
                ratio(n_all, row.counts.sequences),
                row.counts.failing,
                row.counts.late,
                row.counts.events * 1000 / row.milliseconds.max(1)
            )?;
            out.flush()?;
        }
    }
    Ok(())
}

fn table_4(out: &mut impl Write, time: Duration) -> io::Result<()> {
    writeln!(
        out,
        "\n| faults | sequences | with the bug | of them failing |\n| ---: | ---: | ---: | ---: |"
    )?;
    for faults in 0..=4 {
        let options = options(Search::Dfs, Some(Likeness::Claimed), faults, DEPTH_OF_TEN);
        let explore = |bug| run(gossip::system(Shape { n_nodes: 10, bug }), &options, time);
        let (right, wrong) = (explore(false), explore(true));
        let failing = wrong.counts.failing;
        writeln!(out, "| {faults} | {} | {} | {failing} |", right.sequences(), wrong.sequences())?;
        out.flush()?;
    }
    Ok(())
}

fn figure_7(out: &mut impl Write, time: Duration) -> io::Result<()> {
    writeln!(out, "\n| nodes | election, DFS | PRP | broadcast, DFS | PRP | gossip, DFS | PRP |")?;
    writeln!(out, "| ---: | ---: | ---: | ---: | ---: | ---: | ---: |")?;
    for n_nodes in 3..=10 {
        let shape = Shape { n_nodes, bug: false };
        let cells = [None, Some(Likeness::Claimed)].map(|peers| {
            let options = options(Search::Dfs, peers, 0, DEPTH_OF_TEN);
            [
                run(election::system(shape), &options, time).sequences(),
                run(broadcast::system(shape), &options, time).sequences(),
                run(gossip::system(shape), &options, time).sequences(),
            ]
        });
        let [all, some] = &cells;
        let cells: Vec<&str> = all.iter().zip(some).flat_map(|(all, some)| [all.as_str(), some]).collect();
        writeln!(out, "| {n_nodes} | {} |", cells.join(" | "))?;
        out.flush()?;
    }
    Ok(())
}

fn main() -> io::Result<()> {
    let seconds = env::args().nth(1).and_then(|seconds| seconds.parse().ok()).unwrap_or(20);
    let time = Duration::from_secs(seconds);
    let mut out = io::stdout().lock();
    writeln!(out, "| protocol | search | k | faults | sequences | fewer by | failing | late | events/s |")?;
    writeln!(out, "| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")?;
    table_3(&mut out, "broadcast", broadcast::system, 1, time)?;
    table_3(&mut out, "election", election::system, 1, time)?;
    table_3(&mut out, "gossip", gossip::system, 1, time)?;
    table_3(&mut out, "gossip", gossip::system, 2, time)?;
    table_4(&mut out, time)?;
    figure_7(&mut out, time)
}
