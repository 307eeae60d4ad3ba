//! What the runs of all schedules come to. That the replicas agree again is said only if all that was to be run was run.

use kilter_converge::run::Entry;

use crate::render::{BAD, DOUBT, GOOD, count, paint, plural};

/// What a run comes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// After every schedule that was to be run, the replicas agreed again.
    Agree,
    /// So many times they did not.
    Findings(usize),
    /// Nothing was found, but not all was run: so many schedules are missing.
    Bounded {
        /// How many were run.
        run: usize,
        /// How many were not.
        missing: usize,
    },
    /// There was nothing to run.
    Nothing,
}

impl Verdict {
    /// What these entries come to, of so many that there should be.
    pub fn of(entries: &[Entry], n_planned: usize) -> Verdict {
        let n_findings = entries.iter().filter(|entry| entry.finding.is_some()).count();
        let n_run = entries.iter().filter(|entry| entry.not_run.is_none()).count();
        match (n_findings, n_planned.saturating_sub(n_run)) {
            (0, _) if n_planned == 0 => Verdict::Nothing,
            (0, 0) => Verdict::Agree,
            (0, missing) => Verdict::Bounded { run: n_run, missing },
            (n_findings, _) => Verdict::Findings(n_findings),
        }
    }

    /// For scripts.
    pub fn word(self) -> &'static str {
        match self {
            Verdict::Agree => "agree",
            Verdict::Findings(_) => "findings",
            Verdict::Bounded { .. } => "bounded",
            Verdict::Nothing => "nothing",
        }
    }

    /// For people.
    pub fn sentence(self) -> String {
        match self {
            Verdict::Agree => paint(GOOD, "the replicas agree again"),
            Verdict::Findings(n) => paint(BAD, plural(n as u64, "finding")),
            Verdict::Bounded { run: 0, .. } => paint(DOUBT, "nothing was run"),
            Verdict::Bounded { missing, .. } => {
                let missing = format!(
                    "{} {} not run",
                    count(missing as u64),
                    if missing == 1 { "was" } else { "were" }
                );
                format!("{}: nothing was found so far, {missing}", paint(DOUBT, "bounded"))
            }
            Verdict::Nothing => paint(DOUBT, "there was nothing to run"),
        }
    }
}

#[cfg(test)]
mod tests {
    use kilter_converge::drive::Crash;
    use kilter_converge::run::Finding;

    use super::*;

    fn entry(not_run: Option<&str>, finding: bool) -> Entry {
        let finding = finding.then(|| Finding {
            kind: "differ".to_owned(),
            what: String::new(),
            differences: Vec::new(),
            stable: true,
            runs_again: 1,
            shrunk: String::new(),
            picture: String::new(),
            log: Vec::new(),
            kept: None,
        });
        Entry {
            number: 0,
            schedule: String::new(),
            crash: Crash::Kill,
            seconds: 0.0,
            seconds_in_vain: 0.0,
            steps_run: 0,
            not_run: not_run.map(str::to_owned),
            finding,
        }
    }

    #[test]
    fn agreement_needs_all_that_was_to_be_run() {
        let (fine, lost, bad) = (entry(None, false), entry(Some("no port"), false), entry(None, true));
        assert_eq!(Verdict::of(&[], 0), Verdict::Nothing);
        assert_eq!(Verdict::of(&[], 3), Verdict::Bounded { run: 0, missing: 3 });
        assert_eq!(Verdict::of(std::slice::from_ref(&fine), 1), Verdict::Agree);
        assert_eq!(Verdict::of(&[fine.clone(), lost], 2), Verdict::Bounded { run: 1, missing: 1 });
        assert_eq!(Verdict::of(std::slice::from_ref(&fine), 2), Verdict::Bounded { run: 1, missing: 1 });
        assert_eq!(Verdict::of(&[fine, bad], 3), Verdict::Findings(1));
        for verdict in [
            Verdict::Nothing,
            Verdict::Bounded { run: 0, missing: 3 },
            Verdict::Bounded { run: 1, missing: 1 },
        ] {
            assert!(!verdict.sentence().contains("agree"), "{verdict:?}");
        }
    }
}
