//! Guided testing as a method of the runner. A case is a path of the graph. A case in which the system does not do what
//! the specification says is played again.

use std::path::Path;

use kilter_base::Id;
use kilter_graph::{EdgeId, StateGraph, fingerprint};
use kilter_run::{
    Control, Counters, Ending, Event, FORMAT, Found, Further, Group, Header, Method, More, Played, Player,
    Seen, SoFar, Stop, Tally, VERSION, Verb, hint_of_numbers, when,
};
use kilter_testbed::{Trouble, World};
use kilter_value::Store;

use crate::cases::{self, Case};
use crate::discovery::Discovery;
use crate::drive::{self, Driver};
use crate::follow::{first_like, follow, shorter_cases};
use crate::plan::Plan;
use crate::record::{self, FollowUp};
use crate::replan::Replan;

/// Makes a world. Called once by each job, in its own thread.
pub type MakeWorld<'m> = dyn Fn() -> Result<Box<dyn World>, Trouble> + Sync + 'm;

/// Guided testing of one system.
pub struct Conformance<'m> {
    /// The prepared graph.
    pub plan: &'m Plan<'m>,
    /// The store with the graph's values.
    pub store: &'m Store,
    /// Makes a world for each job.
    pub make_world: &'m MakeWorld<'m>,
    /// Makes the command line that repeats a case.
    pub repeat: &'m (dyn Fn(&str) -> String + Sync),
    /// Where to keep what nodes leave behind when a case finds something. Then the logs of all cases are written.
    pub keep: Option<&'m Path>,
    /// The folder of the run, for the logs of cases that find something. `None` writes no logs.
    pub logs: Option<&'m Path>,
    /// Plans what findings have hidden again. `None` if nothing but the given cases should be played.
    pub replan: Option<Replan<'m>>,
    /// Whether shorter ways to a finding are looked for. They lead elsewhere than the case.
    pub shortens: bool,
}

impl Conformance<'_> {
    /// The header of the record, for a run with `n_cases` cases.
    pub fn header(&self, config: &str, n_cases: u64) -> Header {
        let graph: &StateGraph = self.plan.graph;
        Header {
            format: FORMAT.to_owned(),
            version: VERSION,
            verb: Verb::Test,
            config: config.to_owned(),
            spec: graph.origin().to_owned(),
            run: format!("{:016x}", fingerprint(graph)),
            states: graph.n_states() as u64,
            edges: record::edges_by_action(graph),
            nodes: self.plan.mapping.system.nodes().to_vec(),
            cases: n_cases,
            started_s: when::now(),
            ..Header::default()
        }
    }

    /// The event that says which action each edge has.
    pub fn actions(&self) -> Event {
        record::actions_of_edges(self.plan.graph)
    }

    /// The finding of a case, for the record.
    fn found(
        &self,
        store: &Store,
        case: &Case,
        discovery: &Discovery,
        follow_up: &FollowUp,
        logs: Option<String>,
    ) -> Found<Shown> {
        let mut finding = record::finding(self.plan, store, case, discovery, follow_up, self.repeat);
        finding.logs.clone_from(&logs);
        let n_steps = match &follow_up.shortest {
            Some((shorter, _)) => shorter.edges.len() as u64,
            None => discovery.step.into(),
        };
        let says_all = discovery.step == 0 && self.plan.graph.initial().len() == 1;
        Found {
            finding,
            discovery: Shown {
                case: case.clone(),
                discovery: discovery.clone(),
                stable: follow_up.stable,
                logs,
            },
            place: discovery.edge.map(|edge| edge.index() as u64),
            n_steps,
            ends_run: says_all
                .then(|| "the initial state differs already, so no case can say more".to_owned()),
        }
    }
}

/// Counts the cases with a message that nobody had reported as sent.
const UNREPORTED: &str = "unreported";
/// With the name of a variable behind it: counts the cases in which no node reported that variable, though any might.
const SILENT: &str = "silent_";

/// A case, and what it has shown.
#[derive(Clone, Debug)]
pub struct Shown {
    case: Case,
    discovery: Discovery,
    stable: Option<bool>,
    logs: Option<String>,
}

impl Method for Conformance<'_> {
    type Case = Case;
    type Discovery = Shown;

    fn id<'c>(&self, case: &'c Case) -> &'c str {
        &case.id
    }

    fn with_player(&self, work: &mut dyn FnMut(&mut dyn Player<Self>)) -> Result<(), Stop> {
        let store = self.store.sibling();
        let world = (self.make_world)().map_err(|trouble| Stop::NotRunnable(trouble.to_string()))?;
        let driver = Driver::new(self.plan, &store, world);
        let mut player = Guided { method: self, store: &store, driver };
        work(&mut player);
        player.driver.stop();
        Ok(())
    }

    fn plans_more(&self) -> bool {
        self.replan.is_some()
    }

    fn more(&self, so_far: &SoFar<'_>) -> More<Case> {
        match &self.replan {
            Some(replan) => replan.more(self.plan, self.store, so_far),
            None => More { cases: Vec::new(), event: None },
        }
    }

    fn further(&self, case: &Case) -> Further {
        cases::to_further(case)
    }

    fn again(&self, further: &Further) -> Option<Case> {
        cases::of_further(self.plan.graph, further)
    }

    fn remarks(&self, tally: &Tally) -> Vec<String> {
        let sums = &tally.counters.sums;
        let n = sums.get(UNREPORTED).copied().unwrap_or(0);
        let cases = if n == 1 { "1 case".to_owned() } else { format!("{n} cases") };
        let remark = format!(
            "note: in {cases}, a node offered to take in a message that no node had reported as sent. Such a message counts as soon as it is \
             offered, so verdicts may depend on time: `sent()`, or a point with `sends` for Java, has to stand beside each send"
        );
        let n_played = tally.ended - tally.not_run;
        let silent = sums.iter().filter(|(_, n)| **n == n_played && n_played > 0);
        let silent = silent.filter_map(|(name, _)| name.strip_prefix(SILENT)).map(|variable| {
            format!(
                "note: `{variable}` was never compared, because no node has reported it; if one should, look at its name there and at `from`, or \
                 say which with `node = \"...\"`"
            )
        });
        silent.chain((n > 0).then_some(remark)).collect()
    }

    fn comment(&self, group: &mut Group, seen: &Seen<'_>) {
        let action = &seen.example.action;
        let is_covered = |edge: &EdgeId| seen.covered.get(edge.index()).copied().unwrap_or(false);
        let of_action = self.plan.graph.edges().filter(|edge| self.plan.rule(*edge).action == *action);
        let n_passed = of_action.filter(is_covered).count() as u64;
        let n_failed = seen.failed.len() as u64;
        (group.edges_failed, group.edges_passed) = (Some(n_failed), Some(n_passed));
        if !seen.is_unstable && !seen.failed.contains(&None) {
            group.hints.extend(hint_of_numbers(action, n_failed, n_passed));
        }
    }
}

/// A world on which cases are played.
struct Guided<'j, 'm> {
    method: &'j Conformance<'m>,
    store: &'j Store,
    driver: Driver<'j>,
}

impl Guided<'_, '_> {
    /// Keeps what nodes leave behind, if somebody wants it.
    fn keep(&self, case: &Case) -> Result<(), Trouble> {
        let Some(folder) = self.method.keep else { return Ok(()) };
        self.driver.keep(folder, &case.id)
    }

    /// The logs of the case that is shown. If that is a shorter one, it was just played.
    fn logs_of(&self, follow_up: &FollowUp, shown: &Shown) -> Option<String> {
        let shorter = follow_up.shortest.as_ref().and_then(|(case, _)| self.log(case, &mut Vec::new()));
        shorter.or_else(|| shown.logs.clone())
    }

    /// Writes the logs of a case that was just played. If that is not possible, a note says why.
    fn log(&self, case: &Case, notes: &mut Vec<String>) -> Option<String> {
        let written = self.driver.log(self.method.logs?, &case.id);
        written.unwrap_or_else(|error| {
            notes.push(format!("its logs cannot be written: {error}"));
            None
        })
    }
}

impl<'m> Player<Conformance<'m>> for Guided<'_, 'm> {
    fn play(&mut self, case: &Case, _: &Control<'_, Shown>) -> Result<Played<Shown>, Stop> {
        let mut played = self.driver.play(case);
        let is_logged = self.method.keep.is_some() || matches!(played.ending, drive::Ending::Found(_));
        let logs = if is_logged { self.log(case, &mut played.notes) } else { None };
        let (ending, found) = match played.ending {
            drive::Ending::Passed => (Ending::Passed, None),
            drive::Ending::Found(discovery) => {
                // The finding counts more than what is kept of it.
                if let Err(trouble) = self.keep(case) {
                    played.notes.push(trouble.to_string());
                }
                let follow_up = FollowUp::default();
                let found = self.method.found(self.store, case, &discovery, &follow_up, logs.clone());
                (Ending::Failed, Some(Box::new(found)))
            }
            drive::Ending::NotStarted(trouble) => return Err(Stop::NotRunnable(trouble.to_string())),
            drive::Ending::Interrupted => return Err(Stop::Interrupted),
        };
        let mut counters = Counters::default();
        if played.is_unreported {
            counters.sums.insert(UNREPORTED.to_owned(), 1);
        }
        for variable in &played.silent {
            let name = &self.method.plan.mapping.variables[*variable].name;
            counters.sums.insert(format!("{SILENT}{name}"), 1);
        }
        Ok(Played {
            ending,
            found,
            steps: played.steps.into(),
            covered: record::edge_numbers(&case.edges[..played.steps as usize]),
            took: played.took,
            waited: played.waited,
            notes: played.notes,
            logs,
            counters,
        })
    }

    fn look_again(
        &mut self,
        case: &Case,
        found: &Found<Shown>,
        _: &Control<'_, Shown>,
    ) -> Result<Found<Shown>, Stop> {
        let discovery = &found.discovery.discovery;
        let follow_up = follow(self.method.plan, &mut self.driver, case, discovery, self.method.shortens);
        let logs = self.logs_of(&follow_up, &found.discovery);
        Ok(self.method.found(self.store, case, discovery, &follow_up, logs))
    }

    fn shorten(
        &mut self,
        first: &Found<Shown>,
        shortest: &Found<Shown>,
        covered: &[bool],
        control: &Control<'_, Shown>,
    ) -> Result<Option<Found<Shown>>, Stop> {
        if !self.method.shortens {
            return Ok(None);
        }
        let Shown { case, discovery, stable, .. } = &first.discovery;
        let cases = shorter_cases(self.method.plan, discovery, shortest.n_steps, covered);
        Ok(first_like(&mut self.driver, &cases, discovery, &|| control.is_late()).map(|shorter| {
            let follow_up = FollowUp { stable: *stable, shortest: Some(shorter) };
            let logs = self.logs_of(&follow_up, &first.discovery);
            self.method.found(self.store, case, discovery, &follow_up, logs)
        }))
    }
}
