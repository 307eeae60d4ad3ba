//! Many cases over several worlds. Results are handed on in the order of the cases, whichever world was faster.

use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use kilter_testbed::{Trouble, World};
use kilter_value::Store;
use kilter_wire::{Event, Finding, Group};

use crate::discovery::Discovery;
use crate::drive::{Case, Driver, Ending, Played};
use crate::follow::{first_like, follow};
use crate::groups::Groups;
use crate::plan::Plan;
use crate::record::{self, FollowUp};

/// Makes a world; called once by each job, in its own thread.
pub type MakeWorld<'m> = dyn Fn() -> Result<Box<dyn World>, Trouble> + Sync + 'm;

/// How cases are run.
pub struct Options<'o> {
    /// How many worlds there are side by side.
    pub jobs: usize,
    /// Stop after so many findings.
    pub findings_max: Option<u64>,
    /// The line that repeats a case.
    pub repeat: &'o dyn Fn(&str) -> String,
    /// Set by someone else when the run should end.
    pub interrupted: &'o AtomicBool,
}

/// Whoever runs cases is told what comes of them, in order.
pub trait Listener {
    /// Something for the record.
    fn event(&mut self, event: &Event);
    /// How far the run is; called now and then.
    fn progress(&mut self, tally: &Tally);
}

/// What came of the cases so far.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    /// How many cases there are.
    pub n_cases: u64,
    /// How many have ended.
    pub ended: u64,
    /// How many of those did all that the specification says.
    pub passed: u64,
    /// How many steps were taken.
    pub steps: u64,
    /// How many findings there are.
    pub findings: u64,
    /// How much time was spent waiting for timeouts to pass, in all worlds together.
    pub waited: Duration,
    /// How long it took so far.
    pub took: Duration,
}

/// What came of a run.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The numbers.
    pub tally: Tally,
    /// All findings, in the order of their cases.
    pub findings: Vec<Finding>,
    /// What they have in common.
    pub groups: Vec<Group>,
    /// Why not all cases were run, if so.
    pub stopped: Option<Stopped>,
}

/// Why not all cases were run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stopped {
    /// Somebody pressed Ctrl-C.
    Interrupted,
    /// There are enough findings.
    Findings,
    /// The initial state differs already, so that every case would only say that again.
    InitialState,
    /// The system could not be run.
    NotRunnable(String),
}

/// How far ahead of the last result in order cases are run, for each job.
const AHEAD: usize = 64;
/// Of how many findings of one group each is looked at again.
const FOLLOWED_MAX: usize = 3;
/// How many findings of one group tell their path.
const TOLD_MAX: u64 = 1000;

/// Runs all cases.
pub fn run(
    plan: &Plan<'_>,
    store: &Store,
    cases: &[Case],
    make_world: &MakeWorld<'_>,
    options: &Options<'_>,
    listener: &mut dyn Listener,
) -> Outcome {
    let jobs = options.jobs.clamp(1, cases.len().max(1));
    let desk = Desk::new(cases.len(), jobs * AHEAD);
    let (sender, results) = channel();
    std::thread::scope(|scope| {
        for _ in 0..jobs {
            let (sender, store, desk, interrupted) =
                (sender.clone(), store.sibling(), &desk, options.interrupted);
            scope.spawn(move || {
                let job = Job { plan, store: &store, cases, desk, sender: &sender, interrupted };
                job.work(make_world);
            });
        }
        drop(sender);
        let mut clerk = Clerk::new(plan, store, cases, options, &desk, listener);
        clerk.collect(&results);
        clerk.shorten(&results);
        desk.close();
        clerk.outcome()
    })
}

/// What there is to do.
enum Task {
    /// Run a case.
    Case(usize),
    /// Look at a case's discovery again.
    Follow(usize, Box<Discovery>),
    /// Find the first of these cases that shows what a group is about.
    Shorten(usize, Vec<Case>, Box<Discovery>),
}

/// What has been done.
enum Done {
    Case(usize, Played),
    Follow(usize, FollowUp),
    Shorten(usize, Option<Box<(Case, Discovery)>>),
    NotRunnable(String),
    Interrupted,
}

/// Where jobs get their tasks.
struct Desk {
    state: Mutex<DeskState>,
    news: Condvar,
}

struct DeskState {
    next: usize,
    /// Cases from here on have to wait.
    until: usize,
    end: usize,
    ahead: usize,
    follow: VecDeque<Task>,
    is_closed: bool,
}

impl Desk {
    fn new(n_cases: usize, ahead: usize) -> Desk {
        let state = DeskState {
            next: 0,
            until: ahead,
            end: n_cases,
            ahead,
            follow: VecDeque::new(),
            is_closed: false,
        };
        Desk { state: Mutex::new(state), news: Condvar::new() }
    }

    fn lock(&self) -> MutexGuard<'_, DeskState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The next task; `None` when there will be none.
    fn take(&self) -> Option<Task> {
        let mut state = self.lock();
        loop {
            if state.is_closed {
                return None;
            }
            if let Some(task) = state.follow.pop_front() {
                return Some(task);
            }
            if state.next < state.end.min(state.until) {
                state.next += 1;
                return Some(Task::Case(state.next - 1));
            }
            state = self.news.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn follow(&self, task: Task) {
        self.lock().follow.push_back(task);
        self.news.notify_one();
    }

    /// All cases before this one have been handed on.
    fn advance(&self, index: usize) {
        let mut state = self.lock();
        state.until = index + state.ahead;
        self.news.notify_all();
    }

    /// No more cases are given out.
    fn clear(&self) {
        let mut state = self.lock();
        state.end = state.next;
        state.follow.clear();
    }

    fn close(&self) {
        self.lock().is_closed = true;
        self.news.notify_all();
    }
}

/// One job: a world, and whatever the desk gives out.
struct Job<'j> {
    plan: &'j Plan<'j>,
    store: &'j Store,
    cases: &'j [Case],
    desk: &'j Desk,
    sender: &'j Sender<Done>,
    interrupted: &'j AtomicBool,
}

impl Job<'_> {
    fn work(&self, make_world: &MakeWorld<'_>) {
        // A panic must not leave the others waiting for this job's results.
        let _guard = CloseOnPanic(self.desk);
        let world = match make_world() {
            Ok(world) => world,
            Err(trouble) => return self.send(Done::NotRunnable(trouble.to_string())),
        };
        let mut driver = Driver::new(self.plan, self.store, world);
        while let Some(task) = self.desk.take() {
            if self.interrupted.load(Ordering::Relaxed) {
                self.send(Done::Interrupted);
                break;
            }
            let done = self.carry_out(&mut driver, task);
            self.send(done);
        }
        driver.stop();
    }

    fn carry_out(&self, driver: &mut Driver<'_>, task: Task) -> Done {
        match task {
            Task::Case(index) => {
                let mut played = driver.play(&self.cases[index]);
                if matches!(played.ending, Ending::NotStarted(_)) {
                    // Once may be bad luck: a port that somebody else was faster to take.
                    played = driver.play(&self.cases[index]);
                }
                match played.ending {
                    Ending::NotStarted(trouble) => Done::NotRunnable(trouble.to_string()),
                    Ending::Interrupted => Done::Interrupted,
                    _ => Done::Case(index, played),
                }
            }
            Task::Follow(index, discovery) => {
                Done::Follow(index, follow(self.plan, driver, &self.cases[index], &discovery))
            }
            Task::Shorten(group, cases, discovery) => {
                Done::Shorten(group, first_like(driver, &cases, &discovery).map(Box::new))
            }
        }
    }

    fn send(&self, done: Done) {
        // Nobody listens any more when the run has been stopped.
        let _ = self.sender.send(done);
    }
}

struct CloseOnPanic<'d>(&'d Desk);

impl Drop for CloseOnPanic<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.close();
        }
    }
}

/// Puts results in order, has findings looked at again, and tells the listener.
struct Clerk<'c> {
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
    fn new(
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

    fn collect(&mut self, results: &Receiver<Done>) {
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
        if self.options.findings_max.is_some_and(|max| self.tally.findings >= max) {
            self.stopped = Some(Stopped::Findings);
        } else if discovery.step == 0 && self.plan.graph.initial().len() == 1 {
            self.stopped = Some(Stopped::InitialState);
        }
    }

    /// Looks for a shorter way to what each group is about: other edges of the same action that no case has confirmed.
    fn shorten(&mut self, results: &Receiver<Done>) {
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

    fn outcome(mut self) -> Outcome {
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
