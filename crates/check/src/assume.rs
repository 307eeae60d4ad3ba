//! Checks ASSUME once, before any state is computed.

use std::sync::atomic::Ordering;

use kilter_eval::{ErrorKind, Program, Worker};

use crate::options::Progress;
use crate::outcome::{Limit, Trace, Verdict};

/// Evaluates the assumptions in order. The error is the verdict for the first one that does not hold. With `listed`,
/// assumptions that are false are put there instead.
pub(crate) fn check(
    program: &Program,
    worker: &mut Worker<'_>,
    progress: &mut (dyn Progress + Send),
    mut listed: Option<&mut Vec<Verdict>>,
) -> Result<(), Box<Verdict>> {
    for assumption in &program.assumptions {
        let result = worker.holds(assumption, &[], None);
        worker.take_printed().iter().for_each(|line| progress.print(line));
        let verdict = match result {
            Ok(true) => continue,
            Ok(false) => {
                let verdict = Verdict::Assumption { name: assumption.name.clone() };
                match &mut listed {
                    Some(listed) => listed.push(verdict),
                    None => return Err(Box::new(verdict)),
                }
                continue;
            }
            Err(error) if error.kind == ErrorKind::Exit => Verdict::Bounded(Limit::Exit),
            Err(error) if error.kind == ErrorKind::Stopped => {
                let interrupted = progress.interrupted().load(Ordering::Relaxed);
                Verdict::Bounded(if interrupted { Limit::Interrupt } else { Limit::Time })
            }
            Err(error) => Verdict::Error { error, trace: Trace::default() },
        };
        return Err(Box::new(verdict));
    }
    Ok(())
}
