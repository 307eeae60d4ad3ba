//! Steps from a state that meet a demand.

use std::collections::VecDeque;
use std::rc::Rc;
use std::sync::Arc;

use kilter_eval::{EvalError, Label, Program, Successors, Wanted, Worker};
use kilter_mapping::Mapping;
use kilter_mapping::file::Form;
use kilter_mapping::mapping::{Compared, Place};
use kilter_value::{Store, Value, View};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::demand::{Check, Demand, Is, StepDemand, What, form_of};
use crate::demander::Demander;
use crate::moment::{Moment, Reached};
use crate::question::{About, Asker};

/// The most states that are passed through while a step is repeated for one line.
const REPEATED_MAX: usize = 10_000;
/// The most rounds of such a step that are looked at to explain why it is not what a line says.
const ROUNDS_EXPLAINED_MAX: usize = 1_000;

/// Takes steps.
pub(crate) struct Stepper<'s> {
    pub(crate) program: &'s Program,
    pub(crate) mapping: &'s Mapping,
    pub(crate) store: &'s Store,
    pub(crate) worker: Worker<'s>,
    /// Answers what expressions of `[follow]` are, if there are any.
    pub(crate) asker: Option<Asker<'s>>,
    /// Whether states in which an INVARIANT is false are no states of the behavior.
    pub(crate) checks_invariants: bool,
    /// Whether a step that is repeated for one line would have passed through more than [`REPEATED_MAX`] states. Then a
    /// line that nothing explains may still have an explanation.
    pub(crate) has_cut_short: bool,
    successors: Successors,
    /// For each action, the index of its rule.
    rules: Vec<Option<usize>>,
}

/// What becomes of states when a line is explained.
pub(crate) struct Advanced {
    /// The states after it.
    pub(crate) found: Vec<Rc<Moment>>,
    /// The states in which it is not possible.
    pub(crate) stay: Vec<Rc<Moment>>,
    /// Whether it changes nothing but what belongs to its node.
    pub(crate) is_local: bool,
}

/// Why a state after the steps of a line is not what the line says.
#[derive(Clone, Debug, PartialEq)]
pub enum Mismatch {
    /// Something has another value.
    Value {
        /// What.
        what: What,
        /// The node whose part is meant.
        node: Option<Value>,
        /// What the specification says. `None` if it has nothing there.
        specified: Option<Value>,
        /// What the line says.
        logged: Value,
    },
    /// The specification sends this message, and the line does not say so.
    NotLogged(Value),
    /// The line says that this message was sent, and the specification does not send it.
    NotSent(Value),
    /// An INVARIANT, by its index, is false.
    Invariant(usize),
}

impl<'s> Stepper<'s> {
    pub(crate) fn new(
        program: &'s Program,
        questions: Option<&'s Program>,
        mapping: &'s Mapping,
        store: &'s Store,
        demander: &Demander<'_>,
        checks_invariants: bool,
        stack_bytes: usize,
    ) -> Stepper<'s> {
        use kilter_base::Id;
        let rules = (0..program.actions.len()).map(|index| demander.rule_of(Id::from_index(index))).collect();
        Stepper {
            program,
            mapping,
            store,
            worker: Worker::new(program, store, stack_bytes),
            asker: questions
                .map(|questions| Asker::new(questions, program, &mapping.follow, store, stack_bytes)),
            checks_invariants,
            has_cut_short: false,
            successors: Successors::default(),
            rules,
        }
    }

    /// The states that meet a demand after one of these, each once.
    pub(crate) fn advance(&mut self, states: &[Rc<Moment>], demand: &Demand) -> Result<Advanced, EvalError> {
        let (mut found, mut stay) = (Vec::new(), Vec::new());
        let mut is_local = true;
        for state in states {
            let n_before = found.len();
            if !self.all_hold(demand, &demand.before, &state.row(), &state.row())? {
                stay.push(Rc::clone(state));
                continue;
            }
            for end in self.ends(state, demand)? {
                let (before, after) = (state.row(), end.row());
                if self.all_hold(demand, &demand.after, &before, &after)?
                    && self.sends_what_is_said(demand, &before, &after)
                {
                    is_local = is_local && self.is_local(demand.node, &before, &after);
                    drop(after);
                    found.push(end);
                }
            }
            if found.len() == n_before {
                stay.push(Rc::clone(state));
            }
        }
        if found.len() > 1 {
            Self::keep_different(&mut found);
        }
        if self.checks_invariants {
            let mut good = Vec::with_capacity(found.len());
            for end in found {
                if self.false_invariant(&end)?.is_none() {
                    good.push(end);
                }
            }
            found = good;
        }
        Ok(Advanced { found, stay, is_local })
    }

    /// Whether a step changes nothing but what belongs to its node, messages, and what only bounds the model.
    fn is_local(&self, node: Option<usize>, before: &[Value], after: &[Value]) -> bool {
        let Some(node) = node else { return false };
        self.mapping.variables.iter().zip(before.iter().zip(after)).all(|(variable, (before, after))| {
            if before == after {
                return true;
            }
            match &variable.kind {
                Compared::Bound | Compared::Messages(_) => true,
                Compared::Global(_, owner) => *owner == Some(node),
                Compared::Node(..) | Compared::Not | Compared::Unnamed => {
                    let part = |whole: Value, of: Value| self.store.apply(whole, of).ok().flatten();
                    let nodes = self.mapping.words.nodes();
                    part(*before, nodes[node].1).is_some()
                        && nodes
                            .iter()
                            .enumerate()
                            .all(|(at, (_, of))| at == node || part(*before, *of) == part(*after, *of))
                }
            }
        })
    }

    /// The states after the steps of a demand, whatever it says about the state.
    pub(crate) fn ends(&mut self, state: &Rc<Moment>, demand: &Demand) -> Result<Vec<Rc<Moment>>, EvalError> {
        let mut ends = vec![Rc::clone(state)];
        if let Some(unless) = demand.unless {
            let about = self.about(demand, None);
            if let Some(asker) = &mut self.asker
                && asker.holds(unless, about, &state.row(), &state.row())?
            {
                return Ok(ends);
            }
        }
        for step in &demand.steps {
            let mut next = if step.is_optional { ends.clone() } else { Vec::new() };
            for end in &ends {
                next.append(&mut self.take(end, step, demand)?);
            }
            if next.len() > 1 {
                Self::keep_different(&mut next);
            }
            ends = next;
        }
        Ok(ends)
    }

    /// The states after a step, which is taken again and again if it says so.
    fn take(
        &mut self,
        from: &Rc<Moment>,
        step: &StepDemand,
        demand: &Demand,
    ) -> Result<Vec<Rc<Moment>>, EvalError> {
        let Some(until) = step.until else { return self.take_once(from, step, demand) };
        let mut ends = Vec::new();
        let mut seen: FxHashSet<Box<[Value]>> = FxHashSet::default();
        let mut open = vec![Rc::clone(from)];
        while let Some(from) = open.pop() {
            for end in self.take_once(&from, step, demand)? {
                if self.is_true(until, &from.row(), &end, demand)? {
                    ends.push(end);
                } else if seen.len() == REPEATED_MAX {
                    self.has_cut_short = true;
                } else if seen.insert(Box::from(&*end.row())) {
                    open.push(end);
                }
            }
        }
        Ok(ends)
    }

    /// The states after each round of a step that is taken again and again, whether its formulas are true of it or not.
    pub(crate) fn rounds(
        &mut self,
        from: &Rc<Moment>,
        step: &StepDemand,
        demand: &Demand,
    ) -> Result<Vec<Rc<Moment>>, EvalError> {
        let once = StepDemand { holds: Vec::new(), until: None, ..step.clone() };
        let mut rounds = Vec::new();
        let mut seen: FxHashSet<Box<[Value]>> = FxHashSet::default();
        let mut open = VecDeque::from([Rc::clone(from)]);
        while let Some(from) = open.pop_front() {
            for end in self.take_once(&from, &once, demand)? {
                let mut goes_on = step.until.is_some();
                for formula in &step.holds {
                    goes_on = goes_on && self.is_true(*formula, &from.row(), &end, demand)?;
                }
                if goes_on && seen.insert(Box::from(&*end.row())) {
                    open.push_back(Rc::clone(&end));
                }
                rounds.push(end);
                if rounds.len() == ROUNDS_EXPLAINED_MAX {
                    return Ok(rounds);
                }
            }
        }
        Ok(rounds)
    }

    fn take_once(
        &mut self,
        from: &Rc<Moment>,
        step: &StepDemand,
        demand: &Demand,
    ) -> Result<Vec<Rc<Moment>>, EvalError> {
        self.worker.info.level = 1;
        if !step.is_guess {
            self.worker.steps(&from.row(), &step.wanted, &mut self.successors)?;
            return self.fitting(from, step, demand);
        }
        let mut ends = Vec::new();
        for one in step.wanted.iter() {
            let alone: Arc<[Wanted]> = Arc::new([one.clone()]);
            if self.worker.steps(&from.row(), &alone, &mut self.successors).is_ok() {
                ends.append(&mut self.fitting(from, step, demand)?);
            }
        }
        Ok(ends)
    }

    /// Those of the successors that were found last which are what a step of a line says.
    fn fitting(
        &mut self,
        from: &Rc<Moment>,
        step: &StepDemand,
        demand: &Demand,
    ) -> Result<Vec<Rc<Moment>>, EvalError> {
        let mut ends = Vec::new();
        let n_vars = self.program.variables.len();
        let successors = std::mem::take(&mut self.successors);
        for (row, label) in successors.iter(n_vars) {
            if self.fits(label, step, demand.node) {
                let reached = Reached::new(*label, Some((demand.file, demand.number)));
                let end = Moment::after(from, row, reached);
                let mut are_true = true;
                for formula in &step.holds {
                    are_true = are_true && self.is_true(*formula, &from.row(), &end, demand)?;
                }
                if are_true {
                    ends.push(end);
                }
            }
        }
        self.successors = successors;
        Ok(ends)
    }

    /// Whether a formula is true of a step of a line.
    fn is_true(
        &mut self,
        formula: usize,
        before: &[Value],
        end: &Moment,
        demand: &Demand,
    ) -> Result<bool, EvalError> {
        let label = end.reached.as_ref().map(Reached::label);
        let about = self.about(demand, label.as_ref());
        self.asker.as_mut().map_or(Ok(true), |asker| asker.holds(formula, about, before, &end.row()))
    }

    /// What formulas are asked about.
    pub(crate) fn about<'l>(&self, demand: &Demand, step: Option<&'l Label>) -> About<'l> {
        let node = demand.node.map(|node| self.mapping.words.nodes()[node].1);
        About { line: demand.line, node, step }
    }

    /// The states after one silent action.
    pub(crate) fn silent(
        &mut self,
        states: &[Rc<Moment>],
        wanted: &Arc<[Wanted]>,
    ) -> Result<Vec<Rc<Moment>>, EvalError> {
        let mut found = Vec::new();
        for state in states {
            self.worker.steps(&state.row(), wanted, &mut self.successors)?;
            for (row, label) in self.successors.iter(self.program.variables.len()) {
                found.push(Moment::after(state, row, Reached::new(*label, None)));
            }
        }
        Self::keep_different(&mut found);
        Ok(found)
    }

    fn keep_different(moments: &mut Vec<Rc<Moment>>) {
        let mut seen: FxHashSet<Box<[Value]>> = FxHashSet::default();
        moments.retain(|moment| seen.insert(Box::from(&*moment.row())));
    }

    /// Whether a step has the arguments that the line says, and happens at its node.
    pub(crate) fn fits(&self, label: &Label, step: &StepDemand, node: Option<usize>) -> bool {
        let Some(rule) = label.action.and_then(|action| self.rules[action.0 as usize]) else { return false };
        let View::Tuple(args) = self.store.view(label.args) else { return false };
        let args = args.to_vec();
        let at = match (&self.mapping.rules[rule].node, node) {
            (Some(Place::Part(part)), Some(node)) => {
                part.of(&args, self.store) == Some(self.mapping.words.nodes()[node].1)
            }
            (Some(Place::Fixed(own)), Some(node)) => *own == node,
            _ => true,
        };
        at && step.candidates.iter().any(|candidate| {
            candidate.rule == rule
                && candidate.args.iter().all(|(param, value)| args.get(*param) == Some(value))
        })
    }

    fn all_hold(
        &mut self,
        demand: &Demand,
        checks: &[Check],
        before: &[Value],
        after: &[Value],
    ) -> Result<bool, EvalError> {
        for check in checks {
            if self.mismatch(demand, check, before, after)?.is_some() {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// What a check finds wrong with a state.
    pub(crate) fn mismatch(
        &mut self,
        demand: &Demand,
        check: &Check,
        before: &[Value],
        after: &[Value],
    ) -> Result<Option<Mismatch>, EvalError> {
        let store = self.store;
        let (whole_before, whole) = match check.what {
            What::Variable(variable) => (before[variable], after[variable]),
            What::Expression(index) => {
                let about = self.about(demand, None);
                let Some(asker) = &mut self.asker else { return Ok(None) };
                let found = asker.value(index, about, after)?;
                (found, found)
            }
        };
        let part = |whole: Value| match check.node.filter(|_| matches!(check.what, What::Variable(_))) {
            Some(node) => store.apply(whole, node).ok().flatten(),
            None => Some(whole),
        };
        let specified = part(whole);
        let logged = match &check.is {
            Is::Value(value) => *value,
            Is::Same => match part(whole_before) {
                Some(value) => value,
                None => return Ok(None),
            },
            Is::Grown(keep, then) => {
                let Some(old) = part(whole_before).and_then(|old| store.as_sequence(old)) else {
                    return Ok(None);
                };
                let keep = (*keep).min(old.len());
                if specified.and_then(|new| store.as_sequence(new)).is_some_and(|new| {
                    // Comparing in place makes no value of a long sequence.
                    new.len() == keep + then.len()
                        && new.iter().skip(keep).eq(then.iter().copied())
                        && (new.same(old) || new.iter().take(keep).eq(old.iter().take(keep)))
                }) {
                    return Ok(None);
                }
                let elems: Vec<Value> = old.iter().take(keep).chain(then.iter().copied()).collect();
                store.tuple(&elems)
            }
        };
        Ok((specified != Some(logged)).then_some(Mismatch::Value {
            what: check.what,
            node: check.node,
            specified,
            logged,
        }))
    }

    fn sends_what_is_said(&self, demand: &Demand, before: &[Value], after: &[Value]) -> bool {
        self.wrong_message(demand, before, after).is_none()
    }

    /// A message that was sent and not logged, or logged and not sent.
    pub(crate) fn wrong_message(
        &self,
        demand: &Demand,
        before: &[Value],
        after: &[Value],
    ) -> Option<Mismatch> {
        let sent = demand.sent.as_ref()?;
        for (variable, (before, after)) in before.iter().zip(after).enumerate() {
            let form = form_of(self.mapping, variable);
            let mut here: FxHashMap<Value, i32> = FxHashMap::default();
            for (_, message) in sent.iter().filter(|(at, _)| *at == variable) {
                *here.entry(*message).or_default() += 1;
            }
            let wrong = match form {
                None => None,
                Some(Form::Bag) => self.wrong_in_bag(*before, *after, &here, demand.message),
                Some(Form::Set | Form::Monotone) => self.wrong_in_set(*before, *after, &here),
            };
            if wrong.is_some() {
                return wrong;
            }
        }
        None
    }

    fn wrong_in_set(&self, before: Value, after: Value, sent: &FxHashMap<Value, i32>) -> Option<Mismatch> {
        let has = |set: Value, message: Value| self.store.contains(set, message).unwrap_or(false);
        let mut listed: Vec<&Value> = sent.keys().collect();
        listed.sort_unstable_by_key(|message| message.bits());
        if let Some(missing) = listed.into_iter().find(|message| !has(after, **message)) {
            return Some(Mismatch::NotSent(*missing));
        }
        if before == after {
            return None;
        }
        let new = self
            .store
            .items(after)?
            .iter()
            .find(|message| !sent.contains_key(message) && !has(before, *message));
        new.map(Mismatch::NotLogged)
    }

    /// A message that is taken in may be sent again in the same step; then the number of its copies stays.
    fn wrong_in_bag(
        &self,
        before: Value,
        after: Value,
        sent: &FxHashMap<Value, i32>,
        taken: Option<Value>,
    ) -> Option<Mismatch> {
        let count = |bag: Value, message: Value| {
            let copies = self.store.apply(bag, message).ok().flatten();
            copies.and_then(|copies| self.store.as_int(copies)).unwrap_or(0)
        };
        let mut listed: Vec<(&Value, &i32)> = sent.iter().collect();
        listed.sort_unstable_by_key(|(message, _)| message.bits());
        for (message, copies) in listed {
            let added = count(after, *message) - count(before, *message);
            let least = copies - i32::from(taken == Some(*message));
            if added < least {
                return Some(Mismatch::NotSent(*message));
            }
            if added > *copies {
                return Some(Mismatch::NotLogged(*message));
            }
        }
        if before == after {
            return None;
        }
        let messages = self.store.items(self.store.domain(after)?)?;
        let mut more = messages.iter().filter(|message| !sent.contains_key(message));
        more.find(|message| count(after, *message) > count(before, *message)).map(Mismatch::NotLogged)
    }

    /// The first INVARIANT that is false in a state. Those that read nothing that has changed are as they were.
    pub(crate) fn false_invariant(&mut self, moment: &Rc<Moment>) -> Result<Option<usize>, EvalError> {
        let program = self.program;
        let before = moment.before();
        let before = before.as_ref().map(|before| before.row());
        let row = moment.row();
        for (index, invariant) in program.invariants.iter().enumerate() {
            let is_same = before.as_ref().is_some_and(|before| {
                !invariant.impure
                    && invariant.vars.iter().all(|var| before[*var as usize] == row[*var as usize])
            });
            if !is_same && !self.worker.holds(invariant, &row, None)? {
                return Ok(Some(index));
            }
        }
        Ok(None)
    }
}
