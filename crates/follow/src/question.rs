//! Asks about a line of a log what the expressions of `[follow]` are. They are compiled into a program of their own: the
//! specification with three more variables, which say what the line is, its node, and the arguments of its step.

use std::fmt::Write as _;

use kilter_eval::reason::Reason;
use kilter_eval::{EvalError, Label, Predicate, Program, Worker};
use kilter_mapping::follow::Follow;
use kilter_value::{Store, Value, View};

/// The variables that are added, in order.
const LINE: &str = "KilterLine";
const NODE: &str = "KilterNode";
const ARGS: &str = "KilterArgs";
/// What the names of all questions begin with.
const QUESTION: &str = "KilterAsked";

/// A module with an expression of TLA+ for each question, and what a configuration must say to compile it. `None` if there
/// are no questions.
pub fn module(follow: &Follow, root: &str) -> Option<(String, String)> {
    let mut module = format!(
        "---- MODULE KilterFollow ----\nEXTENDS {root}\nVARIABLES {LINE}, {NODE}, {ARGS}\nline == {LINE}\nnode == {NODE}\n{}\n",
        follow.definitions
    );
    let mut config = String::new();
    for (index, (text, params)) in texts(follow).enumerate() {
        let _ = writeln!(module, "{QUESTION}{index} ==");
        if !params.is_empty() {
            let params = params.iter().map(|param| format!("{param} == {ARGS}.{param}"));
            let _ = writeln!(module, "  LET {} IN", params.collect::<Vec<_>>().join("\n      "));
        }
        let _ = writeln!(module, "  {text}");
        let _ = writeln!(config, "\nACTION_CONSTRAINT {QUESTION}{index}");
    }
    module.push_str("====\n");
    (!config.is_empty()).then_some((module, config))
}

/// All questions, with the parameters that they may name.
fn texts(follow: &Follow) -> impl Iterator<Item = (&str, &[String])> {
    let values = follow.values.iter().map(|value| (value.text.as_str(), &[] as &[String]));
    let formulas = follow.formulas.iter().map(|formula| (formula.text.as_str(), formula.params.as_slice()));
    values.chain(formulas)
}

/// An error with the question in place of its place, which is in a text that nobody has written.
fn unplaced(error: EvalError, text: &str) -> EvalError {
    EvalError {
        message: format!("`{text}` of [follow] cannot be evaluated: {}", error.message),
        span: None,
        ..error
    }
}

/// What is asked about.
#[derive(Clone, Copy, Debug)]
pub struct About<'a> {
    /// The line.
    pub line: Option<Value>,
    /// Its node.
    pub node: Option<Value>,
    /// Its step.
    pub step: Option<&'a Label>,
}

/// Answers questions.
pub(crate) struct Asker<'s> {
    /// The program whose steps are asked about.
    steps_of: &'s Program,
    /// One for each question.
    questions: &'s [Predicate],
    /// What they ask.
    texts: Vec<String>,
    /// The number of those that are values; formulas come after them.
    n_values: usize,
    store: &'s Store,
    worker: Worker<'s>,
    before: Vec<Value>,
    after: Vec<Value>,
}

impl<'s> Asker<'s> {
    /// `program` is that of `module`, and `steps_of` that of the specification alone.
    pub(crate) fn new(
        program: &'s Program,
        steps_of: &'s Program,
        follow: &Follow,
        store: &'s Store,
        stack_bytes: usize,
    ) -> Asker<'s> {
        let n_values = follow.values.len();
        // The configuration may have constraints of its own.
        let n_own = program.action_constraints.len() - n_values - follow.formulas.len();
        Asker {
            steps_of,
            questions: &program.action_constraints[n_own..],
            texts: texts(follow).map(|(text, _)| text.to_owned()).collect(),
            n_values,
            store,
            worker: Worker::new(program, store, stack_bytes),
            before: Vec::new(),
            after: Vec::new(),
        }
    }

    /// The value of an expression in a state.
    pub(crate) fn value(
        &mut self,
        index: usize,
        about: About<'_>,
        row: &[Value],
    ) -> Result<Value, EvalError> {
        self.set(about, row, row);
        let question = &self.questions[index];
        self.worker
            .value(question, &self.before, Some(&self.after))
            .map_err(|error| unplaced(error, &self.texts[index]))
    }

    /// Whether a formula is true of a step.
    pub(crate) fn holds(
        &mut self,
        index: usize,
        about: About<'_>,
        before: &[Value],
        after: &[Value],
    ) -> Result<bool, EvalError> {
        self.set(about, before, after);
        let index = self.n_values + index;
        let question = &self.questions[index];
        self.worker
            .holds(question, &self.before, Some(&self.after))
            .map_err(|error| unplaced(error, &self.texts[index]))
    }

    /// Why a formula is false of a step, and how near it is to being true.
    pub(crate) fn reasons(
        &mut self,
        index: usize,
        about: About<'_>,
        before: &[Value],
        after: &[Value],
    ) -> (Vec<Reason>, usize) {
        self.set(about, before, after);
        let question = &self.questions[self.n_values + index];
        let nearness = self.worker.nearness(question, &self.before, Some(&self.after));
        let mut reasons = self.worker.reasons(question, &self.before, Some(&self.after));
        for reason in &mut reasons {
            // The name of a question says nothing to anybody.
            reason.within = reason.within.take().filter(|site| !site.name.starts_with(QUESTION));
        }
        (reasons, nearness)
    }

    fn set(&mut self, About { line, node, step }: About<'_>, before: &[Value], after: &[Value]) {
        let nothing = self.store.tuple(&[]);
        let added = [line.unwrap_or(nothing), node.unwrap_or(nothing), self.args(step)];
        for (row, state) in [(&mut self.before, before), (&mut self.after, after)] {
            row.clear();
            row.extend_from_slice(state);
            row.extend(added);
        }
    }

    /// The arguments of a step, by name.
    fn args(&self, step: Option<&Label>) -> Value {
        let mut fields = Vec::new();
        if let Some(label) = step
            && let Some(action) = label.action
            && let View::Tuple(args) = self.store.view(label.args)
        {
            let names = self.steps_of.actions[action].args.iter();
            fields.extend(names.zip(args.iter()).map(|((name, _), value)| (self.store.string(name), value)));
        }
        self.store.record(&mut fields)
    }
}
