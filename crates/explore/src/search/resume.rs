//! Saves the position of a search that is ended early, and continues from there. Follows given choices from the start.

use kilter_testbed::Trouble;
use serde_json::Value as Json;

use super::{Explored, Explorer, Place};
use crate::path::End;
use crate::progress::Progress;
use crate::subject::Subject;

/// Where given choices lead.
pub(super) enum Way {
    /// To a frame in which the next choice is made.
    Open,
    /// To the end of the sequence.
    Ended(End),
    /// To sequences that are explored elsewhere.
    Elsewhere,
}

impl<S: Subject> Explorer<'_, S> {
    /// The number of choices after these. `None` if the sequence ends before.
    pub fn n_choices(mut self, places: &[usize]) -> Result<Option<usize>, Trouble> {
        self.restart()?;
        let way = self.retrace(places, false)?;
        let n_choices = self.path.frames.last().map(|frame| frame.choices.len());
        Ok(n_choices.filter(|_| matches!(way, Way::Open)))
    }

    /// Continues from where [`Explorer::save`] was called.
    pub(super) fn resume(
        mut self,
        saved: &Json,
        progress: &mut dyn Progress,
    ) -> Result<Explored<S::Event>, Trouble> {
        let unknown = || Trouble::Impossible("what was saved is not of this search".to_owned());
        let places: Vec<usize> = serde_json::from_value(saved["path"].clone()).map_err(|_| unknown())?;
        let at_frame = saved["frame"].as_bool().ok_or_else(unknown)?;
        if at_frame && !matches!(self.retrace(&places, false)?, Way::Open) {
            return Err(unknown());
        }
        if !self.strategy.load(&self.path, &saved["strategy"]) {
            return Err(unknown());
        }
        self.n_earlier = saved["findings"].as_u64().unwrap_or(0) as usize;
        self.search(if at_frame { Place::Frame } else { Place::Start }, progress)
    }

    /// Makes given choices from the start. If they are `fixed`, all other choices on the way are explored elsewhere.
    pub(super) fn retrace(&mut self, places: &[usize], fixed: bool) -> Result<Way, Trouble> {
        let mut end = self.begin()?;
        for place in places {
            if let Some(end) = end {
                return Ok(Way::Ended(end));
            }
            let frame = self.path.frames.last().filter(|frame| *place < frame.choices.len());
            if frame.is_none() || (fixed && !self.strategy.fix(&self.path, *place)) {
                return Ok(Way::Elsewhere);
            }
            end = match self.perform(*place) {
                Ok(()) => self.look()?,
                Err(trouble) => Some(self.broken(&trouble)?),
            };
        }
        Ok(end.map_or(Way::Open, Way::Ended))
    }

    pub(super) fn save(&self, keep: usize) -> Json {
        let chosen: Vec<Option<usize>> = self.path.frames[..keep].iter().map(|frame| frame.chosen).collect();
        // The choice of the last frame has still to be made.
        let places = &chosen[..keep.saturating_sub(1)];
        serde_json::json!({
            "path": places,
            "frame": keep > 0,
            "strategy": self.strategy.save(&self.path),
            "findings": self.n_findings(),
        })
    }
}
