//! Forgets possibilities that lead nowhere, so that their number does not grow with the log.

use super::{Frame, Progress, Reason, Search, THIN_AFTER, Trouble};
use crate::lines::Lines;
use crate::step::Stepper;

/// A frame leads nowhere if nothing explains this many lines after it, and this is known after so many tries.
const LINES_LOOKED_AHEAD: u64 = 20;
const TRIES_AHEAD: usize = 1_000;

/// Nobody is told how far a search is that only looks ahead.
struct Unwatched;

impl Progress for Unwatched {
    fn report(&mut self, _lines: u64, _states: usize) {}

    fn wait(&mut self) -> bool {
        false
    }

    fn is_interrupted(&self) -> bool {
        false
    }
}

impl Search<'_> {
    /// Forgets frames of long ago that lead nowhere. A silent action may have come before every line of a log, and most of
    /// these possibilities end a few lines later. If too many are left, the oldest are forgotten as they are.
    pub(super) fn thin(&mut self, stepper: &mut Stepper<'_>, lines: &mut Lines<'_>) -> Result<(), Trouble> {
        let n_old = self.frames.len() / 2;
        let recent = self.frames.split_off(n_old);
        let old = std::mem::take(&mut self.frames);
        let seen = std::mem::take(&mut self.seen);
        let (effort, n_behind) = (self.effort, self.n_behind);
        self.is_looking = true;
        let mut kept = Vec::new();
        for frame in old {
            if !self.leads_nowhere(&frame, stepper, lines)? {
                kept.push(frame);
            }
        }
        (self.is_looking, self.effort, self.seen) = (false, effort, seen);
        self.frames = kept;
        self.frames.extend(recent);
        self.n_behind = self.frames.iter().map(|frame| frame.states.len()).sum();
        if self.n_behind > n_behind / 4 * 3 && n_behind > self.options.alternatives_max {
            self.forget_oldest();
        }
        // Looking again only after as many frames as are left now, it costs a constant time for each of them.
        self.thin_at = (2 * self.n_behind).clamp(THIN_AFTER, self.options.alternatives_max.max(THIN_AFTER));
        Ok(())
    }

    /// Whether all that can come after a frame ends soon.
    fn leads_nowhere(
        &mut self,
        frame: &Frame,
        stepper: &mut Stepper<'_>,
        lines: &mut Lines<'_>,
    ) -> Result<bool, Trouble> {
        let limit = frame.cut.iter().sum::<u64>() + LINES_LOOKED_AHEAD;
        self.seen.clear();
        self.push(frame.clone());
        for _ in 0..TRIES_AHEAD {
            let Some(next) = self.frames.pop() else { return Ok(true) };
            if next.cut.iter().sum::<u64>() > limit
                || self.go_on_with(next, stepper, lines, &mut Unwatched)?.is_some()
                || lines.may_grow()
            {
                break;
            }
        }
        self.frames.clear();
        Ok(false)
    }

    /// Forgets the older half of the frames. Forgetting one at a time would move all others each time.
    fn forget_oldest(&mut self) {
        let n_forgotten = self.frames.len() / 2;
        for frame in self.frames.drain(..n_forgotten) {
            self.n_behind -= frame.states.len();
        }
        self.incomplete = Some(Reason::Forgotten);
    }
}
