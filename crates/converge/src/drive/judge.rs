//! Decides whether the replicas agree in the end.

use std::collections::BTreeSet;
use std::fmt;

use kilter_run::FindingKind;
use serde::{Deserialize, Serialize};

use super::Ledger;
use super::history::History;
use crate::step::Replica;
use crate::store::Contents;

/// A key on which replicas disagree.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Difference {
    /// The key.
    pub key: String,
    /// Its value on each replica, in order. `None` where it is missing.
    pub values: Vec<Option<String>>,
}

/// What is wrong after a schedule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wrong {
    /// The replicas do not hold the same.
    Differ {
        /// The keys that differ.
        differences: Vec<Difference>,
        /// The contents of each replica.
        found: Vec<Contents>,
    },
    /// The replicas agree, but writes are missing or too many.
    Lost {
        /// Acknowledged writes that are gone, and abandoned writes that came back, in words.
        writes: Vec<String>,
    },
    /// A client has read what the store promises that it does not read.
    WrongRead {
        /// What was read, and what should have been.
        what: String,
    },
    /// A replica never finished its resync.
    Stuck {
        /// The step, and what the replica did not do.
        what: String,
    },
    /// A node ended without being told to.
    Died {
        /// The replica that it played.
        replica: Replica,
        /// How it ended, with the last lines that it printed.
        how: String,
    },
}

impl Wrong {
    /// The kind of the finding.
    pub fn kind(&self) -> FindingKind {
        match self {
            Self::Differ { .. } => FindingKind::Differ,
            Self::Lost { .. } => FindingKind::Lost,
            Self::WrongRead { .. } => FindingKind::WrongRead,
            Self::Stuck { .. } => FindingKind::Stuck,
            Self::Died { .. } => FindingKind::Crash,
        }
    }

    /// The keys that differ. Empty for other findings.
    pub fn differences(&self) -> &[Difference] {
        match self {
            Self::Differ { differences, .. } => differences,
            _ => &[],
        }
    }
}

impl fmt::Display for Wrong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Differ { differences, .. } => {
                for (index, difference) in differences.iter().enumerate() {
                    let values = (0u8..).map(Replica).zip(&difference.values);
                    let values = values.map(|(name, value)| {
                        format!(
                            "{name} {}",
                            value.as_deref().map_or("has none".to_owned(), |it| format!("has {it}"))
                        )
                    });
                    let gap = if index == 0 { "" } else { "; " };
                    write!(f, "{gap}{}: {}", difference.key, values.collect::<Vec<_>>().join(", "))?;
                }
                Ok(())
            }
            Self::Lost { writes } => write!(f, "all replicas agree, but {}", writes.join(", ")),
            Self::WrongRead { what } | Self::Stuck { what } => write!(f, "{what}"),
            Self::Died { replica, how } => write!(f, "{replica} ended by itself: {how}"),
        }
    }
}

/// The keys on which replicas differ.
pub fn differences(found: &[Contents]) -> Vec<Difference> {
    let keys: BTreeSet<&String> = found.iter().flat_map(Contents::keys).collect();
    let of = |key: &String| found.iter().map(|contents| contents.get(key).cloned()).collect::<Vec<_>>();
    keys.into_iter()
        .map(|key| Difference { key: key.clone(), values: of(key) })
        .filter(|difference| difference.values.iter().any(|value| *value != difference.values[0]))
        .collect()
}

/// What is wrong with replicas that agree. They must hold the writes of `exactly` and no others. If it is `None`, they
/// must hold the writes that must survive.
pub fn lost(found: &Contents, ledger: &Ledger, exactly: Option<&[u8]>) -> Option<Wrong> {
    let must: &[u8] = exactly.unwrap_or(&ledger.must_survive);
    let gone = must.iter().filter(|number| !ledger.is_held(**number, found));
    let gone = gone.map(|number| format!("write {number} is gone"));
    let is_given_up = |number: u8| exactly.is_some_and(|exactly| !exactly.contains(&number));
    let back = (1..=ledger.used)
        .filter(|number| is_given_up(*number) && ledger.is_seen(*number, found))
        .map(|number| format!("write {number} is back, though it was given up"));
    let writes: Vec<String> = gone.chain(back).collect();
    (!writes.is_empty()).then_some(Wrong::Lost { writes })
}

/// What is wrong with replicas that agree and have lost nothing, if no order of what clients did explains what they hold.
pub fn unexplained(found: &Contents, history: &History) -> Option<Wrong> {
    if history.explains(found) {
        return None;
    }
    let refused = history.refused_but_made(found);
    let refused = refused.iter().map(|number| format!("write {number} is there, though it was refused"));
    let mut writes: Vec<String> = refused.collect();
    if writes.is_empty() {
        writes.push("no order of what clients did explains what they hold".to_owned());
    }
    Some(Wrong::Lost { writes })
}
