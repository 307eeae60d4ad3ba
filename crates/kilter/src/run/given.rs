//! Plays cases that come from elsewhere, and sends results there.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};

use kilter_report::Building;
use kilter_run::{Further, Method, Next, Options, SoFar, Source, Stopped, Tally, logs};
use serde_json::Map;

use super::recorder::{Recorder, added};
use super::{Ran, Run, RunOptions};
use crate::error::{Context as _, Tried};
use crate::host::Host;
use crate::part::Giver;

/// Plays what is given until there is no more.
pub(super) fn run<M: Method>(
    run: Run<'_, M>,
    mut giver: Box<dyn Giver>,
    options: &RunOptions,
    host: &mut Host,
) -> Tried<Ran> {
    giver.check(&run.header)?;
    logs::clear(&run.folder).with_context(|| {
        format!("the logs of an earlier run in {} cannot be removed", run.folder.display())
    })?;
    // Who gives the cases has chosen them.
    let Run { method, cases, header, first, choose: _, batch, folder, warnings, begun } = run;
    let known: BTreeMap<String, M::Case> =
        cases.into_iter().map(|case| (method.id(&case).to_owned(), case)).collect();
    let mut building = Building::new(header);
    for event in first {
        building.add(event);
    }
    let (signalled, interrupted) = (host.signals.flag(), giver.halt().flag());
    host.signals.also_raise(&interrupted)?;
    let limits = Options {
        jobs: options.jobs.into(),
        batch,
        begun,
        findings_max: options.max_findings,
        time_max: options.time_max,
        plans_more: false,
        ..Options::new(&interrupted)
    };
    let _patience = host.signals.patience();
    let mut earlier = Tally::default();
    loop {
        let mut strange = None;
        let (source, sink) = giver.ends();
        let mut source =
            Given { source, method, known: &known, strange: &mut strange, interrupted: &interrupted };
        let mut recorder = Recorder {
            journal: sink,
            building,
            watch: &mut *host.watch,
            warnings: &*warnings,
            earlier: Some(&earlier),
        };
        let outcome = kilter_run::run(method, &mut source, &limits, &mut recorder);
        building = recorder.pause();
        earlier = added(&earlier, &outcome.tally);
        if let Some(id) = strange {
            return Err(format!("the campaign has a case {id}, which is none of this run").into());
        }
        // Why somebody else has ended it, the giver knows.
        let is_halted = interrupted.load(Ordering::SeqCst);
        let stopped = match outcome.stopped {
            _ if signalled.load(Ordering::SeqCst) => Some(Stopped::Interrupted),
            stopped => stopped.filter(|_| !is_halted),
        };
        let plan = &mut |so_far: &SoFar<'_>| method.more(so_far).event;
        if stopped.is_some() || is_halted || !giver.goes_on(plan)? {
            let (record, more) = (building.finish(), Map::new());
            let first_finding = earlier.first_finding;
            return Ok(Ran { record, stopped, first_finding, folder, more, written: Ok(()) });
        }
    }
}

/// The cases that are given, as the method knows them.
struct Given<'g, M: Method> {
    source: &'g mut dyn Source<Further>,
    method: &'g M,
    /// The cases that the method has made itself.
    known: &'g BTreeMap<String, M::Case>,
    /// A case that the method does not know.
    strange: &'g mut Option<String>,
    interrupted: &'g AtomicBool,
}

impl<M: Method> Source<M::Case> for Given<'_, M> {
    fn next(&mut self) -> Next<M::Case> {
        if self.strange.is_some() || self.interrupted.load(Ordering::Relaxed) {
            return Next::Never;
        }
        match self.source.next() {
            Next::Case(further) => {
                let case = self.known.get(&further.id).cloned().or_else(|| self.method.again(&further));
                case.map_or_else(
                    || {
                        *self.strange = Some(further.id);
                        Next::Never
                    },
                    Next::Case,
                )
            }
            Next::Later => Next::Later,
            Next::Never => Next::Never,
        }
    }

    fn n_left(&self) -> u64 {
        self.source.n_left()
    }
}
