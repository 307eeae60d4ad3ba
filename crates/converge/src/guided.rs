//! Chooses schedules by what those before them have shown: schedules go first that have much in common with schedules
//! in which nodes resynchronised as in none before.
//!
//! A choice depends on the seed and on what was seen in the schedules that were chosen [`BEHIND`] choices earlier, not on how
//! many are played at once. So the same seed and the same answers give the same schedules, also after an interruption.

use std::collections::{BTreeMap, VecDeque};

use kilter_base::Rng;
use kilter_run::{Counters, Earlier, Next, Source};

use crate::cover;
use crate::method::{Case, RESYNCS};

/// How many choices an answer is late, which is also how many schedules can be played at once.
const BEHIND: usize = 16;
/// One in so many choices is made at random, for features that no schedule has had.
const RANDOM_ONE_IN: usize = 4;
/// The unit of scores, which are whole numbers.
const SCORE: u64 = 1 << 16;

/// What guides a sample.
#[derive(Clone, Copy, Debug)]
pub struct Guide {
    /// The number of replicas.
    pub replicas: u8,
    /// The number of cases to choose.
    pub n_wanted: usize,
    /// Decides what is left to chance.
    pub seed: u64,
}

/// Chooses schedules by what those before them have shown.
pub struct Guided {
    seed: u64,
    /// The cases to choose from, in random order.
    pool: Vec<Candidate>,
    n_wanted: usize,
    chosen: Vec<Choice>,
    /// The choices that have no answer, by the id of their case.
    open: BTreeMap<String, usize>,
    /// The number of answers that were learnt from.
    n_learnt: usize,
    learnt: Learnt,
    earlier: Earlier,
    /// How many cases an earlier sitting has tried that were not chosen again yet.
    n_known_left: usize,
    /// The case that was chosen, and not given out.
    upcoming: Option<Case>,
    /// Cases that could not be played in an earlier sitting. They come last.
    again: VecDeque<Case>,
}

struct Candidate {
    case: Case,
    features: Vec<usize>,
    is_chosen: bool,
}

struct Choice {
    candidate: usize,
    answer: Option<Answer>,
}

/// The combination of resynchronisations that a schedule has shown. `None` if it has shown none, or could not be played.
type Answer = Option<String>;

fn answer(counters: &Counters) -> Answer {
    counters.distinct.get(RESYNCS).and_then(|seen| seen.first().cloned())
}

impl Guided {
    /// Chooses among these cases, which are in random order. What an earlier sitting has played is not played again, but
    /// counts.
    pub fn new(pool: Vec<Case>, guide: &Guide, earlier: &Earlier) -> Guided {
        let mut numbers: BTreeMap<String, usize> = BTreeMap::new();
        let mut number = |feature: String| {
            let next = numbers.len();
            *numbers.entry(feature).or_insert(next)
        };
        let candidate = |case: Case| {
            let features = cover::features(&case.schedule, guide.replicas, case.crash);
            Candidate { features: features.into_iter().map(&mut number).collect(), case, is_chosen: false }
        };
        let pool: Vec<Candidate> = pool.into_iter().map(candidate).collect();
        let mut guided = Guided {
            seed: guide.seed,
            n_wanted: guide.n_wanted.min(pool.len()),
            pool,
            chosen: Vec::new(),
            open: BTreeMap::new(),
            n_learnt: 0,
            learnt: Learnt::new(numbers.len()),
            n_known_left: earlier.done.union(&earlier.not_run).count(),
            earlier: earlier.clone(),
            upcoming: None,
            again: VecDeque::new(),
        };
        guided.advance();
        guided
    }

    /// Chooses the next case, if it does not depend on answers that have not come. Cases that an earlier sitting has tried
    /// are only noted.
    fn advance(&mut self) {
        while self.upcoming.is_none() && self.chosen.len() < self.n_wanted && self.learn() {
            let Some(candidate) = self.choose() else { return };
            self.pool[candidate].is_chosen = true;
            let case = self.pool[candidate].case.clone();
            let answer = self.known(&case.id);
            let is_known = answer.is_some();
            self.chosen.push(Choice { candidate, answer });
            if !is_known {
                self.open.insert(case.id.clone(), self.chosen.len() - 1);
                self.upcoming = Some(case);
                return;
            }
            self.n_known_left = self.n_known_left.saturating_sub(1);
            if !self.earlier.done.contains(&case.id) {
                self.again.push_back(case);
            }
        }
    }

    /// Learns from the answers that the next choice may depend on. Returns whether all of them have come.
    fn learn(&mut self) -> bool {
        while self.n_learnt + BEHIND <= self.chosen.len() {
            let Choice { candidate, answer: Some(answer) } = &self.chosen[self.n_learnt] else {
                return false;
            };
            self.learnt.learn(&self.pool[*candidate].features, answer.as_deref());
            self.n_learnt += 1;
        }
        true
    }

    /// The place of the next case in the pool.
    fn choose(&self) -> Option<usize> {
        let mut rng = Rng::of_walk(self.seed, self.chosen.len() as u64);
        let mut left = (0..self.pool.len()).filter(|index| !self.pool[*index].is_chosen);
        if self.n_learnt == 0 || rng.below(RANDOM_ONE_IN) == 0 {
            return left.next();
        }
        // Of equals, the first in random order.
        left.max_by_key(|index| (self.learnt.score(&self.pool[*index].features), std::cmp::Reverse(*index)))
    }

    /// What an earlier sitting has seen in a case. `None` if it has not played it.
    fn known(&self, id: &str) -> Option<Answer> {
        if self.earlier.not_run.contains(id) {
            return Some(None);
        }
        self.earlier.done.contains(id).then(|| self.earlier.counted.get(id).and_then(answer))
    }
}

impl Source<Case> for Guided {
    fn next(&mut self) -> Next<Case> {
        let next = self.upcoming.take();
        self.advance();
        let again = |guided: &mut Guided| {
            if guided.chosen.len() == guided.n_wanted { guided.again.pop_front() } else { None }
        };
        match next.or_else(|| again(self)) {
            Some(case) => Next::Case(case),
            None if self.n_left() == 0 => Next::Never,
            // The next one depends on results that have not come.
            None => Next::Later,
        }
    }

    fn n_left(&self) -> u64 {
        let n_to_choose = self.n_wanted - self.chosen.len();
        // What was tried earlier is chosen again, unless this is another program, which chooses otherwise.
        let n_new = n_to_choose.saturating_sub(self.n_known_left).max(n_to_choose.min(1));
        (n_new + usize::from(self.upcoming.is_some()) + self.again.len()) as u64
    }

    fn hear(&mut self, case: &Case, counters: &Counters) {
        if let Some(choice) = self.open.remove(&case.id) {
            self.chosen[choice].answer = Some(answer(counters));
            self.advance();
        }
    }
}

/// What was learnt about features.
struct Learnt {
    /// How often each thing was seen that can be new in a schedule.
    seen: BTreeMap<String, u64>,
    /// For each feature, how many schedules had it, and what they were worth in all.
    features: Vec<(u64, u64)>,
}

impl Learnt {
    fn new(n_features: usize) -> Learnt {
        Learnt { seen: BTreeMap::new(), features: vec![(0, 0); n_features] }
    }

    /// A schedule is worth the more the less often its rarest part was seen: all if it is new, half the second time.
    fn learn(&mut self, features: &[usize], combination: Option<&str>) {
        let mut worth = 0;
        for part in combination.map(cover::parts).unwrap_or_default() {
            let n_seen = self.seen.entry(part).or_default();
            *n_seen += 1;
            worth = worth.max(SCORE / *n_seen);
        }
        for feature in features {
            let (n_schedules, worth_in_all) = &mut self.features[*feature];
            *n_schedules += 1;
            *worth_in_all += worth;
        }
    }

    /// What is to be expected of a schedule with these features: the mean of what schedules with each of them were worth. For
    /// each feature, one schedule more counts than there was, with half of the worth, so that unknown ones are tried.
    fn score(&self, features: &[usize]) -> u64 {
        let mean = |feature: &usize| {
            let (n_schedules, worth_in_all) = self.features[*feature];
            (worth_in_all + SCORE / 2) / (n_schedules + 1)
        };
        features.iter().map(mean).sum::<u64>() / (features.len() as u64).max(1)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::drive::{Crash, Seen};
    use crate::step::{Deed, Replica, Step};

    const GUIDE: Guide = Guide { replicas: 2, n_wanted: 60, seed: 7 };

    /// Schedules of three steps, each of which pauses A, wakes A, or writes at A or B.
    fn pool() -> Vec<Case> {
        let step = |digit: u64| {
            let [a, b] = [Replica(0), Replica(1)];
            let deeds = match digit {
                0 => vec![Deed::Up(vec![a])],
                1 => vec![Deed::WriteAt(a, Vec::new())],
                2 => vec![Deed::WriteAt(b, Vec::new())],
                _ => vec![Deed::Read(a)],
            };
            Step::new("Go".to_owned(), deeds)
        };
        let case = |number: u64| {
            let digits = (0..5).map(|place| number / 4u64.pow(place) % 4);
            Case::new(number, digits.map(step).collect(), Crash::Kill)
        };
        let mut numbers: Vec<u64> = (0..1024).collect();
        Rng::from_seed(GUIDE.seed).shuffle(&mut numbers);
        numbers.into_iter().map(case).collect()
    }

    /// What the store does: it truncates once for each write at B after one at A.
    fn counted(case: &Case) -> Counters {
        let words: Vec<String> = case.schedule.iter().map(ToString::to_string).collect();
        let n = words.windows(2).filter(|two| *two == ["write=A", "write=B"]).count();
        let seen_by: Vec<Seen> = vec![[(format!("TRUNC{n}"), n as u64)].into()];
        let seen = cover::combination(&seen_by).into_iter();
        let distinct = seen.map(|seen| (RESYNCS.to_owned(), [seen].into())).collect();
        Counters { distinct, ..Counters::default() }
    }

    /// Plays cases, so many of them at once. Returns their ids.
    fn play(guided: &mut Guided, jobs: usize, n_max: usize) -> Vec<String> {
        let (mut ids, mut under_way) = (Vec::new(), VecDeque::new());
        while ids.len() < n_max {
            while under_way.len() < jobs
                && let Next::Case(case) = guided.next()
            {
                under_way.push_back(case);
            }
            let Some(case) = under_way.pop_front() else { break };
            guided.hear(&case, &counted(&case));
            ids.push(case.id);
        }
        ids
    }

    #[test]
    fn the_choice_does_not_depend_on_how_many_are_played_at_once() {
        let of = |jobs: usize| play(&mut Guided::new(pool(), &GUIDE, &Earlier::default()), jobs, usize::MAX);
        let one = of(1);
        assert_eq!(one.iter().collect::<BTreeSet<_>>().len(), GUIDE.n_wanted);
        assert_eq!((of(3), of(100)), (one.clone(), one.clone()));
        let mut other = Guided::new(pool(), &Guide { seed: 8, ..GUIDE }, &Earlier::default());
        assert_ne!(play(&mut other, 1, usize::MAX), one);
    }

    #[test]
    fn an_interrupted_sample_goes_on_with_the_same_choice() {
        let whole = play(&mut Guided::new(pool(), &GUIDE, &Earlier::default()), 4, usize::MAX);
        // The last one before the interruption had not ended, but one after it, and one could not be played.
        let mut earlier = Earlier::default();
        for (at, id) in whole.iter().enumerate().take(42).filter(|(at, _)| *at != 40) {
            let case = pool().into_iter().find(|case| case.id == *id).expect("a case of the pool");
            if at == 5 && counted(&case).is_empty() {
                earlier.not_run.insert(id.clone());
                continue;
            }
            earlier.done.insert(id.clone());
            earlier.counted.insert(id.clone(), counted(&case));
        }
        let mut guided = Guided::new(pool(), &GUIDE, &earlier);
        let n_left = guided.n_left();
        let rest = play(&mut guided, 4, usize::MAX);
        let mut expected = vec![whole[40].clone()];
        expected.extend_from_slice(&whole[42..]);
        expected.extend(earlier.not_run.iter().cloned());
        assert_eq!((rest, guided.n_left()), (expected, 0));
        assert_eq!(n_left as usize, GUIDE.n_wanted - 41 + earlier.not_run.len());
    }

    #[test]
    fn what_few_schedules_show_is_found_sooner_than_at_random() {
        // Two truncations in five steps: 1 schedule in 21.
        let rare = |case: &Case| answer(&counted(case)).as_deref() == Some("TRUNC2");
        let place = |ids: Vec<String>, pool: &[Case]| {
            let is_rare = |id: &String| pool.iter().any(|case| case.id == *id && rare(case));
            ids.iter().position(is_rare).unwrap_or(ids.len())
        };
        let (mut guided_sum, mut random_sum) = (0, 0);
        for seed in 0..8 {
            let mut pool = pool();
            Rng::from_seed(seed).shuffle(&mut pool);
            let guide = Guide { seed, n_wanted: pool.len(), ..GUIDE };
            random_sum += place(pool.iter().map(|case| case.id.clone()).collect(), &pool);
            let ids = play(&mut Guided::new(pool.clone(), &guide, &Earlier::default()), 1, 100);
            guided_sum += place(ids, &pool);
        }
        assert!(guided_sum < random_sum, "{guided_sum} with guidance, {random_sum} without");
    }
}
