//! Writes a first draft of `kilter.toml` for a specification. It lists everything, and guesses kinds from names and
//! from the initial state.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use kilter_value::{Store, Value, View};

use crate::summary::{ActionSummary, Summary};

/// The input of a draft.
pub struct Draft<'d> {
    /// The names of the specification.
    pub summary: &'d Summary,
    /// The values of the variables in an initial state, if there is one.
    pub initial: Option<&'d [Value]>,
    /// What steps near the initial states do.
    pub steps: &'d Steps,
    /// The store with the values.
    pub store: &'d Store,
    /// The path of the specification's file, relative to `kilter.toml`.
    pub spec: &'d str,
    /// The path of the configuration, relative to `kilter.toml`. `None` if it is the usual one.
    pub config: Option<&'d str>,
}

/// What some steps of a specification do.
#[derive(Clone, Debug, Default)]
pub struct Steps {
    /// What parameters are in some step: by the name of the action, and the index of the parameter.
    pub parameters: BTreeMap<(String, usize), Value>,
    /// Names of actions, each with the index of a variable that some step of it changes, and the arguments of such steps.
    pub changes: BTreeMap<(String, usize), Vec<Vec<Value>>>,
    /// Those of them where the variable may keep the action from happening.
    pub limits: BTreeSet<(String, usize)>,
    /// Indices of variables whose values become parts of others, such as of messages.
    pub goes_on: BTreeSet<usize>,
    /// By the index of a variable that begins as an empty function, what it is later.
    pub grown: BTreeMap<usize, Value>,
}

/// How a variable that only bounds the model is written.
const COUNTER: &str = "{ kind = \"counter\" }";

/// Words in the names of variables for messages.
const MESSAGE_WORDS: [&str; 13] = [
    "msg", "message", "network", "net", "mail", "mailbox", "inbox", "channel", "packet", "envelope", "wire",
    "inflight", "flight",
];
/// Words in the names of variables that only bound a model.
const COUNTER_WORDS: [&str; 5] = ["count", "limit", "number", "times", "budget"];
const AUXILIARY_WORDS: [&str; 6] = ["history", "aux", "all", "elections", "ghost", "trace"];
/// Words in the names of constants that are sets of nodes.
const NODE_WORDS: [&str; 22] = [
    "server",
    "client",
    "node",
    "replica",
    "process",
    "proc",
    "acceptor",
    "proposer",
    "learner",
    "member",
    "site",
    "host",
    "peer",
    "broker",
    "worker",
    "participant",
    "coordinator",
    "manager",
    "actor",
    "voter",
    "rm",
    "backup",
];
/// Words in the names of constants that stand for no node.
const NOBODY_WORDS: [&str; 6] = ["no", "nil", "none", "null", "nobody", "not"];
/// Names of fields with a message's receiver.
const RECEIVER_FIELDS: [&str; 9] =
    ["mdest", "dest", "mto", "to", "dst", "receiver", "rcvr", "destination", "target"];

impl Draft<'_> {
    /// The text of the draft.
    pub fn text(&self) -> String {
        let nodes = self.nodes();
        let mut out = String::new();
        self.write_head(&mut out, &nodes);
        self.write_constants(&mut out, &nodes);
        self.write_variables(&mut out, &nodes);
        self.write_actions(&mut out, &nodes);
        self.write_follow(&mut out, &nodes);
        out
    }

    /// Writes how logs are read, as a comment: whoever has none needs nothing of it.
    fn write_follow(&self, out: &mut String, nodes: &[Value]) {
        let node = nodes.first().map_or_else(|| "n1".to_owned(), |node| self.name_of(*node));
        let action = self.summary.actions.first().map_or("Action", |action| action.name.as_str());
        *out += "\n# For `kilter follow`, which asks whether a log is a behavior of the specification. A line of it is such as\n";
        let _ = writeln!(
            out,
            "#   {{\"event\": {}, \"node\": {}, \"args\": {{…}}, \"state\": {{…}}}}",
            quoted(action),
            quoted(&node)
        );
        *out += "# [follow]\n# config = \"Follow.cfg\"    # constants that do not bound the model\n";
        *out += "# event = \"event\"          # where a line has it; so are node, args, message, from, before, state, sent, clock, start, end\n";
        *out += "# only = { tag = \"trace\" } # lines without this do not count\n";
        *out += "# skip = []                # events that are no steps\n";
        *out += "# silent = []              # actions that leave no line\n";
        *out += "# order = \"any\"            # of lines in different files: any, clock or time\n";
        let _ = writeln!(
            out,
            "# [follow.events]\n# my-event = {}   # an event that is not called as its action\n\
             # mine = {{ steps = [{}], where = \"line.x = 1\" }}   # a line that says only a part: see the guide on `kilter follow`\n\
             # [follow.values]\n# \"Len(log[node])\" = \"length\"   # an expression, and the field of the line that has it",
            quoted(action),
            quoted(action)
        );
    }

    fn write_head(&self, out: &mut String, nodes: &[Value]) {
        let names: Vec<String> = match nodes {
            [] => vec!["\"n1\"".to_owned()],
            nodes => nodes.iter().map(|node| quoted(&self.name_of(*node))).collect(),
        };
        *out += "# What the parts of the specification are in the implementation. A first draft: kinds are guessed, look at each of them.\n";
        *out += "# `kilter map` checks it without starting anything, `kilter test` uses it.\n\n[spec]\n";
        let _ = writeln!(out, "file = {}", quoted(self.spec));
        if let Some(config) = self.config {
            let _ = writeln!(out, "config = {}", quoted(config));
        }
        *out += "\n[suite]\n# cover = \"edges\"      # or states, actions, pairs; the options of `kilter suite`\n";
        *out += "# end-actions = []\n# max-steps = 30\n\n[system]\n";
        let _ = writeln!(out, "nodes = [{}]", names.join(", "));
        *out += "# FILL IN how a node is started. {node} is its name, {address} its own host and port, {peers} all nodes with theirs, {data} its\n";
        *out += "# directory, which survives a restart, {dir} the folder of this file.\n";
        *out += "# command = [\"my-node\", \"--id\", \"{node}\", \"--listen\", \"{address}\", \"--peers\", \"{peers}\", \"--data\", \"{data}\"]\n";
        *out += "# java = \"agent.toml\"    # for a Java system that stays as it is: the table of the agent, with {agent} in the command\n";
        *out += "# env = { LOG = \"off\" }\n# patience-ms = 2000   # how long a step may take\n\n";
    }

    /// Writes the model values and strings for which the implementation may have other names.
    fn write_constants(&self, out: &mut String, nodes: &[Value]) {
        *out += "# What the implementation calls values of the specification; only where it differs.\n[constants]\n";
        for (name, value) in &self.summary.constants {
            let is_word = self.store.model_name(*value).is_some() || self.store.string_text(*value).is_some();
            if is_word && !nodes.contains(value) {
                let _ = writeln!(out, "# {} = {}", key(name), quoted(&self.name_of(*value)));
            }
        }
        out.push('\n');
    }

    fn write_variables(&self, out: &mut String, nodes: &[Value]) {
        *out += "# node: a function of nodes, each reports its part. global: one node reports all of it. messages: what is under way.\n";
        *out += "# counter and auxiliary are not compared. `from` says what nodes call it, `shape` how values are spelled.\n[variables]\n";
        for (index, name) in self.summary.variables.iter().enumerate() {
            let initial = self.initial.and_then(|row| row.get(index).copied());
            let _ = writeln!(out, "{} = {}", key(name), self.variable((index, name), initial, nodes));
        }
        out.push('\n');
    }

    fn variable(&self, (index, name): (usize, &str), initial: Option<Value>, nodes: &[Value]) -> String {
        if has_word(name, &MESSAGE_WORDS) {
            let is_set = initial.is_none_or(|value| self.store.items(value).is_some());
            let form = if is_set { "set" } else { "bag" };
            return format!(
                "{{ kind = \"messages\", form = \"{form}\", shape = \"any\" }} # or bag, set, monotone: a set of all that was ever sent"
            );
        }
        if let Some(value) = initial
            && let Some(part) = self.part_of_node(value, nodes)
        {
            let owners = self.owners(value, nodes);
            return format!("{{ kind = \"node\", shape = {}{owners} }}", quoted(&self.shape(part, nodes)));
        }
        // Whoever joins later has a part then.
        if let Some(part) = self.steps.grown.get(&index).and_then(|value| self.part_of_node(*value, nodes)) {
            return format!("{{ kind = \"node\", shape = {} }}", quoted(&self.shape(part, nodes)));
        }
        if has_word(name, &AUXILIARY_WORDS) {
            return "{ kind = \"auxiliary\" }".to_owned();
        }
        // What limits nothing, and what messages tell, is known to nodes.
        let is_limit = self.steps.limits.iter().any(|(_, variable)| *variable == index);
        let is_told = self.steps.goes_on.contains(&index);
        let counts = (is_limit || !is_told) && initial.is_some_and(|value| self.is_counting(value));
        if counts || has_word(name, &COUNTER_WORDS) {
            return COUNTER.to_owned();
        }
        match initial {
            Some(value) => {
                let shape = quoted(&self.shape(value, nodes));
                let node = |node: Value| format!(", node = {}", quoted(&self.name_of(node)));
                let (node, asked) = match (self.changed_at(index, nodes), nodes) {
                    (Some(changer), _) => (node(changer), ""),
                    (None, [only]) => (node(*only), ""),
                    (None, [first, ..]) => (node(*first), " # which node reports it?"),
                    (None, []) => (String::new(), ""),
                };
                format!("{{ kind = \"global\", shape = {shape}{node} }}{asked}")
            }
            None => "{ kind = \"node\" }".to_owned(),
        }
    }

    fn write_actions(&self, out: &mut String, nodes: &[Value]) {
        *out += "# node: a node offers it. message: a node offers it when a message has arrived. fault: the testbed does it. request: the testbed\n";
        *out += "# asks a node for it. internal: nothing happens in the system. `bounded = true` if only a counter of the model limits it.\n[actions]\n";
        for name in self.summary.action_names() {
            // Several actions may have the same name. The mapping has one entry for all of them.
            if let Some(action) = self.summary.actions.iter().find(|action| action.name == name) {
                let params = if action.params.is_empty() {
                    String::new()
                } else {
                    format!(" # ({})", action.params.join(", "))
                };
                let _ = writeln!(out, "{} = {}{params}", key(name), self.action(action, nodes));
            }
        }
    }

    fn action(&self, action: &ActionSummary, nodes: &[Value]) -> String {
        let has_messages = self.summary.variables.iter().any(|name| has_word(name, &MESSAGE_WORDS));
        let is_message = |param: &&String| {
            matches!(param.as_str(), "m" | "msg" | "message" | "mesg")
                || (has_messages && param.starts_with("msg"))
        };
        let message = action.params.iter().find(is_message);
        let may_be_node = |index: usize| {
            let seen = self.steps.parameters.get(&(action.name.clone(), index));
            seen.is_none_or(|value| nodes.contains(value))
        };
        let mut others =
            action.params.iter().enumerate().filter(|(_, param)| Some(*param) != message).peekable();
        let first_node = match (others.peek().is_some(), others.find(|(index, _)| may_be_node(*index))) {
            _ if nodes.is_empty() => None,
            (_, Some((_, param))) => Some(param.clone()),
            // With parameters that are no nodes, it may happen anywhere.
            (true, None) => None,
            (false, None) => nodes.first().map(|node| self.name_of(*node)).filter(|_| message.is_none()),
        };
        let node =
            |name: Option<String>| name.map(|name| format!(", node = {}", quoted(&name))).unwrap_or_default();
        let lower = action.name.to_lowercase();
        let says = |words: &[&str]| words.iter().any(|word| lower.contains(word));
        if let Some(message) = message {
            let message_key = format!(", message = {}", quoted(message));
            return match () {
                () if says(&["drop", "lose", "loss"]) => {
                    format!("{{ kind = \"fault\", fault = \"drop\"{message_key} }}")
                }
                () if says(&["dupl"]) => {
                    format!("{{ kind = \"fault\", fault = \"duplicate\"{message_key} }}")
                }
                () => {
                    let index = action.params.iter().position(|param| param == message);
                    let seen =
                        index.and_then(|index| self.steps.parameters.get(&(action.name.clone(), index)));
                    let has = |field: &str| match seen {
                        Some(record) => self.store.field(*record, self.store.string(field)).is_some(),
                        None => self.store.knows_name(field),
                    };
                    let known = RECEIVER_FIELDS.iter().find(|field| has(field));
                    let at = known.map(|field| format!("{message}.{field}"));
                    format!("{{ kind = \"message\"{}{message_key}{} }}", node(at), self.bound(action, nodes))
                }
            };
        }
        match () {
            () if says(&["restart", "reboot", "recover"]) => {
                format!("{{ kind = \"fault\", fault = \"restart\"{} }}", node(first_node))
            }
            () if says(&["crash", "fail", "kill"]) && !says(&["failover"]) => {
                format!("{{ kind = \"fault\", fault = \"crash\"{} }}", node(first_node))
            }
            () if says(&["client", "user", "request"]) && !says(&["requestvote"]) => {
                format!("{{ kind = \"request\"{}, args = [\"{{count}}\"] }}", node(first_node))
            }
            () => format!("{{ kind = \"node\"{}{} }}", node(first_node), self.bound(action, nodes)),
        }
    }

    /// That only the model limits how often an action happens, if it counts something.
    fn bound(&self, action: &ActionSummary, nodes: &[Value]) -> &'static str {
        let counts = self.summary.variables.iter().enumerate().any(|(index, name)| {
            let initial = self.initial.and_then(|row| row.get(index).copied());
            self.steps.limits.contains(&(action.name.clone(), index))
                && self.variable((index, name), initial, nodes) == COUNTER
        });
        if counts { ", bounded = true" } else { "" }
    }

    /// The node at which all steps happen that change a variable, if there is just one such node. It is the receiver of a message, or
    /// the first argument that is a node.
    fn changed_at(&self, index: usize, nodes: &[Value]) -> Option<Value> {
        let changes = self.steps.changes.iter().filter(|((_, variable), _)| *variable == index);
        let mut at = changes.flat_map(|(_, steps)| steps).map(|args| self.place_of(args, nodes));
        let first = at.next()?;
        first.filter(|_| at.all(|other| other == first))
    }

    fn place_of(&self, args: &[Value], nodes: &[Value]) -> Option<Value> {
        let receiver = |value: &Value| {
            let mut fields = RECEIVER_FIELDS.iter();
            fields.find_map(|field| self.store.field(*value, self.store.string(field)))
        };
        let place =
            args.iter().find_map(|value| nodes.contains(value).then_some(*value).or_else(|| receiver(value)));
        place.filter(|place| nodes.contains(place))
    }

    /// The nodes that have a part of a function, if these are not all.
    fn owners(&self, function: Value, nodes: &[Value]) -> String {
        let items = self.store.domain(function).and_then(|domain| self.store.items(domain));
        let owners: Vec<Value> = items.map(|items| items.iter().collect()).unwrap_or_default();
        if owners.len() == nodes.len() {
            return String::new();
        }
        let names: Vec<String> = owners.iter().map(|node| quoted(&self.name_of(*node))).collect();
        format!(", nodes = [{}]", names.join(", "))
    }

    /// The values that are nodes: the domain that most variables have, and other domains and constants that are called so.
    fn nodes(&self) -> Vec<Value> {
        let mut domains: BTreeMap<u32, (usize, Value)> = BTreeMap::new();
        for value in self.initial.unwrap_or_default() {
            let domain = self
                .store
                .domain(*value)
                .filter(|_| matches!(self.store.view(*value), View::Function { .. }));
            if let Some(domain) = domain.or_else(|| self.record_domain(*value)) {
                domains.entry(domain.bits()).or_insert((0, domain)).0 += 1;
            }
        }
        let most = domains.values().max_by_key(|(n, domain)| (*n, std::cmp::Reverse(domain.bits())));
        let is_called_so = |domain: Value| {
            let mut named = self.summary.constants.iter().filter(|(_, value)| **value == domain);
            named.any(|(name, _)| has_word(name, &NODE_WORDS))
        };
        let has_all_of = |domain: Value, part: Value| match (self.store.items(domain), self.store.items(part))
        {
            (Some(domain), Some(part)) => part.iter().all(|item| domain.iter().any(|other| other == item)),
            _ => false,
        };
        let others = domains.values().map(|(_, domain)| *domain).filter(|domain| {
            is_called_so(*domain) || most.is_some_and(|(_, most)| has_all_of(*domain, *most))
        });
        let mut nodes = Vec::new();
        for domain in most.map(|(_, domain)| *domain).into_iter().chain(others) {
            let Some(items) = self.store.items(domain) else { continue };
            let more: Vec<Value> = items.iter().filter(|node| !nodes.contains(node)).collect();
            nodes.extend(more);
        }
        for node in self.constants_called_nodes() {
            if !nodes.contains(&node) {
                nodes.push(node);
            }
        }
        nodes
    }

    /// The model values and strings of constants that are called nodes, such as `Server`, of which no variable may be a function.
    fn constants_called_nodes(&self) -> Vec<Value> {
        let is_name = |value: &Value| {
            self.store.model_name(*value).or_else(|| self.store.string_text(*value)).is_some()
        };
        let called_so = self
            .summary
            .constants
            .iter()
            .filter(|(name, _)| has_word(name, &NODE_WORDS) && !has_word(name, &NOBODY_WORDS));
        let values = called_so.flat_map(|(_, value)| match self.store.items(*value) {
            Some(items) => items.iter().collect::<Vec<Value>>(),
            None => vec![*value],
        });
        values.filter(is_name).collect()
    }

    /// The domain of a function of strings, if it is the value of a constant. Otherwise the function is a plain record.
    fn record_domain(&self, value: Value) -> Option<Value> {
        let domain = self.store.domain(value)?;
        self.summary.constants.values().any(|constant| *constant == domain).then_some(domain)
    }

    /// The value of a function of nodes at one of them. `None` if the value is not such a function.
    fn part_of_node(&self, value: Value, nodes: &[Value]) -> Option<Value> {
        let items = self.store.items(self.store.domain(value)?)?;
        let is_of_nodes = items.iter().next().is_some() && items.iter().all(|item| nodes.contains(&item));
        if is_of_nodes { self.store.range_elems(value)?.first() } else { None }
    }

    /// Whether a value is zero, or a record or function of zeros.
    fn is_counting(&self, value: Value) -> bool {
        match self.store.view(value) {
            View::Int(0) => true,
            View::Record { values, .. } | View::Function { values, .. } => {
                values.iter().all(|value| self.store.as_int(value) == Some(0))
            }
            _ => false,
        }
    }

    fn shape(&self, value: Value, nodes: &[Value]) -> String {
        if nodes.contains(&value) {
            return "node".to_owned();
        }
        let of_first =
            |first: Option<Value>| first.map_or_else(|| "any".to_owned(), |value| self.shape(value, nodes));
        match self.store.view(value) {
            // If a variable begins as a value like Nil, nodes often report null for it.
            View::Model(_) => format!("any or {}", self.name_of(value)),
            View::Bool(_) => "bool".to_owned(),
            View::Int(_) => "int".to_owned(),
            View::Set(elems) => format!("set of {}", of_first(elems.first())),
            View::Interval { .. } => "set of int".to_owned(),
            View::Tuple(elems) => format!("seq of {}", of_first(elems.first())),
            View::Record { .. } | View::Function { .. } if self.part_of_node(value, nodes).is_some() => {
                format!("map of node to {}", of_first(self.part_of_node(value, nodes)))
            }
            View::Record { shape, values } => {
                let field = |(name, value): (Value, Value)| {
                    format!(
                        "{}: {}",
                        self.store.string_text(name).unwrap_or_default(),
                        self.shape(value, nodes)
                    )
                };
                format!("{{{}}}", shape.iter().zip(values).map(field).collect::<Vec<String>>().join(", "))
            }
            View::Function { domain, values } => {
                let arg = self.store.items(domain).and_then(|items| items.iter().next());
                format!("map of {} to {}", of_first(arg), of_first(values.first()))
            }
            _ => "any".to_owned(),
        }
    }

    fn name_of(&self, value: Value) -> String {
        let name = self.store.model_name(value).or_else(|| self.store.string_text(value));
        name.map_or_else(|| self.store.show(value), str::to_owned)
    }
}

/// Whether a name contains one of these words as a word: `msgs` and `sentMessages` do, but `wall` does not contain
/// `all`.
fn has_word(name: &str, words: &[&str]) -> bool {
    let mut parts: Vec<String> = vec![String::new()];
    for c in name.chars() {
        if c.is_uppercase() || c == '_' {
            parts.push(String::new());
        }
        if let Some(part) = parts.last_mut() {
            part.extend(c.to_lowercase().filter(|c| *c != '_'));
        }
    }
    parts.iter().any(|part| words.iter().any(|word| part == word || *part == format!("{word}s")))
}

/// Writes a name as a key of TOML.
fn key(name: &str) -> String {
    let is_bare = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    if !name.is_empty() && name.chars().all(is_bare) { name.to_owned() } else { quoted(name) }
}

/// Writes a string of TOML.
fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}
