//! The mappings differ in the specification, its configuration and the number of nodes, and in nothing else.

use std::fs;
use std::path::Path;

fn mapping(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(name);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// All but the lines that may differ.
fn common_part(text: &str) -> Vec<&str> {
    let may_differ = ["# ", "file = ", "config = ", "nodes = ", "UpdateTerm = ", "ClientRequest = "];
    text.lines().filter(|line| !may_differ.iter().any(|beginning| line.starts_with(beginning))).collect()
}

#[test]
fn all_mappings_are_the_same() {
    let election = mapping("election.toml");
    for name in
        ["replication", "client", "conflict", "compaction", "election5", "update-term", "missing-reply"]
    {
        let other = mapping(&format!("{name}.toml"));
        assert_eq!(common_part(&other), common_part(&election), "{name}.toml");
    }
}
