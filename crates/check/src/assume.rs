//! ASSUME: checked once, before any state.

use std::sync::atomic::Ordering;

use kilter_eval::{ErrorKind, Program, Worker};

use crate::options::Progress;
use crate::outcome::{Limit, Trace, Verdict};

/// Evaluates the assumptions in order; the verdict of the first one that does not hold.
pub(crate) fn check(
    program: &Program,
    worker: &mut Worker<'_>,
    progress: &mut (dyn Progress + Send),
) -> Result<(), Verdict> {
    for assumption in &program.assumptions {
        let result = worker.holds(assumption, &[], None);
        worker.take_printed().iter().for_each(|line| progress.print(line));
        match result {
            Ok(true) => {}
            Ok(false) => return Err(Verdict::Assumption { name: assumption.name.clone() }),
            Err(error) if error.kind == ErrorKind::Exit => return Err(Verdict::Bounded(Limit::Exit)),
            Err(error) if error.kind == ErrorKind::Stopped => {
                let interrupted = progress.interrupted().load(Ordering::Relaxed);
                return Err(Verdict::Bounded(if interrupted { Limit::Interrupt } else { Limit::Time }));
            }
            Err(error) => return Err(Verdict::Error { error, trace: Trace::default() }),
        }
    }
    Ok(())
}
