//! `java` of `[system]`: the table of the agent, or the file that it is in.

use std::fmt;

use kilter_java::Table;
use serde::de::value::MapAccessDeserializer;
use serde::de::{Error, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

/// The table of the agent that Java systems are started with.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Java {
    /// It is in a file of its own, relative to the configuration.
    File(String),
    /// It is part of the configuration.
    Table(Box<Table>),
}

impl<'d> Deserialize<'d> for Java {
    fn deserialize<D: Deserializer<'d>>(deserializer: D) -> Result<Java, D::Error> {
        deserializer.deserialize_any(Either)
    }
}

struct Either;

impl<'d> Visitor<'d> for Either {
    type Value = Java;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("the table of the agent, or the name of the file that it is in")
    }

    fn visit_str<E: Error>(self, file: &str) -> Result<Java, E> {
        Ok(Java::File(file.to_owned()))
    }

    fn visit_map<A: MapAccess<'d>>(self, map: A) -> Result<Java, A::Error> {
        Table::deserialize(MapAccessDeserializer::new(map)).map(|table| Java::Table(Box::new(table)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::System;

    #[test]
    fn the_table_is_in_a_file_or_in_the_section() {
        let read = |text: &str| toml::from_str::<System>(text);
        let file = read("java = \"agent.toml\"\n").expect("a section");
        assert_eq!(file.java, Some(Java::File("agent.toml".to_owned())));
        let inside =
            read("[java]\nthreads = [\"Worker*\"]\n[[java.points]]\nin = \"a.B.c\"\naction = \"C\"\n");
        let Some(Java::Table(table)) = inside.expect("a section").java else { panic!("no table") };
        assert_eq!((table.threads.len(), table.points[0].action.as_deref()), (1, Some("C")));
        let wrong = read("[java]\nthreds = []\n").expect_err("it is misspelt").to_string();
        assert!(wrong.contains("unknown field `threds`"), "{wrong}");
        let neither = read("java = 1\n").expect_err("it is a number").to_string();
        assert!(
            neither.contains("the table of the agent, or the name of the file that it is in"),
            "{neither}"
        );
    }

    #[test]
    fn the_command_has_a_place_for_the_agent() {
        let starts = |text: &str| toml::from_str::<System>(text).expect("a section").starts_agent();
        assert!(starts("command = [\"java\", \"{agent}\"]\n"));
        assert!(starts("command = [\"run.sh\"]\nenv = { JAVA_OPTS = \"-Xmx1g {agent}\" }\n"));
        assert!(!starts("command = [\"java\", \"{node}\"]\n"));
    }
}
