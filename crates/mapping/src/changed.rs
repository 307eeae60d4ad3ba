//! Finds what changed between two versions of a mapping, as far as tests depend on it.
//!
//! Entries that are new or gone do not count, because they follow the specification. `[spec]`, `[suite]` and `[diff]`
//! say nothing about the system.

use toml::{Table, Value};

/// The changes between two versions of a mapping.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MappingChange {
    /// Actions that both versions have, with different entries.
    pub actions: Vec<String>,
    /// Variables that both versions have, with different entries.
    pub variables: Vec<String>,
    /// Other changes, on which every step depends.
    pub other: Vec<String>,
}

/// Compares the texts of two mappings.
pub fn compare(old: &str, new: &str) -> MappingChange {
    let (Ok(old), Ok(new)) = (old.parse::<Table>(), new.parse::<Table>()) else {
        return MappingChange {
            other: vec!["a mapping that cannot be read".to_owned()],
            ..MappingChange::default()
        };
    };
    let mut change = MappingChange::default();
    for section in ["system", "constants"] {
        if old.get(section) != new.get(section) {
            change.other.push(format!("[{section}] of the mapping changed"));
        }
    }
    let variables = differing(&old, &new, "variables");
    change.variables = variables.map(|name| format!("[variables] `{name}` of the mapping changed")).collect();
    change.actions = differing(&old, &new, "actions").collect();
    change
}

/// The entries of a section that both versions have and that differ.
fn differing<'t>(old: &'t Table, new: &'t Table, section: &str) -> impl Iterator<Item = String> + 't {
    let entries = |table: &'t Table| table.get(section).and_then(Value::as_table);
    let (old, new) = (entries(old), entries(new));
    old.into_iter()
        .flatten()
        .filter(move |(name, entry)| new.and_then(|new| new.get(*name)).is_some_and(|other| other != *entry))
        .map(|(name, _)| name.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    const OLD: &str = r#"
        [system]
        nodes = ["a"]
        [variables]
        x = { kind = "node", shape = "int" }
        y = { kind = "counter" }
        [actions]
        Go = { kind = "node", node = "i" }
        Stop = { kind = "internal" }
    "#;

    #[track_caller]
    fn check(from: &str, to: &str, actions: &[&str], other: &[&str]) {
        let change = compare(OLD, &OLD.replace(from, to));
        assert_eq!((change.actions, change.other), (words(actions), words(other)));
    }

    fn words(words: &[&str]) -> Vec<String> {
        words.iter().map(|word| (*word).to_owned()).collect()
    }

    #[test]
    fn layout_and_what_comes_or_goes_with_the_specification_is_no_change() {
        check("[variables]", "\n# ours\n[variables]", &[], &[]);
        check("y = { kind = \"counter\" }", "z = { kind = \"counter\" }", &[], &[]);
        check("Stop = { kind = \"internal\" }", "[suite]\ncover = \"states\"", &[], &[]);
    }

    #[test]
    fn an_action_that_is_something_else_now() {
        check("Stop = { kind = \"internal\" }", "Stop = { kind = \"node\" }", &["Stop"], &[]);
    }

    #[test]
    fn a_variable_that_is_read_otherwise() {
        let change = compare(OLD, &OLD.replace("shape = \"int\"", "shape = \"string\""));
        assert_eq!(change.variables, words(&["[variables] `x` of the mapping changed"]));
        assert_eq!((change.actions, change.other), (words(&[]), words(&[])));
    }

    #[test]
    fn what_every_step_depends_on() {
        check("[\"a\"]", "[\"b\"]", &[], &["[system] of the mapping changed"]);
        assert_eq!(compare(OLD, "[").other.len(), 1);
    }
}
