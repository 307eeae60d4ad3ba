//! Random orders from a seed: uniform, or by priorities that change now and then (PCT).

use kilter_base::Rng;
use serde_json::{Value as Json, json};

use crate::path::{Frame, Path};
use crate::strategy::Strategy;
use crate::subject::{Kind, Nature};

/// How often a fault or a timer is chosen where other events are possible, too: once in so many times. A walk has one of these for faults and one
/// for timers. Often for both finds elections with several candidates; rarely lets things finish in between.
const ONE_IN: [usize; 3] = [2, 4, 8];
/// One link in this many is slow in a walk, and so are the timers of one node in this many.
const ONE_SLOW_IN: usize = 4;
/// What is slow is chosen only once in this many times.
const SLOW: usize = 32;

/// What a walk prefers. Without such a bias, each event is as likely as another at every step, so that no message stays under way for long: a bug that needs a
/// node which hears nothing for ten steps is hardly ever found.
#[derive(Clone, Debug)]
struct Mood {
    seed: u64,
    one_fault_in: usize,
    one_timer_in: usize,
}

impl Mood {
    fn new(rng: &mut Rng) -> Mood {
        let one_fault_in = ONE_IN[rng.below(ONE_IN.len())];
        let one_timer_in = ONE_IN[rng.below(ONE_IN.len())];
        Mood { seed: rng.next_u64(), one_fault_in, one_timer_in }
    }

    /// Whether events of this kind, from one node to another, are slow in this walk.
    fn is_slow(&self, nature: &Nature) -> bool {
        let class = (nature.kind as u64, nature.actor as u64, nature.target as u64);
        let mut rng = Rng::from_seed(self.seed ^ (class.0 << 40 | class.1 << 20 | class.2));
        nature.kind != Kind::Fault && rng.below(ONE_SLOW_IN) == 0
    }
}

/// The choices among which chance decides: faults, timers, or other events. Without this, all faults would come at the
/// beginning, where most choices are faults, and hardly anything would finish before the next timer fires.
fn places<E>(frame: &Frame<E>, mood: &Mood, rng: &mut Rng) -> Vec<usize> {
    let nature = |place: &usize| &frame.choices[*place].nature;
    let of = |kind: Kind| move |place: &usize| nature(place).kind == kind;
    let (faults, rest): (Vec<usize>, Vec<usize>) = (0..frame.choices.len()).partition(of(Kind::Fault));
    let (slow, rest) = rest.into_iter().partition(|place| mood.is_slow(nature(place)));
    let rest = one_of(slow, rest, SLOW, rng);
    let (timers, others): (Vec<usize>, Vec<usize>) = rest.into_iter().partition(of(Kind::Timer));
    let usual = one_of(timers, others, mood.one_timer_in, rng);
    one_of(faults, usual, mood.one_fault_in, rng)
}

/// Picks `rare` once in `one_in` calls and `usual` otherwise. If one of them is empty, picks the other.
fn one_of(rare: Vec<usize>, usual: Vec<usize>, one_in: usize, rng: &mut Rng) -> Vec<usize> {
    match (rare.is_empty(), usual.is_empty()) {
        (false, false) if rng.below(one_in) == 0 => rare,
        (_, false) => usual,
        (_, true) => rare,
    }
}

/// Random walks.
pub struct Random {
    seed: u64,
    walk: u64,
    walks_max: u64,
    rng: Rng,
    mood: Mood,
}

impl Random {
    /// Makes a strategy for `walks` walks, of which `first` is the first. A walk depends only on the seed and its
    /// number.
    pub fn new(seed: u64, first: u64, walks: u64) -> Random {
        let mut rng = Rng::of_walk(seed, first);
        let mood = Mood::new(&mut rng);
        Random { seed, walk: first, walks_max: first + walks, rng, mood }
    }

    fn begin(&mut self) {
        self.rng = Rng::of_walk(self.seed, self.walk);
        self.mood = Mood::new(&mut self.rng);
    }
}

impl<E> Strategy<E> for Random {
    fn next(&mut self, _: &Path<E>) -> Option<usize> {
        self.walk += 1;
        self.begin();
        (self.walk < self.walks_max).then_some(0)
    }

    fn choose(&mut self, path: &Path<E>) -> Option<usize> {
        let places = places(path.frames.last()?, &self.mood, &mut self.rng);
        Some(places[self.rng.below(places.len())])
    }

    fn save(&self, _: &Path<E>) -> Json {
        json!(self.walk)
    }

    fn load(&mut self, _: &Path<E>, saved: &Json) -> bool {
        let fine = load_walk(saved, &mut self.walk);
        self.begin();
        fine
    }
}

/// Probabilistic concurrency testing (Burckhardt and others, 2010). Each node has a random priority, and the node with
/// the highest priority continues. At a few random steps, the node that is continuing falls below all others. Each walk
/// finds a bug that needs d ordered events with a probability of at least 1 / (n · k^(d-1)).
pub struct Pct {
    seed: u64,
    walk: u64,
    walks_max: u64,
    /// About how many steps a walk has, and at how many of them a priority falls.
    steps: u32,
    changes: u32,
    rng: Rng,
    mood: Mood,
    priorities: Vec<i64>,
    falls: Vec<usize>,
}

impl Pct {
    /// Walks as in [`Random::new`], of about `steps` steps, for bugs that need `depth` ordered events.
    pub fn new(seed: u64, first: u64, walks: u64, steps: u32, depth: u32) -> Pct {
        let mut rng = Rng::of_walk(seed, first);
        let mut pct = Pct {
            seed,
            walk: first,
            walks_max: first + walks,
            steps: steps.max(1),
            changes: depth.saturating_sub(1),
            mood: Mood::new(&mut rng),
            rng,
            priorities: Vec::new(),
            falls: Vec::new(),
        };
        pct.begin();
        pct
    }

    fn begin(&mut self) {
        self.rng = Rng::of_walk(self.seed, self.walk);
        self.mood = Mood::new(&mut self.rng);
        self.priorities.clear();
        self.falls = (0..self.changes).map(|_| self.rng.below(self.steps as usize)).collect();
    }

    fn priority(&mut self, node: usize) -> i64 {
        while self.priorities.len() <= node {
            let priority = (self.rng.next_u64() >> 2) as i64;
            self.priorities.push(priority);
        }
        self.priorities[node]
    }
}

impl<E> Strategy<E> for Pct {
    fn next(&mut self, _: &Path<E>) -> Option<usize> {
        self.walk += 1;
        self.begin();
        (self.walk < self.walks_max).then_some(0)
    }

    fn choose(&mut self, path: &Path<E>) -> Option<usize> {
        let frame = path.frames.last()?;
        let places = places(frame, &self.mood, &mut self.rng);
        let mut best = (places[0], i64::MIN);
        for index in places.iter().copied() {
            let priority = self.priority(frame.choices[index].nature.target);
            if priority > best.1 {
                best = (index, priority);
            }
        }
        let step = path.frames.len() - 1;
        if self.falls.contains(&step) {
            self.priorities[frame.choices[best.0].nature.target] = -(step as i64) - 1;
        }
        // If the node has several events, chance decides.
        let target = frame.choices[best.0].nature.target;
        let is_same = |index: &usize| frame.choices[*index].nature.target == target;
        let same: Vec<usize> = places.into_iter().filter(is_same).collect();
        Some(same[self.rng.below(same.len())])
    }

    fn save(&self, _: &Path<E>) -> Json {
        json!(self.walk)
    }

    fn load(&mut self, _: &Path<E>, saved: &Json) -> bool {
        let fine = load_walk(saved, &mut self.walk);
        self.begin();
        fine
    }
}

fn load_walk(saved: &Json, walk: &mut u64) -> bool {
    saved.as_u64().map(|saved| *walk = saved).is_some()
}
