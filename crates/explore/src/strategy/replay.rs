//! Follows one given sequence, in the form in which findings are recorded.

use serde_json::{Value as Json, json};

use crate::path::{Frame, Path};
use crate::strategy::Strategy;
use crate::subject::Kind;

/// Follows a sequence. Each step is an index into the sorted list of all events that are possible, faults last. The
/// search must allow faults at any place and reduce nothing, so that the frames have all events.
pub struct Replay {
    places: Vec<usize>,
}

impl Replay {
    /// Makes a strategy that follows the sequence with these indices.
    pub fn new(places: &[usize]) -> Replay {
        Replay { places: places.to_vec() }
    }
}

/// The choices of a frame in the order of their events. The frame itself has those first that have waited longest.
fn sorted<E: Ord>(frame: &Frame<E>) -> Vec<usize> {
    let is_fault = |place: &usize| frame.choices[*place].nature.kind == Kind::Fault;
    let (faults, mut others): (Vec<usize>, Vec<usize>) = (0..frame.choices.len()).partition(is_fault);
    others.sort_by(|one, other| frame.choices[*one].event.cmp(&frame.choices[*other].event));
    others.extend(faults);
    others
}

impl<E: Ord> Strategy<E> for Replay {
    fn next(&mut self, _: &Path<E>) -> Option<usize> {
        None
    }

    fn choose(&mut self, path: &Path<E>) -> Option<usize> {
        let place = self.places.get(path.frames.len() - 1)?;
        sorted(path.frames.last()?).get(*place).copied()
    }

    fn is_long_enough(&self, path: &Path<E>) -> bool {
        path.frames.len() >= self.places.len()
    }

    fn save(&self, _: &Path<E>) -> Json {
        json!(self.places)
    }

    fn load(&mut self, _: &Path<E>, saved: &Json) -> bool {
        serde_json::from_value(saved.clone()).map(|places| self.places = places).is_ok()
    }
}
