//! Runs `kilter test` as a program with a system of its own. Tests exit codes, the contract for scripts, what a killed
//! run leaves behind, how it is resumed, and Ctrl-C.
//!
//! This program is both the command and the tests. It is the command if `GUIDED_BUG` is set in its environment.

#![allow(clippy::print_stdout, reason = "these tests have no harness that would say how far they are")]

#[allow(dead_code, reason = "other tests use the rest")]
#[path = "guided/toy.rs"]
mod toy;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode, Output, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use kilter::Worlds;
use kilter_testbed::{Trouble, World};
use serde_json::Value;
use toy::Bug;

fn main() -> ExitCode {
    if let Ok(bug) = std::env::var("GUIDED_BUG") {
        let starts = Arc::new(AtomicU64::new(0));
        return kilter::program::main(Worlds::default().with("cache", move |_| {
            if bug == "refuses" {
                return Err(Trouble::NotStarted("there is no room for a cache".to_owned()));
            }
            let bug = match bug.as_str() {
                "forgets-two" => Bug::ForgetsTwo,
                "two" => Bug::Two,
                _ => Bug::None,
            };
            Ok(Box::new(Slow { toy: Box::new(toy::world(bug)), starts: starts.clone() }) as Box<dyn World>)
        }));
    }
    let trial = |(name, test): (&str, fn())| {
        libtest_mimic::Trial::test(name, move || {
            test();
            Ok(())
        })
    };
    libtest_mimic::run(&libtest_mimic::Arguments::from_args(), TESTS.map(trial).into()).exit_code()
}

const TESTS: [(&str, fn()); 12] = [
    ("exit_codes", exit_codes),
    ("nodes_that_never_connect_are_started_once", nodes_that_never_connect_are_started_once),
    ("the_contract_for_scripts", the_contract_for_scripts),
    ("shards_are_the_whole", shards_are_the_whole),
    ("shards_with_findings_are_the_whole", shards_with_findings_are_the_whole),
    ("a_killed_run_goes_on", a_killed_run_goes_on),
    ("ctrl_c_stops_a_run_that_goes_on_later", ctrl_c_stops_a_run_that_goes_on_later),
    ("suites_from_files", suites_from_files),
    ("kills_at_any_point", kills_at_any_point),
    ("two_runs_do_not_share_a_folder", two_runs_do_not_share_a_folder),
    ("a_full_disk_loses_nothing_that_was_found", a_full_disk_loses_nothing_that_was_found),
    ("folders_that_cannot_be_written_are_refused", folders_that_cannot_be_written_are_refused),
];

/// A world that can wait at a known point. If `GUIDED_STALL` is set, it waits after the first case has ended until a
/// file exists.
struct Slow {
    toy: Box<dyn World>,
    starts: Arc<AtomicU64>,
}

impl World for Slow {
    fn start(&mut self) -> Result<(), Trouble> {
        // Another thread writes results, and no job runs far ahead of it.
        if let Ok(folder) = std::env::var("GUIDED_STALL")
            && !ended(Path::new(&folder)).is_empty()
            && self.starts.fetch_add(1, Ordering::Relaxed) == 0
        {
            let folder = PathBuf::from(folder);
            fs::write(folder.join("stalled"), "").map_err(|error| Trouble::NotStarted(error.to_string()))?;
            await_file(&folder.join("go"));
        }
        self.toy.start()
    }
    fn offers(&self) -> &std::collections::BTreeMap<kilter_testbed::OfferId, kilter_testbed::Offer> {
        self.toy.offers()
    }
    fn flights(&self) -> &[kilter_testbed::Flight] {
        self.toy.flights()
    }
    fn variables(&self, node: &str) -> Option<&serde_json::Map<String, Value>> {
        self.toy.variables(node)
    }
    fn perform(&mut self, command: &kilter_testbed::Command) -> Result<(), Trouble> {
        self.toy.perform(command)
    }
    fn wait(&mut self) -> Result<kilter_testbed::Waited, Trouble> {
        self.toy.wait()
    }
    fn stop(&mut self) {
        self.toy.stop();
    }
}

fn await_file(path: &Path) {
    while !path.exists() {
        thread::sleep(Duration::from_millis(5));
    }
}

fn config() -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/guided/kilter.toml").display().to_string()
}

/// A command that runs this program with a bug and a folder for its report.
fn command(bug: &str, report: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(std::env::current_exe().expect("this program has a file"));
    command.env("GUIDED_BUG", bug).args(["test", &config(), "--report"]).arg(report).args(args);
    command
}

fn run(bug: &str, report: &Path, args: &[&str]) -> Output {
    command(bug, report, args).output().expect("this program can be started")
}

#[track_caller]
fn json(bug: &str, report: &Path, args: &[&str]) -> Value {
    let output = run(bug, report, &[args, &["--json"]].concat());
    serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&output.stderr)))
}

/// The ids of all cases in a record that have ended, in order.
fn ended(report: &Path) -> Vec<String> {
    let text = fs::read_to_string(report.join("record.jsonl")).unwrap_or_default();
    let events = text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    events
        .filter(|event| event["event"] == "case")
        .filter_map(|event| Some(event["id"].as_str()?.to_owned()))
        .collect()
}

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().expect("a folder")
}

fn exit_codes() {
    let folder = folder();
    let code = |bug: &str, args: &[&str]| run(bug, folder.path(), args).status.code();
    assert_eq!(code("none", &[]), Some(0));
    assert_eq!(code("forgets-two", &[]), Some(1));
    assert_eq!(code("none", &["--case", "e99999"]), Some(2));
    assert_eq!(code("none", &["--suite", "there-is-none.jsonl"]), Some(2));
    let refused = run("refuses", folder.path(), &["--jobs", "2"]);
    assert_eq!(refused.status.code(), Some(3));
    let said = String::from_utf8_lossy(&refused.stderr);
    assert_eq!(said.matches("no room for a cache").count(), 1, "{said}");
    let absent = run_command(folder.path(), "command = [\"there-is-no-such-program\"]");
    assert_eq!(absent.status.code(), Some(3));
    let said = String::from_utf8_lossy(&absent.stderr);
    assert_eq!(said.matches("can't start `there-is-no-such-program`").count(), 1, "{said}");
    for file in ["record.jsonl", "report.html", "junit.xml"] {
        assert!(folder.path().join(file).is_file(), "{file}");
    }
}

/// Runs `kilter test` with another way to start the nodes.
fn run_command(folder: &Path, command: &str) -> Output {
    let mapping = fs::read_to_string(config()).expect("a mapping");
    let spec = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/guided/Cache.tla");
    let mapping = mapping.replace("world = \"cache\"", command);
    let mapping = mapping.replace("Cache.tla", &spec.display().to_string());
    fs::write(folder.join("kilter.toml"), mapping).expect("a folder");
    let kilter = Command::new(env!("CARGO_BIN_EXE_kilter")).arg("test").arg(folder).output();
    kilter.expect("kilter can be started")
}

fn nodes_that_never_connect_are_started_once() {
    let folder = folder();
    let silent = "start-patience-ms = 300\ncommand = [\"/bin/sh\", \"-c\", \"echo {node} >> {dir}/starts; exec sleep 1000\"]";
    let output = run_command(folder.path(), silent);
    assert_eq!(output.status.code(), Some(3));
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(said.matches("did not connect within 300 ms").count(), 1, "{said}");
    let starts = fs::read_to_string(folder.path().join("starts")).expect("the nodes were started");
    let mut starts: Vec<&str> = starts.lines().collect();
    starts.sort_unstable();
    assert_eq!(starts, ["client", "server"]);
}

fn the_contract_for_scripts() {
    let folder = folder();
    let found = json("forgets-two", folder.path(), &[]);
    for field in ["cases", "passed"] {
        assert!(found[field].is_u64(), "{field} in {found}");
    }
    for field in ["seconds", "cases_per_second"] {
        assert!(found[field].is_f64(), "{field} in {found}");
    }
    let findings = found["findings"].as_array().expect("a list of findings");
    assert_eq!(
        findings.len() as u64,
        found["cases"].as_u64().unwrap_or(0) - found["passed"].as_u64().unwrap_or(0)
    );
    let first = &findings[0];
    assert_eq!((&first["kind"], &first["action"]), (&"inconsistent-state".into(), &"Respond".into()));
    assert!(first["case"].is_string() && first["step"].is_u64() && first["variables"].is_array());
    // Each group has a line that repeats it. That line has the exit code of a finding.
    for group in found["groups"].as_array().expect("a list of groups") {
        let id = group["repeat"].as_str().and_then(|line| line.rsplit(' ').next()).expect("a line to repeat");
        assert_eq!(run("forgets-two", folder.path(), &["--case", id]).status.code(), Some(1), "{id}");
        assert_eq!(run("none", folder.path(), &["--case", id]).status.code(), Some(0), "{id}");
    }
}

fn shards_are_the_whole() {
    let folder = folder();
    let answer = json("none", folder.path(), &[]);
    let mut whole = ended(folder.path());
    let (mut parts, mut records) = (Vec::new(), Vec::new());
    for shard in ["1/3", "2/3", "3/3"] {
        let part = json("none", folder.path(), &["--shard", shard]);
        assert_eq!((&part["verdict"], &part["shard"]), (&"bounded".into(), &shard.into()));
        parts.append(&mut ended(folder.path()));
        let record = kilter::reports::load(folder.path()).expect("a record");
        records.push((shard.to_owned(), record));
    }
    whole.sort();
    parts.sort();
    assert_eq!(parts, whole);
    let merged = kilter_report::merge(records).expect("they belong together").expect("there are three");
    let merged = kilter_report::json::json(&merged, &kilter_report::summarize(&merged));
    for number in ["verdict", "cases", "planned", "passed", "steps", "confirmed_edges", "actions"] {
        assert_eq!(merged[number], answer[number], "{number}");
    }
}

fn shards_with_findings_are_the_whole() {
    let folder = folder();
    let whole = json("two", folder.path(), &[]);
    let record = |shard: &str| {
        let part = json("two", folder.path(), &["--shard", shard]);
        assert_eq!(part["verdict"], "findings", "{shard}");
        assert_eq!(counts(&part).iter().sum::<u64>(), part["edges"].as_u64().expect("a number"), "{shard}");
        (shard.to_owned(), kilter::reports::load(folder.path()).expect("a record"))
    };
    let merged = kilter_report::merge(["1/3", "2/3", "3/3"].map(record).into());
    let merged = merged.expect("they belong together").expect("there are three");
    let merged = kilter_report::json::json(&merged, &kilter_report::summarize(&merged));
    assert_eq!(counts(&merged), counts(&whole));
    assert_eq!(
        (counts(&whole)[3], counts(&whole).iter().sum::<u64>()),
        (0, whole["edges"].as_u64().unwrap_or(0))
    );
    assert_eq!(merged["actions"], whole["actions"]);
}

/// The numbers of edges that were confirmed, have failed, can't be reached for now, and were not tried.
fn counts(answer: &Value) -> [u64; 4] {
    ["confirmed_edges", "failed_edges", "unreachable_edges", "untried_edges"]
        .map(|name| answer[name].as_u64().unwrap_or(0))
}

/// Starts a run, and returns when it waits at a known point.
fn stalled(bug: &str, report: &Path) -> Child {
    let started = command(bug, report, &[])
        .env("GUIDED_STALL", report)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    let child = started.expect("this program can be started");
    await_file(&report.join("stalled"));
    child
}

/// The answer of a run that nobody disturbs, and its cases.
fn undisturbed(bug: &str) -> (Value, Vec<String>) {
    let folder = folder();
    let found = json(bug, folder.path(), &[]);
    (found, ended(folder.path()))
}

fn a_killed_run_goes_on() {
    for bug in ["none", "forgets-two"] {
        let folder = folder();
        let mut child = stalled(bug, folder.path());
        child.kill().expect("it runs");
        child.wait().expect("it was killed");
        let before = ended(folder.path()).len();
        // Makes the record look as if the run had been killed in the middle of a line.
        let record = folder.path().join("record.jsonl");
        let text = fs::read_to_string(&record).expect("a record");
        fs::write(&record, format!("{text}{{\"event\":\"case\",\"id\":\"12")).expect("a record");
        let found = json(bug, folder.path(), &["--resume"]);
        let (whole, cases) = undisturbed(bug);
        assert!(before > 0 && before < cases.len(), "{before} of {}", cases.len());
        assert_eq!(ended(folder.path()), cases);
        assert_eq!((&found["cases"], &found["passed"]), (&whole["cases"], &whole["passed"]));
        let verdicts = |found: &Value| -> Vec<(Value, Value, Value)> {
            let findings = found["findings"].as_array().expect("findings");
            findings.iter().map(|f| (f["case"].clone(), f["kind"].clone(), f["step"].clone())).collect()
        };
        assert_eq!(verdicts(&found), verdicts(&whole));
    }
}

/// The part of an answer that interruptions must not change: the cases that ended, how they ended, and what was found.
/// Which finding of a group is shortened depends on the sitting, and so does the text of its summary.
fn essence(found: &Value) -> Value {
    let findings = found["findings"].as_array().expect("findings");
    let mut findings: Vec<String> = findings
        .iter()
        .map(|finding| {
            format!("{} {} {} {}", finding["case"], finding["kind"], finding["step"], finding["action"])
        })
        .collect();
    findings.sort();
    serde_json::json!({ "cases": found["cases"], "passed": found["passed"], "steps": found["steps"], "findings": findings })
}

/// Kills a run when its record has grown to a random size, resumes it, kills it again, and so on. In the end,
/// everything is as if nobody had disturbed it. `bench/kills.py` does the same with real systems, and more often.
fn kills_at_any_point() {
    for (seed, bug) in [(1, "none"), (2, "forgets-two"), (3, "forgets-two")] {
        let folder = folder();
        let record = folder.path().join("record.jsonl");
        let size = || fs::metadata(&record).map_or(0, |data| data.len());
        let whole = json(bug, folder.path(), &[]);
        let whole_size = size();
        fs::remove_file(&record).expect("it is there");
        let mut random: u64 = seed;
        for kill in 0..8 {
            random = random.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
            let until = size() + (random >> 33) % (whole_size / 6);
            let args: &[&str] = if record.exists() { &["--resume"] } else { &[] };
            let mut child = command(bug, folder.path(), args)
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .spawn()
                .expect("this program can be started");
            while size() <= until && child.try_wait().expect("it is ours").is_none() {
                thread::sleep(Duration::from_micros(200));
            }
            let _ = child.kill();
            child.wait().expect("it has ended");
            assert!(record.exists(), "seed {seed}, kill {kill}: the record is lost");
        }
        let found = json(bug, folder.path(), &["--resume"]);
        assert_eq!(essence(&found), essence(&whole), "seed {seed}");
    }
}

fn two_runs_do_not_share_a_folder() {
    let folder = folder();
    let mut child = stalled("none", folder.path());
    let before = fs::read_to_string(folder.path().join("record.jsonl")).expect("a record");
    for args in [&[][..], &["--resume"]] {
        let second = run("none", folder.path(), args);
        let text = String::from_utf8_lossy(&second.stderr).into_owned();
        assert_eq!(second.status.code(), Some(2), "{text}");
        for words in
            [&format!("is in use by process {} on ", child.id()), " UTC; wait for its end", "--report"]
        {
            assert!(text.contains(words), "{words}: {text}");
        }
    }
    assert_eq!(fs::read_to_string(folder.path().join("record.jsonl")).expect("a record"), before);
    // The kernel releases the lock of a killed process.
    child.kill().expect("it runs");
    child.wait().expect("it was killed");
    json("none", folder.path(), &["--resume"]);
}

/// A limit on the size of files stands for a full disk.
fn a_full_disk_loses_nothing_that_was_found() {
    let folder = folder();
    let whole = json("forgets-two", folder.path(), &[]);
    let record = folder.path().join("record.jsonl");
    let size = fs::metadata(&record).expect("a record").len();
    let program = std::env::current_exe().expect("this program has a file");
    // `ulimit -f` counts blocks of 512 bytes in sh.
    let script = format!("ulimit -f {}; exec \"$@\"", size * 3 / 4 / 512);
    let mut limited = Command::new("sh");
    limited.args(["-c", &script, "sh"]).arg(program).args(["test", &config(), "--json", "--report"]);
    let output = limited.arg(folder.path()).env("GUIDED_BUG", "forgets-two").output().expect("sh runs");
    let text = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(153), "{text}");
    for words in ["record.jsonl cannot be written", "`--resume` runs them again", "ulimit -f"] {
        assert!(text.contains(words), "{words}: {text}");
    }
    let told: Value = serde_json::from_slice(&output.stdout).expect("all that was found is told anyway");
    assert_eq!(essence(&told), essence(&whole));
    let before = ended(folder.path()).len();
    assert!(before > 0 && (before as u64) < whole["cases"].as_u64().unwrap_or(0), "{before}");
    assert_eq!(essence(&json("forgets-two", folder.path(), &["--resume"])), essence(&whole));
}

fn folders_that_cannot_be_written_are_refused() {
    let output = run("none", Path::new("/proc/self/kilter"), &[]);
    let text = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{text}");
    assert!(text.contains("/proc/self/kilter cannot be made"), "{text}");
}

fn ctrl_c_stops_a_run_that_goes_on_later() {
    let folder = folder();
    let mut child = stalled("none", folder.path());
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(sent.is_ok_and(|status| status.success()), "kill is there");
    fs::write(folder.path().join("go"), "").expect("a folder");
    assert_eq!(child.wait().expect("it ends").code(), Some(130));
    json("none", folder.path(), &["--resume"]);
    assert_eq!(ended(folder.path()), undisturbed("none").1);
}

fn suites_from_files() {
    let folder = folder();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let spec = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/guided/Cache.tla").display().to_string();
    let kilter = |args: &[&str]| {
        let output =
            Command::new(env!("CARGO_BIN_EXE_kilter")).args(args).output().expect("kilter can be started");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    };
    kilter(&["check", &spec, "--no-deadlock", "--graph", &path("cache.graph")]);
    kilter(&["suite", &path("cache.graph"), "--cover", "actions", "--out", &path("suite.jsonl")]);
    let found = json("none", folder.path(), &["--suite", &path("suite.jsonl")]);
    let lines = fs::read_to_string(path("suite.jsonl")).expect("a suite").lines().count() as u64;
    assert_eq!(found["cases"].as_u64(), Some(lines - 1));
    assert_eq!(found["passed"], found["cases"]);
}
