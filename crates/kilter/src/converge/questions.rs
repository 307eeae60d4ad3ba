//! The expressions of `[actions]`. They are compiled into a module of their own, which extends the model with one more
//! variable: the arguments of the step that is asked about.

use std::fmt::Write as _;

use kilter_converge::step::{Deed, Replica, Step};
use kilter_converge::words::{self, Actions, Answer, Verb};
use kilter_eval::{EvalError, Program, Worker};
use kilter_value::{Store, Value, View};

use crate::error::Tried;

const ARGS: &str = "KilterArgs";
/// What the names of all questions begin with.
const QUESTION: &str = "KilterAsked";
/// The name of the module.
pub(super) const MODULE: &str = "KilterConverge";
/// The entry of `[actions]` that says how a schedule begins.
pub(super) const INIT: &str = "Init";
/// The definition of a model that says where a schedule ends.
pub(super) const DONE: &str = "Done";

/// An action of the model with the names of its arguments.
pub(super) struct Signature {
    pub(super) name: String,
    pub(super) args: Vec<String>,
}

/// A word of an action, with the numbers of its questions.
struct Asked {
    verb: Verb,
    question: usize,
    beside: Option<usize>,
}

/// All questions.
pub(super) struct Questions {
    texts: Vec<String>,
    /// The words of each action, by the number of the action, and those of the beginning.
    actions: Vec<Vec<Asked>>,
    init: Vec<Asked>,
    done: Option<usize>,
    replicas: u8,
}

impl Questions {
    /// Numbers the questions, and writes the module and the lines of its configuration.
    pub(super) fn new(
        model: &str,
        actions: &Actions,
        known: &[Signature],
        has_done: bool,
        replicas: u8,
    ) -> (Self, String, String) {
        let mut questions =
            Self { texts: Vec::new(), actions: Vec::new(), init: Vec::new(), done: None, replicas };
        let mut module = format!("---- MODULE {MODULE} ----\nEXTENDS {model}\nVARIABLE {ARGS}\n");
        for Signature { name, args } in known {
            let asked = questions.ask_all(actions.get(name), args, &mut module);
            questions.actions.push(asked);
        }
        questions.init = questions.ask_all(actions.get(INIT), &[], &mut module);
        questions.done = has_done.then(|| questions.ask(DONE, &[], &mut module));
        module.push_str("====\n");
        let mut config = String::new();
        for index in 0..questions.texts.len() {
            let _ = writeln!(config, "ACTION_CONSTRAINT {QUESTION}{index}");
        }
        (questions, module, config)
    }

    fn ask_all(
        &mut self,
        words: Option<&Vec<words::Word>>,
        args: &[String],
        module: &mut String,
    ) -> Vec<Asked> {
        let mut asked = Vec::new();
        for word in words.into_iter().flatten() {
            let Ok((verb, text)) = word.verb() else { continue };
            let question = self.ask(text, args, module);
            let beside = word.beside().map(|text| self.ask(text, args, module));
            asked.push(Asked { verb, question, beside });
        }
        asked
    }

    fn ask(&mut self, text: &str, args: &[String], module: &mut String) -> usize {
        let number = self.texts.len();
        let _ = writeln!(module, "{QUESTION}{number} ==");
        if !args.is_empty() {
            let bound: Vec<String> = args.iter().map(|name| format!("{name} == {ARGS}.{name}")).collect();
            let _ = writeln!(module, "  LET {} IN", bound.join("\n      "));
        }
        let _ = writeln!(module, "  {text}");
        self.texts.push(text.to_owned());
        number
    }

    /// What a step is on the store. `action` is its number among the known ones.
    pub(super) fn step(
        &self,
        worker: &mut Worker<'_>,
        (action, signature): (usize, &Signature),
        args: Value,
        (before, after): (&[Value], &[Value]),
    ) -> Tried<Step> {
        let store = worker.store();
        let values: Vec<Value> = match store.view(args) {
            View::Tuple(args) => args.iter().collect(),
            _ => Vec::new(),
        };
        let mut fields: Vec<(Value, Value)> =
            signature.args.iter().zip(&values).map(|(name, value)| (store.string(name), *value)).collect();
        let shown: Vec<String> = values.iter().map(|value| store.show(*value)).collect();
        let name = if shown.is_empty() {
            signature.name.clone()
        } else {
            format!("{}({})", signature.name, shown.join(", "))
        };
        let record = store.record(&mut fields);
        let deeds = self.deeds(worker, &self.actions[action], record, before, after);
        Ok(Step::new(name, deeds.map_err(|why| format!("{} in [actions]: {why}", signature.name))?))
    }

    /// How a schedule begins.
    pub(super) fn beginning(&self, worker: &mut Worker<'_>, row: &[Value]) -> Tried<Vec<Deed>> {
        let nothing = worker.store().empty_tuple();
        let deeds = self.deeds(worker, &self.init, nothing, row, row);
        Ok(deeds.map_err(|why| format!("{INIT} in [actions]: {why}"))?)
    }

    fn deeds(
        &self,
        worker: &mut Worker<'_>,
        asked: &[Asked],
        args: Value,
        before: &[Value],
        after: &[Value],
    ) -> Result<Vec<Deed>, String> {
        let [before, after] =
            [before, after].map(|row| row.iter().copied().chain([args]).collect::<Vec<_>>());
        let mut deeds = Vec::new();
        for Asked { verb, question, beside } in asked {
            let ask = |worker: &mut Worker<'_>, number: usize| {
                let value = value(worker, self.own(worker.program(), number), &before, &after);
                value.map_err(|error| format!("`{}`: {}", self.texts[number], error.message))
            };
            let found = ask(worker, *question)?;
            let more = beside.map(|number| ask(worker, number)).transpose()?;
            let answer = |value: Value| answer(worker.store(), value, self.replicas);
            let made = words::deeds(*verb, answer(found), more.map(answer), self.replicas);
            deeds.extend(made.map_err(|wanted| {
                let (text, is) = (&self.texts[*question], worker.store().show(found));
                format!("`{} = {text}` is {is}, and should be {wanted}", verb.word())
            })?);
        }
        Ok(deeds)
    }

    /// Whether a schedule ends in a state. `None` if the model does not say.
    pub(super) fn is_done(&self, worker: &mut Worker<'_>, row: &[Value]) -> Option<Result<bool, EvalError>> {
        let number = self.done?;
        let row: Vec<Value> = row.iter().copied().chain([worker.store().empty_tuple()]).collect();
        let program = worker.program();
        let question = &program.action_constraints[self.own(program, number)];
        Some(worker.holds(question, &row, Some(&row)))
    }

    /// The configuration may have constraints of its own, which come first.
    fn own(&self, program: &Program, number: usize) -> usize {
        program.action_constraints.len() - self.texts.len() + number
    }
}

fn value(
    worker: &mut Worker<'_>,
    index: usize,
    before: &[Value],
    after: &[Value],
) -> Result<Value, EvalError> {
    let program = worker.program();
    worker.value(&program.action_constraints[index], before, Some(after))
}

/// The replica that a model value names.
fn replica(store: &Store, value: Value, n: u8) -> Option<Replica> {
    value.as_model_number()?;
    let name = store.show(value);
    Replica::all(n).find(|replica| replica.to_string() == name)
}

fn answer(store: &Store, value: Value, n: u8) -> Answer {
    if let Some(replica) = replica(store, value, n) {
        return Answer::Replica(replica);
    }
    let all = |values: Vec<Value>| values.into_iter().map(|value| answer(store, value, n)).collect();
    if let Some(text) = store.string_text(value) {
        return Answer::Text(text.to_owned());
    }
    match store.view(value) {
        View::Int(number) => Answer::Number(number),
        View::Tuple(items) => Answer::Tuple(all(items.iter().collect())),
        View::Set(_) | View::Interval { .. } => {
            Answer::Set(all(store.items(value).map(|items| items.iter().collect()).unwrap_or_default()))
        }
        View::Function { domain, values } => counts(store, domain, &values.to_vec(), n)
            .map_or_else(|| Answer::Other(store.show(value)), Answer::Counts),
        _ => Answer::Other(store.show(value)),
    }
}

fn counts(store: &Store, domain: Value, values: &[Value], n: u8) -> Option<Vec<(Replica, i32)>> {
    let names = store.items(domain)?;
    names
        .iter()
        .zip(values)
        .map(|(name, count)| Some((replica(store, name, n)?, store.as_int(*count)?)))
        .collect()
}
