//! Lines that say only a part, by formulas of `[follow]`.

use std::fs;

use tempfile::TempDir;

use super::kilter;
use crate::common::says;

/// A counter of two nodes, and a log that says little of what it does.
fn counter(follow: &str, log: &str) -> TempDir {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let put = |name: &str, text: &str| fs::write(folder.path().join(name), text).expect("it can be written");
    put(
        "Counter.tla",
        r"---- MODULE Counter ----
EXTENDS Integers, Sequences
VARIABLES n, bag
Init == n \in [{1, 2} -> {0, 5}] /\ bag = <<>>
Add(i, k) == n' = [n EXCEPT ![i] = @ + k] /\ UNCHANGED bag
Put(i, m) == bag' = Append(bag, m) /\ UNCHANGED n
Clear(i) == n[i] > 0 /\ n' = [n EXCEPT ![i] = @ - 1] /\ UNCHANGED bag
Next == \E i \in {1, 2} : Clear(i) \/ (\E k \in 1..3 : Add(i, k))
          \/ (\E from, to, size \in 1..3 : Put(i, [from |-> from, to |-> to, body |-> [j \in 1..size |-> 0]]))
====
",
    );
    put("Counter.cfg", "INIT Init\nNEXT Next\nCHECK_DEADLOCK FALSE\n");
    let mapping = format!(
        "[spec]\nfile = \"Counter.tla\"\n[system]\nnodes = [\"one\", \"two\"]\n[constants]\n1 = \"one\"\n2 = \"two\"\n[follow]\n{follow}"
    );
    put("kilter.toml", &mapping);
    put("a.log", log);
    folder
}

#[test]
fn formulas_say_what_a_line_means() {
    let follow = r#"event = ["what", "kind"]
node = "at"
beginning = ["up"]
definitions = "N(i) == IF line.twice > 0 THEN 2 * n[i] ELSE 0\nFits(m) == m.from = line.m.from /\\ Len(m.body) = line.m.size"
[follow.values]
"n[node]" = "n"
"N(node)" = "twice"
"SubSeq(<<n[1], n[2]>>, 1, 2)" = { from = "all", shape = "seq of int" }
[follow.events]
up = { observes = true }
seen = { observes = true, compares = ["N(node)"] }
"sent small" = { steps = ["Put"], args = { i = "at" }, where = ["Fits(m)", "m.to # m.from"] }
"sent" = { steps = ["Put"], where = "Fits(m)" }
added = { steps = ["Add"], args = { i = "at" }, unless = "line.by = 0", where = "n'[node] - n[node] = line.by" }
cleared = { steps = ["Clear"], args = { i = "at" }, until = "n'[node] = 0" }
read = { steps = ["Add"], args = { i = "at" }, state-is = "before", compares = ["n[node]"] }
"#;
    let log = r#"{"what":"up","at":"one","n":7}
{"what":"up","at":"one","n":5}
{"what":"added","at":"one","by":0,"n":5}
{"what":"added","at":"one","by":2,"n":7}
{"what":"sent","kind":"small","at":"two","m":{"from":1,"size":2}}
{"what":"sent","kind":"large","at":"two","m":{"from":3,"size":3}}
{"what":"seen","at":"one","n":99,"twice":14}
{"what":"cleared","at":"one","n":0}
{"what":"read","at":"one","n":0,"all":[9,9]}
"#;
    let follow_it = |log: &str| kilter(&["follow", "a.log"], counter(follow, log).path());
    says(&follow_it(log), 0, &["accepted: 7 lines"]);
    says(
        &follow_it(&log.replace("14", "15")),
        1,
        &["rejected at a.log:7", "N(node) is 14, and the log says 15"],
    );
    // Each of these is no longer what the specification says.
    says(
        &follow_it(&log.replace("\"n\":5}\n{", "\"n\":4}\n{")),
        1,
        &["a.log:3", "n[node] is 5, and the log says 4"],
    );
    let wrong = follow_it(&log.replace("\"by\":2", "\"by\":4"));
    says(&wrong, 1, &["rejected at a.log:4", "is possible, but not what the line says", "line.by = 4"]);
    let wrong = follow_it(&log.replace("\"size\":2", "\"size\":4"));
    says(&wrong, 1, &["rejected at a.log:5", "Len(m.body) = line.m.size is false"]);
    let never = counter(
        &follow.replace("n'[node] = 0", "n'[node] = line.n"),
        &log.replace("\"n\":0}\n", "\"n\":8}\n"),
    );
    let never = kilter(&["follow", "a.log"], never.path());
    // The rounds before count down from 7, and the first of them is the nearest.
    says(&never, 1, &["rejected at a.log:8", "n'[node] = line.n is false ([follow])", "line.n = 8"]);
    let wrong = follow_it(&log.replace("\"n\":0}\n", "\"n\":1}\n"));
    says(&wrong, 1, &["rejected at a.log:8", "n[node] is 0, and the log says 1"]);
    let wrong = follow_it(&log.replace("\"n\":0,\"all\"", "\"n\":3,\"all\""));
    says(&wrong, 1, &["rejected at a.log:9", "the state before", "n[node] is 0, and the log says 3"]);
    let names = "{\"what\":\"read\",\"at\":\"one\",\"names\":[1,1]}\n";
    let set = follow.replace(
        "\"n[node]\" = \"n\"",
        "\"n[node]\" = \"n\"\n\"{n[node] + 1}\" = { from = \"names\", shape = \"set of int\" }",
    );
    let set = set.replace("compares = [\"n[node]\"]", "compares = [\"{n[node] + 1}\"]");
    let log_of = |names: &str| kilter(&["follow", "a.log"], counter(&set, names).path());
    says(&log_of(&names.replace("[1,1]", "[1]")), 0, &["accepted"]);
    says(&log_of(names), 1, &["rejected at a.log:1", "{n[node] + 1} is {1}, and the log says <<1, 1>>"]);
    // What is wrong with the mapping is said where it is.
    let wrong =
        |from: &str, to: &str| kilter(&["follow", "a.log"], counter(&follow.replace(from, to), log).path());
    says(&wrong("unless", "unles"), 2, &["unknown field `unles`", "kilter.toml:"]);
    says(&wrong("[\"n[node]\"]", "[\"m[node]\"]"), 2, &["compares `m[node]`", "did you mean"]);
    says(&wrong("seq of int", "sequence of int"), 2, &["kilter.toml:"]);
    says(
        &wrong("line.by = 0", "line.of = 0"),
        2,
        &["a.log:3", "`line.of = 0` of [follow] cannot be evaluated"],
    );
    says(&wrong("line.by = 0", "lin.by = 0"), 2, &["`lin` is not defined", "--> kilter.toml:22:59"]);
}

#[test]
fn a_step_that_is_repeated_too_often_decides_nothing() {
    let repeated = |until: &str| {
        let follow = format!(
            "node = \"at\"\n[follow.events]\ngrown = {{ steps = [\"Add\"], args = {{ i = \"at\" }}, until = \"{until}\" }}\n"
        );
        let log = "{\"event\":\"grown\",\"at\":\"one\"}\n";
        kilter(&["follow", "a.log"], counter(&follow, log).path())
    };
    says(&repeated("n'[node] = 100"), 0, &["accepted: 1 line"]);
    says(&repeated("n'[node] < 0"), 3, &["undecided", "(`until`) leads through more than 10,000 states"]);
}

#[test]
fn map_looks_at_formulas_for_logs() {
    let wrong = counter("[follow.events]\nx = { steps = [\"Add\"], where = \"lin.by = 0\" }\n", "");
    says(&kilter(&["map"], wrong.path()), 2, &["`lin` is not defined"]);
}
