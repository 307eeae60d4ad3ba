//! Checks the actions of a mapping. Each becomes a [`Rule`].

use kilter_base::Span;
use kilter_base::suggest::closest;
use kilter_system::places::places;
use kilter_system::{Fault, PLACES, Struck};
use serde_json::Value as Json;
use toml::Spanned;

use crate::checker::{Checker, json_of};
use crate::errors;
use crate::file::{ActionEntry, ActionKind, File};
use crate::mapping::{Deed, Part, Place, Rule, Template};
use crate::shape::Shape;
use crate::summary::ActionSummary;

/// The word in braces that stands for the number of requests so far.
pub const COUNT: &str = "count";

/// Makes a rule for each action of the specification.
pub(crate) fn check(checker: &mut Checker<'_>, file: &File, message_shape: Option<&Shape>) -> Vec<Rule> {
    let summary = checker.summary;
    let known = summary.action_names();
    for name in file.actions.keys() {
        if !known.contains(&name.get_ref().as_str()) {
            let similar = closest(name.get_ref(), known.iter().copied());
            checker.push(errors::unknown_action(checker.span(name.span()), name.get_ref(), similar));
        }
    }
    for name in &known {
        if !file.is_only_followed() && !file.actions.keys().any(|key| key.get_ref() == name) {
            let params = summary.actions.iter().find(|action| action.name == *name);
            checker.push(errors::unmapped_action(name, params.map_or(&[], |action| &action.params)));
        }
    }
    let mut rules = Vec::new();
    for action in &summary.actions {
        if let Some((_, entry)) = file.actions.iter().find(|(key, _)| *key.get_ref() == action.name) {
            let read = checker.entry(entry);
            let span = checker.span(entry.span());
            rules.extend(read.map(|read| Reader { checker, action, message_shape }.rule(read, span)));
        } else {
            rules.push(Rule::unmapped(action));
        }
    }
    rules
}

struct Reader<'r, 'c> {
    checker: &'r mut Checker<'c>,
    action: &'r ActionSummary,
    message_shape: Option<&'r Shape>,
}

impl Reader<'_, '_> {
    fn rule(&mut self, entry: &ActionEntry, span: Span) -> Rule {
        self.unused_keys(entry);
        self.missing_keys(entry, span);
        let message = entry.message.as_ref().and_then(|name| self.param(name));
        Rule {
            action: self.action.name.clone(),
            params: self.action.params.clone(),
            shapes: self.shapes(entry, message),
            node: self.place(entry.node.as_ref()),
            other: self.place(entry.other.as_ref()),
            message,
            deed: self.deed(entry),
            is_bounded: entry.bounded,
            compares: entry.compare.unwrap_or(true),
        }
    }

    fn deed(&mut self, entry: &ActionEntry) -> Deed {
        let or_own = |name: &Option<Spanned<String>>| {
            name.as_ref().map_or_else(|| self.action.name.clone(), |name| name.get_ref().clone())
        };
        match entry.kind.get_ref() {
            ActionKind::Node | ActionKind::Message => {
                let name = or_own(&entry.offer);
                let args = entry.args.as_ref().map(|args| self.offered_args(args));
                Deed::Offer { name, args, provoked_by: None }
            }
            ActionKind::Fault => match &entry.fault {
                Some(fault) => Deed::Fault(self.fault(fault)),
                None => Deed::Internal,
            },
            ActionKind::Request if entry.command.is_some() => self.commanded(entry),
            ActionKind::Request => {
                let name = or_own(&entry.request);
                Deed::Request {
                    name,
                    args: entry.args.as_ref().map(|args| self.templates(args)).unwrap_or_default(),
                }
            }
            ActionKind::Internal => Deed::Internal,
        }
    }

    /// A fault. It must not be one that strikes an action, because a node is asked for those.
    fn fault(&mut self, fault: &Spanned<Fault>) -> Fault {
        if fault.get_ref().strikes() == Struck::Action {
            self.checker.push(errors::fault_in_action(self.checker.span(fault.span()), *fault.get_ref()));
        }
        *fault.get_ref()
    }

    /// A request that a program makes. Either a node offers what follows from it, or the step ends when the program
    /// ends.
    fn commanded(&mut self, entry: &ActionEntry) -> Deed {
        let words = entry.command.as_ref().map(|words| self.command_words(words)).unwrap_or_default();
        match &entry.offer {
            Some(name) => Deed::Offer {
                name: name.get_ref().clone(),
                args: entry.args.as_ref().map(|args| self.offered_args(args)),
                provoked_by: Some(words),
            },
            None => Deed::Command(words),
        }
    }

    /// The words of a command. Reports an error for an unknown place in braces.
    fn command_words(&mut self, words: &Spanned<Vec<String>>) -> Vec<String> {
        let span = self.checker.span(words.span());
        if words.get_ref().is_empty() {
            self.checker.push(errors::empty_command(span));
        }
        let own = self.action.params.iter().map(String::as_str).chain([COUNT]);
        let known: Vec<&str> = own.chain(PLACES).collect();
        for place in words.get_ref().iter().flat_map(|word| places(word)) {
            if !known.contains(&place) {
                let similar = closest(place, known.iter().copied());
                self.checker.push(errors::unknown_place(span, place, similar, &known));
            }
        }
        words.get_ref().clone()
    }

    fn unused_keys(&mut self, entry: &ActionEntry) {
        let kind = *entry.kind.get_ref();
        let is_command = kind == ActionKind::Request && entry.command.is_some();
        let is_offer = matches!(kind, ActionKind::Node | ActionKind::Message) || is_command;
        let has_args =
            if is_command { entry.offer.is_some() } else { is_offer || kind == ActionKind::Request };
        let fault = entry.fault.as_ref().map(|fault| *fault.get_ref());
        let struck = fault.map(Fault::strikes);
        let takes_message = kind == ActionKind::Message || struck == Some(Struck::Message);
        let keys = [
            ("node", entry.node.as_ref().map(Spanned::span), kind != ActionKind::Internal),
            ("other", entry.other.as_ref().map(Spanned::span), struck == Some(Struck::Link)),
            ("message", entry.message.as_ref().map(Spanned::span), takes_message),
            ("offer", entry.offer.as_ref().map(Spanned::span), is_offer),
            ("args", entry.args.as_ref().map(Spanned::span), has_args),
            (
                "request",
                entry.request.as_ref().map(Spanned::span),
                kind == ActionKind::Request && !is_command,
            ),
            ("command", entry.command.as_ref().map(Spanned::span), kind == ActionKind::Request),
            ("fault", entry.fault.as_ref().map(Spanned::span), kind == ActionKind::Fault),
        ];
        for (key, range, is_fine) in keys {
            if let (Some(range), false) = (range, is_fine) {
                self.checker.push(errors::key_without_use(self.checker.span(range), key, "action"));
            }
        }
    }

    fn missing_keys(&mut self, entry: &ActionEntry, span: Span) {
        let one_node = self.checker.words.nodes().len() == 1;
        let fault = entry.fault.as_ref().map(|fault| *fault.get_ref());
        let needed = match (*entry.kind.get_ref(), fault.map(Fault::strikes)) {
            (ActionKind::Message, _) => vec![("message", entry.message.is_none())],
            (ActionKind::Request, _) => vec![("node", entry.node.is_none() && !one_node)],
            (ActionKind::Fault, None) => vec![("fault", true)],
            (ActionKind::Fault, Some(Struck::Message)) => vec![("message", entry.message.is_none())],
            (ActionKind::Fault, Some(Struck::Link)) => {
                vec![("node", entry.node.is_none()), ("other", entry.other.is_none())]
            }
            (ActionKind::Fault, Some(_)) => vec![("node", entry.node.is_none() && !one_node)],
            (ActionKind::Node | ActionKind::Internal, _) => Vec::new(),
        };
        for (key, is_missing) in needed {
            if is_missing {
                self.checker.push(errors::missing_key(span, &self.action.name, key));
            }
        }
    }

    fn shapes(&mut self, entry: &ActionEntry, message: Option<usize>) -> Vec<Shape> {
        let mut shapes = vec![Shape::Any; self.action.params.len()];
        if let (Some(message), Some(shape)) = (message, self.message_shape) {
            shapes[message] = shape.clone();
        }
        for (name, text) in &entry.shapes {
            if let Some(param) = self.param(name) {
                shapes[param] = self.checker.shape(Some(text));
            }
        }
        shapes
    }

    /// The index of the parameter with this name. Reports an error if there is none.
    fn param(&mut self, name: &Spanned<String>) -> Option<usize> {
        self.param_at(name.get_ref(), name.span())
    }

    fn param_at(&mut self, name: &str, range: std::ops::Range<usize>) -> Option<usize> {
        let param = self.action.params.iter().position(|param| param == name);
        if param.is_none() {
            let span = self.checker.span(range);
            self.checker.push(errors::unknown_param(span, &self.action.name, name, &self.action.params));
        }
        param
    }

    /// A node: `i`, `m.dest`, or the name of a node.
    fn place(&mut self, text: Option<&Spanned<String>>) -> Option<Place> {
        let Some(text) = text else {
            return (self.checker.words.nodes().len() == 1).then_some(Place::Fixed(0));
        };
        let mut words = text.get_ref().split('.');
        let param = words.next().unwrap_or_default();
        if !self.action.params.iter().any(|known| known == param)
            && let Some(node) = self.checker.words.node_named(text.get_ref())
        {
            return Some(Place::Fixed(node));
        }
        let param = self.param_at(param, text.span())?;
        let path: Vec<String> = words.map(str::to_owned).collect();
        // The name of a field is a string of the specification.
        if let Some(field) = path.iter().find(|field| !self.checker.store.knows_name(field)) {
            self.checker.push(errors::unknown_field(self.checker.span(text.span()), field));
        }
        Some(Place::Part(Part { param, path }))
    }

    /// The parameters that the arguments of an offer stand for.
    fn offered_args(&mut self, args: &Spanned<Vec<toml::Value>>) -> Vec<usize> {
        let mut params = Vec::new();
        for arg in args.get_ref() {
            let name = arg.as_str().unwrap_or_default().trim_start_matches('{').trim_end_matches('}');
            params.extend(self.param_at(name, args.span()));
        }
        params
    }

    /// The arguments of a request.
    fn templates(&mut self, args: &Spanned<Vec<toml::Value>>) -> Vec<Template> {
        let mut templates = Vec::new();
        for arg in args.get_ref() {
            let in_braces =
                arg.as_str().and_then(|text| text.strip_prefix('{')).and_then(|text| text.strip_suffix('}'));
            match in_braces {
                Some(COUNT) => templates.push(Template::Count),
                Some(name) => templates.extend(self.param_at(name, args.span()).map(Template::Param)),
                None => templates.push(Template::Fixed(json_of(arg).unwrap_or(Json::Null))),
            }
        }
        templates
    }
}
