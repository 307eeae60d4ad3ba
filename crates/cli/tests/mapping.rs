//! What `kilter map` and `kilter init` find out about a specification and its surroundings.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

fn kilter(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_kilter")).args(args).output().expect("kilter can be started")
}

/// A server and two clients. One variable is a function of the clients alone.
const CLIENTS: &str = "---- MODULE Clients ----
CONSTANTS Clients, Server
VARIABLES waits, holder
Init == waits = [c \\in Clients |-> FALSE] /\\ holder = [n \\in Clients \\cup {Server} |-> FALSE]
Ask(c) == ~waits[c] /\\ waits' = [waits EXCEPT ![c] = TRUE] /\\ UNCHANGED holder
Next == \\E c \\in Clients : Ask(c)
====
---- CONFIG Clients ----
INIT Init
NEXT Next
CONSTANTS Clients = {c1, c2} Server = s
====
";

/// Writes a mapping of it. `waits` and `diff` go into it.
fn clients(folder: &Path, waits: &str, diff: &str) -> String {
    fs::write(folder.join("Clients.tla"), CLIENTS).expect("a file can be written");
    let mapping = format!(
        "[spec]\nfile = \"Clients.tla\"\n[diff]\n{diff}\n[system]\nnodes = [\"c1\", \"c2\", \"s\"]\ncommand = [\"true\"]\n\
         [variables]\nwaits = {{ kind = \"node\"{waits} }}\nholder = {{ kind = \"node\" }}\n[actions]\nAsk = {{ kind = \"node\", node = \"c\" }}\n"
    );
    let path = folder.join("kilter.toml");
    fs::write(&path, mapping).expect("a file can be written");
    path.display().to_string()
}

#[test]
fn map_finds_out_which_nodes_have_a_variable() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let said = |waits: &str, diff: &str| {
        let output = kilter(&["map", &clients(folder.path(), waits, diff)]);
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        (output.status.code(), text + &String::from_utf8_lossy(&output.stderr))
    };
    let (code, text) = said("", "");
    assert!(
        code == Some(0) && text.contains("note: waits is a function of c1, c2 alone; s has no part of it"),
        "{text}"
    );
    let (code, text) = said(", nodes = [\"c1\", \"s\"]", "");
    assert!(code == Some(2) && text.contains("`waits` has no part for the node `s`"), "{text}");
    let (code, text) = said("", "source = [\"Clients.tla\", \"src\"]");
    assert!(code == Some(2) && text.contains("`Clients.tla` is no folder"), "{text}");
    assert!(text.contains("`src` does not exist"), "{text}");
}

#[test]
fn a_draft_has_all_nodes_and_says_whose_a_variable_is() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    clients(folder.path(), "", "");
    let output = kilter(&["init", &folder.path().join("Clients.tla").display().to_string(), "--out", "-"]);
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("nodes = [\"c1\", \"c2\", \"s\"]"), "{text}");
    assert!(
        text.contains("waits = { kind = \"node\", shape = \"bool\", nodes = [\"c1\", \"c2\"] }"),
        "{text}"
    );
}

#[test]
fn a_draft_has_the_one_server_that_no_variable_is_a_function_of() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).expect("ours");
    let spec = "---- MODULE Lock ----\nCONSTANTS Client, Server, NoServer\nVARIABLES waits, holder\n\
        Init == waits = [c \\in Client |-> FALSE] /\\ holder = NoServer\n\
        Ask(c) == ~waits[c] /\\ waits' = [waits EXCEPT ![c] = TRUE] /\\ UNCHANGED holder\n\
        Next == \\E c \\in Client : Ask(c)\n====\n";
    write("Lock.tla", spec);
    write("Lock.cfg", "INIT Init\nNEXT Next\nCONSTANTS Client = {c1, c2} Server = s NoServer = NoServer\n");
    let output = kilter(&["init", &folder.path().join("Lock.tla").display().to_string(), "--out", "-"]);
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("nodes = [\"c1\", \"c2\", \"s\"]"), "{text}");
}

#[test]
fn a_draft_says_which_actions_only_a_counter_limits() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).expect("ours");
    let spec = "---- MODULE Beat ----\nEXTENDS Naturals\nCONSTANT Node\nVARIABLES up, beats\n\
        Init == up = [n \\in Node |-> TRUE] /\\ beats = 0\n\
        Beat(n) == up[n] /\\ beats < 3 /\\ beats' = beats + 1 /\\ UNCHANGED up\n\
        Sleep(n) == up[n] /\\ up' = [up EXCEPT ![n] = FALSE] /\\ UNCHANGED beats\n\
        Next == \\E n \\in Node : Beat(n) \\/ Sleep(n)\n====\n";
    write("Beat.tla", spec);
    write("Beat.cfg", "INIT Init\nNEXT Next\nCONSTANTS Node = {n1, n2}\n");
    let output = kilter(&["init", &folder.path().join("Beat.tla").display().to_string(), "--out", "-"]);
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("beats = { kind = \"counter\" }"), "{text}");
    assert!(text.contains("Beat = { kind = \"node\", node = \"n\", bounded = true } # (n)"), "{text}");
    assert!(text.contains("Sleep = { kind = \"node\", node = \"n\" } # (n)"), "{text}");
}

#[test]
fn what_only_a_run_would_find_in_a_mapping_is_found() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let path = clients(folder.path(), "", "");
    let text = fs::read_to_string(&path).expect("it can be read");
    let said = |text: &str| {
        fs::write(&path, text).expect("ours");
        let output = kilter(&["map", &path]);
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        (output.status.code(), text + &String::from_utf8_lossy(&output.stderr))
    };
    let (code, found) = said(&format!("{text}[suite]\nend-actions = [\"Aks\"]\n"));
    assert!(code == Some(2) && found.contains("has no action `Aks`"), "{found}");
    assert!(found.contains("kilter.toml:14:17") && found.contains("did you mean `Ask`?"), "{found}");
    let (code, found) = said(&text.replace("command = [\"true\"]\n", ""));
    assert!(code == Some(0) && found.contains("`kilter test` needs `command` in [system]"), "{found}");
}

#[test]
fn every_mistake_in_the_section_of_the_suite_is_told_with_its_place() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let path = clients(folder.path(), ", colour = 1", "");
    let text = fs::read_to_string(&path).expect("it can be read");
    let said = |text: &str, suite: &str| {
        fs::write(&path, format!("{text}[suite]\n{suite}\n")).expect("ours");
        let output = kilter(&["map", &path]);
        assert_eq!(output.status.code(), Some(2), "{suite}");
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    // An unknown key hides nothing.
    let found = said(&text, "edges = 1");
    assert!(found.contains("unknown field `edges`") && found.contains("unknown field `colour`"), "{found}");
    let text = text.replace(", colour = 1", "");
    let found = said(
        &text,
        "cover = \"edge\"\nactions = [\"Ask\", \"Answer\"]\nsymmetry = [\"c1, c3\"]\nonly-when = \"wait[c1]\"\nend-when = \"waits'[c1]\"",
    );
    for (place, what) in [
        ("14:9", "cover = \"edge\""),
        ("15:20", "has no action `Answer`"),
        ("16:18", "no model value `c3`"),
        ("17:13", "`wait` is not defined"),
        ("18:12", "in `waits'[c1]`: it is about steps, and should be about states"),
    ] {
        assert!(
            found.contains(&format!("kilter.toml:{place}")) && found.contains(what),
            "{place} {what}: {found}"
        );
    }
}

#[test]
fn a_node_that_only_one_side_knows_is_told() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let path = clients(folder.path(), "", "");
    let text = fs::read_to_string(&path).expect("it can be read");
    let map = |nodes: &str, more: &str| {
        let text = text.replace("[\"c1\", \"c2\", \"s\"]", nodes).replace("node = \"c\"", more);
        fs::write(&path, text).expect("ours");
        kilter(&["map", &path])
    };
    let said = |nodes: &str, more: &str| {
        let output = map(nodes, more);
        assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    let found = said("[\"c1\", \"c2\", \"s\", \"c4\"]", "node = \"c\"");
    assert!(found.contains("note: the specification knows no c4"), "{found}");
    // What happens at it says what it is there for.
    let found = said("[\"c1\", \"c2\", \"s\", \"c4\"]", "node = \"c4\"");
    assert!(!found.contains("knows no c4"), "{found}");
    // `test` could not run that, so it is an error.
    let output = map("[\"c1\", \"s\"]", "node = \"c\"");
    let found = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{found}");
    assert!(found.contains("happens at `c2`, which is no node; the nodes are c1, s"), "{found}");
    let found = said("[\"c1\", \"s\"]", "node = \"c1\"");
    assert!(found.contains("waits is a function of c1, c2 alone; s has no part of it"), "{found}");
    assert!(found.contains("waits has a part for c2, which is no node in [system]"), "{found}");
    let found = said("[\"c1\", \"c2\"]", "node = \"c\"");
    assert!(
        found.contains("holder has a part for s, which is no node") && !found.contains("alone"),
        "{found}"
    );
}

#[test]
fn the_command_that_shows_a_violation_names_its_configuration() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let path = clients(folder.path(), "", "");
    let text = fs::read_to_string(&path).expect("it can be read");
    fs::write(&path, text.replace("[diff]", "config = \"My own.cfg\"\n[diff]")).expect("ours");
    let own = folder.path().join("My own.cfg");
    let config = "INIT Init\nNEXT Next\nCONSTANTS Clients = {c1, c2} Server = s\nINVARIANT Never\n";
    fs::write(&own, config).expect("ours");
    let spec = folder.path().join("Clients.tla");
    let text = fs::read_to_string(&spec).expect("it can be read");
    fs::write(&spec, text.replacen("====", "Never == \\A c \\in Clients : ~waits[c]\n====", 1))
        .expect("ours");
    let output = kilter(&["test", &path]);
    let found = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(found.contains(&format!("--config '{}' --no-deadlock`", own.display())), "{found}");
}

/// What `kilter map` says, with its exit code.
fn map(path: &Path) -> (Option<i32>, String) {
    let output = kilter(&["map", &path.display().to_string()]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    (output.status.code(), text + &String::from_utf8_lossy(&output.stderr))
}

/// A specification whose clients join one after the other, and a mapping of it. `nodes` goes into it.
fn joining(folder: &Path, nodes: &str) -> (Option<i32>, String) {
    let spec = "---- MODULE Join ----\nEXTENDS TLC\nCONSTANTS Clients, Server\nVARIABLE state\nInit == state = [c \\in {} |-> \"idle\"]\n\
        Join(c) == c \\notin DOMAIN state /\\ state' = (c :> \"idle\") @@ state\nNext == \\E c \\in Clients : Join(c)\n====\n\
        ---- CONFIG Join ----\nINIT Init\nNEXT Next\nCONSTANTS Clients = {c1, c2} Server = s\n====\n";
    fs::write(folder.join("Join.tla"), spec).expect("ours");
    let mapping = format!(
        "[spec]\nfile = \"Join.tla\"\n[system]\nnodes = [\"c1\", \"c2\", \"s\"]\ncommand = [\"true\"]\n\
         [variables]\nstate = {{ kind = \"node\"{nodes} }}\n[actions]\nJoin = {{ kind = \"node\", node = \"c\" }}\n"
    );
    fs::write(folder.join("kilter.toml"), mapping).expect("ours");
    map(&folder.join("kilter.toml"))
}

#[test]
fn a_function_that_is_empty_at_first_has_the_nodes_that_join() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    for nodes in ["", ", nodes = [\"c1\", \"c2\"]"] {
        let (code, text) = joining(folder.path(), nodes);
        assert!(code == Some(0) && text.contains("1 variable mapped, 1 of them compared"), "{text}");
        assert!(text.contains("state is a function of c1, c2 alone") && !text.contains("warning"), "{text}");
    }
    // Nobody joins: that may come, too.
    let path = folder.path().join("Join.tla");
    let text = fs::read_to_string(&path).expect("it can be read");
    fs::write(&path, text.replace("c \\notin DOMAIN state /\\", "FALSE /\\ c \\in {} /\\")).expect("ours");
    let (code, text) = map(&folder.path().join("kilter.toml"));
    assert!(code == Some(0) && text.contains("note: state is a function of no node at first"), "{text}");
    let output = kilter(&["init", &path.display().to_string(), "--out", "-"]);
    assert_eq!(output.status.code(), Some(0));
    joining(folder.path(), "");
    let output = kilter(&["init", &path.display().to_string(), "--out", "-"]);
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("state = { kind = \"node\", shape = \"any\" }"), "{text}");
}

#[test]
fn a_comparison_that_is_switched_off_is_told() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let (code, text) = joining(folder.path(), ", nodes = []");
    assert!(code == Some(2) && text.contains("so nothing of `state` would be compared"), "{text}");
    let (code, text) = joining(folder.path(), ", nodes = [\"s\"]");
    assert!(code == Some(0) && text.contains("1 variable mapped, 0 of them compared"), "{text}");
    assert!(
        text.contains(
            "warning: `nodes` of state leaves out c1, c2, which have a part of it: nothing of it is compared"
        ),
        "{text}"
    );
    let path = clients(folder.path(), ", nodes = [\"c1\"]", "");
    let (code, text) = map(Path::new(&path));
    assert!(code == Some(0) && text.contains("2 variables mapped, 2 of them compared"), "{text}");
    assert!(text.contains("leaves out c2, which has a part of it: that part is not compared"), "{text}");
}

/// A lock server, as a newcomer writes it.
const LOCK: &str = "---- MODULE Server ----
EXTENDS Naturals, Sequences
CONSTANTS Clients, Server, Nobody
VARIABLES state, owner, queue, fence, tries, net
Init == state = [c \\in Clients |-> \"idle\"] /\\ owner = Nobody /\\ queue = <<>> /\\ fence = 0 /\\ tries = 0 /\\ net = {}
Send(m) == net' = net \\union {m}
Request(c) == /\\ state[c] = \"idle\" /\\ tries < 3
              /\\ state' = [state EXCEPT ![c] = \"waiting\"] /\\ tries' = tries + 1
              /\\ Send([kind |-> \"req\", src |-> c, dst |-> Server])
              /\\ UNCHANGED <<owner, queue, fence>>
Grant(m) == /\\ m.kind = \"req\"
            /\\ IF owner = Nobody
               THEN owner' = m.src /\\ fence' = fence + 1 /\\ UNCHANGED queue
                    /\\ net' = (net \\ {m}) \\union {[kind |-> \"grant\", src |-> Server, dst |-> m.src, fence |-> fence']}
               ELSE queue' = Append(queue, m.src) /\\ net' = net \\ {m} /\\ UNCHANGED <<owner, fence>>
            /\\ UNCHANGED <<state, tries>>
Next == (\\E c \\in Clients : Request(c)) \\/ (\\E m \\in net : Grant(m))
Bound == fence < 3
====
---- CONFIG Server ----
INIT Init
NEXT Next
CONSTRAINT Bound
CONSTANTS Clients = {c1, c2} Server = s Nobody = Nobody
====
";

#[test]
fn a_draft_says_who_has_a_variable_and_what_a_counter_limits() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    fs::write(folder.path().join("Server.tla"), LOCK).expect("ours");
    let output = kilter(&["init", &folder.path().join("Server.tla").display().to_string(), "--out", "-"]);
    let text = String::from_utf8_lossy(&output.stdout);
    for line in [
        // Only the server's steps change these, and its messages tell the last one.
        "owner = { kind = \"global\", shape = \"any or Nobody\", node = \"s\" }\n",
        "queue = { kind = \"global\", shape = \"seq of any\", node = \"s\" }\n",
        "fence = { kind = \"global\", shape = \"int\", node = \"s\" }\n",
        "tries = { kind = \"counter\" }\n",
        "Grant = { kind = \"message\", node = \"m.dst\", message = \"m\" } # (m)\n",
    ] {
        assert!(text.contains(line), "{line}{text}");
    }
}
