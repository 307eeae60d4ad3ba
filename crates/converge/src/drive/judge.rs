//! Whether the replicas agree in the end.

use std::collections::BTreeSet;
use std::fmt;

use kilter_run::FindingKind;
use serde::{Deserialize, Serialize};

use super::Ledger;
use crate::step::Replica;
use crate::store::{Contents, write_of};

/// A key that replicas do not agree about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Difference {
    /// The key.
    pub key: String,
    /// Its value on each replica, from the first; `None` where it is missing.
    pub values: Vec<Option<String>>,
}

/// What is wrong after a schedule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wrong {
    /// The replicas do not hold the same.
    Differ {
        /// Where.
        differences: Vec<Difference>,
        /// What each holds.
        found: Vec<Contents>,
    },
    /// They agree, but not about what must be there.
    Lost {
        /// Writes that are gone, though they were acknowledged, or that came back, though they were given up.
        writes: Vec<String>,
    },
    /// Some replica never finished its resync.
    Stuck {
        /// In which step, and what was waited for.
        what: String,
    },
    /// A node ended by itself.
    Died {
        /// Who.
        replica: Replica,
        /// How, with its last words.
        how: String,
    },
}

impl Wrong {
    /// What kind of finding it is.
    pub fn kind(&self) -> FindingKind {
        match self {
            Self::Differ { .. } => FindingKind::Differ,
            Self::Lost { .. } => FindingKind::Lost,
            Self::Stuck { .. } => FindingKind::Stuck,
            Self::Died { .. } => FindingKind::Crash,
        }
    }

    /// The keys that differ.
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
            Self::Stuck { what } => write!(f, "{what}"),
            Self::Died { replica, how } => write!(f, "{replica} ended by itself: {how}"),
        }
    }
}

/// Where replicas differ.
pub fn differences(found: &[Contents]) -> Vec<Difference> {
    let keys: BTreeSet<&String> = found.iter().flat_map(Contents::keys).collect();
    let of = |key: &String| found.iter().map(|contents| contents.get(key).cloned()).collect::<Vec<_>>();
    keys.into_iter()
        .map(|key| Difference { key: key.clone(), values: of(key) })
        .filter(|difference| difference.values.iter().any(|value| *value != difference.values[0]))
        .collect()
}

/// What is wrong with replicas that agree: writes that must be there, and, if `exactly`, writes that must not.
pub fn lost(found: &Contents, ledger: &Ledger, exactly: Option<&[u8]>) -> Option<Wrong> {
    let holds = |number: u8| found.values().any(|value| *value == write_of(number).1);
    let must: &[u8] = exactly.unwrap_or(&ledger.must_survive);
    let gone = must.iter().filter(|number| !holds(**number)).map(|number| format!("write {number} is gone"));
    let back = (1..=ledger.used)
        .filter(|number| exactly.is_some_and(|exactly| !exactly.contains(number)) && holds(*number))
        .map(|number| format!("write {number} is back, though it was given up"));
    let writes: Vec<String> = gone.chain(back).collect();
    (!writes.is_empty()).then_some(Wrong::Lost { writes })
}
