//! The possibilities of a frame, tried one after the other: the next line of each file, then silent actions.

use std::rc::Rc;
use std::sync::Arc;

use kilter_value::Store;

use super::outcome::{Progress, Trouble, Verdict};
use super::{Frame, Search, Sitting};
use crate::lines::Lines;
use crate::moment::Moment;
use crate::step::{Advanced, Stepper};

/// The most frames that are kept in case that lines of different nodes do not commute.
const DOUBTS_MAX: usize = 300;
/// Lines are forgotten only now and then.
const LINES_BETWEEN: u64 = 64;

impl Search<'_> {
    /// Tries the next possibility of a frame. Returns how the search ends, if it does.
    pub(super) fn go_on_with(
        &mut self,
        mut frame: Frame,
        stepper: &mut Stepper<'_>,
        lines: &mut Lines<'_>,
        progress: &mut (dyn Progress + Send),
    ) -> Result<Option<Sitting>, Trouble> {
        let n_files = lines.n_files();
        if let Some(file) = frame.guess.take() {
            self.try_guess(frame, file, stepper, lines)?;
        } else if frame.n_tried < n_files {
            let file = Self::file_to_try(&frame, n_files);
            frame.n_tried += 1;
            return self.try_line(frame, file, stepper, lines, progress);
        } else {
            self.try_silent(&frame, stepper)?;
        }
        Ok(None)
    }

    /// The next file to take a line from: first the one that the last line came from.
    fn file_to_try(frame: &Frame, n_files: usize) -> usize {
        (frame.last_file + frame.n_tried) % n_files
    }

    /// Tries to explain the next line of a file. Returns how the search ends, if it does.
    fn try_line(
        &mut self,
        mut frame: Frame,
        file: usize,
        stepper: &mut Stepper<'_>,
        lines: &mut Lines<'_>,
        progress: &mut (dyn Progress + Send),
    ) -> Result<Option<Sitting>, Trouble> {
        let store = stepper.store;
        if frame.cut[file].is_multiple_of(LINES_BETWEEN) && !self.is_looking {
            lines.forget_before(&self.oldest(&frame));
        }
        let demand = lines.get(file, frame.cut[file], store)?;
        let Some(demand) = demand else {
            if Self::is_complete(&frame, lines, store)? {
                let last = frame.states.first().cloned();
                self.reach(&frame, Vec::new(), Vec::new());
                return Ok(Some(Sitting::Over(Verdict::Accepted, last)));
            }
            self.after_try(frame, lines, store)?;
            return Ok(None);
        };
        if lines.held_back(&frame.cut, file, &demand, store)?.is_some() {
            self.after_try(frame, lines, store)?;
            return Ok(None);
        }
        let without = demand.guessed(false);
        let guess = without.is_some().then(|| Frame {
            cut: frame.cut.clone(),
            states: frame.states.clone(),
            n_silent: frame.n_silent,
            last_file: frame.last_file,
            n_tried: lines.n_files(),
            is_explained: true,
            guess: Some(file),
        });
        let has_guess = without.is_some();
        let demand = without.map_or(demand, Arc::new);
        self.effort += frame.states.len() as u64;
        let Advanced { found: mut states, stay, is_local } = stepper
            .advance(&frame.states, &demand)
            .map_err(|error| Trouble::Evaluation(Box::new(error), Some((demand.file, demand.number))))?;
        let mut cut = frame.cut.clone();
        cut[file] += 1;
        frame.is_explained |= !states.is_empty();
        // If steps of other nodes can neither enable nor change the line, nothing is lost when it comes first.
        // A step that only may have been may have to wait for a message.
        let comes_first =
            is_local && !has_guess && !self.mapping.diff.shared && demand.is_certain(self.mapping);
        if comes_first
            && frame.n_tried < lines.n_files()
            && !states.is_empty()
            && !self.is_doubting
            && !self.is_looking
        {
            self.doubt(&frame);
            frame.states = stay;
        }
        if !frame.states.is_empty() {
            self.after_try(frame, lines, store)?;
        }
        // Whether the step was taken is more often the question than in which order the lines came.
        if let Some(guess) = guess {
            self.push(guess);
        }
        if !self.frames.is_empty() {
            self.keep_unseen(&cut, 0, &mut states);
        } else if !self.seen.is_empty() {
            self.seen.clear();
        }
        if !self.is_looking && states.first().is_some_and(|state| state.depth >= self.settle_at) {
            self.settle(&cut, &states, store, progress);
        }
        self.go_on(&cut, states, 0, file);
        Ok(None)
    }

    /// Tries to explain the next line of a file with a step before it that only may have been.
    fn try_guess(
        &mut self,
        frame: Frame,
        file: usize,
        stepper: &mut Stepper<'_>,
        lines: &mut Lines<'_>,
    ) -> Result<(), Trouble> {
        let Some(demand) = lines.get(file, frame.cut[file], stepper.store)? else { return Ok(()) };
        let Some(demand) = demand.guessed(true) else { return Ok(()) };
        self.effort += frame.states.len() as u64;
        let mut states = stepper.advance(&frame.states, &demand)?.found;
        let mut cut = frame.cut;
        cut[file] += 1;
        self.keep_unseen(&cut, 0, &mut states);
        self.go_on(&cut, states, 0, file);
        Ok(())
    }

    /// Tries one more silent action.
    fn try_silent(&mut self, frame: &Frame, stepper: &mut Stepper<'_>) -> Result<(), Trouble> {
        if self.silent.is_empty() || frame.n_silent >= self.mapping.follow.silent_max {
            return Ok(());
        }
        self.effort += frame.states.len() as u64;
        let mut states = stepper.silent(&frame.states, &self.silent)?;
        self.keep_unseen(&frame.cut, frame.n_silent + 1, &mut states);
        self.go_on(&frame.cut, states, frame.n_silent + 1, frame.last_file);
        Ok(())
    }

    /// Keeps a frame in case that lines of different nodes do not commute after all.
    fn doubt(&mut self, frame: &Frame) {
        let (cut, states) = (frame.cut.clone(), frame.states.clone());
        let Frame { n_silent, last_file, n_tried, .. } = *frame;
        self.doubts.push_back(Frame {
            cut,
            states,
            n_silent,
            last_file,
            n_tried,
            is_explained: true,
            guess: None,
        });
        if self.doubts.len() > DOUBTS_MAX {
            self.doubts.pop_front();
            self.supposes = true;
        }
    }

    /// For each file, the first demand that some frame may ask for.
    fn oldest(&self, frame: &Frame) -> Box<[u64]> {
        let mut oldest = frame.cut.clone();
        for other in self.frames.first().into_iter().chain(&self.doubts) {
            for (index, own) in oldest.iter_mut().zip(&other.cut) {
                *index = (*index).min(*own);
            }
        }
        oldest
    }

    /// Goes on with these states. If there are too many, the rest is left behind.
    fn go_on(&mut self, cut: &[u64], mut states: Vec<Rc<Moment>>, n_silent: u32, last_file: usize) {
        self.states_max = self.states_max.max(states.len());
        let n_lines: u64 = cut.iter().sum();
        if !states.is_empty() && self.furthest.as_ref().is_none_or(|furthest| n_lines > furthest.n_lines) {
            self.effort = 0;
        }
        let frame = |states| Frame {
            cut: cut.into(),
            states,
            n_silent,
            last_file,
            n_tried: 0,
            is_explained: false,
            guess: None,
        };
        while states.len() > self.options.width {
            let rest = states.split_off(states.len() - self.options.width);
            self.push(frame(rest));
        }
        if !states.is_empty() {
            self.push(frame(states));
        }
    }

    /// Notes how far a frame came once all its lines were tried, and leaves it behind if something is left to try.
    fn after_try(&mut self, frame: Frame, lines: &mut Lines<'_>, store: &Store) -> Result<(), Trouble> {
        let n_files = lines.n_files();
        if frame.n_tried == n_files && !frame.is_explained {
            if lines.may_grow() {
                self.push(frame);
                return Ok(());
            }
            self.note_furthest(&frame, lines, store)?;
        }
        let may_be_silent = !self.silent.is_empty() && frame.n_silent < self.mapping.follow.silent_max;
        if frame.n_tried < n_files || may_be_silent {
            self.push(frame);
        }
        Ok(())
    }
}
