//! Reads what one line says, in the specification's words.

use kilter_eval::Wanted;
use kilter_eval::node::ActionId;
use kilter_mapping::Mapping;
use kilter_mapping::follow::{Event, Moment, Path, ReadValue, Steps};
use kilter_mapping::mapping::{Compared, Deed, Place, Rule, Template};
use kilter_mapping::shape::Shape;
use kilter_mapping::translate::{Envelope, Misfit, Translator, shortened};
use kilter_mapping::words::Words;
use kilter_value::{Store, Value};
use serde_json::{Map, Value as Json};

use crate::demand::{BadDemand, Candidate, Check, Demand, Is, LinePlace, StepDemand, What};
use crate::line::{BadLine, Line, look_up, wrong};

/// The field in which a probe says that variables which a line leaves out are as they were.
const DELTA: &str = "delta";
/// In place of a sequence: how many of its elements stay, and those that follow.
const KEEP: &str = "@keep";
const THEN: &str = "@then";

/// The steps of an event, if it has some.
pub(crate) fn steps_of(event: Option<&Event>) -> Option<&Steps> {
    match event {
        Some(Event::Steps(steps)) => Some(steps),
        _ => None,
    }
}

/// Reads one line.
#[derive(Clone, Copy)]
pub(crate) struct LineReader<'r> {
    pub(crate) mapping: &'r Mapping,
    pub(crate) actions: &'r [Vec<ActionId>],
    pub(crate) line: &'r Line,
    pub(crate) node: Option<usize>,
    pub(crate) store: &'r Store,
}

impl LineReader<'_> {
    pub(crate) fn demand(
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
    pub(crate) fn state(&self, own: Option<&Steps>) -> Result<Vec<Check>, BadDemand> {
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

/// The node that JSON names: by its name, or by what the constants call it.
pub(crate) fn node_of(json: &Json, mapping: &Mapping) -> Result<usize, BadDemand> {
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
pub(crate) fn growth(json: &Json) -> Option<(usize, &Vec<Json>)> {
    let object = json.as_object().filter(|object| object.len() == 2)?;
    Some((object.get(KEEP)?.as_u64()? as usize, object.get(THEN)?.as_array()?))
}

/// Whether the values of a shape are lists without order.
pub(crate) fn is_unordered(shape: &Shape) -> bool {
    match shape {
        Shape::Set(_) | Shape::Map(..) => true,
        Shape::Or(shape, _) => is_unordered(shape),
        _ => false,
    }
}

fn misfits(what: String, misfit: &Misfit) -> BadDemand {
    BadDemand::Misfit { what, misfit: misfit.to_string() }
}
