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
    assert!(code == Some(2) && found.contains("has no action `Aks`; did you mean `Ask`?"), "{found}");
    let (code, found) = said(&text.replace("command = [\"true\"]\n", ""));
    assert!(code == Some(0) && found.contains("`kilter test` needs `command` in [system]"), "{found}");
}
