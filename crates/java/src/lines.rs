//! The lines on which a table says what an action, a request, a variable or a message is.

use std::collections::BTreeMap;

use serde::Deserialize;
use toml::{Spanned, Value};

use crate::release::counts;
use crate::table::Section;

/// Lines of a table, from 1.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lines {
    /// Where nodes offer an action, by its name.
    pub actions: BTreeMap<String, Vec<u32>>,
    /// What the testbed can ask for, by its name.
    pub requests: BTreeMap<String, u32>,
    /// What nodes report, by its name.
    pub variables: BTreeMap<String, u32>,
    /// Where messages are handed to the network.
    pub sends: Vec<u32>,
}

/// A configuration that has the table in it.
#[derive(Deserialize)]
struct MarkedConfig {
    system: MarkedSystem,
}

#[derive(Deserialize)]
struct MarkedSystem {
    java: Marked,
}

/// What has a name in a table, with its place. A section for some releases has the same.
#[derive(Deserialize, Default)]
#[serde(default)]
struct Marked {
    release: Option<String>,
    since: Option<String>,
    before: Option<String>,
    variables: BTreeMap<Spanned<String>, Value>,
    requests: BTreeMap<Spanned<String>, Value>,
    points: Vec<MarkedPoint>,
    sections: Vec<Marked>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct MarkedPoint {
    action: Option<Spanned<String>>,
    takes: Option<Spanned<String>>,
    receives: Option<Spanned<String>>,
    timeout: Option<Spanned<String>>,
    sends: Option<Spanned<Value>>,
}

impl Lines {
    /// The lines of a table. A text that is no table has none.
    pub fn of_table(text: &str) -> Lines {
        toml::from_str(text).map(|table| Lines::of(table, text)).unwrap_or_default()
    }

    /// The lines of a table that is the section `[system.java]` of a configuration.
    pub fn of_config(text: &str) -> Lines {
        let config = toml::from_str(text);
        config.map(|config: MarkedConfig| Lines::of(config.system.java, text)).unwrap_or_default()
    }

    fn of(mut table: Marked, text: &str) -> Lines {
        let sections = std::mem::take(&mut table.sections);
        let release = table.release.take();
        let mut lines = Lines::default();
        lines.add(table, text);
        for mut section in sections {
            let releases =
                Section { since: section.since.take(), before: section.before.take(), ..Section::default() };
            if counts(&releases, release.as_deref()).unwrap_or(false) {
                lines.add(section, text);
            }
        }
        lines
    }

    /// Adds lines to those of actions and messages. What a section says of a name takes the place of what the table says.
    fn add(&mut self, part: Marked, text: &str) {
        let line = |start: usize| 1 + text[..start].matches('\n').count() as u32;
        let named = |names: BTreeMap<Spanned<String>, Value>| {
            let with_line = |name: Spanned<String>| (name.get_ref().clone(), line(name.span().start));
            names.into_keys().map(with_line).collect::<Vec<_>>()
        };
        self.variables.extend(named(part.variables));
        self.requests.extend(named(part.requests));
        for MarkedPoint { action, takes, receives, timeout, sends } in part.points {
            for name in [action, takes, receives, timeout].into_iter().flatten() {
                let at = line(name.span().start);
                self.actions.entry(name.into_inner()).or_default().push(at);
            }
            self.sends.extend(sends.map(|sends| line(sends.span().start)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &str = r#"release = "3.5"
jars = []

[variables]
phase = "peer.phase"
vote = { leader = "peer.vote.id" }

[requests]
Write = "peer.write()"

[[points]]
in = "org.example.Peer.run"
call = "Queue.poll"
takes = "Handle"
timeout = "Tick"

[[points]]
in = "org.example.Peer.send"
to = "$1"
sends = { kind = "$2" }

[[points]]
in = "org.example.Peer.late"
action = "Handle"

[[sections]]
before = "3.6"
variables = { phase = "peer.state" }
[[sections.points]]
in = "org.example.Peer.old"
action = "Old"

[[sections]]
since = "3.6"
variables = { phase = "peer.new" }
"#;

    #[test]
    fn names_have_the_lines_of_the_release() {
        let lines = Lines::of_table(TABLE);
        assert_eq!(lines.variables, [("phase".to_owned(), 28), ("vote".to_owned(), 6)].into());
        assert_eq!(lines.requests, [("Write".to_owned(), 9)].into());
        let actions = [("Handle", vec![14, 24]), ("Old", vec![31]), ("Tick", vec![15])];
        assert_eq!(lines.actions, actions.map(|(name, lines)| (name.to_owned(), lines)).into());
        assert_eq!(lines.sends, [20]);
    }

    #[test]
    fn a_table_in_a_configuration_has_the_lines_of_that() {
        let lines = Lines::of_config("[system]\nnodes = [\"n1\"]\n[system.java.variables]\nx = \"a.B.c\"\n");
        assert_eq!(lines.variables, [("x".to_owned(), 4)].into());
        assert_eq!(Lines::of_table("["), Lines::default());
    }
}
