//! What a line demands of a behavior, in the specification's words.

use std::collections::BTreeMap;
use std::sync::Arc;

use kilter_base::Id;
use kilter_base::suggest::closest;
use kilter_eval::node::ActionId;
use kilter_eval::{Program, Wanted};
use kilter_mapping::Mapping;
use kilter_mapping::file::Form;
use kilter_mapping::follow::{Event, EventStep, Moment, Path, ReadValue, Steps};
use kilter_mapping::mapping::{Compared, Deed, Place, Rule, Template};
use kilter_mapping::shape::Shape;
use kilter_mapping::translate::{Envelope, Misfit, Translator, shortened};
use kilter_mapping::words::Words;
use kilter_system::Fault;
use kilter_value::{Moved, Store, Value};
use serde_json::{Map, Value as Json};

use crate::line::{BadLine, Line, look_up, wrong};

/// The event that a probe writes when its node starts. Later ones at the same node mean that it was started again.
pub const START: &str = "kilter.start";
/// The event with which a probe says that its node begins a step, and the field with the name of that step's event.
const BEGIN: &str = "kilter.begin";
const OF: &str = "of";
/// The field in which a probe says that variables which a line leaves out are as they were.
const DELTA: &str = "delta";
/// In place of a sequence: how many of its elements stay, and those that follow.
const KEEP: &str = "@keep";
const THEN: &str = "@then";

/// The number of a file, from 0, and of a line in it, from 1.
pub type LinePlace = (usize, u64);

/// What a line demands.
#[derive(Clone, Debug, PartialEq)]
pub struct Demand {
    /// The number of its file, from 0.
    pub file: usize,
    /// The number of the line in its file, from 1.
    pub number: u64,
    /// The line itself, or its beginning.
    pub text: String,
    /// The name of its event.
    pub event: String,
    /// The node at which it happens.
    pub node: Option<usize>,
    /// The steps that it stands for, one after the other. If there are none, it only says what the state is.
    pub steps: Vec<StepDemand>,
    /// The index of a formula: if it is true, the line is no step.
    pub unless: Option<usize>,
    /// What must hold before the first step.
    pub before: Vec<Check>,
    /// What must hold after the last step.
    pub after: Vec<Check>,
    /// The messages that the steps send, each with the index of its variable. `None` if the line does not say.
    pub sent: Option<Vec<(usize, Value)>>,
    /// The message that is taken in.
    pub message: Option<Value>,
    /// The line itself, for formulas that ask about it.
    pub line: Option<Value>,
    /// The vector clock, by node. Empty if there is none.
    pub clock: Vec<u64>,
    /// When it began, and when it had ended.
    pub time: Option<(i128, i128)>,
}

/// A step that a line stands for.
#[derive(Clone, Debug, PartialEq)]
pub struct StepDemand {
    /// The actions that it may be.
    pub candidates: Vec<Candidate>,
    /// The same for the evaluator.
    pub wanted: Arc<[Wanted]>,
    /// Whether it may be left out.
    pub is_optional: bool,
    /// What it makes true: indices of formulas.
    pub holds: Vec<usize>,
    /// If there is one, it is taken again and again until this formula is true.
    pub until: Option<usize>,
    /// Whether nothing is known of it but that it may have been. What can't be evaluated then did not happen.
    pub is_guess: bool,
}

/// An action with the arguments that are known.
#[derive(Clone, Debug, PartialEq)]
pub struct Candidate {
    /// The index of its rule in the mapping.
    pub rule: usize,
    /// Indices of parameters, and their values.
    pub args: Vec<(usize, Value)>,
}

/// Something that must hold in a state.
#[derive(Clone, Debug, PartialEq)]
pub struct Check {
    /// What is looked at.
    pub what: What,
    /// The node whose part is meant. `None` for the whole.
    pub node: Option<Value>,
    /// What it must be.
    pub is: Is,
}

/// What is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// The variable with this index.
    Variable(usize),
    /// The expression of `[follow.values]` with this index.
    Expression(usize),
}

/// What something must be.
#[derive(Clone, Debug, PartialEq)]
pub enum Is {
    /// This value.
    Value(Value),
    /// A sequence: as many elements of the one before as are kept, and then these.
    Grown(usize, Vec<Value>),
    /// What it was before the line.
    Same,
}

/// The error for a line that demands nothing that makes sense.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadDemand {
    /// The line can't be read.
    #[error(transparent)]
    Line(#[from] BadLine),
    /// Nothing is known of its event.
    #[error("nothing is known of the event `{name}`; {}", match similar {
        Some(similar) => format!("did you mean `{similar}`?"),
        None => "say in [follow.events] which steps it stands for, or put it into `skip`".to_owned(),
    })]
    Event {
        /// Its name.
        name: String,
        /// An event with a similar name.
        similar: Option<String>,
    },
    /// A node is not one of the mapping's.
    #[error("there is no node `{name}`; the nodes are {nodes}")]
    Node {
        /// Its name.
        name: String,
        /// The names of all nodes.
        nodes: String,
    },
    /// A value does not have the shape that the mapping gives it.
    #[error("{what}: {misfit}")]
    Misfit {
        /// What it is.
        what: String,
        /// Why it does not fit.
        misfit: String,
    },
    /// A node is started again, and the specification has no such step.
    #[error("{node} is started again, and no action of the mapping is a fault that starts a node")]
    NoRestart {
        /// The name of the node.
        node: String,
    },
}

/// What a line turns out to be.
#[derive(Debug)]
pub enum Read {
    /// Nothing by itself: it does not count, or it is the beginning of an event.
    Nothing,
    /// It demands something.
    Demand(Box<Demand>),
}

/// What is known of the step that a node was in when its lines end.
#[derive(Clone, Debug)]
enum Begun {
    /// Nothing: its lines do not say when steps begin.
    Unknown,
    /// It was in no step.
    Nothing,
    /// In this one.
    Step(Line),
}

/// Turns lines into demands.
pub struct Demander<'m> {
    mapping: &'m Mapping,
    /// The actions of each rule.
    actions: Vec<Vec<ActionId>>,
    /// For each node, whether it has been started.
    started: Vec<bool>,
    /// For each node, the step that it has begun, and the file that says so.
    begun: Vec<(Begun, usize)>,
    /// How often each variable, and each expression, was compared.
    compared: (Vec<u64>, Vec<u64>),
    /// Lines that are the beginning of an event: the node, the name of the event, and the line.
    parts: Vec<(Option<usize>, String, Line)>,
    /// What the last line of each node has said of variables that are lists without order, by node and variable.
    lists: BTreeMap<(Option<usize>, usize), Vec<Json>>,
    /// For each node, what its lines begin with.
    beginnings: Vec<Beginning>,
    /// The places of the mapping that no line has had yet.
    unseen_paths: Vec<Path>,
}

/// The lines with which a node begins.
#[derive(Clone, Debug)]
enum Beginning {
    /// This is the last one so far, with the name of its event.
    Last(Option<(String, Line)>),
    /// They are over.
    Over,
}

impl<'m> Demander<'m> {
    /// Prepares to read lines.
    pub fn new(mapping: &'m Mapping, program: &Program) -> Demander<'m> {
        let of = |rule: &Rule| {
            let actions = program.actions.iter().enumerate();
            let same = actions.filter(|(_, action)| {
                action.name.as_str() == rule.action
                    && action
                        .args
                        .iter()
                        .map(|(name, _)| name.as_str())
                        .eq(rule.params.iter().map(String::as_str))
            });
            same.map(|(index, _)| ActionId::from_index(index)).collect()
        };
        Demander {
            mapping,
            actions: mapping.rules.iter().map(of).collect(),
            started: vec![false; mapping.words.nodes().len()],
            begun: vec![(Begun::Unknown, 0); mapping.words.nodes().len()],
            compared: (vec![0; mapping.variables.len()], vec![0; mapping.follow.values.len()]),
            parts: Vec::new(),
            lists: BTreeMap::new(),
            beginnings: vec![Beginning::Last(None); mapping.words.nodes().len()],
            unseen_paths: mapping.follow.own_paths(),
        }
    }

    /// The places that the mapping names for parts of lines, and that no line has.
    pub fn unseen_paths(&self) -> &[Path] {
        &self.unseen_paths
    }

    /// The steps of actions that leave no line.
    pub fn silent(&self) -> Arc<[Wanted]> {
        let actions = self.mapping.follow.silent.iter().flat_map(|rule| &self.actions[*rule]);
        actions.map(|action| Wanted::any(*action)).collect()
    }

    /// How often lines said what each variable is, and what each expression of `[follow.values]` is. For messages, how often they
    /// said what is sent.
    pub fn compared(&self) -> (&[u64], &[u64]) {
        (&self.compared.0, &self.compared.1)
    }

    /// The rule of an action.
    pub fn rule_of(&self, action: ActionId) -> Option<usize> {
        self.actions.iter().position(|actions| actions.contains(&action))
    }

    /// Reads a line.
    pub fn read(&mut self, text: &[u8], file: usize, number: u64, store: &Store) -> Result<Read, BadDemand> {
        let mapping = self.mapping;
        let follow = &mapping.follow;
        let mut line = Line::parse(text)?;
        if !line.counts(follow) {
            return Ok(Read::Nothing);
        }
        self.unseen_paths.retain(|path| line.at(path).is_none());
        let mut names = line.event(&follow.fields)?;
        let is_skipped = |name: &String| follow.skip.contains(name) || mapping.system.ignore.contains(name);
        let known = names.iter().position(|name| follow.events.contains_key(name) || is_skipped(name));
        let name = names.swap_remove(known.unwrap_or(0));
        if is_skipped(&name) {
            return Ok(Read::Nothing);
        }
        let node = self.node(&line, &follow.fields.node)?;
        if let Some(Beginning::Last(last)) = node.map(|node| &mut self.beginnings[node])
            && follow.beginning.contains(&name)
        {
            *last = Some((name, line));
            return Ok(Read::Nothing);
        }
        if name == BEGIN {
            if let Some(node) = node {
                self.begun[node] = (Begun::Step(line), file);
            }
            return Ok(Read::Nothing);
        }
        if let Some((begun, _)) = node.map(|node| &mut self.begun[node])
            && name != START
            && !matches!(begun, Begun::Unknown)
        {
            *begun = Begun::Nothing;
        }
        let restart;
        let event = match follow.events.get(&name) {
            Some(event) => event,
            None if name == START => {
                restart = self.start(node)?;
                &restart
            }
            None => {
                let similar = closest(&name, follow.event_names()).map(str::to_owned);
                return Err(BadDemand::Event { name, similar });
            }
        };
        if let Event::PartOf(whole) = event {
            self.parts.push((node, whole.clone(), line));
            return Ok(Read::Nothing);
        }
        while let Some(at) = self.parts.iter().position(|(at, whole, _)| *at == node && *whole == name) {
            let (_, _, part) = self.parts.remove(at);
            line.complete(&part);
        }
        self.complete_lists(&mut line, node);
        let is_restart = name == START && matches!(event, Event::Steps(own) if !own.steps.is_empty());
        let reader = LineReader { mapping, actions: &self.actions, line: &line, node, store };
        let mut demand = reader.demand(event, name, (file, number), beginning(text))?;
        if let Some(node) = node
            && let Beginning::Last(Some((name, first))) =
                std::mem::replace(&mut self.beginnings[node], Beginning::Over)
        {
            let reader = LineReader { line: &first, ..reader };
            demand.before.extend(reader.state(steps_of(follow.events.get(&name)))?);
        }
        if let Some(node) = node.filter(|_| is_restart) {
            let (begun, _) = std::mem::replace(&mut self.begun[node], (Begun::Nothing, file));
            let guess = self.unseen(&begun, Some(node), &line, store)?;
            demand.steps.splice(0..0, guess);
        }
        for check in demand.before.iter().chain(&demand.after).filter(|check| check.is != Is::Same) {
            match check.what {
                What::Variable(index) => self.compared.0[index] += 1,
                What::Expression(index) => self.compared.1[index] += 1,
            }
        }
        if demand.sent.is_some() || demand.message.is_some() {
            for (index, n) in self.compared.0.iter_mut().enumerate() {
                *n += u64::from(form_of(mapping, index).is_some());
            }
        }
        Ok(Read::Demand(Box::new(demand)))
    }

    /// What the end of a file demands: its nodes may have taken the steps that they had begun.
    pub fn end(&mut self, file: usize, number: u64, store: &Store) -> Result<Vec<Demand>, BadDemand> {
        let mut demands = Vec::new();
        for node in 0..self.begun.len() {
            let (Begun::Step(line), at) = &self.begun[node] else { continue };
            if *at != file {
                continue;
            }
            let line = line.clone();
            self.begun[node].0 = Begun::Nothing;
            let reader = LineReader {
                mapping: self.mapping,
                actions: &self.actions,
                line: &line,
                node: Some(node),
                store,
            };
            let text = format!("the end, in a step of {}", self.mapping.words.nodes()[node].0);
            let mut demand =
                reader.demand(&Event::observation(None), START.to_owned(), (file, number), text)?;
            demand.steps.extend(self.unseen(&Begun::Step(line.clone()), Some(node), &line, store)?);
            demands.push(demand);
        }
        Ok(demands)
    }

    /// Puts whole lists in place of those of which the line only says how they have grown. A sequence can grow by itself, but a set
    /// does not know in which order the node lists its elements.
    fn complete_lists(&mut self, line: &mut Line, node: Option<usize>) {
        for (index, variable) in self.mapping.variables.iter().enumerate() {
            let (Compared::Node(path, _) | Compared::Global(path, _)) = &variable.kind else { continue };
            if !is_unordered(&variable.shape) {
                continue;
            }
            let Some(json) = line.at_mut(self.mapping.follow.fields.state.iter().chain(path)) else {
                continue;
            };
            let known = self.lists.entry((node, index)).or_default();
            if let Some((keep, then)) = growth(json) {
                known.truncate(keep);
                known.extend_from_slice(then);
                *json = Json::Array(known.clone());
            } else if let Json::Array(elems) = json {
                known.clone_from(elems);
            }
        }
    }

    fn node(&self, line: &Line, path: &Path) -> Result<Option<usize>, BadDemand> {
        line.at(path).map(|json| node_of(json, self.mapping)).transpose()
    }

    /// What it means that a node starts.
    fn start(&mut self, node: Option<usize>) -> Result<Event, BadDemand> {
        let Some(node) = node else { return Ok(Event::observation(None)) };
        if !std::mem::replace(&mut self.started[node], true) {
            return Ok(Event::observation(None));
        }
        let starts = |rule: &Rule| matches!(rule.deed, Deed::Fault(Fault::Restart | Fault::Start));
        let rules: Vec<usize> = self
            .mapping
            .rules
            .iter()
            .enumerate()
            .filter(|(_, rule)| starts(rule))
            .map(|(at, _)| at)
            .collect();
        if rules.is_empty() {
            return Err(BadDemand::NoRestart { node: self.mapping.words.nodes()[node].0.clone() });
        }
        Ok(Event::Steps(Steps { steps: vec![EventStep { rules, is_optional: false }], ..Steps::default() }))
    }

    /// The step that a node may have taken before it was killed. A line is written when its step is over, so this one has left
    /// none. If nothing says which step it was in, it may have been any.
    fn unseen(
        &self,
        begun: &Begun,
        node: Option<usize>,
        start: &Line,
        store: &Store,
    ) -> Result<Option<StepDemand>, BadDemand> {
        let mapping = self.mapping;
        let any;
        let (event, line) = match begun {
            Begun::Nothing => return Ok(None),
            Begun::Step(line) => {
                let name = line.at(&vec![OF.to_owned()]).and_then(Json::as_str).unwrap_or_default();
                let Some(event) = mapping.follow.events.get(name) else { return Ok(None) };
                (event, line)
            }
            Begun::Unknown => {
                let takes = |rule: &Rule| {
                    matches!(rule.deed, Deed::Offer { .. } | Deed::Request { .. } | Deed::Command(_))
                };
                let rules =
                    mapping.rules.iter().enumerate().filter(|(_, rule)| takes(rule)).map(|(at, _)| at);
                let step = EventStep { rules: rules.collect(), is_optional: true };
                any = Event::Steps(Steps { steps: vec![step], ..Steps::default() });
                (&any, start)
            }
        };
        let reader = LineReader { mapping, actions: &self.actions, line, node, store };
        let demand = reader.demand(event, START.to_owned(), (0, 0), String::new())?;
        let last = demand.steps.into_iter().next_back();
        Ok(last.map(|step| StepDemand { is_optional: true, is_guess: true, ..step }))
    }
}

/// The node that JSON names: by its name, or by what the constants call it.
fn node_of(json: &Json, mapping: &Mapping) -> Result<usize, BadDemand> {
    let words = &mapping.words;
    let by_name = json.as_str().and_then(|name| words.node_named(name));
    by_name.or_else(|| words.node_of(words.value(json)?)).ok_or_else(|| BadDemand::Node {
        name: json.as_str().map_or_else(|| json.to_string(), str::to_owned),
        nodes: words.nodes().iter().map(|(name, _)| called(name, words)).collect::<Vec<_>>().join(", "),
    })
}

/// A node's name, and what lines call it if that is something else.
fn called(name: &str, words: &Words) -> String {
    let node = words.node_named(name).map(|index| words.nodes()[index].1);
    match node.and_then(|node| words.other_name(node)).filter(|other| *other != name) {
        Some(other) => format!("{name} ({other})"),
        None => name.to_owned(),
    }
}

/// The steps of an event, if it has some.
fn steps_of(event: Option<&Event>) -> Option<&Steps> {
    match event {
        Some(Event::Steps(steps)) => Some(steps),
        _ => None,
    }
}

/// Reads one line.
#[derive(Clone, Copy)]
struct LineReader<'r> {
    mapping: &'r Mapping,
    actions: &'r [Vec<ActionId>],
    line: &'r Line,
    node: Option<usize>,
    store: &'r Store,
}

impl LineReader<'_> {
    fn demand(
        &self,
        event: &Event,
        name: String,
        (file, number): LinePlace,
        text: String,
    ) -> Result<Demand, BadDemand> {
        let fields = &self.mapping.follow.fields;
        let from = self.line.at(&fields.from).map(|json| node_of(json, self.mapping)).transpose()?;
        let envelope = Envelope { from, to: self.node };
        let (mut steps, mut message) = (Vec::new(), None);
        let own = steps_of(Some(event));
        if let Some(own) = own {
            for index in 0..own.steps.len() {
                let step = self.step(own, index, &name, envelope)?;
                message = message.or_else(|| self.message_of(&step));
                steps.push(step);
            }
        }
        let mut before = self.checks(self.line.object(&fields.before)?, false)?;
        let mut after = Vec::new();
        match own.map_or(Moment::After, |own| own.state_is) {
            Moment::Before => before.extend(self.state(own)?),
            Moment::After => after = self.state(own)?,
        }
        let asks =
            own.is_some_and(|own| !own.holds.is_empty() || own.until.is_some() || own.unless.is_some());
        let line = (asks || self.mapping.follow.values_name_line())
            .then(|| self.translator().value(&Shape::Any, &self.line.as_value(), Envelope::default()))
            .transpose()
            .map_err(|misfit| misfits("the line is no value of TLA+".to_owned(), &misfit))?;
        let start = self.line.time(&fields.start)?;
        let end = self.line.time(&fields.end)?;
        if let (Some(start), Some(end)) = (start, end)
            && end < start
        {
            return Err(BadLine::EndsFirst(fields.start.join("."), fields.end.join(".")).into());
        }
        Ok(Demand {
            file,
            number,
            text,
            event: name,
            node: self.node,
            steps,
            unless: own.and_then(|own| own.unless),
            before,
            after,
            line,
            sent: self.sent()?,
            message,
            clock: self.clock()?,
            time: start.map(|start| (start, end.unwrap_or(start))),
        })
    }

    fn message_of(&self, step: &StepDemand) -> Option<Value> {
        step.candidates.iter().find_map(|candidate| {
            let param = self.mapping.rules[candidate.rule].message?;
            candidate.args.iter().find(|(at, _)| *at == param).map(|(_, value)| *value)
        })
    }

    fn translator(&self) -> Translator<'_> {
        Translator { store: self.store, words: &self.mapping.words }
    }

    /// What the line says about the state, as far as that counts for its event.
    fn state(&self, own: Option<&Steps>) -> Result<Vec<Check>, BadDemand> {
        let is_delta = self.line.at(&vec![DELTA.to_owned()]).and_then(Json::as_bool).unwrap_or(false);
        let mut checks = self.checks(self.line.object(&self.mapping.follow.fields.state)?, is_delta)?;
        self.expressions(&mut checks)?;
        if let Some(compares) = own.and_then(|own| own.compares.as_ref()) {
            checks.retain(|check| {
                let name = match check.what {
                    What::Variable(index) => &self.mapping.variables[index].name,
                    What::Expression(index) => &self.mapping.follow.values[index].text,
                };
                compares.contains(name)
            });
        }
        Ok(checks)
    }

    fn step(
        &self,
        Steps { steps, args, holds, until, .. }: &Steps,
        index: usize,
        event: &str,
        envelope: Envelope,
    ) -> Result<StepDemand, BadDemand> {
        let (step, is_last) = (&steps[index], index + 1 == steps.len());
        let (mut candidates, mut problem) = (Vec::new(), None);
        for rule in &step.rules {
            let has_message = self.line.at(&self.mapping.follow.fields.message).is_some();
            let asks = envelope.from.is_none()
                && has_message
                && self.mapping.rules[*rule].shapes.iter().any(Shape::asks_for_sender);
            // Whoever has not sent the message has it not under way.
            let senders: Vec<Option<usize>> = if asks {
                (0..self.mapping.words.nodes().len()).map(Some).collect()
            } else {
                vec![envelope.from]
            };
            for from in senders {
                match self.candidate(*rule, args, event, is_last, Envelope { from, ..envelope }) {
                    Ok(candidate) => candidates.extend(candidate),
                    Err(error) => problem = Some(error),
                }
            }
        }
        match problem {
            Some(problem) if candidates.is_empty() => return Err(problem),
            _ => {}
        }
        let wanted = candidates.iter().flat_map(|candidate| {
            let actions = self.actions[candidate.rule].iter();
            actions.map(|action| Wanted { action: *action, args: candidate.args.clone() })
        });
        Ok(StepDemand {
            wanted: wanted.collect(),
            candidates,
            is_optional: step.is_optional,
            is_guess: false,
            holds: holds.clone(),
            until: until.filter(|_| is_last),
        })
    }

    /// The arguments of an action, as far as the line has them. `None` if the action happens only at another node.
    fn candidate(
        &self,
        index: usize,
        mapped: &[(String, Path)],
        event: &str,
        is_last: bool,
        envelope: Envelope,
    ) -> Result<Option<Candidate>, BadDemand> {
        let rule = &self.mapping.rules[index];
        let fields = &self.mapping.follow.fields;
        let mut args: Vec<(usize, Value)> = Vec::new();
        match (&rule.node, self.node) {
            (Some(Place::Fixed(own)), Some(node)) if *own != node => return Ok(None),
            (Some(Place::Part(part)), Some(node)) if part.path.is_empty() => {
                args.push((part.param, self.mapping.words.nodes()[node].1));
            }
            _ => {}
        }
        let mut add = |param: usize, json: &Json, envelope: Envelope| {
            let value = self.translator().value(&rule.shapes[param], json, envelope).map_err(|misfit| {
                misfits(format!("the argument {} of `{event}` cannot be read", rule.params[param]), &misfit)
            })?;
            if !args.contains(&(param, value)) {
                args.push((param, value));
            }
            Ok::<(), BadDemand>(())
        };
        if let (Some(param), Some(json)) = (rule.message, self.line.at(&fields.message)) {
            add(param, json, envelope)?;
        }
        let param_named = |name: &str| rule.params.iter().position(|param| param == name);
        for (name, path) in mapped {
            if let (Some(param), Some(json)) = (param_named(name), self.line.at(path)) {
                let envelope = if rule.message == Some(param) { envelope } else { Envelope::default() };
                add(param, json, envelope)?;
            }
        }
        match self.line.at(&fields.args) {
            Some(Json::Object(named)) => {
                for (name, json) in named {
                    if let Some(param) = param_named(name) {
                        add(param, json, Envelope::default())?;
                    }
                }
            }
            Some(Json::Array(items)) if is_last => {
                for (param, json) in params_in_row(rule, items.len(), event)?.into_iter().zip(items) {
                    if let Some(param) = param {
                        add(param, json, Envelope::default())?;
                    }
                }
            }
            Some(Json::Array(_)) | None => {}
            Some(other) => {
                return Err(wrong(&fields.args, "a list, or an object by name", Some(other)).into());
            }
        }
        Ok(Some(Candidate { rule: index, args }))
    }

    /// What the line says about the state. `is_delta`: variables of the node that it leaves out are as they were.
    fn checks(&self, state: Option<&Map<String, Json>>, is_delta: bool) -> Result<Vec<Check>, BadDemand> {
        let mut checks = Vec::new();
        for (index, variable) in self.mapping.variables.iter().enumerate() {
            let what = What::Variable(index);
            let (path, node) = match (&variable.kind, self.node) {
                (Compared::Node(path, only), Some(node))
                    if only.as_ref().is_none_or(|only| only.contains(&node)) =>
                {
                    (path, Some(self.mapping.words.nodes()[node].1))
                }
                (Compared::Global(path, only), node)
                    if node.is_none() || only.is_none_or(|only| Some(only) == node) =>
                {
                    (path, None)
                }
                _ => continue,
            };
            let is_said_here = matches!(&variable.kind, Compared::Global(_, owner) if owner.is_some() && *owner == self.node);
            match state.and_then(|state| look_up_in(state, path)) {
                Some(json) => {
                    let is = self.reported(json, &variable.shape).map_err(|misfit| {
                        misfits(format!("the variable `{}` cannot be read", variable.name), &misfit)
                    })?;
                    checks.push(Check { what, node, is });
                }
                // What belongs to all nodes is said by one of them only if the mapping names that one.
                None if is_delta && (node.is_some() || is_said_here) => {
                    checks.push(Check { what, node, is: Is::Same });
                }
                None => {}
            }
        }
        Ok(checks)
    }

    /// A value that is reported, or how a sequence has grown.
    fn reported(&self, json: &Json, shape: &Shape) -> Result<Is, Misfit> {
        if let Some((keep, then)) = growth(json) {
            let then = self.translator().value(shape, &Json::Array(then.clone()), Envelope::default())?;
            if let Some(elems) = self.store.as_sequence(then) {
                return Ok(Is::Grown(keep, elems.to_vec()));
            }
        }
        let value = self.translator().value(shape, json, Envelope::default());
        if let (Err(misfit), Shape::Set(elem)) = (&value, shape)
            && misfit.is_repetition()
        {
            // The node lists something twice, so it is at fault, not the mapping: this is the value of no set.
            let list = Shape::Seq(elem.clone());
            return self.translator().value(&list, json, Envelope::default()).map(Is::Value);
        }
        value.map(Is::Value)
    }

    /// What the line says about expressions.
    fn expressions(&self, checks: &mut Vec<Check>) -> Result<(), BadDemand> {
        for (index, ReadValue { text, path, shape }) in self.mapping.follow.values.iter().enumerate() {
            let Some(json) = self.line.at(path) else { continue };
            if self.node.is_none() && self.mapping.follow.values[index].names("node") {
                continue;
            }
            let is = self
                .reported(json, shape)
                .map_err(|misfit| misfits(format!("the value of `{text}` cannot be read"), &misfit))?;
            let node = self.node.map(|node| self.mapping.words.nodes()[node].1);
            checks.push(Check { what: What::Expression(index), node, is });
        }
        Ok(())
    }

    fn sent(&self) -> Result<Option<Vec<(usize, Value)>>, BadDemand> {
        let path = &self.mapping.follow.fields.sent;
        let Some(json) = self.line.at(path) else { return Ok(None) };
        let Json::Array(items) = json else {
            return Err(wrong(path, "a list of messages", Some(json)).into());
        };
        let mut sent = Vec::with_capacity(items.len());
        for item in items {
            let (to, message) = match item.get("message") {
                Some(message) => (item.get("to"), message),
                None => (None, item),
            };
            let to = to.map(|to| node_of(to, self.mapping)).transpose()?;
            sent.extend(self.message(message, Envelope { from: self.node, to })?);
        }
        Ok(Some(sent))
    }

    /// The variable that a message belongs to, and its value there: the first variable whose shape it has.
    fn message(&self, json: &Json, envelope: Envelope) -> Result<Option<(usize, Value)>, BadDemand> {
        let mut problem = None;
        for (index, variable) in self.mapping.variables.iter().enumerate() {
            if !matches!(variable.kind, Compared::Messages(_)) {
                continue;
            }
            match self.translator().value(&variable.shape, json, envelope) {
                Ok(value) => return Ok(Some((index, value))),
                Err(misfit) => {
                    let text = format!("the message {} cannot be read", shortened(json));
                    problem = problem.or(Some(misfits(text, &misfit)));
                }
            }
        }
        problem.map_or(Ok(None), Err)
    }

    fn clock(&self) -> Result<Vec<u64>, BadDemand> {
        let path = &self.mapping.follow.fields.clock;
        let Some(clock) = self.line.object(path)? else { return Ok(Vec::new()) };
        let mut times = vec![0; self.mapping.words.nodes().len()];
        for (name, time) in clock {
            let node = node_of(&Json::from(name.as_str()), self.mapping)?;
            times[node] = time.as_u64().ok_or_else(|| wrong(path, "an object of numbers", Some(time)))?;
        }
        Ok(times)
    }
}

/// The beginning of a line, which people will see.
fn beginning(text: &[u8]) -> String {
    const BYTES_MAX: usize = 400;
    let line = text.trim_ascii();
    match line.get(..BYTES_MAX) {
        Some(part) if line.len() > BYTES_MAX => format!("{}…", String::from_utf8_lossy(part)),
        _ => String::from_utf8_lossy(line).into_owned(),
    }
}

/// The parameters for arguments in a row. `None` for one that is no parameter.
fn params_in_row(rule: &Rule, n_args: usize, event: &str) -> Result<Vec<Option<usize>>, BadDemand> {
    if let Deed::Request { args, .. } = &rule.deed
        && args.len() == n_args
    {
        let param = |arg: &Template| match arg {
            Template::Param(param) => Some(*param),
            Template::Count | Template::Fixed(_) => None,
        };
        return Ok(args.iter().map(param).collect());
    }
    let params = rule.params_of(n_args).map_err(|wanted| BadDemand::Misfit {
        what: format!("`{event}` has {n_args} arguments"),
        misfit: format!("the mapping expects {wanted}"),
    })?;
    Ok(params.into_iter().map(Some).collect())
}

fn look_up_in<'j>(state: &'j Map<String, Json>, path: &[String]) -> Option<&'j Json> {
    let (first, rest) = path.split_first()?;
    look_up(state.get(first)?, rest)
}

/// How a list has grown: how many of its elements stay, and those that follow.
fn growth(json: &Json) -> Option<(usize, &Vec<Json>)> {
    let object = json.as_object().filter(|object| object.len() == 2)?;
    Some((object.get(KEEP)?.as_u64()? as usize, object.get(THEN)?.as_array()?))
}

/// Whether the values of a shape are lists without order.
fn is_unordered(shape: &Shape) -> bool {
    match shape {
        Shape::Set(_) | Shape::Map(..) => true,
        Shape::Or(shape, _) => is_unordered(shape),
        _ => false,
    }
}

fn misfits(what: String, misfit: &Misfit) -> BadDemand {
    BadDemand::Misfit { what, misfit: misfit.to_string() }
}

impl Demand {
    /// Its line.
    pub fn place(&self) -> LinePlace {
        (self.file, self.number)
    }

    /// Whether what it does is the same whenever it comes, as far as other nodes only send messages to its own: no step takes
    /// in a message that is not known.
    pub fn is_certain(&self, mapping: &Mapping) -> bool {
        self.node.is_some()
            && self.steps.iter().all(|step| {
                let mut messages = step.candidates.iter().filter_map(|candidate| {
                    let param = mapping.rules[candidate.rule].message?;
                    Some(candidate.args.iter().find(|(at, _)| *at == param).map(|(_, value)| *value))
                });
                let first = messages.next();
                !step.is_guess && first != Some(None) && messages.all(|message| Some(message) == first)
            })
    }

    /// The demand with the steps that nothing but a guess speaks for, or without them. `None` if it has none.
    pub fn guessed(&self, is_taken: bool) -> Option<Demand> {
        self.steps.iter().any(|step| step.is_guess).then(|| {
            let mut demand = self.clone();
            demand.steps.retain(|step| is_taken || !step.is_guess);
            for step in demand.steps.iter_mut().filter(|step| step.is_guess) {
                step.is_optional = false;
            }
            demand
        })
    }

    /// Takes the values of a demand along to another store.
    pub fn adopt(&mut self, to: &Store, from: &Store, moved: &mut Moved) {
        let mut adopt = |value: &mut Value| *value = to.adopt(*value, from, moved);
        for step in &mut self.steps {
            for candidate in &mut step.candidates {
                candidate.args.iter_mut().for_each(|(_, value)| adopt(value));
            }
            let mut wanted = step.wanted.to_vec();
            wanted.iter_mut().flat_map(|one| &mut one.args).for_each(|(_, value)| adopt(value));
            step.wanted = wanted.into();
        }
        for check in self.before.iter_mut().chain(&mut self.after) {
            check.node.iter_mut().for_each(&mut adopt);
            match &mut check.is {
                Is::Value(value) => adopt(value),
                Is::Grown(_, then) => then.iter_mut().for_each(&mut adopt),
                Is::Same => {}
            }
        }
        self.sent.iter_mut().flatten().for_each(|(_, value)| adopt(value));
        self.message.iter_mut().chain(&mut self.line).for_each(adopt);
    }
}

/// How a variable stores messages. `None` if it stores none.
pub(crate) fn form_of(mapping: &Mapping, variable: usize) -> Option<Form> {
    match &mapping.variables[variable].kind {
        Compared::Messages(form) => Some(*form),
        _ => None,
    }
}
