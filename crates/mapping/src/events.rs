//! Checks `[follow]`: which steps the events of a log stand for.

use std::collections::BTreeMap;

use kilter_base::suggest::closest;
use toml::Spanned;

use crate::checker::{Checker, json_of};
use crate::errors;
use crate::follow::{
    Event, EventEntry, EventStep, Fields, Follow, FollowSection, Formula, FullEvent, Path, ReadValue, Steps,
    ValueEntry, path,
};
use crate::mapping::{Deed, Rule};

/// The default of `silent-max`.
const SILENT_MAX: u32 = 1;

/// How lines are read that are as Kilter's probes write them.
pub(crate) fn plain(rules: &[Rule]) -> Follow {
    Follow { silent_max: SILENT_MAX, events: events_by_name(rules), ..Follow::default() }
}

/// The events that mean an action without being mapped: its own name, and those under which nodes know it.
fn events_by_name(rules: &[Rule]) -> BTreeMap<String, Event> {
    let mut found: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (index, rule) in rules.iter().enumerate() {
        let known_as = match &rule.deed {
            Deed::Offer { name, .. } | Deed::Request { name, .. } => Some(name),
            _ => None,
        };
        let names = known_as.into_iter().chain([&rule.action]);
        for name in names {
            let known = found.entry(name.clone()).or_default();
            if !known.contains(&index) {
                known.push(index);
            }
        }
    }
    let event = |rules| {
        Event::Steps(Steps { steps: vec![EventStep { rules, is_optional: false }], ..Steps::default() })
    };
    found.into_iter().map(|(name, rules)| (name, event(rules))).collect()
}

/// Checks the section.
pub(crate) fn check(checker: &mut Checker<'_>, section: &FollowSection, rules: &[Rule]) -> Follow {
    let mut follow = plain(rules);
    follow.fields = fields(section);
    for (field, value) in &section.only {
        match json_of(value.get_ref()) {
            Some(json) => follow.only.push((path(field), json)),
            None => checker.push(errors::constant_value(checker.span(value.span()))),
        }
    }
    follow.skip.clone_from(&section.skip);
    follow.order = section.order;
    follow.silent_max = section.silent_max.unwrap_or(SILENT_MAX);
    for name in &section.silent {
        follow.silent.extend(rules_named(checker, name.get_ref(), name.span(), rules));
    }
    follow.beginning.clone_from(&section.beginning);
    follow.definitions = section.definitions.clone().unwrap_or_default();
    for (text, entry) in &section.values {
        let Some(ValueEntry(value)) = checker.entry(entry) else { continue };
        let shape = value.shape.as_ref().map(|shape| Spanned::new(entry.span(), shape.clone()));
        let shape = checker.shape(shape.as_ref());
        follow.values.push(ReadValue { text: text.get_ref().clone(), path: path(&value.from), shape });
    }
    for (name, entry) in &section.events {
        let Some(EventEntry(full)) = checker.entry(entry) else { continue };
        let event = event(checker, full, name.get_ref(), entry.span(), rules, &mut follow);
        follow.events.insert(name.get_ref().clone(), event);
    }
    for (name, entry) in &section.events {
        if let Some(Event::PartOf(whole)) = follow.events.get(name.get_ref())
            && !matches!(follow.events.get(whole), Some(Event::Steps(_)))
        {
            let similar = closest(whole, follow.event_names());
            checker.push(errors::unknown_event(checker.span(entry.span()), whole, similar));
        }
    }
    follow
}

fn event(
    checker: &mut Checker<'_>,
    full: &FullEvent,
    name: &str,
    range: std::ops::Range<usize>,
    rules: &[Rule],
    follow: &mut Follow,
) -> Event {
    for compared in full.compares.iter().flatten() {
        let variables = checker.summary.variables.iter().map(String::as_str);
        let values = follow.values.iter().map(|value| value.text.as_str());
        let known: Vec<&str> = variables.chain(values).collect();
        if !known.contains(&compared.as_str()) {
            let similar = closest(compared, known.iter().copied());
            let diagnostic = errors::unknown_compared(checker.span(range.clone()), name, compared, similar);
            checker.push(diagnostic);
        }
    }
    if full.observes {
        return Event::observation(full.compares.clone());
    }
    if let Some(whole) = &full.part_of {
        return Event::PartOf(whole.clone());
    }
    let args: Vec<(String, Path)> =
        full.args.iter().map(|(param, field)| (param.clone(), path(field))).collect();
    let mut steps = Vec::new();
    for step in &full.steps {
        let (names, is_optional) = match step.strip_suffix('?') {
            Some(names) => (names, true),
            None => (step.as_str(), false),
        };
        let rules = names
            .split('|')
            .flat_map(|name| rules_named(checker, name.trim(), range.clone(), rules))
            .collect();
        steps.push(EventStep { rules, is_optional });
    }
    // Arguments alone are said of the action that has the name of the event.
    if steps.is_empty() {
        match follow.events.get(name) {
            Some(Event::Steps(own)) => steps.clone_from(&own.steps),
            _ => checker.push(errors::event_without_steps(checker.span(range.clone()), name)),
        }
    }
    let mut params: Vec<String> = Vec::new();
    for param in steps.iter().flat_map(|step| &step.rules).flat_map(|rule| &rules[*rule].params) {
        if !params.contains(param) {
            params.push(param.clone());
        }
    }
    for (param, _) in &args {
        if !params.contains(param) {
            let similar = closest(param, params.iter().map(String::as_str));
            checker.push(errors::unknown_event_param(checker.span(range.clone()), name, param, similar));
        }
    }
    let mut formula = |text: &String, params: &[String]| {
        follow.formulas.push(Formula { text: text.clone(), params: params.to_vec() });
        follow.formulas.len() - 1
    };
    let holds = full.holds.as_slice().iter().map(|text| formula(text, &params)).collect();
    let until = full.until.as_ref().map(|text| formula(text, &params));
    let unless = full.unless.as_ref().map(|text| formula(text, &[]));
    let compares = full.compares.clone();
    Event::Steps(Steps { steps, args, holds, until, unless, state_is: full.state_is, compares })
}

/// The rules of an action. Reports an error if there are none.
fn rules_named(
    checker: &mut Checker<'_>,
    name: &str,
    range: std::ops::Range<usize>,
    rules: &[Rule],
) -> Vec<usize> {
    let found: Vec<usize> =
        rules.iter().enumerate().filter(|(_, rule)| rule.action == name).map(|(index, _)| index).collect();
    if found.is_empty() {
        let similar = closest(name, rules.iter().map(|rule| rule.action.as_str()));
        checker.push(errors::unknown_action(checker.span(range), name, similar));
    }
    found
}

fn fields(section: &FollowSection) -> Fields {
    let plain = Fields::default();
    let or = |named: &Option<String>, plain: Path| named.as_deref().map_or(plain, path);
    Fields {
        event: match section.event.as_slice() {
            [] => plain.event,
            texts => texts.iter().map(|text| path(text)).collect(),
        },
        node: or(&section.node, plain.node),
        args: or(&section.args, plain.args),
        message: or(&section.message, plain.message),
        from: or(&section.from, plain.from),
        before: or(&section.before, plain.before),
        state: or(&section.state, plain.state),
        sent: or(&section.sent, plain.sent),
        clock: or(&section.clock, plain.clock),
        start: or(&section.start, plain.start),
        end: or(&section.end, plain.end),
    }
}
