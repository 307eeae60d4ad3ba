//! Actions that leave no line.

use std::fs;
use std::process::Output;

use tempfile::TempDir;

use super::kilter;
use crate::common::says;

/// A folder with a specification of nodes that crash, a mapping in which a crash leaves no line, and this log.
fn crashes(more: &str, log: &str) -> TempDir {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let put = |name: &str, text: &str| fs::write(folder.path().join(name), text).expect("it can be written");
    put(
        "S.tla",
        r#"---- MODULE S ----
EXTENDS Naturals
VARIABLES down, x
Nodes == {"a", "b", "c"}
Init == down = {} /\ x = [n \in Nodes |-> 0]
Crash(n) == n \notin down /\ down' = down \cup {n} /\ UNCHANGED x
Step(n) == n \notin down /\ x' = [x EXCEPT ![n] = @ + 1] /\ UNCHANGED down
Last(n) == down = Nodes \ {n} /\ x' = [x EXCEPT ![n] = @ + 10] /\ UNCHANGED down
Alone(n) == down # {} /\ x' = [x EXCEPT ![n] = @ + 10] /\ UNCHANGED down
Next == \E n \in Nodes : Crash(n) \/ Step(n) \/ Last(n) \/ Alone(n)
====
"#,
    );
    put("S.cfg", "INIT Init\nNEXT Next\n");
    put(
        "kilter.toml",
        &format!(
            "[spec]\nfile = \"S.tla\"\n[system]\nnodes = [\"a\", \"b\", \"c\"]\n[variables]\nx = {{ kind = \"node\" }}\ndown = {{ kind = \"auxiliary\" }}\n[actions]\nStep = {{ kind = \"node\", node = \"n\" }}\nLast = {{ kind = \"node\", node = \"n\" }}\nAlone = {{ kind = \"node\", node = \"n\" }}\nCrash = {{ kind = \"internal\" }}\n{more}[follow]\nsilent = [\"Crash\"]\n"
        ),
    );
    put("s.log", log);
    folder
}

fn follow(more: &str, log: &str) -> Output {
    kilter(&["follow", "s.log"], crashes(more, log).path())
}

fn line(event: &str, node: &str, x: u64) -> String {
    format!("{{\"event\":\"{event}\",\"node\":\"{node}\",\"state\":{{\"x\":{x}}}}}\n")
}

#[test]
fn a_state_may_be_reached_by_more_and_by_fewer_of_them_in_a_row() {
    // c crashes after its line, and a after its own, so that never two crashes come in a row.
    let log = line("Step", "c", 1) + &line("Step", "a", 1) + &line("Last", "b", 10);
    for more in ["", "[diff]\nshared = true\n"] {
        says(&follow(more, &log), 0, &["accepted: 3 lines"]);
    }
    // This would take two crashes in a row.
    says(&follow("", &line("Last", "b", 10)), 1, &["rejected at s.log:1"]);
}

#[test]
fn reasons_look_behind_them() {
    let log = line("Step", "b", 1) + &line("Alone", "b", 12);
    let wanted = ["rejected at s.log:2", "which leaves no line", "x[\"b\"] is 11, and the log says 12"];
    says(&follow("", &log), 1, &wanted);
}

#[test]
fn a_long_log_leaves_nothing_undecided() {
    let mut log: String = (1..10_000).map(|x| line("Step", "a", x)).collect();
    log += &line("Step", "a", 5);
    let folder = crashes("", &log);
    // A node that has crashed takes no step, so every other possibility ends at once.
    let module = folder.path().join("S.tla");
    let text =
        fs::read_to_string(&module).expect("it is there").replace("Crash(n) ==", "Crash(n) == n = \"a\" /\\");
    fs::write(module, text).expect("it can be written");
    let said = kilter(&["follow", "s.log", "--alternatives-max", "5000", "--report", "out"], folder.path());
    says(&said, 1, &["rejected at s.log:10000", "x[\"a\"] is 10000, and the log says 5"]);
    let record = fs::metadata(folder.path().join("out/record.jsonl")).expect("it is there");
    assert!(record.len() < 100_000, "only the end of the log is drawn: {} bytes", record.len());
}
