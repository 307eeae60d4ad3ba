//! Decides whether a schedule belongs to a model, without using the code of the generator.
//!
//! The generator asks "what may come next?". This module asks "was that allowed?", step by step, and keeps its own
//! account: each replica's whole log of writes instead of its last write, and no symmetry. It checks schedules that
//! users write, and in tests the generator.

use kilter_system::Fault;
use thiserror::Error;

use super::{ChainRules, Direction, Model, Rules, Scope, Start};
use crate::step::{Replica, Resync, Step, Strike};

/// Why a schedule does not belong to a model.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("step {number} (`{step}`) is not allowed: {reason}")]
pub struct Illegal {
    /// The number of the step, from 1.
    pub number: usize,
    /// The step. Empty if a step is missing at the end.
    pub step: String,
    /// What is wrong with it.
    pub reason: String,
}

/// The account of one replica.
#[derive(Clone, Debug, Default, PartialEq)]
struct Page {
    log: Vec<u8>,
    runs: bool,
    paused: bool,
    copies: Option<usize>,
}

struct Book<'m> {
    model: &'m Model,
    pages: Vec<Page>,
    next_write: u8,
}

type Ruling = Result<(), String>;

fn must(holds: bool, reason: &str) -> Ruling {
    if holds { Ok(()) } else { Err(reason.to_owned()) }
}

/// Checks a schedule from its first step to its end.
pub fn check(model: &Model, schedule: &[Step]) -> Result<(), Illegal> {
    let mut book = Book::new(model);
    for (index, step) in schedule.iter().enumerate() {
        let illegal = |reason| Illegal { number: index + 1, step: step.to_string(), reason };
        if book.is_over() {
            return Err(illegal("the schedule was over before".to_owned()));
        }
        book.admit(step).map_err(illegal)?;
    }
    if book.is_over() {
        return Ok(());
    }
    let reason = "the schedule ends before all writes are made and everybody is back".to_owned();
    Err(Illegal { number: schedule.len() + 1, step: String::new(), reason })
}

impl<'m> Book<'m> {
    fn new(model: &'m Model) -> Self {
        let mut pages = vec![Page { runs: true, ..Page::default() }; model.replicas.into()];
        if matches!(&model.rules, Rules::Chain(rules) if rules.start == Start::Chain) {
            for (index, page) in pages.iter_mut().enumerate().skip(1) {
                page.copies = Some(index - 1);
            }
        }
        Self { model, pages, next_write: 1 }
    }

    fn is_over(&self) -> bool {
        let heads = self.pages.iter().filter(|page| page.copies.is_none()).count();
        self.next_write > self.model.ops
            && self.pages.iter().all(|page| page.runs)
            && (self.model.rules == Rules::Quorum || heads == 1)
    }

    fn admit(&mut self, step: &Step) -> Ruling {
        match (&self.model.rules, step) {
            (Rules::Quorum, Step::Spread(received)) => self.spread(received),
            (Rules::Quorum, Step::Rise(up)) => self.rise(up),
            (Rules::Chain(rules), Step::Part(strike, writer)) => self.part(rules, *strike, *writer),
            (Rules::Chain(rules), Step::Join { wake, link, resync }) => {
                let link = link.map(|link| (link.target, link.source));
                self.join(rules, *wake, link, *resync)
            }
            _ => Err("it belongs to another model".to_owned()),
        }
    }

    fn page(&self, replica: Replica) -> Result<usize, String> {
        let index = replica.index();
        must(index < self.pages.len(), "there is no such replica").map(|()| index)
    }

    fn has_majority(&self) -> bool {
        2 * self.pages.iter().filter(|page| page.runs).count() > self.pages.len()
    }

    fn spread(&mut self, received: &[Option<u8>]) -> Ruling {
        must(received.len() <= self.pages.len(), "there is no such replica")?;
        must(self.has_majority(), "only a majority can be written to")?;
        let got = |index: usize| received.get(index).copied().flatten();
        let count = received.iter().flatten().copied().max().unwrap_or(0);
        must(count >= 1, "nothing is written")?;
        must(self.next_write - 1 + count <= self.model.ops, "there are not that many writes left")?;
        for (index, page) in self.pages.iter().enumerate() {
            must(page.runs == got(index).is_some(), "exactly those that are up are named")?;
        }
        let everybody = (0..self.pages.len()).all(|index| got(index) == Some(count));
        must(!everybody, "everybody has all writes: nothing diverges")?;
        for (index, page) in self.pages.iter_mut().enumerate() {
            page.log.extend((0..got(index).unwrap_or(0)).map(|offset| self.next_write + offset));
            page.runs = false;
        }
        self.next_write += count;
        Ok(())
    }

    fn rise(&mut self, up: &[Replica]) -> Ruling {
        for replica in up {
            let index = self.page(*replica)?;
            must(!self.pages[index].runs, "it is up already")?;
            self.pages[index].runs = true;
        }
        must(self.has_majority(), "that is no majority")?;
        let running = self.pages.iter().filter(|page| page.runs);
        let longest = running.map(|page| page.log.clone()).max_by_key(|log| log.last().copied());
        for page in self.pages.iter_mut().filter(|page| page.runs) {
            page.log.clone_from(longest.as_ref().unwrap_or(&Vec::new()));
        }
        Ok(())
    }

    fn part(&mut self, rules: &ChainRules, strike: Strike, writer: Replica) -> Ruling {
        must(self.next_write <= self.model.ops, "there are no writes left")?;
        let writer = self.page(writer)?;
        match (rules.scope, strike) {
            (Scope::One, Strike::None) => {
                let heads = self.pages.iter().filter(|page| page.copies.is_none()).count();
                let apart = heads > 1 || self.pages.iter().any(|page| !page.runs);
                must(apart, "nothing has failed, so that nothing diverges")?;
            }
            (Scope::One, Strike::One(fault, victim)) => {
                let victim = self.page(victim)?;
                self.fail(rules, fault, victim)?;
            }
            (Scope::Others, Strike::Others(fault)) => self.isolate(rules, fault, writer)?,
            _ => return Err("the model's faults strike others".to_owned()),
        }
        must(self.pages[writer].runs, "who does not run can't be written to")?;
        must(self.pages[writer].copies.is_none(), "who copies somebody can't be written to")?;
        self.pages[writer].log.push(self.next_write);
        self.next_write += 1;
        self.flow();
        Ok(())
    }

    fn fail(&mut self, rules: &ChainRules, fault: Fault, victim: usize) -> Ruling {
        must(rules.faults.contains(&fault), "the model has no such fault")?;
        let page = &mut self.pages[victim];
        must(page.runs, "who does not run can't fail")?;
        match fault {
            Fault::Cut => {
                must(page.copies.is_some(), "there is no link to cut")?;
                page.copies = None;
            }
            _ => {
                page.runs = false;
                page.paused = fault == Fault::Pause;
            }
        }
        Ok(())
    }

    fn isolate(&mut self, rules: &ChainRules, fault: Fault, writer: usize) -> Ruling {
        must(rules.faults.contains(&fault), "the model has no such fault")?;
        for (index, page) in self.pages.iter_mut().enumerate() {
            page.copies = None;
            page.runs = index == writer || fault == Fault::Cut;
            page.paused = !page.runs && fault == Fault::Pause;
        }
        Ok(())
    }

    fn join(
        &mut self,
        rules: &ChainRules,
        wake: Option<Replica>,
        link: Option<(Replica, Replica)>,
        resync: Resync,
    ) -> Ruling {
        if let Some(who) = wake {
            let who = self.page(who)?;
            must(!self.pages[who].runs, "it runs already")?;
            self.pages[who].runs = true;
            self.pages[who].paused = false;
        }
        match link {
            Some((target, source)) => {
                let (target, source) = (self.page(target)?, self.page(source)?);
                must(rules.resync.contains(&resync), "the model has no such resync")?;
                self.connect(rules, target, source)?;
                let woken = wake.map(Replica::index);
                must(
                    woken.is_none_or(|who| who == target || who == source),
                    "the link is about somebody else",
                )?;
            }
            None => {
                let who = wake.map(Replica::index).ok_or("nothing happens")?;
                must(resync == Resync::Online, "nothing is copied by hand without a link")?;
                let alone = self.pages[who].copies.is_some() || !self.could_connect(rules, who);
                must(alone, "it copies nobody, so that it must be linked")?;
            }
        }
        self.flow();
        Ok(())
    }

    fn connect(&mut self, rules: &ChainRules, target: usize, source: usize) -> Ruling {
        must(self.pages[target].runs && self.pages[source].runs, "both ends of a link must run")?;
        must(self.pages[target].copies.is_none(), "the target copies somebody already")?;
        must(self.head_of(source) != target, "that would be a circle")?;
        must(self.may_copy(rules, target, source), "the target has a later write than the source")?;
        self.pages[target].copies = Some(source);
        Ok(())
    }

    fn may_copy(&self, rules: &ChainRules, target: usize, source: usize) -> bool {
        rules.direction == Direction::Any || self.pages[target].log.last() <= self.pages[source].log.last()
    }

    /// Whether a running replica could be linked with `who`, in either direction.
    fn could_connect(&self, rules: &ChainRules, who: usize) -> bool {
        (0..self.pages.len()).any(|other| {
            let as_target = self.head_of(other) != who && self.may_copy(rules, who, other);
            let as_source = self.pages[other].copies.is_none() && self.may_copy(rules, other, who);
            other != who && self.pages[other].runs && (as_target || as_source)
        })
    }

    fn head_of(&self, mut index: usize) -> usize {
        while let Some(source) = self.pages[index].copies {
            index = source;
        }
        index
    }

    /// Copies writes along the links between running replicas, as often as the longest chain needs.
    fn flow(&mut self) {
        for _ in 0..self.pages.len() {
            for index in 0..self.pages.len() {
                let source = self.pages[index].copies.filter(|source| self.pages[*source].runs);
                if let Some(source) = source.filter(|_| self.pages[index].runs) {
                    self.pages[index].log = self.pages[source].log.clone();
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::generate::Schedules;
    use super::*;
    use crate::step;

    fn model(name: &str, replicas: u8, ops: u8) -> Model {
        Model::new(Rules::built_in(name).expect("a built-in model"), replicas, ops).expect("a fine size")
    }

    #[test]
    fn every_generated_schedule_is_legal() {
        let sizes = [("quorum", 3, 3), ("quorum", 4, 2), ("pause", 4, 2), ("pause", 3, 2), ("link", 3, 2)];
        for (name, replicas, ops) in sizes.into_iter().chain([("link", 4, 2), ("crash-and-link", 2, 3)]) {
            let model = model(name, replicas, ops);
            Schedules::new(&model).each(&mut |schedule| {
                assert_eq!(check(&model, schedule), Ok(()), "{name}: {}", step::text(schedule));
                true
            });
        }
    }

    #[track_caller]
    fn illegal(name: &str, schedule: &str, reason: &str) {
        let model = model(name, 3, 2);
        let found = check(&model, &step::parse(schedule).expect("steps"));
        assert_eq!(found.map_err(|illegal| illegal.reason), Err(reason.to_owned()), "{schedule}");
    }

    #[test]
    fn what_is_not_allowed_is_named() {
        illegal("quorum", "write=A1,B1,C1", "everybody has all writes: nothing diverges");
        illegal("quorum", "write=A1,B0", "exactly those that are up are named");
        illegal("quorum", "write=A3,B0,C0", "there are not that many writes left");
        illegal("quorum", "write=A1,B0,C0 up=A", "that is no majority");
        illegal("quorum", "up=A", "it is up already");
        illegal("quorum", "write=A2,B0,C0 up=ABC up=A", "the schedule was over before");
        illegal(
            "quorum",
            "write=A2,B0,C0 up=AB",
            "the schedule ends before all writes are made and everybody is back",
        );
        illegal("quorum", "cut=B,write=A", "it belongs to another model");
        illegal("link", "write=A", "nothing has failed, so that nothing diverges");
        illegal("link", "cut=B,write=C", "who copies somebody can't be written to");
        illegal("link", "cut=A,write=A", "there is no link to cut");
        illegal("link", "pause=A,write=A", "the model has no such fault");
        illegal("link", "cut=B,write=A link=B>C", "that would be a circle");
        illegal("link", "cut=B,write=A link=B>A,offline", "the model has no such resync");
        illegal("pause", "pause=A,write=A", "who does not run can't be written to");
        illegal("pause", "pause=A,write=B wake=A", "it copies nobody, so that it must be linked");
        illegal(
            "crash-and-link",
            "isolate-cut,write=A link=A>B",
            "the target has a later write than the source",
        );
    }
}
