//! Goes from one state to the next, and back.

use kilter_testbed::Trouble;

use super::{Explorer, Place, only};
use crate::finding::Wrong;
use crate::path::{Choice, End, Frame};
use crate::subject::{Footprint, Subject};

impl<S: Subject> Explorer<'_, S> {
    pub(super) fn restart(&mut self) -> Result<(), Trouble> {
        self.path.frames.clear();
        self.marks.clear();
        self.subject.start()
    }

    /// Goes back to the state in which the last of the first `keep` frames made its choice.
    pub(super) fn go_back(&mut self, keep: usize) -> Result<(), Trouble> {
        let Some(last) = keep.checked_sub(1) else { return self.restart() };
        self.path.frames.truncate(keep);
        self.marks.truncate(keep);
        let frame = &mut self.path.frames[last];
        frame.chosen = None;
        frame.undone = false;
        if let Some(mark) = &self.marks[last] {
            self.subject.restore(mark);
            return Ok(());
        }
        self.subject.start()?;
        for event in self.path.events() {
            self.counts.events += 1;
            self.subject.perform(&event)?;
        }
        Ok(())
    }

    /// Continues to the end of a sequence.
    pub(super) fn sequence(&mut self, from: Place) -> Result<End, Trouble> {
        if from == Place::Start
            && let Some(end) = self.begin()?
        {
            return Ok(end);
        }
        loop {
            let Some(chosen) = self.strategy.choose(&self.path) else {
                self.strategy.ended(&self.path, End::Pruned, &[], &[]);
                return Ok(End::Pruned);
            };
            let end = match self.perform(chosen) {
                Ok(()) => self.look()?,
                Err(trouble) => Some(self.broken(&trouble)?),
            };
            if end.is_some() {
                return Ok(end.unwrap_or(End::Violated));
            }
        }
    }

    /// Checks the initial state.
    pub(super) fn begin(&mut self) -> Result<Option<End>, Trouble> {
        if let Some(property) = self.subject.violated() {
            return Ok(Some(self.record(Wrong::Unsafe { property }, Vec::new())));
        }
        if self.subject.reached() == Some(true) { Ok(Some(End::Reached)) } else { self.arrive() }
    }

    /// Makes the chosen event happen, and notes what it touched.
    pub(super) fn perform(&mut self, chosen: usize) -> Result<(), Trouble> {
        let last = self.path.frames.len() - 1;
        let frame = &mut self.path.frames[last];
        frame.chosen = Some(chosen);
        let Choice { event, nature } = &frame.choices[chosen];
        frame.touched = nature.footprint;
        let before = self.subject.sight();
        self.counts.events += 1;
        let result = self.subject.perform(event);
        if self.subject.sight() != before {
            frame.touched.writes |= Footprint::seen();
        }
        self.strategy.performed(&self.path);
        result
    }

    /// Checks the state after an event. Returns the end of the sequence, or adds a frame.
    pub(super) fn look(&mut self) -> Result<Option<End>, Trouble> {
        if let Some(property) = self.subject.violated() {
            return Ok(Some(self.wrong(Wrong::Unsafe { property })));
        }
        if self.subject.reached() != Some(true) {
            return self.arrive();
        }
        self.close(End::Reached);
        let last = self.path.frames.len() - 1;
        let frame = &self.path.frames[last];
        // If a fault itself reaches the goal, no other fault could have prevented that.
        if frame.critical || frame.faults >= self.options.faults || self.options.faults_anywhere {
            return Ok(Some(End::Reached));
        }
        let faults = frame.chosen.map(|chosen| {
            let faults = self.subject.faults(&frame.choices[chosen].event);
            only(&self.subject, faults, &self.options.fault_kinds)
        });
        match faults {
            Some(faults) if !faults.is_empty() => self.destroy(faults).map(|()| None),
            _ => Ok(Some(End::Reached)),
        }
    }

    /// Takes the last event back, and adds a frame whose choices are the faults that destroy it.
    pub(super) fn destroy(&mut self, faults: Vec<Choice<S::Event>>) -> Result<(), Trouble> {
        let last = self.path.frames.len() - 1;
        let chosen = self.path.frames[last].chosen;
        self.go_back(last + 1)?;
        let frame = &mut self.path.frames[last];
        frame.chosen = chosen;
        frame.undone = true;
        let next = Frame {
            choices: faults,
            stand_ins: Vec::new(),
            blocked: Vec::new(),
            critical: true,
            chosen: None,
            touched: Footprint::default(),
            undone: false,
            depth: frame.depth,
            faults: frame.faults,
            waits: frame.waits.clone(),
        };
        self.push(next);
        Ok(())
    }

    /// Adds a frame for the present state of the system.
    pub(super) fn push(&mut self, frame: Frame<S::Event>) {
        self.marks.push(self.subject.mark());
        self.path.frames.push(frame);
        self.strategy.enter(&self.path);
    }
}
