//! Shows a suite in numbers, for people.

use std::fmt::Write as _;

use kilter_suite::{Baseline, Suite};

use super::{FAINT, GOOD, count, paint, plural};

/// The most rows of a histogram.
const ROWS_MAX: u32 = 12;
/// The width of its longest bar.
const BAR_MAX: u64 = 40;

/// The data of the table.
pub struct Table<'s> {
    /// What the graph was made from.
    pub origin: &'s str,
    /// The suite.
    pub suite: &'s Suite,
    /// Mocket's traversal of the same graph.
    pub dfs: Baseline,
    /// What is covered, in words.
    pub what: String,
    /// How long it took, in seconds.
    pub seconds: f64,
}

/// The whole table as text.
pub fn table(table: &Table<'_>) -> String {
    let suite = table.suite;
    let lengths = suite.lengths();
    let mut out = format!("suite for all {} of {}\n", table.what, table.origin);
    let percent = |part: u64, whole: u64| 100.0 * ratio(part, whole);
    let covered = percent(suite.n_covered, suite.n_targets);
    let bound = if suite.is_proven() {
        paint(GOOD, "proven: nothing costs less")
    } else {
        let over = percent(suite.cost(), suite.bound.cost) - 100.0;
        format!("{} or more; this is {over:.1} % above", count(suite.bound.cost))
    };
    let to_dfs = ratio(suite.cost(), table.dfs.cost(suite.restart_cost));
    let rows = [
        ("tests", format!("{}, at least {} needed", count(suite.n_tests()), needed(suite.bound.tests))),
        ("steps", count(suite.n_steps())),
        ("cost", format!("{} = {} × tests + steps", count(suite.cost()), suite.restart_cost)),
        ("lower bound", bound),
        (
            "covered",
            format!("{} of {} ({covered:.1} %)", count(suite.n_covered), plural(suite.n_targets, "target")),
        ),
        ("longest test", plural(u64::from(lengths.iter().copied().max().unwrap_or(0)), "step")),
        (
            "dfs would be",
            format!(
                "{}, {}: this is {to_dfs:.2} of its cost",
                plural(table.dfs.tests, "test"),
                plural(table.dfs.steps, "step")
            ),
        ),
        ("time", format!("{:.1} s", table.seconds)),
    ];
    for (name, value) in rows {
        let _ = writeln!(out, "  {name:<13} {value}");
    }
    out + &histogram(&lengths)
}

fn needed(tests: u64) -> String {
    if tests == 1 { "1 is".to_owned() } else { format!("{} are", count(tests)) }
}

#[allow(clippy::cast_precision_loss, reason = "people look at three digits")]
fn ratio(part: u64, whole: u64) -> f64 {
    part as f64 / (whole as f64).max(1.0)
}

/// A histogram of the lengths of tests.
fn histogram(lengths: &[u32]) -> String {
    let longest = lengths.iter().copied().max().unwrap_or(0);
    let width = (longest + 1).div_ceil(ROWS_MAX).max(1);
    let mut bars = vec![0u64; (longest / width + 1) as usize];
    for length in lengths {
        bars[(length / width) as usize] += 1;
    }
    let highest = bars.iter().copied().max().unwrap_or(0).max(1);
    let mut out = "tests by length\n".to_owned();
    for (index, n) in bars.iter().enumerate() {
        let first = index as u32 * width;
        let range = if width == 1 { first.to_string() } else { format!("{first}–{}", first + width - 1) };
        let bar = "█".repeat((n * BAR_MAX).div_ceil(highest) as usize);
        let _ = writeln!(out, "  {range:>9}  {} {}", paint(FAINT, bar), count(*n));
    }
    out
}
