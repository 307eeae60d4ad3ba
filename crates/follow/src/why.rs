//! What is in the way of a line that no behavior explains.

use std::rc::Rc;
use std::sync::Arc;

use kilter_base::Name;
use kilter_eval::reason::Reason;
use kilter_eval::{EvalError, Successors};
use kilter_mapping::mapping::Place;
use kilter_value::{Value, View};

use crate::demand::{Candidate, Demand, StepDemand, form_of};
use crate::moment::{Moment, Reached};
use crate::step::{Mismatch, Stepper};

/// The most states that are looked at: those that explain the lines before, and those after a silent action.
pub(crate) const STATES_MAX: usize = 20;
/// The most explanations that are kept.
const WHY_MAX: usize = 10;

/// What is in the way in one state, for one action.
#[derive(Clone, Debug)]
pub struct Why {
    /// The state.
    pub row: Vec<Value>,
    /// The action that the line may stand for.
    pub action: String,
    /// The arguments that are known, by name.
    pub args: Vec<(String, Value)>,
    /// What is wrong.
    pub wrong: Wrong,
    /// The silent action that comes before it, with its arguments.
    pub silent: Option<(String, Vec<(String, Value)>)>,
}

impl Why {
    /// What it is about, and how near that is.
    fn about(&self) -> (String, Vec<(String, Value)>, usize) {
        (self.action.clone(), self.args.clone(), self.wrong.distance())
    }

    fn is_no_nearer(&self, (action, args, distance): &(String, Vec<(String, Value)>, usize)) -> bool {
        (&self.action, &self.args) == (action, args) && self.wrong.distance() >= *distance
    }
}

/// A step that the specification expects.
#[derive(Clone, Debug)]
pub struct Expected {
    /// The action.
    pub action: String,
    /// Its arguments, by name.
    pub args: Vec<(String, Value)>,
    /// The state after it.
    pub row: Vec<Value>,
}

/// What is wrong.
#[derive(Clone, Debug)]
pub enum Wrong {
    /// The state before the line is not what the line says.
    Before(Vec<Mismatch>),
    /// The message that is taken in is not under way. `None` if the line does not say which, and there is none for its node.
    NotUnderWay(Option<Value>),
    /// These conjuncts are false.
    Conjuncts(Vec<Vec<Reason>>),
    /// The step is possible, and these formulas about it are false. So many of their parts are true before those.
    Formulas(Vec<(usize, Vec<Reason>)>, usize),
    /// It happens at this node, and the line says another one.
    OtherNode(Value),
    /// The action is enabled with other arguments alone.
    OtherArguments(Vec<Vec<(Name, Value)>>),
    /// The steps are possible, and lead to a state that is not what the line says. The nearest of them.
    After(Vec<Mismatch>, Vec<Expected>),
    /// Nothing leads to the action.
    Nowhere,
}

impl Wrong {
    /// Whether nothing but a message is missing.
    pub fn waits(&self) -> bool {
        matches!(self, Wrong::NotUnderWay(_))
    }

    /// How far the line is from being explained. Less is nearer.
    pub fn distance(&self) -> usize {
        match self {
            Wrong::After(mismatches, _) => mismatches.len(),
            Wrong::Formulas(_, nearness) => 99 - nearness.min(&98),
            Wrong::Before(mismatches) => 100 + mismatches.len(),
            Wrong::OtherArguments(_) | Wrong::OtherNode(_) => 200,
            Wrong::Conjuncts(reasons) => 300 + reasons.len(),
            Wrong::NotUnderWay(_) => 1_000,
            Wrong::Nowhere => 2_000,
        }
    }
}

/// Explains why a line does not follow any of these states.
pub(crate) fn explain(
    stepper: &mut Stepper<'_>,
    states: &[Rc<Moment>],
    demand: &Demand,
) -> Result<Vec<Why>, EvalError> {
    let mut found = Vec::new();
    for state in states.iter().take(2 * STATES_MAX) {
        let n_known = found.len();
        let row = state.row().to_vec();
        let mut before = Vec::new();
        for check in &demand.before {
            before.extend(stepper.mismatch(demand, check, &row, &row)?);
        }
        if !before.is_empty() {
            found.push(Why {
                row,
                action: demand.event.clone(),
                args: Vec::new(),
                wrong: Wrong::Before(before),
                silent: None,
            });
            continue;
        }
        explain_steps(stepper, state, demand, &mut found)?;
        if let Some(silent) = silent_step(state) {
            let silent = named(stepper, silent);
            found[n_known..].iter_mut().for_each(|why: &mut Why| why.silent = Some(silent.clone()));
        }
    }
    // What needs no silent action comes first.
    found.sort_by_key(|why: &Why| (why.wrong.distance(), why.silent.is_some()));
    let plain: Vec<_> = found.iter().filter(|why| why.silent.is_none()).map(Why::about).collect();
    found.retain(|why| why.silent.is_none() || !plain.iter().any(|known| why.is_no_nearer(known)));
    found.truncate(WHY_MAX);
    Ok(found)
}

/// The silent action that leads to a state.
fn silent_step(state: &Moment) -> Option<kilter_eval::Label> {
    state.reached.as_ref().filter(|reached| reached.line.is_none()).map(Reached::label)
}

/// Goes along the steps of a line to the first that is not possible, or to states that are not what the line says.
fn explain_steps(
    stepper: &mut Stepper<'_>,
    state: &Rc<Moment>,
    demand: &Demand,
    found: &mut Vec<Why>,
) -> Result<(), EvalError> {
    let mut reached = vec![Rc::clone(state)];
    for (index, step) in demand.steps.iter().enumerate() {
        let so_far = Demand { steps: demand.steps[..=index].to_vec(), ..demand.clone() };
        let ends = stepper.ends(state, &so_far)?;
        if ends.is_empty() {
            for before in &reached {
                for end in stepper.rounds(before, step, demand)? {
                    explain_formulas(stepper, &end, (step, demand), found)?;
                }
                for candidate in &step.candidates {
                    let why = explain_candidate(stepper, before, candidate, step, demand.node)?;
                    // If formulas about a step are false, the step is possible.
                    let is_possible = |why: &Why| {
                        found.iter().any(|known| {
                            known.action == why.action && matches!(known.wrong, Wrong::Formulas(..))
                        })
                    };
                    found.extend(why.filter(|why| !matches!(why.wrong, Wrong::Nowhere) || !is_possible(why)));
                }
            }
            if step.candidates.is_empty() {
                let (row, action) = (state.row().to_vec(), demand.event.clone());
                found.push(Why { row, action, args: Vec::new(), wrong: Wrong::Nowhere, silent: None });
            }
            return Ok(());
        }
        reached = ends;
    }
    for end in &reached {
        let (before, after) = (state.row().to_vec(), end.row().to_vec());
        let mut mismatches = Vec::new();
        for check in &demand.after {
            mismatches.extend(stepper.mismatch(demand, check, &before, &after)?);
        }
        mismatches.extend(stepper.wrong_message(demand, &before, &after));
        if mismatches.is_empty() && stepper.checks_invariants {
            mismatches.extend(stepper.false_invariant(end)?.map(Mismatch::Invariant));
        }
        // A silent action belongs to what is expected.
        let n_before = state.path().len() - usize::from(silent_step(state).is_some());
        let steps: Vec<Expected> = end
            .path()
            .iter()
            .skip(n_before)
            .filter_map(|moment| Some((moment, moment.reached.as_ref()?)))
            .map(|(moment, reached)| {
                let (action, args) = named(stepper, reached.label());
                Expected { action, args, row: moment.row().to_vec() }
            })
            .collect();
        let (action, args) = match steps.last() {
            Some(last) => (last.action.clone(), last.args.clone()),
            None => (demand.event.clone(), Vec::new()),
        };
        found.push(Why { row: before, action, args, wrong: Wrong::After(mismatches, steps), silent: None });
    }
    Ok(())
}

/// Tells which formulas are false of a step.
fn explain_formulas(
    stepper: &mut Stepper<'_>,
    end: &Rc<Moment>,
    (step, demand): (&StepDemand, &Demand),
    found: &mut Vec<Why>,
) -> Result<(), EvalError> {
    let (Some(before), Some(label)) = (end.before(), end.reached.as_ref().map(Reached::label)) else {
        return Ok(());
    };
    let about = stepper.about(demand, Some(&label));
    let (row, after) = (before.row().to_vec(), end.row().to_vec());
    let (mut wrong, mut nearness) = (Vec::new(), 0);
    if let Some(asker) = &mut stepper.asker {
        for formula in step.holds.iter().chain(&step.until) {
            if asker.holds(*formula, about, &row, &after)? {
                nearness += 10;
            } else {
                let (reasons, n_true) = asker.reasons(*formula, about, &row, &after);
                wrong.push((*formula, reasons));
                nearness += n_true.min(9);
            }
        }
    }
    if !wrong.is_empty() {
        let (action, args) = named(stepper, label);
        let why = Why { row, action, args, wrong: Wrong::Formulas(wrong, nearness), silent: None };
        // An action may lead to several states with the same arguments. The nearest of them is shown.
        match found.iter_mut().find(|known| (&known.action, &known.args) == (&why.action, &why.args)) {
            Some(known) if known.wrong.distance() <= why.wrong.distance() => {}
            Some(known) => *known = why,
            None => found.push(why),
        }
    }
    Ok(())
}

/// Tells why a step can't be what a line says. `None` if only formulas about it are false.
fn explain_candidate(
    stepper: &mut Stepper<'_>,
    state: &Rc<Moment>,
    candidate: &Candidate,
    step: &StepDemand,
    node: Option<usize>,
) -> Result<Option<Why>, EvalError> {
    let row = state.row().to_vec();
    let (mapping, program, store) = (stepper.mapping, stepper.program, stepper.store);
    let rule = &mapping.rules[candidate.rule];
    let args: Vec<(String, Value)> =
        candidate.args.iter().map(|(param, value)| (rule.params[*param].clone(), *value)).collect();
    let why = |wrong| {
        Some(Why { row: row.clone(), action: rule.action.clone(), args: args.clone(), wrong, silent: None })
    };
    let own = node.map(|node| mapping.words.nodes()[node].1);
    let message = rule.message.and_then(|param| candidate.args.iter().find(|(at, _)| *at == param));
    if let Some((_, message)) = message
        && !is_under_way(stepper, &row, *message)
    {
        return Ok(why(Wrong::NotUnderWay(Some(*message))));
    }
    let is_own = |wanted: &&kilter_eval::Wanted| program.actions[wanted.action].name.as_str() == rule.action;
    let wanted: Arc<[kilter_eval::Wanted]> = step.wanted.iter().filter(is_own).cloned().collect();
    let name = Name::from(rule.action.as_str());
    let mut steps = Successors::default();
    let obstacles = stepper.worker.obstacles_of(&wanted, &name, &row, &mut steps)?;
    let reasons: Vec<Vec<Reason>> = obstacles.into_iter().map(|obstacle| obstacle.reasons).collect();
    if !reasons.is_empty() {
        let mut different: Vec<Vec<Reason>> = Vec::new();
        for reason in reasons {
            if !different.contains(&reason) {
                different.push(reason);
            }
        }
        return Ok(why(Wrong::Conjuncts(different)));
    }
    // With the arguments that the line has, nothing is even tried. So look at the others.
    let any: Arc<[kilter_eval::Wanted]> =
        wanted.iter().map(|one| kilter_eval::Wanted { args: Vec::new(), ..one.clone() }).collect();
    let (mut others, mut other_node) = (Vec::new(), None);
    if stepper.worker.steps(&row, &any, &mut steps).is_ok() {
        for (_, label) in steps.iter(program.variables.len()) {
            let View::Tuple(values) = store.view(label.args) else { continue };
            let Some(action) = label.action else { continue };
            let has = |(param, value): &(usize, Value)| {
                (*param < values.len()).then(|| values.get(*param)) == Some(*value)
            };
            if let Some(Place::Part(part)) = &rule.node
                && candidate.args.iter().all(has)
                && let Some(node) = part.of(&values.to_vec(), store)
            {
                if Some(node) == own {
                    return Ok(None);
                }
                other_node.get_or_insert(node);
            }
            let names = program.actions[action].args.iter().map(|(name, _)| name.clone());
            others.push(names.zip(values.iter()).collect());
        }
    }
    if let Some(node) = other_node {
        let takes_any_message = rule.message.is_some() && message.is_none();
        return Ok(why(if takes_any_message { Wrong::NotUnderWay(None) } else { Wrong::OtherNode(node) }));
    }
    others.dedup();
    others.truncate(WHY_MAX);
    Ok(why(if others.is_empty() { Wrong::Nowhere } else { Wrong::OtherArguments(others) }))
}

/// Whether some variable with messages has this one.
fn is_under_way(stepper: &Stepper<'_>, row: &[Value], message: Value) -> bool {
    let store = stepper.store;
    let mut variables =
        row.iter().enumerate().filter_map(|(at, value)| Some((form_of(stepper.mapping, at)?, *value)));
    let mut any = false;
    let found = variables.any(|(_, value)| {
        any = true;
        let set = store.domain(value).unwrap_or(value);
        store.contains(set, message).unwrap_or(false)
            && store.apply(value, message).ok().flatten().and_then(|copies| store.as_int(copies)) != Some(0)
    });
    found || !any
}

fn named(stepper: &Stepper<'_>, label: kilter_eval::Label) -> (String, Vec<(String, Value)>) {
    let Some(action) = label.action.map(|action| &stepper.program.actions[action]) else {
        return (String::new(), Vec::new());
    };
    let args = match stepper.store.view(label.args) {
        View::Tuple(args) => args.to_vec(),
        _ => Vec::new(),
    };
    (action.name.to_string(), action.args.iter().map(|(name, _)| name.to_string()).zip(args).collect())
}
