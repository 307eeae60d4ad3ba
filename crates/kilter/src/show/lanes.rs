//! The steps of a behavior with their nodes and messages, as the page of a run draws them.

use kilter_conform::plan::{Step as Planned, step};
use kilter_conform::traffic::says_of;
use kilter_follow::demand::Demand;
use kilter_follow::search::Told;
use kilter_follow::why::{Why, Wrong};
use kilter_mapping::Mapping;
use kilter_mapping::mapping::Place;
use kilter_run::{Carried, Step};
use kilter_value::{Store, Value};

use crate::prepare::Prepared;

/// Draws the steps of behaviors of a specification.
pub(crate) struct Lanes<'l> {
    /// The mapping with its specification.
    pub(crate) prepared: &'l Prepared,
    /// The store with the values.
    pub(crate) store: &'l Store,
}

impl Lanes<'_> {
    /// All variables of a state.
    pub(crate) fn state(&self, row: &[Value]) -> Vec<(String, String)> {
        let names = self.prepared.program.variables.iter().zip(row);
        names.map(|(name, value)| (name.to_string(), self.store.show(*value))).collect()
    }

    /// The steps of a path, from its first state.
    pub(crate) fn path(&self, path: &[Told]) -> Vec<Step> {
        path.windows(2).filter_map(|two| self.step(&two[0], &two[1])).collect()
    }

    fn step(&self, before: &Told, after: &Told) -> Option<Step> {
        let (name, args) = after.action.as_ref()?;
        let args: Vec<(String, Value)> =
            args.iter().map(|(name, value)| (name.to_string(), *value)).collect();
        let planned = self.planned(name.as_str(), &args);
        let messages = planned.as_ref().map(|planned| self.says(planned, &before.row, &after.row));
        Some(Step {
            action: name.to_string(),
            args: self.shown(&args),
            node: planned.and_then(|planned| planned.node).map(|node| self.name_of(node)),
            messages: messages.unwrap_or_default(),
            expected: Vec::new(),
            changes: self.changes(&before.row, &after.row),
        })
    }

    /// The step that a line says and that no behavior takes, with the nearest that one could take.
    pub(crate) fn refused(&self, demand: &Demand, why: Option<&Why>) -> Step {
        let action = why.map_or(&demand.event, |why| &why.action);
        let args = why.map(|why| why.args.as_slice()).unwrap_or_default();
        let planned = self.planned(action, args);
        let node = demand.node.or_else(|| planned.as_ref()?.node);
        let mut changes = Vec::new();
        let mut said = Vec::new();
        if let Some(Why { row, wrong: Wrong::After(_, steps), .. }) = why {
            let nearest = steps.last().map_or(row, |last| &last.row);
            changes = self.changes(row, nearest);
            said = planned.as_ref().map(|planned| self.says(planned, row, nearest)).unwrap_or_default();
        }
        let (mut messages, mut expected) = (self.logged(demand, node), Vec::new());
        let same = |one: &Carried, other: &Carried| one.fate == other.fate && one.text == other.text;
        if demand.sent.is_none() {
            said.retain(|one| !messages.iter().any(|other| same(one, other)));
            messages.append(&mut said);
        } else if matches!(why, Some(Why { wrong: Wrong::After(..), .. })) {
            for message in &mut messages {
                message.unexpected = !said.iter().any(|one| same(one, message));
            }
            said.retain(|one| !messages.iter().any(|other| same(one, other)));
            expected = said;
        }
        let node = node.map(|node| self.name_of(node));
        Step { action: action.clone(), args: self.shown(args), node, messages, expected, changes }
    }

    /// The messages that a line says it takes in and sends.
    fn logged(&self, demand: &Demand, node: Option<usize>) -> Vec<Carried> {
        let name = |node: Option<usize>| node.map_or_else(|| "?".to_owned(), |node| self.name_of(node));
        let taken = demand.message.map(|message| (message, "taken", None, name(node)));
        let sent = demand.sent.iter().flatten().map(|(_, message)| {
            (*message, "sent", node.map(|node| self.name_of(node)), name(self.reader(*message)))
        });
        let carried = |(message, fate, from, to): (Value, &str, Option<String>, String)| Carried {
            fate: fate.to_owned(),
            from,
            to,
            text: self.store.show(message),
            unexpected: false,
        };
        taken.into_iter().chain(sent).map(carried).collect()
    }

    fn says(&self, planned: &Planned, before: &[Value], after: &[Value]) -> Vec<Carried> {
        let reader = |message| self.reader(message);
        says_of(&self.prepared.mapping, self.store, planned, (before, after), reader)
    }

    /// The node that takes a message in, if an action says where in the message it is.
    fn reader(&self, message: Value) -> Option<usize> {
        let Mapping { rules, words, .. } = &self.prepared.mapping;
        rules.iter().find_map(|rule| match (&rule.node, rule.message) {
            (Some(Place::Part(part)), Some(param)) if part.param == param => {
                words.node_of(part.of(&vec![message; rule.params.len()], self.store)?)
            }
            _ => None,
        })
    }

    /// What the mapping says about an action. `None` if not all of its arguments are known.
    fn planned(&self, action: &str, args: &[(String, Value)]) -> Option<Planned> {
        let mapping = &self.prepared.mapping;
        let is_of = |params: &[String]| params.iter().eq(args.iter().map(|(name, _)| name));
        let rule = mapping.rules.iter().position(|rule| rule.action == action && is_of(&rule.params))?;
        step(mapping, rule, args.iter().map(|(_, value)| *value).collect(), self.store).ok()
    }

    fn changes(&self, before: &[Value], after: &[Value]) -> Vec<(String, String)> {
        let all = self.prepared.program.variables.iter().zip(before.iter().zip(after));
        let changed = all.filter(|(_, (before, after))| before != after);
        changed.map(|(name, (_, after))| (name.to_string(), self.store.show(*after))).collect()
    }

    fn shown(&self, args: &[(String, Value)]) -> Vec<(String, String)> {
        args.iter().map(|(name, value)| (name.clone(), self.store.show(*value))).collect()
    }

    fn name_of(&self, node: usize) -> String {
        self.prepared.mapping.words.nodes()[node].0.clone()
    }
}
