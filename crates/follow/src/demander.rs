//! Turns the lines of a log into demands, one after the other: what belongs to no single line is kept here.

use std::collections::BTreeMap;
use std::sync::Arc;

use kilter_base::Id;
use kilter_base::suggest::closest;
use kilter_eval::node::ActionId;
use kilter_eval::{Program, Wanted};
use kilter_mapping::Mapping;
use kilter_mapping::follow::{Event, EventStep, Path, Steps};
use kilter_mapping::mapping::{Compared, Deed, Rule};
use kilter_system::Fault;
use kilter_value::Store;
use serde_json::Value as Json;

use crate::demand::{BadDemand, Demand, Is, StepDemand, What, form_of};
use crate::line::Line;
use crate::line_reader::{LineReader, growth, is_unordered, node_of, steps_of};

/// The event that a probe writes when its node starts. Later ones at the same node mean that it was started again.
pub const START: &str = "kilter.start";
/// The event with which a probe says that its node begins a step, and the field with the name of that step's event.
const BEGIN: &str = "kilter.begin";
const OF: &str = "of";

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

/// The beginning of a line, which people will see.
fn beginning(text: &[u8]) -> String {
    const BYTES_MAX: usize = 400;
    let line = text.trim_ascii();
    match line.get(..BYTES_MAX) {
        Some(part) if line.len() > BYTES_MAX => format!("{}…", String::from_utf8_lossy(part)),
        _ => String::from_utf8_lossy(line).into_owned(),
    }
}
