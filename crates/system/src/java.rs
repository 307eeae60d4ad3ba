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
