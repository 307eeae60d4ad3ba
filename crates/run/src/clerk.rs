//! The clerk of a run. It puts results in order, has findings checked again, and tells the sink.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::mpsc::Receiver;
use std::time::Instant;

use crate::control::News;
use crate::desk::{Desk, Done, Known, Task};
use crate::groups::Groups;
use crate::limits::Limits;
use crate::method::{Method, More, SoFar};
use crate::options::Options;
use crate::outcome::{Outcome, Stopped, Tally};
use crate::played::{Ending, Found, Played, Stop};
use crate::record::{Case, Counters, Event, Finding};
use crate::sink::Sink;

/// The most findings of one group whose paths are recorded.
const TOLD_MAX: u64 = 1000;

/// A case and its result.
type Ended<M> = (Arc<<M as Method>::Case>, Box<Played<<M as Method>::Discovery>>);

/// Puts results in order, has findings checked again, and tells the sink.
pub(crate) struct Clerk<'c, 's, M: Method> {
    method: &'c M,
    findings_max: Option<u64>,
    plans_more: bool,
    desk: &'c Desk<'s, M>,
    limits: &'c Limits<'c>,
    sink: &'c mut dyn Sink,
    started: Instant,
    /// Results that wait for those of earlier cases.
    played: BTreeMap<usize, Ended<M>>,
    looked: BTreeMap<usize, Found<M::Discovery>>,
    /// The case whose finding is being checked again.
    asked: Option<usize>,
    next: usize,
    tally: Tally,
    /// The counters of cases that have not ended.
    under_way: BTreeMap<usize, Counters>,
    ended: Counters,
    findings: Vec<Finding>,
    groups: Groups<M::Discovery>,
    covered: Vec<bool>,
    /// The places that are to blame for findings.
    failed: BTreeSet<u64>,
    shorter: BTreeMap<usize, Option<Box<Found<M::Discovery>>>>,
    stopped: Option<Stopped>,
}

impl<'c, 's, M: Method> Clerk<'c, 's, M> {
    pub(crate) fn new(
        method: &'c M,
        n_cases: u64,
        options: &Options<'_>,
        desk: &'c Desk<'s, M>,
        limits: &'c Limits<'c>,
        sink: &'c mut dyn Sink,
    ) -> Clerk<'c, 's, M> {
        let mut clerk = Clerk {
            method,
            findings_max: options.findings_max,
            plans_more: options.plans_more,
            desk,
            limits,
            sink,
            started: options.begun,
            played: BTreeMap::new(),
            looked: BTreeMap::new(),
            asked: None,
            next: 0,
            tally: Tally { n_cases, ..Tally::default() },
            under_way: BTreeMap::new(),
            ended: Counters::default(),
            findings: Vec::new(),
            groups: Groups::new(),
            covered: Vec::new(),
            failed: options.failed.iter().copied().collect(),
            shorter: BTreeMap::new(),
            stopped: None,
        };
        clerk.cover(options.covered);
        clerk
    }

    /// Collects results until all cases have ended and no more are planned, or something stops the run.
    pub(crate) fn collect(&mut self, results: &Receiver<Done<M>>) {
        loop {
            while self.stopped.is_none() && !self.desk.ends_at(self.next) {
                // All jobs have ended, which they do only by panicking. The scope passes the panic on.
                let Ok(done) = results.recv() else { return };
                self.take_in(done);
                self.hand_on();
                self.tell_progress();
            }
            if self.stopped.is_some() || !self.plans_more || !self.plan_more() {
                return;
            }
        }
    }

    /// Plans further cases, if there is a reason to. Returns whether there are any.
    fn plan_more(&mut self) -> bool {
        let More { cases, event } = self.method.more(&SoFar { covered: &self.covered, failed: &self.failed });
        if let Some(event) = event {
            self.sink.event(&event);
        }
        let has_more = !cases.is_empty();
        self.tally.n_cases += cases.len() as u64;
        self.desk.add(cases);
        has_more
    }

    fn take_in(&mut self, done: Done<M>) {
        match done {
            Done::Case(index, case, played) => self.take_in_case(index, case, played),
            Done::LookedAgain(index, found) => {
                self.looked.insert(index, *found);
            }
            Done::Shortened(group, shorter) => {
                self.shorter.insert(group, shorter);
            }
            // Findings that come when there are enough are dropped.
            Done::News(News::Found(_)) if self.stopped == Some(Stopped::Findings) => {}
            Done::News(News::Found(found)) => self.tell_finding(*found),
            Done::News(News::Progress(index, counters)) => {
                self.under_way.insert(index, counters);
            }
            Done::News(News::Checkpoint(case, counters, state)) => {
                self.sink.event(&Event::Checkpoint { case, counters, state });
            }
            // It is the desk that knows.
            Done::NoMoreCases => {}
            Done::Stopped(stop) => {
                // A system that was waited for has been given up because the time is over.
                let is_late =
                    stop == Stop::Interrupted && !self.limits.is_interrupted() && self.limits.is_over();
                let stop = if is_late { Stop::Time } else { stop };
                self.stopped.get_or_insert(stop.into());
            }
        }
    }

    fn take_in_case(&mut self, index: usize, case: Arc<M::Case>, played: Box<Played<M::Discovery>>) {
        let Ending::Cut(state) = played.ending else {
            self.played.insert(index, (case, played));
            return;
        };
        let case = self.method.id(&case).to_owned();
        self.under_way.insert(index, played.counters.clone());
        self.sink.event(&Event::Checkpoint { case, counters: played.counters, state });
    }

    fn tell_progress(&mut self) {
        self.tally.took = self.started.elapsed();
        self.tally.counters = self.ended.clone();
        for counters in self.under_way.values() {
            self.tally.counters.join(counters);
        }
        self.sink.progress(&self.with_waiting());
    }

    /// The tally with the results that wait for those of earlier cases. One case that takes long holds up many of them, and who watches wants to know of them.
    fn with_waiting(&self) -> Tally {
        let mut tally = self.tally.clone();
        for (_, played) in self.played.values() {
            tally.ended += 1;
            tally.steps += played.steps;
            tally.waited += played.waited;
            tally.passed += u64::from(played.ending == Ending::Passed);
            tally.not_run += u64::from(matches!(played.ending, Ending::NotRun(_)));
            tally.findings += u64::from(played.found.is_some());
        }
        tally
    }

    /// Passes on all results that are next in order.
    fn hand_on(&mut self) {
        let first = self.next;
        while self.stopped.is_none()
            && let Some((case, played)) = self.played.get(&self.next)
        {
            if let Some(found) = &played.found {
                let is_looked_at = self.looked.contains_key(&self.next);
                if !is_looked_at && self.groups.wants_look(found, self.method.looked_at_again_max()) {
                    if self.asked != Some(self.next) {
                        self.asked = Some(self.next);
                        self.desk.urge(Task::LookAgain(self.next, Arc::clone(case), found.clone()));
                    }
                    break;
                }
            }
            if let Some((case, played)) = self.played.remove(&self.next) {
                self.desk.hear(&case, &played.counters);
                self.end_case(&case, *played);
            }
            self.next += 1;
        }
        if self.next > first {
            self.desk.advance(self.next);
        }
    }

    fn end_case(&mut self, case: &M::Case, played: Played<M::Discovery>) {
        let id = self.method.id(case).to_owned();
        let (passed, not_run) = match played.ending {
            Ending::NotRun(why) => (false, Some(why)),
            ending => (ending == Ending::Passed, None),
        };
        self.cover(&played.covered);
        self.under_way.remove(&self.next);
        self.ended.join(&played.counters);
        self.tally.ended += 1;
        self.tally.steps += played.steps;
        self.tally.waited += played.waited;
        self.tally.passed += u64::from(passed);
        self.tally.not_run += u64::from(not_run.is_some());
        for text in played.notes {
            self.sink.event(&Event::Note { case: Some(id.clone()), text });
        }
        if let Some(found) = self.looked.remove(&self.next).or(played.found.map(|found| *found)) {
            self.tell_finding(found);
        }
        self.sink.event(&Event::Case(Box::new(Case {
            id,
            passed,
            steps: played.steps,
            edges: played.covered,
            ms: played.took.as_secs_f64() * 1000.0,
            waited_ms: played.waited.as_secs_f64() * 1000.0,
            not_run,
            logs: played.logs,
            counters: played.counters,
        })));
    }

    fn cover(&mut self, covered: &[u32]) {
        for place in covered {
            let place = *place as usize;
            if self.covered.len() <= place {
                self.covered.resize(place + 1, false);
            }
            self.covered[place] = true;
        }
    }

    fn tell_finding(&mut self, mut found: Found<M::Discovery>) {
        self.limits.note_finding();
        // What did not come again blames no place: the place is to be tried again.
        if found.finding.stable != Some(false) {
            self.failed.extend(found.place);
        }
        let n_in_group = self.groups.add(self.findings.len(), &found);
        if n_in_group > TOLD_MAX {
            found.finding.path.clear();
        }
        self.sink.event(&Event::Finding(Box::new(found.finding.clone())));
        self.findings.push(found.finding);
        self.tally.findings += 1;
        self.tally.first_finding.get_or_insert(self.started.elapsed());
        if self.findings_max.is_some_and(|max| self.tally.findings >= max) {
            self.stopped.get_or_insert(Stopped::Findings);
        } else if let Some(why) = found.ends_run {
            self.stopped.get_or_insert(Stopped::Said(why));
        }
    }

    /// Has a shorter path searched for each group of findings.
    pub(crate) fn shorten(&mut self, results: &Receiver<Done<M>>) {
        self.limits.enough();
        self.desk.clear();
        if self.stopped.as_ref().is_some_and(Stopped::is_at_once) {
            return;
        }
        let covered: Arc<[bool]> = self.covered.as_slice().into();
        let mut n_open = 0;
        for group in 0..self.groups.len() {
            if let Some((first, shortest)) = self.groups.to_shorten(group) {
                let (first, shortest, covered) = (first.clone(), shortest.clone(), Arc::clone(&covered));
                self.desk.urge(Task::Shorten(Box::new(Known { group, first, shortest, covered })));
                n_open += 1;
            }
        }
        while self.shorter.len() < n_open {
            match results.recv() {
                Ok(Done::Stopped(stop)) if !Stopped::from(stop.clone()).is_at_once() => {}
                // An error of a job does not stop cases any more.
                Ok(Done::Stopped(_)) | Err(_) => break,
                Ok(done) => self.take_in(done),
            }
        }
        for (group, shorter) in std::mem::take(&mut self.shorter) {
            if let Some(shorter) = shorter {
                self.tell_shorter(group, *shorter);
            }
        }
    }

    /// Reports a finding of a group again, with the shorter path to it.
    fn tell_shorter(&mut self, group: usize, shorter: Found<M::Discovery>) {
        let mut finding = shorter.finding.clone();
        let place = self.groups.shorten(group, shorter);
        let longer = &self.findings[place].case;
        finding.stands_for = (*longer != finding.case).then(|| longer.clone());
        self.sink.event(&Event::Finding(Box::new(finding.clone())));
        self.findings[place] = finding;
    }

    /// Handles the results that were under way when the run was stopped.
    pub(crate) fn end(&mut self, results: &Receiver<Done<M>>) {
        for done in results {
            self.take_in(done);
        }
        // Cases that have ended count, although their findings are not checked again.
        if !matches!(self.stopped, Some(Stopped::Findings | Stopped::Said(_))) {
            for (index, (case, played)) in std::mem::take(&mut self.played) {
                self.next = index;
                self.end_case(&case, *played);
            }
        }
        self.tell_progress();
    }

    pub(crate) fn outcome(self) -> Outcome {
        let groups = self.groups.finish(self.method, &self.covered);
        for group in &groups {
            self.sink.event(&Event::Group(Box::new(group.clone())));
        }
        for text in self.method.remarks(&self.tally) {
            self.sink.event(&Event::Note { case: None, text });
        }
        let seconds = self.tally.took.as_secs_f64();
        self.sink.event(&match &self.stopped {
            None => Event::Finished { seconds },
            Some(stopped) => {
                let (why, is_error) = (stopped.why().to_owned(), stopped.is_error());
                Event::Stopped { why, seconds, is_error }
            }
        });
        Outcome { tally: self.tally, findings: self.findings, groups, stopped: self.stopped }
    }
}
