//! The command `kilter report`.

use crate::common;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use kilter::reports::{JUNIT, PAGE, RECORD, load, write};
use tempfile::TempDir;

fn election() -> PathBuf {
    common::root().join("crates/report/tests/records/election.jsonl")
}

fn kilter(args: &[&Path]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_kilter")).arg("report").args(args).output().expect("kilter runs")
}

#[test]
fn findings_are_exit_code_1_and_all_forms_are_written_at_once() {
    let folder = TempDir::new().expect("a folder");
    let (html, junit) = (folder.path().join("a.html"), folder.path().join("a.xml"));
    let output =
        kilter(&[&election(), "--html".as_ref(), &html, "--junit".as_ref(), &junit, "--json".as_ref()]);
    assert_eq!(output.status.code(), Some(1));
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).expect("one JSON object");
    assert_eq!((json["cases"].as_u64(), json["passed"].as_u64()), (Some(8), Some(3)));
    assert_eq!(json["findings"][0]["kind"], "inconsistent-state");
    assert!(fs::read_to_string(html).expect("a page").starts_with("<!doctype html>"));
    assert!(fs::read_to_string(junit).expect("XML").starts_with("<?xml"));
}

#[test]
fn a_folder_stands_for_the_record_in_it() {
    let folder = TempDir::new().expect("a folder");
    let text = fs::read_to_string(election()).expect("the record is there");
    let header = text.lines().next().expect("a header");
    fs::write(folder.path().join(RECORD), format!("{header}\n")).expect("the record can be written");
    let output = kilter(&[folder.path()]);
    assert_eq!(output.status.code(), Some(0));
    assert!(String::from_utf8_lossy(&output.stdout).contains("0 of 8 cases"));
    let record = load(folder.path()).expect("the record can be read");
    write(&record, folder.path()).expect("reports can be written");
    assert!(folder.path().join(PAGE).is_file() && folder.path().join(JUNIT).is_file());
}

#[test]
fn links_lead_there_from_wherever_the_page_is() {
    let folder = TempDir::new().expect("a folder");
    let place = |name: &str| folder.path().join(name);
    let text = fs::read_to_string(election()).expect("the record is there");
    let (header, events) = text.split_once('\n').expect("a header");
    let mut header: serde_json::Value = serde_json::from_str(header).expect("JSON");
    let action =
        header["edges"].as_object().and_then(|edges| edges.keys().next().cloned()).expect("an action");
    header["places"][&action] = serde_json::json!({ "file": "Raft.tla", "line": 7, "path": "../Raft.tla" });
    for name in ["one", "pages"] {
        fs::create_dir(place(name)).expect("ours");
    }
    fs::write(place("one").join(RECORD), format!("{header}\n{events}")).expect("ours");
    for (page, href) in [
        ("one/page.html", "./../Raft.tla"),
        ("page.html", "./one/../Raft.tla"),
        ("pages/page.html", "./../one/../Raft.tla"),
    ] {
        let output = kilter(&[&place("one"), "--html".as_ref(), &place(page)]);
        assert_eq!(output.status.code(), Some(1), "{page}");
        let page = fs::read_to_string(place(page)).expect("a page").replace("&#x2f;", "/");
        assert!(page.contains(&format!("href=\"{href}\"")), "{href}");
    }
}

#[test]
fn what_is_no_record_is_exit_code_2() {
    let output = kilter(&[&common::root().join("README.md")]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("this is no record of a run"));
    assert_eq!(kilter(&["nowhere.jsonl".as_ref()]).status.code(), Some(2));
}

#[test]
fn each_file_that_cannot_be_used_has_one_clear_message() {
    let folder = TempDir::new().expect("a folder");
    let refused = |name: &str, content: &[u8]| {
        let path = folder.path().join(name);
        fs::write(&path, content).expect("a file can be written");
        let output = kilter(&[&path, "--json".as_ref()]);
        let json: serde_json::Value = serde_json::from_slice(&output.stdout).expect("one JSON object");
        assert_eq!((output.status.code(), &json["error"]["file"]), (Some(2), &path.to_string_lossy().into()));
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(said.lines().count(), 1, "{said}");
        said
    };
    let bytes = refused("bytes", b"abc\0\x01 no");
    assert!(bytes.contains("this is no record of a run") && bytes.ends_with("(it is no JSON)\n"), "{bytes}");
    let text = fs::read_to_string(election()).expect("the record is there");
    let header = text.lines().next().expect("a header");
    let cut = refused("cut", &header.as_bytes()[..20]);
    assert!(cut.contains("the run ended before it began"), "{cut}");
    let broken = refused("broken", format!("{header}\n{{\"event\":\n").as_bytes());
    assert!(
        broken.ends_with("line 2 of the record is broken: EOF while parsing a value, in column 9\n"),
        "{broken}"
    );
    let missing = folder.path().join("missing");
    let output = kilter(&[&missing, "--json".as_ref()]);
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).expect("one JSON object");
    assert_eq!(json["errors"][0]["file"], missing.to_string_lossy().as_ref(), "{json}");
}

/// Two parts of a run: what has passed in another one, and a part that had nothing to do.
fn parts(folder: &TempDir) -> [PathBuf; 2] {
    let text = fs::read_to_string(election()).expect("the record is there");
    let lines: Vec<serde_json::Value> =
        text.lines().map(|line| serde_json::from_str(line).expect("each line is JSON")).collect();
    let has_passed = |line: &&serde_json::Value| line["event"] == "case" && line["passed"] == true;
    let passed: Vec<serde_json::Value> = lines[1..].iter().filter(has_passed).cloned().collect();
    let end = serde_json::json!({ "event": "finished", "seconds": 1.0 });
    [(1, passed), (2, Vec::new())].map(|(number, cases)| {
        let mut header = lines[0].clone();
        header["shard"] = format!("{number}/2").into();
        let path = folder.path().join(format!("part-{number}.jsonl"));
        let lines = [header].into_iter().chain(cases).chain([end.clone()]).map(|line| format!("{line}\n"));
        fs::write(&path, lines.collect::<String>()).expect("a file can be written");
        path
    })
}

#[test]
fn a_run_of_which_a_part_is_missing_has_not_passed() {
    let folder = TempDir::new().expect("a folder");
    let [one, two] = parts(&folder);
    let both = kilter(&[&one, &two]);
    assert_eq!(both.status.code(), Some(0), "{}", String::from_utf8_lossy(&both.stderr));
    let alone = kilter(&[&one]);
    assert_eq!(alone.status.code(), Some(2));
    let said = String::from_utf8_lossy(&alone.stdout).into_owned();
    assert!(said.contains("not all cases were run: there is no record of part 2/2"), "{said}");
    let twice = kilter(&[&one, &two, &one]);
    assert_eq!(twice.status.code(), Some(2));
    let said = String::from_utf8_lossy(&twice.stderr).into_owned();
    assert!(said.contains("are both part 1/2; leave one of them out"), "{said}");
}

#[test]
fn a_part_that_was_lost_before_its_first_line_is_named() {
    let folder = TempDir::new().expect("a folder");
    let [one, two] = parts(&folder);
    let (lost, cut) = (folder.path().join("lost"), folder.path().join("cut"));
    for lost in [&lost, &cut] {
        fs::create_dir(lost).expect("ours");
    }
    fs::write(cut.join(RECORD), "").expect("ours");
    for path in [&lost, &cut] {
        let output = kilter(&[&one, &two, path]);
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        assert_eq!(output.status.code(), Some(2), "{said}");
        let named = format!("not all cases were run: {} has no record", path.display());
        assert!(said.contains("bounded: ") && said.contains(&named), "{said}");
    }
    let output = kilter(&[&one, &lost, "--json".as_ref()]);
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).expect("one JSON object");
    assert_eq!((&json["verdict"], json["missing"].as_array().map(Vec::len)), (&"bounded".into(), Some(2)));
    // What is found in one part is found, whatever the others would say.
    assert_eq!(kilter(&[&election(), &lost]).status.code(), Some(1));
    // Of nothing no report can be made, and a name that is wrong is no part.
    assert_eq!(kilter(&[&lost, &cut]).status.code(), Some(2));
    let nowhere = kilter(&[&one, &two, &folder.path().join("nowhere")]);
    assert_eq!((nowhere.status.code(), nowhere.stdout.is_empty()), (Some(2), true));
}
