//! The clerk of a run: puts results in order, has findings looked at again, and tells the listener.

use std::collections::BTreeMap;
use std::sync::mpsc::Receiver;
use std::time::Instant;

use kilter_value::Store;
use kilter_wire::{Event, Finding};

use crate::desk::{Desk, Done, Task};
use crate::discovery::Discovery;
use crate::drive::{Case, Ending, Played};
use crate::groups::Groups;
use crate::plan::Plan;
use crate::record::{self, FollowUp};
use crate::run::{Listener, Options, Outcome, Stopped, Tally};

/// Of how many findings of one group each is looked at again.
const FOLLOWED_MAX: usize = 3;
/// How many findings of one group tell their path.
const TOLD_MAX: u64 = 1000;

/// Puts results in order, has findings looked at again, and tells the listener.
pub(crate) struct Clerk<'c> {
    plan: &'c Plan<'c>,
    store: &'c Store,
    cases: &'c [Case],
    options: &'c Options<'c>,
    desk: &'c Desk,
    listener: &'c mut dyn Listener,
    started: Instant,
    /// Results that wait for earlier ones.
    played: BTreeMap<usize, Played>,
    followed: BTreeMap<usize, FollowUp>,
    /// The case whose finding is being looked at again.
    asked: Option<usize>,
    next: usize,
    tally: Tally,
    findings: Vec<Finding>,
    groups: Groups,
    /// The places of the first finding of each group and of its case, and what was found.
    first_of_group: BTreeMap<String, (usize, usize, Discovery)>,
    stopped: Option<Stopped>,
}

impl<'c> Clerk<'c> {
    pub(crate) fn new(
        plan: &'c Plan<'c>,
        store: &'c Store,
        cases: &'c [Case],
        options: &'c Options<'c>,
        desk: &'c Desk,
        listener: &'c mut dyn Listener,
    ) -> Clerk<'c> {
        Clerk {
            plan,
            store,
            cases,
            options,
            desk,
            listener,
            started: Instant::now(),
            played: BTreeMap::new(),
            followed: BTreeMap::new(),
            asked: None,
            next: 0,
            tally: Tally { n_cases: cases.len() as u64, ..Tally::default() },
            findings: Vec::new(),
            groups: Groups::new(plan.graph.n_edges()),
            first_of_group: BTreeMap::new(),
            stopped: None,
        }
    }

    pub(crate) fn collect(&mut self, results: &Receiver<Done>) {
        while self.next < self.cases.len() && self.stopped.is_none() {
            match results.recv() {
                Ok(Done::Case(index, played)) => {
                    self.played.insert(index, played);
                }
                Ok(Done::Follow(index, follow_up)) => {
                    self.followed.insert(index, follow_up);
                }
                // Nobody has asked for that yet.
                Ok(Done::Shorten(..)) => {}
                Ok(Done::NotRunnable(why)) => self.stopped = Some(Stopped::NotRunnable(why)),
                Ok(Done::Interrupted) => self.stopped = Some(Stopped::Interrupted),
                // All jobs have ended, which they do only by panicking; the scope passes the panic on.
                Err(_) => return,
            }
            self.hand_on();
            self.tally.took = self.started.elapsed();
            self.listener.progress(&self.tally);
        }
    }

    /// Hands on all results that are next in order.
    fn hand_on(&mut self) {
        let first = self.next;
        while self.stopped.is_none()
            && let Some(played) = self.played.get(&self.next)
        {
            if let Ending::Found(discovery) = &played.ending {
                let is_followed = self.followed.contains_key(&self.next);
                if !is_followed && self.groups.wants_follow_up(discovery, FOLLOWED_MAX) {
                    if self.asked != Some(self.next) {
                        self.asked = Some(self.next);
                        self.desk.follow(Task::Follow(self.next, discovery.clone()));
                    }
                    break;
                }
            }
            let played = self.played.remove(&self.next);
            if let Some(played) = played {
                self.end_case(&played);
            }
            self.next += 1;
        }
        if self.next > first {
            self.desk.advance(self.next);
        }
    }

    fn end_case(&mut self, played: &Played) {
        let case = &self.cases[self.next];
        let confirmed = &case.edges[..played.steps as usize];
        self.groups.confirm(confirmed);
        self.tally.ended += 1;
        self.tally.steps += u64::from(played.steps);
        self.tally.waited += played.waited;
        let passed = matches!(played.ending, Ending::Passed);
        self.tally.passed += u64::from(passed);
        for text in &played.notes {
            self.listener.event(&Event::Note { case: Some(case.id.clone()), text: text.clone() });
        }
        if let Ending::Found(discovery) = &played.ending {
            self.tell_finding(case, discovery);
        }
        self.listener.event(&Event::Case {
            id: case.id.clone(),
            passed,
            steps: played.steps,
            edges: record::edge_numbers(confirmed),
            ms: played.took.as_secs_f64() * 1000.0,
            waited_ms: played.waited.as_secs_f64() * 1000.0,
        });
    }

    fn tell_finding(&mut self, case: &Case, discovery: &Discovery) {
        let follow_up = self.followed.remove(&self.next).unwrap_or_default();
        let mut finding =
            record::finding(self.plan, self.store, case, discovery, &follow_up, self.options.repeat);
        self.first_of_group.entry(finding.group.clone()).or_insert((
            self.findings.len(),
            self.next,
            discovery.clone(),
        ));
        if self.groups.add(case, discovery, &follow_up) > TOLD_MAX {
            finding.path.clear();
        }
        self.listener.event(&Event::Finding(Box::new(finding.clone())));
        self.findings.push(finding);
        self.tally.findings += 1;
        self.tally.first_finding.get_or_insert(self.started.elapsed());
        if self.options.findings_max.is_some_and(|max| self.tally.findings >= max) {
            self.stopped = Some(Stopped::Findings);
        } else if discovery.step == 0 && self.plan.graph.initial().len() == 1 {
            self.stopped = Some(Stopped::InitialState);
        }
    }

    /// Looks for a shorter way to what each group is about: other edges of the same action that no case has confirmed.
    pub(crate) fn shorten(&mut self, results: &Receiver<Done>) {
        if matches!(self.stopped, Some(Stopped::Interrupted | Stopped::NotRunnable(_))) {
            return;
        }
        self.desk.clear();
        let mut n_open = 0;
        for group in 0..self.groups.len() {
            let (cases, discovery) = self.groups.shorter_cases(group, self.plan);
            if !cases.is_empty() {
                n_open += 1;
                self.desk.follow(Task::Shorten(group, cases, Box::new(discovery.clone())));
            }
        }
        let mut found = BTreeMap::new();
        while n_open > 0 {
            match results.recv() {
                Ok(Done::Shorten(group, shorter)) => {
                    n_open -= 1;
                    found.extend(shorter.map(|shorter| (group, shorter)));
                }
                // What was still under way when enough had been found.
                Ok(Done::Case(..) | Done::Follow(..)) => {}
                Ok(Done::NotRunnable(_) | Done::Interrupted) | Err(_) => return,
            }
        }
        for (group, shorter) in found {
            self.tell_again(group, *shorter);
        }
    }

    /// Tells the first finding of a group once more, with the shorter way to it.
    fn tell_again(&mut self, group: usize, shorter: (Case, Discovery)) {
        self.groups.shorten(group, &shorter.0);
        let Some((place, case, discovery)) = self.first_of_group.get(self.groups.name(group)) else { return };
        let follow_up = FollowUp { stable: self.findings[*place].stable, shortest: Some(shorter) };
        let (case, repeat) = (&self.cases[*case], self.options.repeat);
        let finding = record::finding(self.plan, self.store, case, discovery, &follow_up, repeat);
        self.listener.event(&Event::Finding(Box::new(finding.clone())));
        self.findings[*place] = finding;
    }

    pub(crate) fn outcome(mut self) -> Outcome {
        let groups = self.groups.finish(self.plan, self.options.repeat);
        for group in &groups {
            self.listener.event(&Event::Group(Box::new(group.clone())));
        }
        self.tally.took = self.started.elapsed();
        let is_whole = matches!(self.stopped, None | Some(Stopped::InitialState));
        if is_whole {
            self.listener.event(&Event::Finished { seconds: self.tally.took.as_secs_f64() });
        }
        Outcome { tally: self.tally, findings: self.findings, groups, stopped: self.stopped }
    }
}
