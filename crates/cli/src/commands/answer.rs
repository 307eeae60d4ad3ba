//! The answer of the verbs that search.

use std::path::Path;

use anyhow::bail;
use kilter::error::OutputLost;
use kilter::load::{Loaded, Refusal};
use kilter::program::{self, rim};
use kilter::remarks::{self, ActionCoverage};
use kilter::show::reason::Teller;
use kilter::show::trace::Viewer;
use kilter::show::{failure, json, lasso};
use kilter::why::Question;
use kilter::{diagnostics, itf, verdict};
use kilter_base::Diagnostics;
use kilter_check::{Outcome, Verdict};
use kilter_eval::Program;
use kilter_run::files;
use kilter_value::{HeapFull, Store, within_heap};

use super::ours;
use super::shared::OutputArgs;
use crate::render::{BAD, DOUBT, GOOD, paint, summary};

/// A search that has ended.
pub struct Answer<'a> {
    /// The file of the specification.
    pub spec: &'a Path,
    /// The specification.
    pub loaded: &'a Loaded,
    /// The compiled specification.
    pub program: &'a Program,
    /// The store with the values.
    pub store: &'a Store,
    /// The result of the search.
    pub outcome: &'a Outcome,
    /// Whether random behaviors were run, and not all states searched.
    pub random: bool,
    /// Whether the search went on after violations.
    pub keep_going: bool,
    /// An action that should have been enabled.
    pub why: Option<&'a Question>,
    /// How long it took, in seconds.
    pub seconds: f64,
    /// A sentence that replaces that of the verdict.
    pub note: Option<String>,
    /// The command line that repeats the search.
    pub repeat: String,
    /// The command line that goes on from the checkpoint of a search on disk.
    pub go_on: String,
}

/// Prints why there was nothing to search. Returns the exit code.
pub fn refuse(refusal: &Refusal, json: bool) -> anyhow::Result<u8> {
    rim::say(&diagnostics::show(&refusal.sources, &refusal.diagnostics));
    if json {
        rim::print(&format!("{}\n", json::refusal(refusal)))?;
    }
    Ok(verdict::of_cause(refusal.cause).code)
}

impl Answer<'_> {
    /// Prints everything in the form that the user asked for. Returns the exit code.
    pub fn give(&self, how: &OutputArgs) -> anyhow::Result<u8> {
        let coverage = remarks::by_action(self.outcome, self.program, &self.loaded.sources);
        let warnings =
            remarks::warnings(self.outcome, &coverage, &self.loaded.sources, self.store, self.random);
        if how.answer.json {
            rim::print(&format!("{}\n", self.json(&coverage, &warnings)))?;
        } else {
            self.tell(how, &coverage, &warnings)?;
        }
        if let Some(path) = &how.itf {
            self.save_itf(path)?;
        }
        Ok(verdict::of_outcome(self.outcome).code)
    }

    fn json(&self, coverage: &[ActionCoverage], warnings: &[String]) -> serde_json::Value {
        let Answer { loaded, program, store, outcome, keep_going, seconds, .. } = *self;
        let about_text = loaded.warnings.iter().map(|warning| warning.one_line(&loaded.sources));
        let warnings: Vec<String> = about_text.chain(warnings.iter().cloned()).collect();
        let sources = &loaded.sources;
        let mut json = json::search(&json::Search {
            outcome,
            program,
            store,
            sources,
            coverage,
            warnings: &warnings,
            keep_going,
            why: self.why,
            seconds,
        });
        if let Some(note) = &self.note {
            json["message"] = note.as_str().into();
        }
        json
    }

    fn tell(
        &self,
        how: &OutputArgs,
        coverage: &[ActionCoverage],
        warnings: &[String],
    ) -> Result<(), OutputLost> {
        self.warn(&self.loaded.warnings);
        rim::print(&self.headline())?;
        rim::print(&self.evidence(&self.outcome.verdict, how))?;
        if let Some(question) = self.why {
            let Answer { program, store, outcome, .. } = *self;
            let teller = Teller { sources: &self.loaded.sources, store };
            match question.answer(program, store, verdict::trace_of(&outcome.verdict)) {
                Ok(answer) => rim::print(&format!("{}\n", teller.answer(&answer)))?,
                Err(why) => rim::say(&format!("{}: {why}\n", paint(DOUBT, "warning"))),
            }
        }
        for violation in &self.outcome.others {
            rim::print(&self.title(violation))?;
            rim::print(&self.evidence(violation, how))?;
        }
        if self.keep_going {
            rim::print(&summary::violations(self.outcome))?;
        }
        rim::print(&match self.program.init {
            Some(_) => summary::counts(self.outcome, self.seconds),
            None => "the configuration names no behavior: only assumptions were checked\n".to_owned(),
        })?;
        for (process, share) in self.outcome.shares.iter().enumerate() {
            rim::print(&summary::share(process, share))?;
        }
        if let Some(disk) = &self.outcome.disk {
            rim::print(&summary::disk(disk, self.outcome, &self.go_on))?;
        }
        if matches!(self.outcome.verdict, Verdict::Holds | Verdict::Bounded(_)) {
            if coverage.len() > 1 {
                rim::print(&summary::coverage(coverage))?;
            }
        } else {
            rim::print(&format!("repeat with:\n  {}\n", self.repeat))?;
        }
        rim::say(&summary::warning_lines(warnings));
        Ok(())
    }

    fn warn(&self, warnings: &Diagnostics) {
        if !warnings.is_empty() {
            rim::say(&diagnostics::show(&self.loaded.sources, warnings));
        }
    }

    fn headline(&self) -> String {
        let (style, word) = match self.outcome.verdict {
            Verdict::Holds => (GOOD, "ok"),
            Verdict::Bounded(_) => (DOUBT, "bounded"),
            _ => return self.title(&self.outcome.verdict),
        };
        let sentence = self.note.clone().unwrap_or_else(|| verdict::sentence(self.outcome));
        format!("{}: {sentence}\n", paint(style, word))
    }

    /// A violation in one line, or an error with its place.
    fn title(&self, violation: &Verdict) -> String {
        match verdict::error_of(violation) {
            Some(error) => failure::show(&self.loaded.sources, error) + "\n",
            None => format!("{}: {}\n", paint(BAD, "error"), verdict::sentence_of(violation, self.outcome)),
        }
    }

    /// The behavior that a verdict is about.
    fn evidence(&self, verdict: &Verdict, how: &OutputArgs) -> String {
        let Some(trace) = verdict::trace_of(verdict) else { return String::new() };
        let Answer { store, program, .. } = *self;
        let (variables, full, width) = (&program.variables, how.full_trace, diagnostics::width());
        let viewer = Viewer { store, variables, full, width };
        let teller = Teller { sources: &self.loaded.sources, store };
        let place = match verdict {
            Verdict::Property { .. } if trace.steps.len() > 1 => "for the last step".to_owned(),
            _ => format!("in state {}", trace.steps.len()),
        };
        let explanation = verdict
            .property()
            .map(|name| teller.explanation(name, &place, &kilter_check::explain(program, store, verdict)));
        let explanation = explanation.unwrap_or_default();
        let lasso = verdict::loop_of(verdict)
            .map(|back| lasso::show(back, trace, &self.loaded.sources, store))
            .unwrap_or_default();
        format!("{}{lasso}{explanation}\n", viewer.show(trace))
    }

    fn save_itf(&self, path: &Path) -> anyhow::Result<()> {
        let Some(trace) = verdict::trace_of(&self.outcome.verdict) else { return Ok(()) };
        let back = verdict::loop_of(&self.outcome.verdict).map(|back| back.to);
        let source = self.spec.display().to_string();
        let json = itf::trace(trace, back, &self.program.variables, self.store, &source);
        Ok(files::replace(path, format!("{json:#}\n"))?)
    }
}

/// The exit code; what is wrong is said in one line.
pub fn blamed(result: anyhow::Result<()>, json: bool) -> anyhow::Result<u8> {
    match result {
        Ok(()) => Ok(0),
        Err(error) => Ok(program::refuse(ours(error), json)?),
    }
}

/// Runs `work`. It is an error if its values do not fit into memory.
pub fn within_memory(work: impl FnOnce() -> anyhow::Result<()>) -> anyhow::Result<()> {
    within_heap(work).unwrap_or_else(|HeapFull| bail!("the values of the graph do not fit into memory"))
}
