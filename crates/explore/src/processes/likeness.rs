//! Decides whether two nodes can stand for each other, as far as they report it. Processes may hold more than they
//! report.

use kilter_testbed::World;
use serde_json::Value as Json;

use super::{Event, Processes};
use crate::subject::Likeness;

impl<W: World> Processes<W> {
    pub(super) fn compare(&self, one: &Event, other: &Event) -> Likeness {
        let (Some((a, content_a)), Some((b, content_b))) = (self.aim(one), self.aim(other)) else {
            return Likeness::Different;
        };
        if a == b || content_a != content_b || !self.are_peers(a, b) {
            return Likeness::Different;
        }
        let all_alike = (0..self.names.len()).all(|node| self.reports_alike(node, a, b));
        match (self.reports_alike(a, a, b), all_alike && self.flights_are_alike(a, b)) {
            (_, true) => Likeness::Symmetric,
            (true, _) => Likeness::Alike,
            _ => Likeness::Claimed,
        }
    }

    /// The place of an event, and what it is about. Names of nodes in it do not count.
    fn aim(&self, event: &Event) -> Option<(usize, String)> {
        match event {
            Event::Deliver(flight) => Some((flight.to, self.without_names(&flight.message))),
            Event::Act(node, action, args) => Some((*node, format!("{action} {}", self.without_names(args)))),
            _ => None,
        }
    }

    fn without_names(&self, text: &str) -> String {
        let quoted = |name: &str| format!("\"{name}\"");
        self.names.iter().fold(text.to_owned(), |text, name| text.replace(&quoted(name), "\"\""))
    }

    /// Whether two nodes have the same role and the same enabled functions (definition 8).
    fn are_peers(&self, a: usize, b: usize) -> bool {
        let role = |node: usize| {
            let report = self.world.variables(&self.names[node])?;
            Some(self.manners.role.as_ref().and_then(|role| report.get(role)))
        };
        role(a) == role(b) && self.functions(a) == self.functions(b)
    }

    fn functions(&self, node: usize) -> Vec<String> {
        let aims = self.offered.iter().filter_map(|(event, ..)| self.aim(event));
        let mut functions: Vec<String> =
            aims.filter(|(at, _)| *at == node).map(|(_, content)| content).collect();
        functions.sort_unstable();
        functions.dedup();
        functions
    }

    /// Whether the report of a node is that of the other once two names are exchanged.
    fn reports_alike(&self, node: usize, a: usize, b: usize) -> bool {
        let there = crate::peer::swap(node, a, b);
        let report =
            |node: usize| self.world.variables(&self.names[node]).map(|report| Json::from(report.clone()));
        report(node).map(|report| self.exchange(&report, a, b)) == report(there)
    }

    fn flights_are_alike(&self, a: usize, b: usize) -> bool {
        let place = |name: &str| self.place(name);
        let mut here = Vec::new();
        let mut there = Vec::new();
        for flight in self.world.flights() {
            let (from, to) = (flight.from.as_deref().and_then(place), place(&flight.to));
            let swapped = |node: Option<usize>| node.map(|node| crate::peer::swap(node, a, b));
            here.push((from, to, flight.message.to_string(), flight.copies));
            let message = self.exchange(&flight.message, a, b).to_string();
            there.push((swapped(from), swapped(to), message, flight.copies));
        }
        here.sort_unstable();
        there.sort_unstable();
        here == there
    }

    fn exchange(&self, value: &Json, a: usize, b: usize) -> Json {
        let name = |text: &str| match self.place(text) {
            Some(node) => self.names[crate::peer::swap(node, a, b)].to_string(),
            None => text.to_owned(),
        };
        match value {
            Json::String(text) => Json::String(name(text)),
            Json::Array(items) => items.iter().map(|item| self.exchange(item, a, b)).collect(),
            Json::Object(fields) => {
                fields.iter().map(|(key, value)| (name(key), self.exchange(value, a, b))).collect()
            }
            other => other.clone(),
        }
    }
}
