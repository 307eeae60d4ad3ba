//! One order of each set of orders that lead to the same: dynamic partial-order reduction (Algorithm 3), after Abdulla, Aronis, Jonsson
//! and Sagonas, "Optimal dynamic partial order reduction" (2014): source sets and sleep sets.
//!
//! Two events *conflict* if their footprints do. An event happens before another if it comes earlier and they conflict, if it has made the
//! other possible, or by way of a third. Two that conflict, with nothing between them, and of which the later could have come first, are
//! *in a race*: at the state before the earlier one, something has to be tried that leads to the other order.
//!
//! Beyond the books there are three things, because messages are not threads and sequences may end early:
//! - an event that makes another impossible is in a race with it, though the other never happens;
//! - what is still possible where a sequence ends, or there but blocked, is treated as if it came next;
//! - and if the sequence could have gone on, what is still possible there is also tried at all states since all that it needs has
//!   happened: what follows from it has not been seen, and might be in a race with anything. (Sleep sets still see to it that no two
//!   sequences are the same but for the order of what commutes.)

use serde_json::{Value as Json, json};

use super::Strategy;
use super::bits::Bits;
use crate::path::{Choice, End, Frame, Path};
use crate::subject::Footprint;

/// The reduction, with what it knows of each frame of the path.
pub struct Dpor<E> {
    levels: Vec<Level<E>>,
    /// Whether faults are choices like others, and not only at critical transitions.
    faults_anywhere: bool,
}

struct Level<E> {
    /// What need not be tried here, since everything that begins with it is explored elsewhere; and what it touches.
    asleep: Vec<(E, Footprint)>,
    /// The choices to be tried.
    todo: Vec<bool>,
    /// The choices that have been tried.
    done: Vec<bool>,
    /// The frames whose events happen before the event chosen here.
    before: Bits,
}

impl<E: Clone + Ord> Dpor<E> {
    /// The reduction at its beginning.
    pub fn new(faults_anywhere: bool) -> Dpor<E> {
        Dpor { levels: Vec::new(), faults_anywhere }
    }

    /// What sleeps in a new frame: what slept or has been tried in the one before, unless it conflicts with what happened there.
    fn inherit(&self, path: &Path<E>) -> Vec<(E, Footprint)> {
        let place = path.frames.len() - 1;
        let Some(before) = place.checked_sub(1) else { return Vec::new() };
        let frame = &path.frames[before];
        // After a fault at a critical transition nothing sleeps: the same fault need not come at all in the other order.
        if frame.critical || frame.undone {
            return Vec::new();
        }
        let taken = frame.taken().map(|choice| &choice.event);
        let apart =
            |asleep: &&(E, Footprint)| Some(&asleep.0) != taken && !asleep.1.conflicts(&frame.touched);
        self.levels[before].asleep.iter().filter(apart).cloned().collect()
    }

    fn open(&mut self, path: &Path<E>) {
        let frame = &path.frames[path.frames.len() - 1];
        let asleep = self.inherit(path);
        let n_choices = frame.choices.len();
        let mut level = Level {
            todo: vec![frame.critical; n_choices],
            done: vec![false; n_choices],
            asleep,
            before: Bits::default(),
        };
        if !frame.critical {
            let awake = (0..n_choices).find(|place| !level.is_asleep(&frame.choices[*place].event));
            if let Some(place) = awake {
                level.todo[place] = true;
            }
        }
        self.levels.push(level);
    }

    /// The frames whose events happen before an event that comes after the path, and those that it is in a race with.
    fn history(
        &self,
        path: &Path<E>,
        until: usize,
        event: &Choice<E>,
        touched: &Footprint,
    ) -> (Bits, Vec<usize>) {
        let makers = makers(path, until, event);
        let event = &event.event;
        // Where equal messages come from several events, it is not known which of them is meant.
        let made = if makers.len() == 1 { Some(makers[0]) } else { None };
        let latest = makers.first().copied();
        let mut before = Bits::default();
        // What lies behind an event that this one must come after, or could have come before. An event before which this one was blocked
        // is no such: what blocked it lies behind.
        let mut behind = Bits::default();
        let mut races = Vec::new();
        for place in (0..until).rev() {
            let conflict = touched.conflicts(&path.frames[place].touched);
            if path.frames[place].taken().is_none() || behind.has(place) || (!conflict && made != Some(place))
            {
                continue;
            }
            before.join(&self.levels[place].before);
            before.add(place);
            // Of equal messages, any may be thought to come first: the other order is the same, and hides nothing.
            let is_equal = path.frames[place].taken().is_some_and(|taken| taken.event == *event);
            let was_possible = !is_equal && is_enabled(&path.frames[state_of(path, place)], event);
            let is_maker = made == Some(place);
            if is_maker || was_possible {
                behind.join(&self.levels[place].before);
            }
            // Whether what was made later could have happened here is not known, and so neither what lies behind.
            let made_later = !is_equal && latest.is_some_and(|latest| latest > place);
            let could_come_first = !is_maker && (was_possible || made_later);
            if conflict && could_come_first {
                races.push(place);
            }
        }
        (before, races)
    }

    /// Sees to it that the other order of a race is explored. The later event is the path's at `later`, or one that would come next.
    fn reverse(&mut self, path: &Path<E>, earlier: usize, later: usize, event: &E, before: &Bits) {
        let target = state_of(path, earlier);
        let mut sequence = Bits::default();
        let mut candidate = None;
        for place in earlier + 1..=later {
            let (event, before) = if place == later {
                (event, before)
            } else {
                match path.frames[place].taken() {
                    Some(choice) if !self.levels[place].before.has(earlier) => {
                        (&choice.event, &self.levels[place].before)
                    }
                    _ => continue,
                }
            };
            let is_initial = !before.meets(&sequence);
            sequence.add(place);
            if !is_initial || (place < later && path.frames[place].critical) {
                continue;
            }
            match choice_of(&path.frames[target], event) {
                _ if self.levels[target].is_asleep(event) => return,
                Some(choice) if self.levels[target].todo[choice] => return,
                Some(choice) => candidate = candidate.or(Some(choice)),
                None => {}
            }
        }
        match candidate {
            Some(choice) => self.levels[target].todo[choice] = true,
            // Nothing of it can be begun with here: then everything has to be tried.
            None => self.levels[target].todo.fill(true),
        }
    }

    /// Treats events as if each came next, after the first `until` frames.
    fn find_races<'a>(&mut self, path: &Path<E>, until: usize, events: impl Iterator<Item = &'a Choice<E>>)
    where
        E: 'a,
    {
        for choice in events {
            let mut touched = choice.nature.footprint;
            touched.writes |= Footprint::seen();
            let (before, races) = self.history(path, until, choice, &touched);
            for earlier in races {
                self.reverse(path, earlier, until, &choice.event, &before);
            }
        }
    }

    /// What the last event has made impossible is in a race with it.
    fn find_disabled(&mut self, path: &Path<E>, last: usize, still: impl Fn(&E) -> bool) {
        let Some(chosen) = path.frames[last].chosen else { return };
        let target = state_of(path, last);
        let frame = &path.frames[target];
        for place in 0..frame.choices.len() {
            let is_other = target != last || place != chosen;
            if is_other && !self.levels[target].todo[place] && !still(&frame.choices[place].event) {
                self.levels[target].todo[place] = true;
            }
        }
    }
}

impl<E: Ord> Level<E> {
    fn is_asleep(&self, event: &E) -> bool {
        self.asleep.iter().any(|(asleep, _)| asleep == event)
    }

    fn next(&self, frame: &Frame<E>) -> Option<usize> {
        (0..self.todo.len()).find(|place| {
            self.todo[*place] && !self.done[*place] && !self.is_asleep(&frame.choices[*place].event)
        })
    }
}

/// The frame of the state that a frame is about: a choice of faults has the choices of events one frame before.
fn state_of<E>(path: &Path<E>, place: usize) -> usize {
    if path.frames[place].critical { place - 1 } else { place }
}

/// The choice that stands for an event.
fn choice_of<E: Ord>(frame: &Frame<E>, event: &E) -> Option<usize> {
    let stand_in =
        || frame.stand_ins.iter().find(|(other, _)| other.event == *event).map(|(_, place)| *place);
    frame.choices.iter().position(|choice| choice.event == *event).or_else(stand_in)
}

fn is_enabled<E: Ord>(frame: &Frame<E>, event: &E) -> bool {
    choice_of(frame, event).is_some()
}

/// How many of an event are there, possible or blocked.
fn copies<E: Ord>(frame: &Frame<E>, event: &E) -> u32 {
    let stand_ins = frame.stand_ins.iter().map(|(choice, _)| choice);
    let mut all = frame.choices.iter().chain(stand_ins).chain(&frame.blocked);
    all.find(|choice| choice.event == *event).map_or(0, |choice| choice.nature.copies)
}

/// The frames whose events have made another event possible since it was last missing, the latest first.
fn makers<E: Ord>(path: &Path<E>, until: usize, event: &Choice<E>) -> Vec<usize> {
    let mut makers = Vec::new();
    let mut after = event.nature.copies;
    for place in (0..until).rev().filter(|place| !path.frames[*place].critical) {
        let frame = &path.frames[place];
        let before = copies(frame, &event.event);
        // What happened at this state: the choice, or the fault that was put in its place.
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

impl<E: Clone + Ord> Strategy<E> for Dpor<E> {
    fn next(&mut self, path: &Path<E>) -> Option<usize> {
        while let Some(place) = self.levels.len().checked_sub(1) {
            if self.levels[place].next(&path.frames[place]).is_some() {
                return Some(place + 1);
            }
            self.levels.pop();
        }
        None
    }

    fn choose(&mut self, path: &Path<E>) -> Option<usize> {
        let place = path.frames.len() - 1;
        let frame = &path.frames[place];
        if self.levels.len() == place {
            if place > 0 && !frame.critical {
                self.find_disabled(path, place - 1, |event| is_enabled(frame, event));
            }
            self.open(path);
        }
        let Some(choice) = self.levels[place].next(frame) else {
            // Everything here sleeps. What is there may still be in a race with what has happened.
            self.find_races(path, place, frame.choices.iter().chain(&frame.blocked));
            return None;
        };
        self.levels[place].done[choice] = true;
        Some(choice)
    }

    fn performed(&mut self, path: &Path<E>) {
        let place = path.frames.len() - 1;
        let frame = &path.frames[place];
        let Some(chosen) = frame.chosen else { return };
        let event = frame.choices[chosen].event.clone();
        let (before, races) = self.history(path, place, &frame.choices[chosen], &frame.touched);
        self.levels[place].before = before;
        if !frame.critical || self.faults_anywhere {
            for earlier in races {
                self.reverse(path, earlier, place, &event, &before);
            }
        }
        // From the next choice on, everything that begins with this one has been explored.
        self.levels[place].asleep.push((event, frame.touched));
    }

    fn ended(&mut self, path: &Path<E>, end: End, pending: &[Choice<E>], blocked: &[Choice<E>]) {
        let Some(last) = path.frames.len().checked_sub(1) else { return };
        if path.frames[last].chosen.is_none() || self.levels.len() <= last || end == End::Pruned {
            return;
        }
        self.find_disabled(path, last, |event| pending.iter().any(|choice| choice.event == *event));
        self.find_races(path, last + 1, pending.iter().chain(blocked));
        for choice in pending {
            // What its being seen adds is not known; without it, it may come earliest.
            let (before, _) = self.history(path, last + 1, choice, &choice.nature.footprint);
            let first = before.last().map_or(0, |place| place + 1);
            for place in (first..=last).filter(|place| !path.frames[*place].critical) {
                if self.levels[place].is_asleep(&choice.event) {
                    continue;
                }
                match choice_of(&path.frames[place], &choice.event) {
                    Some(choice) => self.levels[place].todo[choice] = true,
                    None => self.levels[place].todo.fill(true),
                }
            }
        }
    }

    fn save(&self) -> Json {
        let levels: Vec<Json> =
            self.levels.iter().map(|level| json!({ "todo": level.todo, "done": level.done })).collect();
        json!(levels)
    }

    /// The path has been walked again with this strategy when this is called: what sleeps and what happens before is there, but for
    /// the choices that were tried before the one on the path.
    fn load(&mut self, saved: &Json) -> bool {
        let Some(saved) = saved.as_array().filter(|saved| saved.len() == self.levels.len()) else {
            return false;
        };
        self.levels.iter_mut().zip(saved).all(|(level, saved)| {
            let todo = serde_json::from_value(saved["todo"].clone()).map(|todo| level.todo = todo);
            let done = serde_json::from_value(saved["done"].clone()).map(|done| level.done = done);
            todo.is_ok() && done.is_ok()
        })
    }
}
