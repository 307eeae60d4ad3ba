//! How far a job is; and what is said on the way.

use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use kilter_check::Counts;
use kilter_report::style::{BAD, count, paint, plural};
use kilter_run::{Event, Tally};

use super::pulse::Pulse;
use super::{AnswerArgs, rim};
use crate::error::OutputLost;
use crate::host::Watch;

/// The time between two updates of the line.
const DRAW_EVERY: Duration = Duration::from_millis(100);

/// A line on standard error that is drawn again and again. Where that is no terminal, a new line now and then.
pub struct Terminal {
    bar: ProgressBar,
    /// Says the lines where nothing is drawn.
    pulse: Option<Pulse>,
    /// Whether standard output is for JSON only.
    json: bool,
    /// The counts of a search at the last update, and the time of that. For lines of a log, `generated` is their number.
    last: (Counts, Duration),
    /// What the search is about, if there are several.
    about: String,
    drawn: Instant,
    /// The groups of findings that were printed.
    told: Vec<String>,
}

impl Terminal {
    /// A line that is not drawn yet. With JSON, standard output is for the answer only.
    pub fn new(answer: AnswerArgs) -> Terminal {
        let AnswerArgs { json, quiet } = answer;
        let target = if quiet { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr() };
        let bar = ProgressBar::with_draw_target(None, target);
        // The template is ours and correct. Without it, there would still be a line.
        if let Ok(style) = ProgressStyle::with_template("{spinner} {wide_msg}") {
            bar.set_style(style);
        }
        let pulse = (bar.is_hidden() && !quiet).then(|| Pulse::start(rim::say));
        Terminal {
            bar,
            pulse,
            json,
            last: (Counts::default(), Duration::ZERO),
            about: String::new(),
            drawn: Instant::now(),
            told: Vec::new(),
        }
    }

    /// Says what the job does that can't tell how far it is.
    pub fn at(&self, words: &str) {
        match &self.pulse {
            Some(pulse) => pulse.set(words.to_owned()),
            None => {
                self.bar.set_message(words.to_owned());
                self.bar.tick();
            }
        }
    }

    /// Whether nobody wants to know how far the job is.
    fn is_mute(&self) -> bool {
        self.bar.is_hidden() && self.pulse.is_none()
    }
}

impl Watch for Terminal {
    fn say(&mut self, text: &str) {
        self.bar.suspend(|| rim::say(text));
    }

    fn print(&mut self, line: &str) -> Result<(), OutputLost> {
        let text = format!("{line}\n");
        self.bar.suspend(|| {
            if self.json {
                rim::say(&text);
                return Ok(());
            }
            rim::print(&text)
        })
    }

    fn doing(&mut self, words: &str) {
        self.at(words);
    }

    fn about(&mut self, name: &str) {
        name.clone_into(&mut self.about);
        self.last = Default::default();
    }

    fn searching(&mut self, counts: &Counts, elapsed: Duration) {
        let (before, then) = self.last;
        let interval_ms = elapsed.saturating_sub(then).as_millis() as u64;
        if self.is_mute() || interval_ms < DRAW_EVERY.as_millis() as u64 {
            return;
        }
        let rate = counts.generated.saturating_sub(before.generated) * 1000 / interval_ms;
        self.last = (*counts, elapsed);
        let about = if self.about.is_empty() { String::new() } else { format!("{}: ", self.about) };
        let words = about + &searched(counts, &before, rate);
        if let Some(pulse) = &self.pulse {
            pulse.set(words);
            return;
        }
        self.bar.set_message(format!("{} s  {words}", elapsed.as_secs()));
        self.bar.tick();
    }

    fn following(&mut self, lines: u64, states: usize, elapsed: Duration) {
        let (before, then) = self.last;
        let interval_ms = elapsed.saturating_sub(then).as_millis() as u64;
        if self.is_mute() || interval_ms < DRAW_EVERY.as_millis() as u64 {
            return;
        }
        let rate = lines.saturating_sub(before.generated) * 1000 / interval_ms;
        self.last = (Counts { generated: lines, ..Counts::default() }, elapsed);
        let lines = plural(lines, "line");
        self.at(&format!("{lines} explained, {}, {} lines/s", plural(states as u64, "state"), count(rate)));
    }

    fn event(&mut self, event: &Event) {
        if let Event::Finding(finding) = event {
            // The first finding of each group gets a line. The others are reported at the end.
            if !self.json && !self.bar.is_hidden() && !self.told.contains(&finding.group) {
                self.told.push(finding.group.clone());
                let line = format!("{} {}\n", paint(BAD, finding.kind.name()), finding.summary);
                self.bar.suspend(|| rim::say(&line));
            }
        }
    }

    fn running(&mut self, tally: &Tally) {
        if self.is_mute() || self.drawn.elapsed() < DRAW_EVERY {
            return;
        }
        self.drawn = Instant::now();
        let words = played(tally);
        if let Some(pulse) = &self.pulse {
            pulse.set(words);
            return;
        }
        self.bar.set_message(words);
        self.bar.tick();
    }

    fn ended(&mut self) {
        // What follows may be another search.
        self.last = Default::default();
        if let Some(pulse) = &self.pulse {
            pulse.set(String::new());
        }
        self.bar.finish_and_clear();
    }
}

/// How far a run is. Who plays with others does not know how many cases are left to it.
fn played(tally: &Tally) -> String {
    let seconds = tally.took.as_secs_f64().max(0.001);
    #[allow(clippy::cast_precision_loss, reason = "people look at three digits")]
    let rate = tally.ended as f64 / seconds;
    let is_alone = tally.n_cases > 0;
    let mut parts = vec![if is_alone {
        format!("{} of {}", count(tally.ended), plural(tally.n_cases, "case"))
    } else {
        format!("{} played here", plural(tally.ended, "case"))
    }];
    if tally.ended > 0 {
        parts.push(format!("{rate:.0}/s"));
    }
    if tally.ended > 0 && is_alone {
        #[allow(clippy::cast_precision_loss, reason = "people look at three digits")]
        let left = tally.n_cases.saturating_sub(tally.ended) as f64 / rate.max(0.001);
        parts.push(format!("{left:.0} s left"));
    }
    parts.push(plural(tally.findings, "finding"));
    let counted = tally.counters.sums.iter().chain(&tally.counters.peaks);
    // What nobody reports is told at the end, if it is so in all cases.
    let is_told = |name: &str| !name.ends_with("_us") && !name.starts_with("silent_");
    let counted = counted.filter(|(name, n)| **n > 0 && is_told(name));
    parts.extend(counted.map(|(name, n)| format!("{} {}", count(*n), name.replace('_', " "))));
    parts.extend(tally.counters.n_distinct().map(|(name, n)| format!("{} distinct {name}", count(n))));
    parts.join("  ")
}

/// How far a search is. Random behaviors have no distinct states and no queue.
fn searched(counts: &Counts, before: &Counts, rate: u64) -> String {
    let mut parts = vec![format!("{} generated ({}/s)", count(counts.generated), count(rate))];
    if counts.distinct > 0 {
        parts.push(format!("{} distinct", count(counts.distinct)));
        parts.push(format!("{} in the queue{}", count(counts.queue), frontier(counts, before)));
    }
    parts.push(format!("depth {}", counts.depth));
    parts.join("  ")
}

/// How the queue changes: the new states for each state that was explored since the last time. Below 1, the queue gets
/// shorter.
fn frontier(counts: &Counts, before: &Counts) -> String {
    let explored = |counts: &Counts| counts.distinct.saturating_sub(counts.queue);
    let n_explored = explored(counts).saturating_sub(explored(before));
    let n_new = counts.distinct.saturating_sub(before.distinct);
    if n_explored == 0 {
        return String::new();
    }
    #[allow(clippy::cast_precision_loss, reason = "people look at three digits")]
    let ratio = n_new as f64 / n_explored as f64;
    format!(" ({ratio:.2} new for each explored)")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_plays_with_others_says_nothing_of_all_cases() {
        let took = Duration::from_secs(10);
        let alone = Tally { n_cases: 60, ended: 20, findings: 1, took, ..Tally::default() };
        assert_eq!(played(&alone), "20 of 60 cases  2/s  20 s left  1 finding");
        assert_eq!(played(&Tally { n_cases: 0, ..alone }), "20 cases played here  2/s  1 finding");
    }

    #[test]
    fn random_behaviors_have_no_queue() {
        let all = Counts { generated: 5000, distinct: 300, queue: 20, depth: 7 };
        assert_eq!(
            searched(&all, &all, 10),
            "5,000 generated (10/s)  300 distinct  20 in the queue  depth 7"
        );
        let before = Counts { distinct: 150, queue: 10, ..all };
        let growing = "20 in the queue (1.07 new for each explored)";
        assert!(searched(&all, &before, 10).contains(growing), "{}", searched(&all, &before, 10));
        let random = Counts { generated: 5000, depth: 7, ..Counts::default() };
        assert_eq!(searched(&random, &random, 10), "5,000 generated (10/s)  depth 7");
    }
}
