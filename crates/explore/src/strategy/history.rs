//! Questions of the reduction about a path.

use crate::path::{Choice, Frame, Path};

/// The frame with the events of a frame's state. If the choices of a frame are faults, it is the frame before.
pub(super) fn state_of<E>(path: &Path<E>, place: usize) -> usize {
    if path.frames[place].critical { place - 1 } else { place }
}

/// The index of the choice that stands for an event.
pub(super) fn choice_of<E: Ord>(frame: &Frame<E>, event: &E) -> Option<usize> {
    let stand_in =
        || frame.stand_ins.iter().find(|(other, _)| other.event == *event).map(|(_, place)| *place);
    frame.choices.iter().position(|choice| choice.event == *event).or_else(stand_in)
}

pub(super) fn is_enabled<E: Ord>(frame: &Frame<E>, event: &E) -> bool {
    choice_of(frame, event).is_some()
}

/// The number of copies of an event, possible or blocked.
fn copies<E: Ord>(frame: &Frame<E>, event: &E) -> u32 {
    let stand_ins = frame.stand_ins.iter().map(|(choice, _)| choice);
    let mut all = frame.choices.iter().chain(stand_ins).chain(&frame.blocked);
    all.find(|choice| choice.event == *event).map_or(0, |choice| choice.nature.copies)
}

/// The frames whose events have made an event possible since it was last missing, the latest first.
pub(super) fn makers<E: Ord>(path: &Path<E>, until: usize, event: &Choice<E>) -> Vec<usize> {
    let mut makers = Vec::new();
    let mut after = event.nature.copies;
    for place in (0..until).rev().filter(|place| !path.frames[*place].critical) {
        let frame = &path.frames[place];
        let before = copies(frame, &event.event);
        // What happened in this state is the choice, or the fault that took its place.
        let maker = if frame.undone { place + 1 } else { place };
        let taken = path.frames.get(maker).and_then(Frame::taken);
        let used_up = taken.is_some_and(|taken| taken.event == event.event);
        if after + u32::from(used_up) > before {
            makers.push(maker);
        }
        if before == 0 {
            break;
        }
        after = before;
    }
    makers
}
