//! What a report says of messages and keeps of logs, on nodes in Python: a post office, in `tests/post`.

#[path = "../../report/tests/common/browser.rs"]
mod browser;
use crate::common;

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use browser::{DESK, browse_page};
use common::root;
use kilter::reports::PAGE;
use serde_json::Value;
use tempfile::TempDir;

/// Runs a verb on the post office with a bug.
fn kilter(verb: &str, config: &str, bug: &str, report: &Path, words: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kilter"));
    command.arg(verb).arg(root().join("crates/cli/tests/post").join(config)).arg("--report").arg(report);
    command.args(words).env("POST_BUG", bug).output().expect("it can be run")
}

/// Tests the post office with a bug. Returns the answer for scripts.
#[track_caller]
fn test(bug: &str, report: &Path, words: &[&str]) -> Value {
    let output = kilter("test", "kilter.toml", bug, report, &[words, &["--json"]].concat());
    let code = i32::from(!bug.is_empty());
    assert_eq!(output.status.code(), Some(code), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("one JSON object")
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The hints of all groups.
fn hints(answer: &Value) -> String {
    let groups = answer["groups"].as_array().expect("groups").iter();
    let hints = groups.flat_map(|group| group["hints"].as_array().expect("hints"));
    hints.map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

#[test]
fn the_page_draws_the_message_that_was_sent_and_beside_it_the_one_that_was_expected() {
    let report = TempDir::new().expect("a folder");
    test("wrong", report.path(), &[]);
    let page = read(&report.path().join(PAGE));
    let script = "
        const first = document.querySelector('details.finding');
        say(first.querySelector('.said').textContent);
        const lanes = [...first.querySelectorAll('.lanes .lane')].map((lane) => Number(lane.getAttribute('x1')));
        const names = [...first.querySelectorAll('.lanes .title')].map((title) => title.firstChild.textContent);
        const near = (x) => names[lanes.reduce((best, lane, index) => Math.abs(lane - x) < Math.abs(lanes[best] - x) ? index : best, 0)];
        for (const arrow of first.querySelectorAll('.lanes .arrow')) {
            const [x1, , x2] = arrow.getAttribute('d').match(/[\\d.]+/g).map(Number);
            say(arrow.getAttribute('class') + ': ' + near(x1) + ' to ' + near(x2));
        }
        say([...first.querySelectorAll('.observed-messages li')].map((item) => item.textContent).join());
        say([...first.querySelectorAll('.panel h5')].map((title) => title.textContent).join(', '));
        say([...first.querySelectorAll('.expected-messages li')].map((item) => item.textContent).join());";
    let said = browse_page(&page, DESK, script);
    let lines: Vec<&str> = said.lines().collect();
    assert_eq!(
        lines[1..],
        [
            "arrow flying unexpected now: a to c",
            "arrow expected now: a to b",
            "sent to c: [to |-> \"c\", number |-> 2] (not what the specification says)",
            "Messages, Messages that the specification expects instead, What the nodes offered then, State that the specification says",
            "sent to b: [to |-> \"b\", number |-> 1]",
        ],
        "{said}"
    );
}

#[test]
fn logs_of_cases_that_find_something_are_kept_and_linked() {
    let report = TempDir::new().expect("a folder");
    let answer = test("wrong", report.path(), &[]);
    let logs = answer["findings"][0]["logs"].as_str().expect("the finding names its logs");
    let folder = report.path().join(logs);
    let printed = read(&folder.join("a.output.txt"));
    assert!(printed.contains("a is up\n") && printed.contains("a does Send\n"), "{printed}");
    let said = read(&folder.join("conversation.txt"));
    for part in [" a * its process is started\n", " a > {\"hello\":", " a < {\"go\":", " a > {\"done\":"] {
        assert!(said.contains(part), "{part}: {said}");
    }
    assert!(
        !said.contains("\"token\":\"0") && said.contains("\"token\":\"…\""),
        "a secret is not written: {said}"
    );
    let page = read(&report.path().join(PAGE)).replace("&#x2f;", "/");
    assert!(page.contains(&format!("<a href=\"./{logs}/conversation.txt\">")), "{logs}");
    let output = kilter("test", "kilter.toml", "wrong", report.path(), &[]);
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains(&format!("logs: {logs} in the folder of the report\n")), "{text}");
}

#[test]
fn cases_that_pass_leave_logs_only_if_somebody_wants_them() {
    let (report, keep) = (TempDir::new().expect("a folder"), TempDir::new().expect("a folder"));
    test("wrong", report.path(), &[]);
    let logs = report.path().join("kilter-logs");
    assert!(logs.exists());
    let answer = test("", report.path(), &[]);
    assert!(!logs.exists(), "nothing is left of the run before");
    let keep = keep.path().to_str().expect("a path of letters");
    test("", report.path(), &["--keep", keep]);
    let n_kept = fs::read_dir(&logs).expect("logs").count() as u64;
    assert_eq!(Some(n_kept), answer["passed"].as_u64());
}

#[test]
fn a_node_that_prints_forever_does_not_fill_the_disk() {
    let report = TempDir::new().expect("a folder");
    let answer = test("unsent", report.path(), &[]);
    let logs = answer["findings"][0]["logs"].as_str().expect("the finding names its logs");
    let printed = read(&report.path().join(logs).join("a.output.txt"));
    assert!(printed.len() < 2 << 20, "{}", printed.len());
    assert!(printed.starts_with("[kilter: ") && printed.contains(" bytes before this are left out]\n"));
}

#[test]
fn a_search_keeps_logs_of_what_it_finds() {
    let report = TempDir::new().expect("a folder");
    let output = kilter("explore", "explore.toml", "", report.path(), &["--json"]);
    let answer: Value = serde_json::from_slice(&output.stdout).expect("one JSON object");
    let logs = answer["findings"][0]["logs"].as_str().unwrap_or_else(|| panic!("{answer}"));
    let said = read(&report.path().join(logs).join("conversation.txt"));
    assert!(said.contains(" b > {\"done\":"), "{said}");
}

#[test]
fn a_send_that_is_not_reported_points_at_the_report() {
    let report = TempDir::new().expect("a folder");
    let said = hints(&test("unsent", report.path(), &[]));
    assert!(said.contains("a has not reported that it sent"), "{said}");
}

#[test]
fn a_message_that_is_lost_at_a_restart_points_at_delivery() {
    let report = TempDir::new().expect("a folder");
    let said = hints(&test("undelivered", report.path(), &[]));
    assert!(said.contains("was lost when b went down; a probe that takes delivery"), "{said}");
}
