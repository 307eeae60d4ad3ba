//! Samples that are chosen by the resynchronisations that schedules have shown.

use crate::common;

use std::fs;
use std::path::Path;
use std::time::Duration;

use common::options;
use kilter::Host;
use kilter::converge::{ConvergeOptions, run};

const SEEN: &str = r#"
[seen]
diff = "resynchronised: diff"
snap = "resynchronised: snap"
trunc = "resynchronised: trunc"
"#;

fn guided(folder: &Path, seen: &str) -> ConvergeOptions {
    let mut options = options(folder, "model = \"quorum\"\nreplicas = 3\nops = 3", None);
    let config = fs::read_to_string(&options.config).expect("a configuration");
    fs::write(&options.config, config + seen).expect("a file");
    (options.sample, options.seed, options.guided, options.shrink) = (Some(40), Some(1), true, 0);
    options
}

#[test]
fn a_run_says_how_many_combinations_it_has_seen() {
    let folder = tempfile::tempdir().expect("a directory");
    let ran = run(&guided(folder.path(), SEEN), &mut Host::default()).expect("the store can be run");
    let json = ran.json();
    assert_eq!(
        (&json["run"], &json["verdict"], json["planned"].as_u64()),
        (&40.into(), &"bounded".into(), Some(40))
    );
    assert_eq!(json["schedules"], 1035);
    let n_distinct = json["distinct_resynchronisations"].as_u64().expect("a number");
    assert!((2..40).contains(&n_distinct), "{n_distinct}");
    assert!(ran.text().contains(&format!("{n_distinct} distinct resynchronisations")), "{}", ran.text());
    let ids: std::collections::BTreeSet<&str> =
        ran.record.cases.iter().map(|case| case.id.as_str()).collect();
    assert_eq!(ids.len(), 40);
}

#[test]
fn a_guided_sample_goes_on_where_it_was_stopped() {
    let folder = tempfile::tempdir().expect("a directory");
    let mut options = guided(folder.path(), SEEN);
    options.run.time_max = Some(Duration::from_secs(1));
    let stopped = run(&options, &mut Host::default()).expect("the store can be run");
    options.run.time_max = None;
    options.run.resume = true;
    let ran = run(&options, &mut Host::default()).expect("the run goes on");
    assert_eq!(ran.more["run"], 40);
    let ids =
        |ran: &kilter::run::Ran| ran.record.cases.iter().map(|case| case.id.clone()).collect::<Vec<_>>();
    assert!(ids(&ran).starts_with(&ids(&stopped)));
    // Another seed is another sample.
    options.seed = Some(2);
    let refused = run(&options, &mut Host::default()).err().expect("another run").to_string();
    assert!(refused.contains("run without --resume"), "{refused}");
}

#[test]
fn a_store_that_says_nothing_of_resynchronisations_cannot_guide() {
    let folder = tempfile::tempdir().expect("a directory");
    let refused = run(&guided(folder.path(), ""), &mut Host::default()).err().expect("bad input");
    assert!(refused.to_string().contains("[seen]"), "{refused}");
    assert_eq!(refused.code(), 2);
}
