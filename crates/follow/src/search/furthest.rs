//! How far the search came, and its end if no behavior explains all lines.

use std::rc::Rc;
use std::sync::Arc;

use kilter_value::Store;

use super::outcome::{Reason, Stuck, Trouble, Verdict};
use super::{Frame, Search, Sitting};
use crate::demand::{Demand, LinePlace};
use crate::lines::{HeldBy, Lines};
use crate::moment::Moment;
use crate::step::Stepper;
use crate::why;

/// The cut that no behavior gets behind.
pub(super) struct Furthest {
    pub(super) n_lines: u64,
    pub(super) states: Vec<Rc<Moment>>,
    pub(super) stuck: Vec<Arc<Demand>>,
    pub(super) held_back: Vec<(LinePlace, LinePlace)>,
}

impl Search<'_> {
    /// Notes how far a frame came that no line follows, if none came further.
    pub(super) fn note_furthest(
        &mut self,
        frame: &Frame,
        lines: &mut Lines<'_>,
        store: &Store,
    ) -> Result<(), Trouble> {
        let n_lines: u64 = frame.cut.iter().sum();
        let is_known = |furthest: &Furthest| n_lines == furthest.n_lines && !furthest.stuck.is_empty();
        if self.furthest.as_ref().is_some_and(|furthest| n_lines < furthest.n_lines || is_known(furthest)) {
            return Ok(());
        }
        let (mut stuck, mut held_back) = (Vec::new(), Vec::new());
        for file in 0..lines.n_files() {
            let Some(demand) = lines.get(file, frame.cut[file], store)? else { continue };
            match lines.held_back(&frame.cut, file, &demand, store)? {
                None => stuck.push(demand),
                Some(HeldBy::Line(other)) => held_back.push((demand.place(), other)),
                Some(HeldBy::NotWritten) => {}
            }
        }
        // If clocks or times say that each line comes after another one, none can be the next.
        if stuck.is_empty() {
            for file in 0..lines.n_files() {
                stuck.extend(lines.get(file, frame.cut[file], store)?);
            }
        }
        self.reach(frame, stuck, held_back);
        Ok(())
    }

    /// Notes how far the search is that is told to end.
    pub(super) fn reach_last(&mut self) {
        if let Some(frame) = self.frames.pop() {
            if self.furthest.as_ref().is_none_or(|furthest| frame.cut.iter().sum::<u64>() > furthest.n_lines)
            {
                self.reach(&frame, Vec::new(), Vec::new());
            }
            self.frames.push(frame);
        }
    }

    pub(super) fn reach(
        &mut self,
        frame: &Frame,
        stuck: Vec<Arc<Demand>>,
        held_back: Vec<(LinePlace, LinePlace)>,
    ) {
        let (n_lines, states) = (frame.cut.iter().sum(), frame.states.clone());
        self.furthest = Some(Furthest { n_lines, states, stuck, held_back });
    }

    /// Ends the search without a behavior for all lines. Without a reason to give up, there is none, unless something was left out.
    pub(super) fn over(
        &mut self,
        reason: Option<Reason>,
        stepper: &mut Stepper<'_>,
    ) -> Result<Sitting, Trouble> {
        let (mut stuck, mut last) = (Vec::new(), None);
        if let Some(furthest) = &self.furthest {
            last = furthest.states.first().cloned();
            // A silent action may be what a line needs to be nearly right.
            let mut states = furthest.states.clone();
            if !self.silent.is_empty()
                && let Ok(silent) = stepper.silent(&states, &self.silent)
            {
                states.truncate(why::STATES_MAX);
                states.extend(silent);
            }
            for demand in &furthest.stuck {
                let why = why::explain(stepper, &states, demand)?;
                stuck.push(Stuck { demand: Arc::clone(demand), why });
            }
            // Of several files, most only wait for messages of the one at fault.
            stuck.sort_by_key(|one| one.why.first().map_or(usize::MAX, |why| why.wrong.distance()));
        }
        self.note_what_was_cut(stepper);
        let verdict = match reason.or(self.incomplete) {
            Some(reason) => Verdict::Undecided(reason, stuck),
            None => Verdict::Rejected(stuck),
        };
        Ok(Sitting::Over(verdict, last))
    }
}
