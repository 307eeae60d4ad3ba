//! Explores one order of each set of equivalent orders, by dynamic partial-order reduction (Algorithm 3). It uses the
//! source sets and sleep sets of Abdulla, Aronis, Jonsson and Sagonas, "Optimal dynamic partial order reduction"
//! (2014).
//!
//! Two events *conflict* if their footprints do. An event happens before another one if it comes earlier and they
//! conflict, if it has made the other one possible, or by way of a third. Two events are *in a race* if they conflict,
//! nothing is between them, and the later one could have come first. Then, in the state before the earlier event,
//! something has to be tried that leads to the other order.
//!
//! Three things differ from the literature, because messages are not threads and sequences may end early:
//! - An event that makes another one impossible is in a race with it, although the other one never happens.
//! - Where a sequence ends, events that are still possible, or blocked, are treated as if they came next.
//! - If the sequence could have continued, the events that are still possible are also tried in all states since
//!   everything that they need has happened. What follows from them has not been seen, and might be in a race with
//!   anything. (Sleep sets still make sure that no two sequences differ only in the order of events that commute.)

use serde::Deserialize;
use serde_json::{Value as Json, json};

use super::Strategy;
use super::bits::Bits;
use super::history::{choice_of, is_enabled, makers, state_of};
use crate::path::{Choice, End, Frame, Path};
use crate::subject::Footprint;

/// The reduction, with what it knows about each frame of the path.
pub struct Dpor<E> {
    levels: Vec<Level<E>>,
    /// Whether faults are choices like others, and not only at critical transitions.
    faults_anywhere: bool,
}

struct Level<E> {
    /// Events that need not be tried here, because everything that begins with them is explored elsewhere. With what
    /// they touch.
    asleep: Vec<(E, Footprint)>,
    /// The choices to be tried.
    todo: Vec<bool>,
    /// The choices that have been tried.
    done: Vec<bool>,
    /// The frames whose events happen before the event chosen here.
    before: Bits,
}

impl<E: Clone + Ord> Dpor<E> {
    /// Makes a reduction that has not begun.
    pub fn new(faults_anywhere: bool) -> Dpor<E> {
        Dpor { levels: Vec::new(), faults_anywhere }
    }

    /// The events asleep in a new frame: those that were asleep or tried in the frame before, unless they conflict with
    /// the event chosen there.
    fn inherit(&self, path: &Path<E>) -> Vec<(E, Footprint)> {
        let place = path.frames.len() - 1;
        let Some(before) = place.checked_sub(1) else { return Vec::new() };
        let frame = &path.frames[before];
        // After a fault at a critical transition nothing is asleep, because in the other order the same fault need not
        // come at all.
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

    /// Two lists of frames, for an event that comes after the path: those whose events happen before it, and those
    /// whose events it is in a race with.
    fn history(
        &self,
        path: &Path<E>,
        until: usize,
        event: &Choice<E>,
        touched: &Footprint,
    ) -> (Bits, Vec<usize>) {
        let makers = makers(path, until, event);
        let event = &event.event;
        // If several events have made equal messages, it is not known which message is meant.
        let made = if makers.len() == 1 { Some(makers[0]) } else { None };
        let latest = makers.first().copied();
        let mut before = Bits::default();
        // The events before an event that this one must follow, or that it could have preceded. An event before which
        // this one was blocked does not count, because what blocked it lies behind that event.
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
            // Of equal messages, any may count as the first. The other order is the same, and hides nothing.
            let is_equal = path.frames[place].taken().is_some_and(|taken| taken.event == *event);
            let was_possible = !is_equal && is_enabled(&path.frames[state_of(path, place)], event);
            let is_maker = made == Some(place);
            if is_maker || was_possible {
                behind.join(&self.levels[place].before);
            }
            // It is not known whether an event that was made later could have happened here, nor what lies behind.
            let made_later = !is_equal && latest.is_some_and(|latest| latest > place);
            let could_come_first = !is_maker && (was_possible || made_later);
            if conflict && could_come_first {
                races.push(place);
            }
        }
        (before, races)
    }

    /// Makes sure that the other order of a race is explored. The later event is that of frame `later`, or one that
    /// would come next.
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
            // Nothing of the other order can come first here, so everything has to be tried.
            None => self.levels[target].todo.fill(true),
        }
    }

    /// Finds the races of events as if each came next after the first `until` frames.
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

    /// Finds the events that the last event has made impossible. They are in a race with it.
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

    fn enter(&mut self, path: &Path<E>) {
        let place = path.frames.len() - 1;
        let frame = &path.frames[place];
        if place > 0 && !frame.critical {
            self.find_disabled(path, place - 1, |event| is_enabled(frame, event));
        }
        self.open(path);
    }

    fn fix(&mut self, path: &Path<E>, place: usize) -> bool {
        let last = path.frames.len() - 1;
        let choices = &path.frames[last].choices;
        let level = &mut self.levels[last];
        if level.is_asleep(&choices[place].event) {
            return false;
        }
        level.done.fill(true);
        // Everything that begins with an earlier choice is explored elsewhere. What the properties see of those events
        // is not known.
        if !path.frames[last].critical {
            for Choice { event, nature } in &choices[..place] {
                let mut touched = nature.footprint;
                touched.writes |= Footprint::seen();
                level.asleep.push((event.clone(), touched));
            }
        }
        true
    }

    fn choose(&mut self, path: &Path<E>) -> Option<usize> {
        let place = path.frames.len() - 1;
        let frame = &path.frames[place];
        let Some(choice) = self.levels[place].next(frame) else {
            // Every choice here is asleep. They may still be in a race with what has happened.
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
            // What the properties see of it is not known. Without that, it may come earliest.
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

    fn save(&self, path: &Path<E>) -> Json {
        let level = |(level, frame): (&Level<E>, &Frame<E>)| {
            let place = |event: &E| frame.choices.iter().position(|choice| choice.event == *event);
            let asleep: Vec<Json> = level
                .asleep
                .iter()
                .filter_map(|(event, touched)| Some(json!({ "choice": place(event)?, "touched": touched })))
                .collect();
            json!({ "todo": level.todo, "done": level.done, "asleep": asleep })
        };
        self.levels.iter().zip(&path.frames).map(level).collect()
    }

    /// Events that are asleep and not among the choices are left out. This costs extra sequences, and loses none.
    fn load(&mut self, path: &Path<E>, saved: &Json) -> bool {
        let Ok(saved) = serde_json::from_value::<Vec<SavedLevel>>(saved.clone()) else { return false };
        if saved.len() != self.levels.len() {
            return false;
        }
        for ((level, frame), saved) in self.levels.iter_mut().zip(&path.frames).zip(saved) {
            if saved.todo.len() != level.todo.len() || saved.done.len() != level.done.len() {
                return false;
            }
            (level.todo, level.done) = (saved.todo, saved.done);
            let asleep = saved.asleep.into_iter();
            let event =
                |asleep: SavedSleep| Some((frame.choices.get(asleep.choice)?.event.clone(), asleep.touched));
            level.asleep = asleep.filter_map(event).collect();
        }
        true
    }
}

#[derive(Deserialize)]
struct SavedLevel {
    todo: Vec<bool>,
    done: Vec<bool>,
    asleep: Vec<SavedSleep>,
}

#[derive(Deserialize)]
struct SavedSleep {
    choice: usize,
    touched: Footprint,
}
