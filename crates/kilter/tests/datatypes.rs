//! Plays schedules on a data type in process: the tally of `examples/data_type`, with and without its bug.

#[path = "../examples/data_type/tally.rs"]
mod tally;

use std::path::{Path, PathBuf};

use kilter::converge::{ConvergeOptions, list, run};
use kilter::datatype::{DataType, Edit, Edited, Name, Reading};
use kilter::run::Ran;
use kilter::{Host, Worlds};
use kilter_run::{FindingKind, Shard};
use tally::Tally;

fn config() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("examples/data_type/tally.toml")
}

fn options(report: &Path) -> ConvergeOptions {
    let mut options = ConvergeOptions::of(config());
    options.run.report = Some(report.to_path_buf());
    options
}

fn play<T: DataType + 'static>(make: fn() -> T, options: &ConvergeOptions) -> Ran {
    let mut host =
        Host { worlds: Worlds::default().with_data_type("tally", move |_| Ok(make())), ..Host::default() };
    run(options, &mut host).expect("a run")
}

fn right() -> Tally {
    Tally { bug: false }
}

fn wrong() -> Tally {
    Tally { bug: true }
}

#[test]
fn a_right_data_type_passes_all_schedules() {
    let report = tempfile::tempdir().expect("a folder");
    let text = std::fs::read_to_string(config()).expect("a configuration");
    let less = ["Pulls", "Saves", "Loads"]
        .iter()
        .fold(text, |text, name| text.replace(&format!("{name} = \"1\""), &format!("{name} = \"0\"")));
    let path = report.path().join("small.toml");
    std::fs::write(&path, less).expect("a file");
    let options = ConvergeOptions { config: path, ops: Some(2), ..options(report.path()) };
    let total = list(&options, None).expect("a list");
    assert!((100..10_000).contains(&total), "{total}");
    let ran = play(right, &options);
    assert_eq!((&ran.more["verdict"], &ran.more["run"]), (&"agree".into(), &total.into()));
    assert_eq!(ran.code(), 0);
}

#[test]
fn a_bug_is_found_and_its_schedule_is_shortened() {
    let report = tempfile::tempdir().expect("a folder");
    let mut options = ConvergeOptions { sample: Some(3000), seed: Some(1), ..options(report.path()) };
    let ran = play(wrong, &options);
    assert_eq!(ran.code(), 1);
    // Only the first findings of a group are looked at again, and shortened.
    let looked_at = ran.record.findings.iter().filter(|finding| finding.stable.is_some());
    let shortest = looked_at.min_by_key(|finding| finding.path.len()).expect("findings");
    let words: Vec<&str> = shortest.path.iter().map(|step| step.action.as_str()).collect();
    // In the end, all updates are also given to a new replica, the last one first.
    let [first, second, "End"] = words[..] else { panic!("{words:?}") };
    assert!(first == second && first.starts_with("edit="), "{words:?}");
    assert_eq!((shortest.kind, shortest.stable), (FindingKind::Differ, Some(true)));
    assert!(shortest.repeat.contains(&format!("--schedule '{}'", words.join(" "))), "{}", shortest.repeat);
    // The same schedules show nothing on the right twin, and the shortest one shows the same again.
    assert_eq!(play(right, &options).record.findings.len(), 0);
    options = ConvergeOptions { schedule: vec![words.join(" ")], sample: None, seed: None, ..options };
    assert_eq!(play(wrong, &options).record.findings[0].summary, shortest.summary);
}

#[test]
fn shards_and_jobs_give_the_same_findings() {
    let summaries = |part: Option<Shard>, jobs: u16| {
        let report = tempfile::tempdir().expect("a folder");
        let mut options = ConvergeOptions { sample: Some(400), seed: Some(7), ..options(report.path()) };
        options.run.shard = part;
        options.run.jobs = jobs;
        options.shrink = 0;
        let ran = play(wrong, &options);
        ran.record.findings.into_iter().map(|finding| (finding.case, finding.summary)).collect::<Vec<_>>()
    };
    let whole = summaries(None, 1);
    assert!(!whole.is_empty());
    assert_eq!(summaries(None, 3), whole);
    let parts = (1..=2).flat_map(|part| summaries(Some(Shard { part, parts: 2 }), 1));
    assert_eq!(parts.collect::<Vec<_>>(), whole);
}

#[test]
fn a_run_goes_on_where_it_was_stopped() {
    let report = tempfile::tempdir().expect("a folder");
    let mut options =
        ConvergeOptions { sample: Some(600), seed: Some(3), shrink: 0, ..options(report.path()) };
    options.run.max_findings = Some(2);
    let stopped = play(wrong, &options);
    assert!(stopped.more["run"].as_u64() < Some(600));
    options.run.max_findings = None;
    options.run.resume = true;
    let all = play(wrong, &options);
    assert_eq!(all.more["run"], 600);
    options.run.resume = false;
    assert_eq!(play(wrong, &options).record.findings.len(), all.record.findings.len());
}

/// A data type that fails in one way or another.
struct Broken(fn() -> Result<(), String>);

impl DataType for Broken {
    type Replica = ();

    fn start(&self, _: Name) -> Result<(), String> {
        Ok(())
    }

    fn load(&self, _: Name, _: &[u8]) -> Result<(), String> {
        Ok(())
    }

    fn save(&self, (): &mut ()) -> Result<Vec<u8>, String> {
        Ok(vec![1])
    }

    fn edit(&self, (): &mut (), edit: Edit<'_>) -> Result<Option<Edited>, String> {
        Ok((edit.words == ["add"]).then(Edited::default))
    }

    fn receive(&self, (): &mut (), _: &[u8]) -> Result<(), String> {
        (self.0)()
    }

    fn sync(&self, (): &mut (), (): &mut ()) -> Result<(), String> {
        Ok(())
    }

    fn read(&self, (): &mut ()) -> Result<Reading, String> {
        Ok(Reading::default())
    }
}

#[test]
fn a_failure_and_a_panic_are_findings() {
    let report = tempfile::tempdir().expect("a folder");
    let schedule = vec!["edit=A:add pull=B>A End".to_owned()];
    let options = ConvergeOptions { schedule, ..options(report.path()) };
    let failing = play(|| Broken(|| Err("no such version".to_owned())), &options);
    let finding = &failing.record.findings[0];
    assert_eq!((finding.kind, failing.code()), (FindingKind::Crash, 1));
    assert_eq!(finding.summary, "a failure: pull=B>A: no such version");
    let panicking = play(|| Broken(|| panic!("a gap")), &options);
    assert!(panicking.record.findings[0].summary.contains("it panicked"), "{:?}", panicking.record.findings);
}

#[test]
fn words_that_nobody_knows_are_bad_input() {
    let report = tempfile::tempdir().expect("a folder");
    let folder = tempfile::tempdir().expect("a folder");
    let text = std::fs::read_to_string(config()).expect("a configuration").replace("\"add\"", "\"subtract\"");
    let path = folder.path().join("tally.toml");
    std::fs::write(&path, &text).expect("a file");
    let options = ConvergeOptions { config: path.clone(), sample: Some(3), ..options(report.path()) };
    let ran = play(right, &options);
    assert_eq!(ran.code(), 2);
    assert_eq!(ran.not_runnable().as_deref(), Some("the data type does not know the edit `subtract`"));
    // A model of stores, and a program without data types.
    std::fs::write(&path, text.replace("edits", "quorum")).expect("a file");
    let mut host =
        Host { worlds: Worlds::default().with_data_type("tally", |_| Ok(right())), ..Host::default() };
    let refused = run(&options, &mut host).err().expect("no data type").to_string();
    assert!(refused.contains("needs a store in processes"), "{refused}");
    std::fs::write(&path, text).expect("a file");
    let refused = run(&options, &mut Host::default()).err().expect("no data type").to_string();
    assert!(refused.contains("there is no world `tally`"), "{refused}");
}
