//! The schedules of a model: counted, listed, the one with a given number, or the one that a user has written.
//!
//! The walk is depth-first and keeps one schedule in memory. To find a schedule by its number, the number of schedules
//! after each state is needed, and kept.

use std::sync::Arc;

use kilter_converge::config::Paths;
use kilter_converge::step::Step;
use kilter_suite::Cover;

use super::cover;
use super::model::{Edge, INITIAL, Model, StateId};
use crate::error::Tried;

/// The most words that are named as what could stand instead of a wrong one.
const NAMED_MAX: usize = 6;

/// The number of schedules after a state.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Below {
    Unknown,
    /// It is being counted: whoever comes here again walks in a circle.
    Open,
    Known(u64),
}

/// The schedules of a model.
pub(crate) struct Schedules {
    /// The model.
    pub(crate) model: Model,
    below: Vec<Below>,
    /// Those that were chosen, if these are not all.
    chosen: Option<Vec<Vec<Arc<Step>>>>,
}

impl Schedules {
    /// The schedules of this model.
    pub(crate) fn new(mut model: Model, paths: Paths) -> Tried<Self> {
        let chosen = match paths {
            Paths::All => None,
            Paths::Transitions => Some(cover::choose(&mut model, Cover::Edges)?),
            Paths::Pairs => Some(cover::choose(&mut model, Cover::Pairs)?),
        };
        Ok(Self { model, below: Vec::new(), chosen })
    }

    /// The number of schedules, or `u64::MAX` if there are more.
    pub(crate) fn count(&mut self) -> Tried<u64> {
        match &self.chosen {
            Some(chosen) => Ok(chosen.len() as u64),
            None => self.count_below(INITIAL),
        }
    }

    fn firsts(&mut self, state: StateId) -> Tried<Vec<(usize, StateId)>> {
        let edges = self.model.edges(state)?.iter().enumerate();
        Ok(edges.filter(|(_, edge)| edge.is_first).map(|(at, edge)| (at, edge.target)).collect())
    }

    fn count_below(&mut self, state: StateId) -> Tried<u64> {
        let at = state as usize;
        if self.below.len() <= at {
            self.below.resize(at + 1, Below::Unknown);
        }
        match self.below[at] {
            Below::Known(count) => return Ok(count),
            Below::Open => {
                return Err("the model can go round in circles, so it has endless behaviors; bound it by a constant, \
                            or take paths = \"transitions\""
                    .into());
            }
            Below::Unknown => {}
        }
        let count = if self.model.is_done(state)? {
            1
        } else {
            self.below[at] = Below::Open;
            let mut sum = 0u64;
            for (_, target) in self.firsts(state)? {
                sum = sum.saturating_add(self.count_below(target)?);
            }
            sum
        };
        self.below[at] = Below::Known(count);
        Ok(count)
    }

    /// The schedule with this number, from 0. `None` if there are not that many.
    pub(crate) fn get(&mut self, number: u64) -> Tried<Option<Vec<Step>>> {
        let shared = self.get_shared(number)?;
        Ok(shared.map(|steps| steps.iter().map(|step| Step::clone(step)).collect()))
    }

    /// Like [`Schedules::get`], but schedules share their steps. A million of them take little memory then.
    pub(crate) fn get_shared(&mut self, mut number: u64) -> Tried<Option<Vec<Arc<Step>>>> {
        if let Some(chosen) = &self.chosen {
            let schedule = usize::try_from(number).ok().and_then(|number| chosen.get(number));
            return Ok(schedule.cloned());
        }
        let mut schedule = Vec::new();
        let mut state = INITIAL;
        'step: while !self.model.is_done(state)? {
            for (at, target) in self.firsts(state)? {
                let count = self.count_below(target)?;
                if number < count {
                    schedule.push(self.model.step(state, at)?);
                    state = target;
                    continue 'step;
                }
                number -= count;
            }
            return Ok(None);
        }
        Ok((number == 0).then_some(schedule))
    }

    /// Calls `visit` with each schedule in order, until it returns `false`.
    pub(crate) fn each(&mut self, visit: &mut dyn FnMut(&[Arc<Step>]) -> bool) -> Tried<()> {
        if let Some(chosen) = &self.chosen {
            let _ = chosen.iter().all(|schedule| visit(schedule));
            return Ok(());
        }
        // Circles are an error, which counting finds.
        self.count()?;
        self.walk(INITIAL, &mut Vec::new(), visit)?;
        Ok(())
    }

    fn walk(
        &mut self,
        state: StateId,
        path: &mut Vec<Arc<Step>>,
        visit: &mut dyn FnMut(&[Arc<Step>]) -> bool,
    ) -> Tried<bool> {
        if self.model.is_done(state)? {
            return Ok(visit(path));
        }
        for (at, target) in self.firsts(state)? {
            path.push(self.model.step(state, at)?);
            let goes_on = self.walk(target, path, visit)?;
            path.pop();
            if !goes_on {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// The schedule that consists of these words. Replicas may have other names than in the list of all schedules. The inner
/// error says which word is wrong, and what could stand there.
pub(crate) fn find(model: &mut Model, words: &[String]) -> Tried<Result<Vec<Step>, String>> {
    let mut search = Search { model, words, furthest: 0, could: Vec::new() };
    let mut path = Vec::new();
    if search.go(INITIAL, 0, &mut path)? {
        return Ok(Ok(path.into_iter().map(|step| Step::clone(&*step)).collect()));
    }
    Ok(Err(search.why()))
}

/// Searches for a behavior whose steps have given words. Several steps of a state may have the same word.
struct Search<'s> {
    model: &'s mut Model,
    words: &'s [String],
    /// How many words were found at most, and what could come after them.
    furthest: usize,
    could: Vec<String>,
}

impl Search<'_> {
    fn go(&mut self, state: StateId, at: usize, path: &mut Vec<Arc<Step>>) -> Tried<bool> {
        let is_done = self.model.is_done(state)?;
        if is_done || at == self.words.len() {
            let could = if is_done { Vec::new() } else { self.words_of(state)? };
            self.note(at, could);
            return Ok(is_done && at == self.words.len());
        }
        let n_edges = self.model.edges(state)?.len();
        let mut is_known = false;
        for index in 0..n_edges {
            let step = self.model.step(state, index)?;
            if step.to_string() != self.words[at] {
                continue;
            }
            is_known = true;
            let target = self.model.edges(state)?[index].target;
            path.push(step);
            if self.go(target, at + 1, path)? {
                return Ok(true);
            }
            path.pop();
        }
        if !is_known {
            let could = self.words_of(state)?;
            self.note(at, could);
        }
        Ok(false)
    }

    fn words_of(&mut self, state: StateId) -> Tried<Vec<String>> {
        let edges: Vec<Edge> = self.model.edges(state)?.to_vec();
        let firsts = edges.iter().enumerate().filter(|(_, edge)| edge.is_first);
        firsts.map(|(at, _)| Ok(self.model.step(state, at)?.to_string())).collect()
    }

    fn note(&mut self, at: usize, could: Vec<String>) {
        if at >= self.furthest {
            (self.furthest, self.could) = (at, could);
        }
    }

    fn why(&self) -> String {
        let number = self.furthest + 1;
        let could = match self.could.len() {
            0 => "the schedule is over there".to_owned(),
            1..=NAMED_MAX => format!("there could be {}", self.could.join(" or ")),
            n => format!("there could be {} and {} more", self.could[..NAMED_MAX].join(", "), n - NAMED_MAX),
        };
        match self.words.get(self.furthest) {
            Some(word) => format!("step {number} (`{word}`) is not allowed: {could}"),
            None => format!("it ends before step {number}: {could}"),
        }
    }
}
