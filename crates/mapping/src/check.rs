//! Checks the mapping against the specification before anything is started. All mistakes are reported at once.

use kilter_base::suggest::closest;
use kilter_base::{Diagnostics, FileId};
use kilter_system::PLACES;
use kilter_value::Store;
use toml::Spanned;

use crate::checker::{Checker, json_of};
use crate::errors;
use crate::events;
use crate::file::{File, Form, VariableEntry, VariableKind};
use crate::mapping::{Compared, Mapping, Variable};
use crate::rules;
use crate::shape::Shape;
use crate::summary::Summary;
use crate::words::Words;

/// Checks `kilter.toml` against a specification. The file is source file `id`, and has this text.
pub fn check(
    file: &File,
    id: FileId,
    text: &str,
    summary: &Summary,
    store: &Store,
) -> Result<Mapping, Diagnostics> {
    let mut checker =
        Checker { id, text, summary, store, words: Words::default(), diagnostics: Diagnostics::default() };
    checker.system(file);
    checker.constants(file);
    for node in file.system.get_ref().nodes() {
        checker.words.add_node(node, store);
    }
    let variables = checker.variables(file);
    let message_shape = variables.iter().find(|variable| matches!(variable.kind, Compared::Messages(_)));
    let message_shape = message_shape.map(|variable| variable.shape.clone());
    let rules = rules::check(&mut checker, file, message_shape.as_ref());
    let follow = match &file.follow {
        Some(section) => events::check(&mut checker, section, &rules),
        None => events::plain(&rules),
    };
    let suite = checker.section(file.suite.as_ref());
    let diff = checker.section(file.diff.as_ref());
    if checker.diagnostics.has_errors() {
        return Err(checker.diagnostics);
    }
    let Checker { words, .. } = checker;
    let (spec, system) = (file.spec.clone(), file.system.get_ref().clone());
    Ok(Mapping { spec, suite, diff, follow, system, words, variables, rules })
}

impl Checker<'_> {
    fn system(&mut self, file: &File) {
        let section = file.system.get_ref();
        let span = self.span(section.nodes.as_ref().map_or(file.system.span(), Spanned::span));
        let nodes = section.nodes();
        if nodes.is_empty() {
            self.push(errors::no_nodes(span));
        }
        for (index, node) in nodes.iter().enumerate() {
            if nodes[..index].contains(node) {
                self.push(errors::node_twice(span, node));
            }
        }
        match (&section.command, &section.world) {
            (Some(_), Some(world)) => self.push(errors::command_and_world(self.span(world.span()))),
            // A system that is only followed is started by somebody else.
            (None, None) if file.is_only_followed() => {}
            (None, None) => self.push(errors::no_command(span)),
            (Some(command), None) if command.get_ref().is_empty() => {
                self.push(errors::empty_command(self.span(command.span())));
            }
            _ => {}
        }
        for (place, range) in section.unknown_places() {
            let similar = closest(place, PLACES);
            self.push(errors::unknown_place(self.span(range), place, similar, &PLACES));
        }
        for (place, range) in section.places_of_build() {
            // Other words in braces may be the shell's, or those of a program that it runs.
            if PLACES.contains(&place) || closest(place, PLACES).is_some() {
                self.push(errors::place_in_build(self.span(range), place));
            }
        }
    }

    fn constants(&mut self, file: &File) {
        self.words = Words::new(self.summary.models(self.store));
        for (name, value) in &file.constants {
            let Some(json) = json_of(value.get_ref()) else {
                self.push(errors::constant_value(self.span(value.span())));
                continue;
            };
            match self.named(name.get_ref()) {
                Some(value) => self.words.add(value, json),
                None => {
                    let models = self.summary.models(self.store);
                    let known = self.summary.constants.keys().chain(models.keys()).map(String::as_str);
                    let similar = closest(name.get_ref(), known);
                    self.push(errors::unknown_constant(self.span(name.span()), name.get_ref(), similar));
                }
            }
        }
    }

    fn variables(&mut self, file: &File) -> Vec<Variable> {
        let known = &self.summary.variables;
        for name in file.variables.keys() {
            if !known.contains(name.get_ref()) {
                let similar = closest(name.get_ref(), known.iter().map(String::as_str));
                self.push(errors::unknown_variable(self.span(name.span()), name.get_ref(), similar));
            }
        }
        let mut variables = Vec::new();
        for name in known {
            let entry = file.variables.iter().find(|(key, _)| key.get_ref() == name);
            match entry {
                Some((_, entry)) => {
                    let entry = self.entry(entry);
                    variables.extend(entry.map(|entry| self.variable(name, entry)));
                }
                None if file.is_only_followed() => {
                    variables.push(Variable {
                        name: name.clone(),
                        kind: Compared::Unnamed,
                        shape: Shape::Any,
                    });
                }
                None => self.push(errors::unmapped_variable(name)),
            }
        }
        variables
    }

    fn variable(&mut self, name: &str, entry: &VariableEntry) -> Variable {
        let kind = *entry.kind.get_ref();
        self.unused_keys(entry, kind);
        let from = entry.from.as_ref().map_or(name, |from| from.get_ref().as_str());
        let path: Vec<String> = from.split('.').map(str::to_owned).collect();
        let compared = match kind {
            VariableKind::Node => {
                if let Some(nodes) = entry.nodes.as_ref().filter(|nodes| nodes.get_ref().is_empty()) {
                    self.push(errors::nodes_of_nothing(self.span(nodes.span()), name));
                }
                let nodes = entry
                    .nodes
                    .as_ref()
                    .map(|nodes| nodes.get_ref().iter().filter_map(|node| self.node_named(node)).collect());
                Compared::Node(path, nodes)
            }
            VariableKind::Global => {
                let node = entry.node.as_ref().and_then(|node| self.node_named(node));
                Compared::Global(path, node)
            }
            VariableKind::Messages => {
                Compared::Messages(entry.form.as_ref().map_or(Form::Set, |form| *form.get_ref()))
            }
            VariableKind::Counter => Compared::Bound,
            VariableKind::Auxiliary => Compared::Not,
        };
        let shape = self.shape(entry.shape.as_ref());
        Variable { name: name.to_owned(), kind: compared, shape }
    }

    fn unused_keys(&mut self, entry: &VariableEntry, kind: VariableKind) {
        let is_compared = !matches!(kind, VariableKind::Counter | VariableKind::Auxiliary);
        let is_reported = matches!(kind, VariableKind::Node | VariableKind::Global);
        let keys = [
            ("from", entry.from.as_ref().map(Spanned::span), is_reported),
            ("shape", entry.shape.as_ref().map(Spanned::span), is_compared),
            ("form", entry.form.as_ref().map(Spanned::span), kind == VariableKind::Messages),
            ("node", entry.node.as_ref().map(Spanned::span), kind == VariableKind::Global),
            ("nodes", entry.nodes.as_ref().map(Spanned::span), kind == VariableKind::Node),
        ];
        for (key, range, is_fine) in keys {
            if let (Some(range), false) = (range, is_fine) {
                self.push(errors::key_without_use(self.span(range), key, "variable"));
            }
        }
    }
}
