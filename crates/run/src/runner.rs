//! Plays many cases on several systems. Results are passed on in the order of the cases, whichever system was faster.

use std::sync::mpsc::channel;
use std::thread;

use kilter_base::memory;

use crate::clerk::Clerk;
use crate::desk::{Desk, Done};
use crate::job::Job;
use crate::limits::Limits;
use crate::method::Method;
use crate::options::Options;
use crate::outcome::Outcome;
use crate::played::Stop;
use crate::sink::Sink;
use crate::source::Source;

/// For each job, how many cases may be played ahead of the last result in order.
const AHEAD: usize = 64;
/// The stack of a job, which is enough for an evaluator of formulas.
const STACK_BYTES: usize = 16 << 20;

/// Runs all cases.
pub fn run<M: Method>(
    method: &M,
    source: &mut dyn Source<M::Case>,
    options: &Options<'_>,
    sink: &mut dyn Sink,
) -> Outcome {
    let n_cases = source.n_left();
    let most = if method.plans_more() { u64::MAX } else { n_cases.max(1) };
    let jobs = options.jobs.clamp(1, usize::try_from(most).unwrap_or(usize::MAX));
    let desk = Desk::new(source, options.batch, jobs * AHEAD.max(options.batch));
    let limits = Limits::new(options.interrupted, options.begun, options.time_max);
    let (sender, results) = channel();
    thread::scope(|scope| {
        for _ in 0..jobs {
            let (sender, desk, limits) = (sender.clone(), &desk, &limits);
            let of_job = sender.clone();
            let job = move || Job { method, desk, limits, sender: &of_job }.work();
            let stack = memory::stack_bytes(STACK_BYTES);
            if let Err(error) = thread::Builder::new().stack_size(stack).spawn_scoped(scope, job) {
                let why = format!("no thread could be started: {error}");
                // The clerk listens until all senders are gone, so this can't fail.
                let _ = sender.send(Done::Stopped(Stop::NotRunnable(why)));
            }
        }
        drop(sender);
        let mut clerk = Clerk::new(method, n_cases, options, &desk, &limits, sink);
        clerk.collect(&results);
        clerk.shorten(&results);
        desk.close();
        clerk.end(&results);
        clerk.outcome()
    })
}
