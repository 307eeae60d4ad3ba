//! Raft as processes, explored without a specification: the correct one passes, and each bug that can break an election is found.
//!
//! The nodes do the same again and walks depend on their seed only, so a number of walks finds the same each time, however busy the
//! machine is.

mod kilter;

use std::process::ExitCode;

/// Configuration, what to search with, and the bug that this finds.
const SEARCHES: [(&str, &[&str], &str); 3] = [
    ("explore-safety", &["--search", "random", "--seed", "1", "--walks", "150"], "vote-not-persisted"),
    ("explore-timers", &["--seed", "4", "--walks", "150"], "noop-freshness"),
    ("explore-duplicates", &["--seed", "7", "--walks", "250"], "vote-count"),
];

fn main() -> ExitCode {
    kilter::main(tests)
}

#[expect(clippy::print_stdout, reason = "a test says what it does")]
fn tests() {
    println!("test the election without a bug");
    let found = kilter::run("explore", "explore", "", &["--sequences-max", "150"]);
    assert_eq!(found["failing_sequences"], 0, "{found}");
    assert!(found["sequences"].as_u64() >= Some(150), "{found}");
    for (config, search, bug) in SEARCHES {
        println!("test {config} with {bug}");
        let found = kilter::run("explore", config, bug, search);
        let finding = &found["findings"][0];
        assert_eq!(finding["kind"], "safety", "{bug}: {found}");
        let schedule = finding["schedule"].as_str().expect("a schedule");
        let again = kilter::run("explore", config, bug, &["--replay", schedule]);
        assert_eq!((&again["kind"], &again["events"]), (&finding["kind"], &finding["events"]), "{again}");
        println!("test {config} without it");
        let found = kilter::run("explore", config, "", search);
        assert_eq!(found["failing_sequences"], 0, "{config}: {found}");
        let again = kilter::run("explore", config, "", &["--replay", schedule]);
        assert_eq!(again["kind"], "fine", "{config}: {again}");
    }
}
