//! One sequence: given as the place of each choice, or as events of which those that can't happen are left out.

use serde_json::{Value as Json, json};

use crate::path::Path;
use crate::strategy::Strategy;

/// Follows a list of places among the choices, then takes what has waited longest.
pub struct Replay {
    /// The places; after the last, 0.
    pub places: Vec<usize>,
}

impl<E> Strategy<E> for Replay {
    fn next(&mut self, _: &Path<E>) -> Option<usize> {
        None
    }

    fn choose(&mut self, path: &Path<E>) -> Option<usize> {
        let step = path.frames.len() - 1;
        let place = self.places.get(step).copied().unwrap_or(0);
        (place < path.frames[step].choices.len()).then_some(place)
    }

    fn save(&self) -> Json {
        json!(self.places)
    }

    fn load(&mut self, saved: &Json) -> bool {
        serde_json::from_value(saved.clone()).map(|places| self.places = places).is_ok()
    }
}
