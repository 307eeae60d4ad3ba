//! Handles the ends of sequences.

use kilter_testbed::Trouble;

use super::{Explorer, anywhere, with_natures};
use crate::extend::extend;
use crate::finding::{Finding, Wrong, is_finding};
use crate::path::End;
use crate::subject::Subject;

impl<S: Subject> Explorer<'_, S> {
    /// Tells the strategy that the sequence ends here, or would end without faults.
    pub(super) fn close(&mut self, end: End) {
        let mut pending = with_natures(&self.subject, self.subject.enabled());
        if self.options.faults_anywhere && self.progress_so_far().1 < self.options.faults {
            pending.extend(anywhere(&self.subject, self.options));
        }
        let blocked = with_natures(&self.subject, self.subject.blocked());
        self.strategy.ended(&self.path, end, &pending, &blocked);
    }

    pub(super) fn quiet(&mut self) -> End {
        self.close(End::Quiet);
        if self.subject.reached() == Some(false) {
            return self.record(Wrong::Stuck, Vec::new());
        }
        End::Quiet
    }

    /// Ends a sequence that has the most steps allowed. It is extended step by step, and reported only if that does not
    /// reach the goal either.
    pub(super) fn cut(&mut self) -> Result<End, Trouble> {
        self.close(End::Cut);
        if self.subject.reached() != Some(false) {
            return Ok(End::Cut);
        }
        let mark = self.subject.mark();
        let (events, found) = extend(&mut self.subject, self.options.extension, &|| false)?;
        self.counts.events += events.len() as u64;
        let end = match found.wrong(self.options.depth + self.options.extension, true) {
            None => {
                self.counts.late += 1;
                self.counts.late_by = self.counts.late_by.max(events.len() as u32);
                End::Cut
            }
            Some(wrong) => self.record(wrong, events),
        };
        if let Some(mark) = mark {
            self.subject.restore(&mark);
        }
        Ok(end)
    }

    pub(super) fn wrong(&mut self, wrong: Wrong) -> End {
        self.close(End::Violated);
        self.record(wrong, Vec::new())
    }

    /// Ends a sequence in which the system made trouble. A node that fails is a finding. It is an error if the system
    /// can't be run any more.
    pub(super) fn broken(&mut self, trouble: &Trouble) -> Result<End, Trouble> {
        if !is_finding(trouble) {
            return Err(trouble.clone());
        }
        self.strategy.ended(&self.path, End::Violated, &[], &[]);
        Ok(self.record(Wrong::Broken { reason: trouble.to_string() }, Vec::new()))
    }

    pub(super) fn record(&mut self, wrong: Wrong, extension: Vec<S::Event>) -> End {
        self.counts.failing += 1;
        if self.n_findings() < self.options.findings_max {
            let mut events = self.path.events();
            let n_given = events.len();
            events.extend(extension);
            self.findings.push(Finding { wrong, events, n_given });
        }
        End::Violated
    }
}
