//! The messages about mappings that do not fit their specification. All are given at once, each with its place.

#![allow(
    clippy::needless_raw_string_hashes,
    clippy::needless_pass_by_value,
    reason = "what expect-test writes"
)]

use std::collections::BTreeMap;

use expect_test::{Expect, expect};
use kilter_base::Sources;
use kilter_mapping::{ActionSummary, Summary, file};
use kilter_value::Store;

/// The names of a small specification.
fn summary(store: &Store) -> Summary {
    let action = |name: &str, params: &[&str]| ActionSummary {
        name: name.to_owned(),
        params: params.iter().map(|param| (*param).to_owned()).collect(),
    };
    let model = |name: &str| store.model_value(name);
    // Messages are records with this field.
    store.string("dest");
    let mut servers = vec![model("n1"), model("n2")];
    let constants = [
        ("Server".to_owned(), store.set(&mut servers).expect("model values can be compared")),
        ("Nil".to_owned(), model("Nil")),
        ("Follower".to_owned(), store.string("follower")),
    ];
    Summary {
        actions: vec![action("Timeout", &["i"]), action("Handle", &["m"]), action("Restart", &["i"])],
        variables: ["term", "messages", "count"].map(str::to_owned).to_vec(),
        constants: BTreeMap::from(constants),
    }
}

const HEAD: &str =
    "[spec]\nfile = \"Spec.tla\"\n\n[system]\nnodes = [\"n1\", \"n2\"]\ncommand = [\"node\"]\n";
const VARIABLES: &str = "[variables]\nterm = { kind = \"node\" }\nmessages = { kind = \"messages\" }\ncount = { kind = \"counter\" }\n";
const ACTIONS: &str = "[actions]\nTimeout = { kind = \"node\", node = \"i\" }\nHandle = { kind = \"message\", message = \"m\" }\nRestart = { kind = \"fault\", fault = \"restart\", node = \"i\" }\n";

/// All messages about a text, one per line.
fn complaints(text: &str) -> String {
    let store = Store::new();
    let summary = summary(&store);
    let mut sources = Sources::default();
    let id = sources.add("kilter.toml", text);
    let file = match file::read(text) {
        Ok(file) => file,
        Err(error) => {
            let place = error.range.map_or(0, |range| text[..range.start].matches('\n').count() + 1);
            return format!("line {place}: {}\n", error.message);
        }
    };
    let Err(diagnostics) = kilter_mapping::check(&file, id, text, &summary, &store) else {
        return "fine\n".to_owned();
    };
    let line = |diagnostic: &kilter_base::Diagnostic| {
        let place = diagnostic.span.map_or_else(
            || "nowhere".to_owned(),
            |span| {
                let position = sources.file(span.file).position(span.start);
                format!("{}:{} `{}`", position.line, position.column, sources.text(span))
            },
        );
        let help = diagnostic.help.as_ref().map(|help| format!("\n  {help}")).unwrap_or_default();
        format!("{place}: {}{help}\n", diagnostic.message)
    };
    diagnostics.iter().map(line).collect()
}

#[track_caller]
fn check(text: &str, expected: Expect) {
    expected.assert_eq(&complaints(text));
}

#[test]
fn a_whole_mapping_is_fine() {
    check(&format!("{HEAD}{VARIABLES}{ACTIONS}"), expect![["fine\n"]]);
}

#[test]
fn misspelt_names_are_recognised() {
    let text = format!(
        "{HEAD}[constants]\nNill = \"none\"\n{}{}",
        VARIABLES.replace("term =", "trem ="),
        ACTIONS.replace("Timeout =", "TimeOut =").replace("message = \"m\"", "message = \"k\"")
    );
    check(
        &text,
        expect![[r#"
        8:1 `Nill`: `Nill` is no constant, model value or string of the specification
          did you mean `Nil`?
        10:1 `trem`: the specification has no variable `trem`
          did you mean `term`?
        nowhere: the variable `term` is not mapped
          add to [variables]: term = { kind = "node" }, or "global", "messages"; "counter" and "auxiliary" are not compared
        14:1 `TimeOut`: the specification has no action `TimeOut`
          did you mean `Timeout`?
        nowhere: the action `Timeout(i)` is not mapped
          add to [actions]: Timeout = { kind = "node", node = "i" }, or "message", "fault", "request", "internal"
        15:40 `"k"`: the action `Handle` has no parameter `k`
          `Handle` has the parameters m
    "#]],
    );
}

#[test]
fn nothing_is_left_out() {
    check(
        &format!("{HEAD}[variables]\nterm = {{ kind = \"node\" }}\n"),
        expect![[r#"
        nowhere: the variable `messages` is not mapped
          add to [variables]: messages = { kind = "node" }, or "global", "messages"; "counter" and "auxiliary" are not compared
        nowhere: the variable `count` is not mapped
          add to [variables]: count = { kind = "node" }, or "global", "messages"; "counter" and "auxiliary" are not compared
        nowhere: the action `Timeout(i)` is not mapped
          add to [actions]: Timeout = { kind = "node", node = "i" }, or "message", "fault", "request", "internal"
        nowhere: the action `Handle(m)` is not mapped
          add to [actions]: Handle = { kind = "node", node = "m" }, or "message", "fault", "request", "internal"
        nowhere: the action `Restart(i)` is not mapped
          add to [actions]: Restart = { kind = "node", node = "i" }, or "message", "fault", "request", "internal"
    "#]],
    );
}

#[test]
fn keys_must_fit_the_kind() {
    let variables = VARIABLES
        .replace("count = { kind = \"counter\"", "count = { kind = \"counter\", from = \"n\"")
        .replace("term = { kind = \"node\"", "term = { kind = \"node\", form = \"bag\", node = \"n1\"");
    let actions = ACTIONS
        .replace("Timeout = { kind = \"node\"", "Timeout = { kind = \"node\", fault = \"crash\"")
        .replace(", message = \"m\"", "")
        .replace("fault = \"restart\", node = \"i\"", "request = \"r\"");
    check(
        &format!("{HEAD}{variables}{actions}"),
        expect![[r#"
            8:32 `"bag"`: `form` means nothing for this kind of variable
              take it out, or change the kind
            8:46 `"n1"`: `node` means nothing for this kind of variable
              take it out, or change the kind
            10:36 `"n"`: `from` means nothing for this kind of variable
              take it out, or change the kind
            12:36 `"crash"`: `fault` means nothing for this kind of action
              take it out, or change the kind
            13:10 `{ kind = "message" }`: `Handle` does not say which parameter is the message
              add message = "m"
            14:39 `"r"`: `request` means nothing for this kind of action
              take it out, or change the kind
            14:11 `{ kind = "fault", request = "r" }`: `Restart` does not say which fault it is
              add fault = "restart"; there are crash, drop, duplicate, pause, cut, start, restart, resume, mend, clock
        "#]],
    );
}

#[test]
fn shapes_say_where_they_are_wrong() {
    let with = |shape: &str| {
        format!(
            "{HEAD}{}{ACTIONS}",
            VARIABLES.replace(
                "term = { kind = \"node\"",
                &format!("term = {{ kind = \"node\", shape = \"{shape}\"")
            )
        )
    };
    check(
        &with("sett of int"),
        expect![[r#"
        8:34 `s`: a shape (any, int, bool, string, node, set of, seq of, map of, one of, or a record in braces) is expected here, not `sett`
    "#]],
    );
    check(
        &with("set int"),
        expect![[r#"
        8:38 `i`: `of` is expected here, not `int`
    "#]],
    );
    check(
        &with("{a: int, b}"),
        expect![[r#"
        8:44 `}`: `:` is expected here, not `}`
    "#]],
    );
    check(
        &with("node or Nill"),
        expect![[r#"
        8:42 `N`: `Nill` is no constant, model value or string of the specification
          did you mean `Nil`?
    "#]],
    );
    check(
        &with("int int"),
        expect![[r#"
        8:38 `i`: the end is expected here, not `int`
    "#]],
    );
    check(
        &with("map of node"),
        expect![[r#"
        8:45 `"`: `to` is expected here, not the end
    "#]],
    );
    check(&with("one of {Nil: {a: int}} by kind = type"), expect![["fine\n"]]);
}

#[test]
fn the_system_must_be_runnable() {
    let text = format!("{HEAD}{VARIABLES}{ACTIONS}");
    check(
        &text.replace("command = [\"node\"]\n", ""),
        expect![[r#"
        5:9 `["n1", "n2"]`: nothing says how a node is started
          add to [system]: command = ["my-node", "--id", "{node}", "--listen", "{address}"]; if there are only logs, add a section [follow] instead
    "#]],
    );
    check(
        &text.replace("[\"node\"]", "[]"),
        expect![[r#"
        6:11 `[]`: the command is empty
          its first word is the program to start
    "#]],
    );
    check(
        &text.replace("[\"n1\", \"n2\"]", "[]"),
        expect![[r#"
        5:9 `[]`: the system has no nodes
          name them: nodes = ["n1", "n2", "n3"]
    "#]],
    );
    check(
        &text.replace("\"n2\"", "\"n1\""),
        expect![[r#"
        5:9 `["n1", "n1"]`: there are two nodes `n1`
    "#]],
    );
    check(
        &text.replace("command =", "world = \"toy\"\ncommand ="),
        expect![[r#"
        6:9 `"toy"`: there is a command and a world; the system can only be one of them
    "#]],
    );
}

#[test]
fn what_is_no_mapping_at_all_is_said_with_its_line() {
    check(
        "[spec\n",
        expect![[r#"
        line 1: unclosed table, expected `]`
    "#]],
    );
    check(
        &format!("{HEAD}colour = \"red\"\n"),
        expect![[r#"
            line 7: unknown field `colour`, expected one of `nodes`, `command`, `build`, `world`, `size`, `bug`, `java`, `env`, `patience-ms`, `start-patience-ms`, `reset`, `crash-in-jvm`, `ignore`, `timers`, `storage`, `never`, `at-once`, `in-order`, `recover`, `patient`, `disk-error`, `complete`, `role`, `requests`, `kind`, `options`, `ballast-kb`, `crash`
        "#]],
    );
    check(
        &format!("{HEAD}{}", VARIABLES.replace("\"node\"", "\"nodes\"")),
        expect![[r#"
            8:18 `nodes`: unknown variant `nodes`, expected one of `node`, `global`, `messages`, `counter`, `auxiliary`
            nowhere: the action `Timeout(i)` is not mapped
              add to [actions]: Timeout = { kind = "node", node = "i" }, or "message", "fault", "request", "internal"
            nowhere: the action `Handle(m)` is not mapped
              add to [actions]: Handle = { kind = "node", node = "m" }, or "message", "fault", "request", "internal"
            nowhere: the action `Restart(i)` is not mapped
              add to [actions]: Restart = { kind = "node", node = "i" }, or "message", "fault", "request", "internal"
        "#]],
    );
}

#[test]
fn places_may_be_parts_of_parameters_or_nodes() {
    let with = |node: &str| {
        format!(
            "{HEAD}{VARIABLES}{}",
            ACTIONS.replace("message = \"m\"", &format!("message = \"m\", node = \"{node}\""))
        )
    };
    check(&with("m.dest"), expect![["fine\n"]]);
    check(&with("n2"), expect![["fine\n"]]);
    check(
        &with("n3"),
        expect![[r#"
        13:52 `"n3"`: the action `Handle` has no parameter `n3`
          `Handle` has the parameters m
    "#]],
    );
}

#[test]
fn a_request_may_be_made_by_a_program() {
    let with = |entry: &str| {
        let actions = ACTIONS.replace("Timeout = { kind = \"node\", node = \"i\" }", entry);
        format!("{HEAD}{VARIABLES}{actions}")
    };
    let fine = r#"Timeout = { kind = "request", node = "i", command = ["client", "{address}", "{count}", "{i}", "{\"a\": 1}"] }"#;
    check(&with(fine), expect![["fine\n"]]);
    let offered = r#"Timeout = { kind = "request", node = "i", command = ["client", "{port}"], offer = "Asked", args = ["i"] }"#;
    check(&with(offered), expect![["fine\n"]]);
    let wrong = r#"Timeout = { kind = "request", node = "i", command = ["client", "{adress}"], request = "Put", args = ["{count}"] }"#;
    check(
        &with(wrong),
        expect![[r#"
        12:101 `["{count}"]`: `args` means nothing for this kind of action
          take it out, or change the kind
        12:87 `"Put"`: `request` means nothing for this kind of action
          take it out, or change the kind
        12:53 `["client", "{adress}"]`: nothing is known that `{adress}` could stand for
          did you mean `address`?
    "#]],
    );
    check(
        &with(r#"Timeout = { kind = "request", node = "i", command = [] }"#),
        expect![[r#"
        12:53 `[]`: the command is empty
          its first word is the program to start
    "#]],
    );
    check(
        &with(r#"Timeout = { kind = "node", node = "i", command = ["client"] }"#),
        expect![[r#"
        12:50 `["client"]`: `command` means nothing for this kind of action
          take it out, or change the kind
    "#]],
    );
}

#[test]
fn words_in_braces_of_the_command_are_known() {
    let head = HEAD.replace("[\"node\"]", "[\"node\", \"--id={nod}\", \"--to={whom}\", \"{\\\"a\\\": 1}\"]");
    check(
        &format!("{head}{VARIABLES}{ACTIONS}"),
        expect![[r#"
            6:11 `["node", "--id={nod}", "--to={whom}", "{\"a\": 1}"]`: nothing is known that `{nod}` could stand for
              did you mean `node`?
            6:11 `["node", "--id={nod}", "--to={whom}", "{\"a\": 1}"]`: nothing is known that `{whom}` could stand for
              there are {node}, {address}, {port}, {peers}, {data}, {dir}, {agent}
        "#]],
    );
}

#[test]
fn words_in_braces_of_the_environment_and_of_the_build_are_known() {
    let with = |more: &str| format!("{HEAD}{more}\n{VARIABLES}{ACTIONS}");
    check(&with("env = { ID = \"{node}\", JSON = \"{\\\"a\\\": 1}\" }"), expect![["fine\n"]]);
    check(
        &with("env = { ID = \"{node}\", WHO = \"{nod}\" }"),
        expect![[r#"
        7:30 `"{nod}"`: nothing is known that `{nod}` could stand for
          did you mean `node`?
    "#]],
    );
    // Nothing is filled in where the system is built, and a shell has braces of its own.
    check(&with("build = [\"sh\", \"-c\", \"cc ${node} && awk '{exit}'\"]"), expect![["fine\n"]]);
    check(
        &with("build = [\"make\", \"-C\", \"{dir}\", \"{nod}\"]"),
        expect![[r#"
        7:9 `["make", "-C", "{dir}", "{nod}"]`: nothing is filled in for `{dir}` in `build`
          `build` runs once for all nodes, in the folder of this file: write paths from there
        7:9 `["make", "-C", "{dir}", "{nod}"]`: nothing is filled in for `{nod}` in `build`
          `build` runs once for all nodes, in the folder of this file: write paths from there
    "#]],
    );
}

#[test]
fn an_entry_that_cannot_be_read_hides_no_other() {
    let variables =
        VARIABLES.replace("\"node\"", "\"nod\"").replace("\"messages\"", "\"messages\", shpe = \"any\"");
    let actions =
        ACTIONS.replace("Timeout = { kind = \"node\", ", "Timeout = { ").replace("Restart", "Restrat");
    check(
        &format!("{HEAD}{variables}{actions}"),
        expect![[r#"
        8:18 `nod`: unknown variant `nod`, expected one of `node`, `global`, `messages`, `counter`, `auxiliary`
        9:33 `shpe`: unknown field `shpe`, expected one of `kind`, `from`, `shape`, `form`, `node`, `nodes`
        14:1 `Restrat`: the specification has no action `Restrat`
          did you mean `Restart`?
        nowhere: the action `Restart(i)` is not mapped
          add to [actions]: Restart = { kind = "node", node = "i" }, or "message", "fault", "request", "internal"
        12:11 `{ node = "i" }`: `kind` is missing
    "#]],
    );
}

#[test]
fn a_part_of_a_message_must_be_a_field_somewhere() {
    let actions = ACTIONS.replace("message = \"m\"", "message = \"m\", node = \"m.dets\"");
    check(
        &format!("{HEAD}{VARIABLES}{actions}"),
        expect![[r#"
        13:52 `"m.dets"`: the specification has no record with a field `dets`
          after the dot, write the name that the specification gives to the field
    "#]],
    );
}

#[test]
fn a_string_in_a_shape_may_have_quotes() {
    let variables = VARIABLES.replace("\"node\"", "\"node\", shape = 'any or \"follower\"'");
    check(&format!("{HEAD}{variables}{ACTIONS}"), expect![["fine\n"]]);
    let variables = VARIABLES.replace("\"node\"", "\"node\", shape = 'any or \"folower\"'");
    check(
        &format!("{HEAD}{variables}{ACTIONS}"),
        expect![[r#"
        8:41 `"`: `"folower"` is no constant, model value or string of the specification
          did you mean `Follower`?
    "#]],
    );
}
