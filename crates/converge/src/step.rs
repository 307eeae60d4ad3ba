//! Steps of a schedule, and their text.
//!
//! A schedule is written as words, one for each step. The line that repeats a schedule contains this text:
//!
//! | word | step |
//! | --- | --- |
//! | `write=A2,B1,C0` | two writes; A gets both, B the first, C none; then all crash (quorum) |
//! | `up=AB` | A and B come up (quorum) |
//! | `cut=B,write=A` | B loses its source, then A is written to (chain) |
//! | `isolate-crash,write=A` | everybody but A crashes, then A is written to (chain) |
//! | `wake=A,link=B>A` | A is resumed or restarted, B becomes a replica of A (chain) |
//! | `link=B>A,offline` | B starts on a copy of A's snapshot and becomes a replica of A (chain) |

use std::fmt;
use std::str::FromStr;

use kilter_system::Fault;
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// A replica, numbered from 0 and written as a letter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Replica(pub u8);

impl Replica {
    /// Its index in a list of all replicas.
    pub fn index(self) -> usize {
        self.0.into()
    }
}

impl fmt::Display for Replica {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", char::from(b'A' + self.0))
    }
}

/// The faults that can strike replicas of a chain: a cut is between a replica and the one that it copies.
pub const FAULTS: [Fault; 3] = [Fault::Crash, Fault::Pause, Fault::Cut];

/// Whom a fault strikes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Strike {
    /// None, because the replicas are apart already.
    None,
    /// One replica.
    One(Fault, Replica),
    /// Every replica but the one that is written to.
    Others(Fault),
}

/// How a replica gets the data of its source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Resync {
    /// The system itself does it when the link is there again.
    Online,
    /// By hand: the replica starts on a copy of its source's snapshot.
    Offline,
}

/// A link by which `target` copies `source`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Link {
    /// The replica that copies.
    pub target: Replica,
    /// The replica that is copied.
    pub source: Replica,
}

/// One step of a schedule.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Step {
    /// Quorum: how many of the new writes each replica gets, or `None` for replicas that are down. Then all crash.
    Spread(Vec<Option<u8>>),
    /// Quorum: these replicas start.
    Rise(Vec<Replica>),
    /// Chain: a fault, then one write.
    Part(Strike, Replica),
    /// Chain: a replica is woken, or linked, or both.
    Join {
        /// The replica that is resumed or restarted.
        wake: Option<Replica>,
        /// The link that is set.
        link: Option<Link>,
        /// How the target gets the data.
        resync: Resync,
    },
}

impl Step {
    /// Whether the step drives replicas apart.
    pub fn is_divergence(&self) -> bool {
        matches!(self, Self::Spread(_) | Self::Part(..))
    }

    /// The number of writes in the step.
    pub fn writes(&self) -> u8 {
        match self {
            Self::Spread(received) => received.iter().flatten().copied().max().unwrap_or(0),
            Self::Part(..) => 1,
            Self::Rise(_) | Self::Join { .. } => 0,
        }
    }

    /// The replica at which the step happens. `None` if it happens at several.
    pub fn place(&self) -> Option<Replica> {
        match self {
            Self::Part(_, writer) => Some(*writer),
            Self::Join { wake, link, .. } => wake.or(link.map(|link| link.target)),
            Self::Spread(_) | Self::Rise(_) => None,
        }
    }

    /// The same step with replicas renamed: `names[i]` is the new name of replica `i`.
    #[must_use]
    pub fn renamed(&self, names: &[Replica]) -> Self {
        let name = |replica: Replica| names[replica.index()];
        match self {
            Self::Spread(received) => {
                let mut renamed = vec![None; received.len()];
                for (index, count) in received.iter().enumerate() {
                    renamed[names[index].index()] = *count;
                }
                Self::Spread(renamed)
            }
            Self::Rise(up) => {
                let mut renamed: Vec<Replica> = up.iter().map(|replica| name(*replica)).collect();
                renamed.sort_unstable();
                Self::Rise(renamed)
            }
            Self::Part(strike, writer) => {
                let strike = match *strike {
                    Strike::One(fault, victim) => Strike::One(fault, name(victim)),
                    other => other,
                };
                Self::Part(strike, name(*writer))
            }
            Self::Join { wake, link, resync } => Self::Join {
                wake: wake.map(name),
                link: link.map(|link| Link { target: name(link.target), source: name(link.source) }),
                resync: *resync,
            },
        }
    }
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Spread(received) => {
                let parts: Vec<String> = (0u8..)
                    .zip(received)
                    .filter_map(|(index, count)| count.map(|count| format!("{}{count}", Replica(index))))
                    .collect();
                write!(f, "write={}", parts.join(","))
            }
            Self::Rise(up) => {
                write!(f, "up=")?;
                up.iter().try_for_each(|replica| write!(f, "{replica}"))
            }
            Self::Part(strike, writer) => {
                match strike {
                    Strike::None => {}
                    Strike::One(fault, victim) => write!(f, "{}={victim},", fault.word())?,
                    Strike::Others(fault) => write!(f, "isolate-{},", fault.word())?,
                }
                write!(f, "write={writer}")
            }
            Self::Join { wake, link, resync } => {
                let mut parts = Vec::new();
                parts.extend(wake.map(|replica| format!("wake={replica}")));
                parts.extend(link.map(|link| format!("link={}>{}", link.target, link.source)));
                parts.extend((*resync == Resync::Offline).then(|| "offline".to_owned()));
                write!(f, "{}", parts.join(","))
            }
        }
    }
}

/// The error for a word that is not a step.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("`{0}` is no step; steps look like `write=A2,B1,C0`, `up=AB`, `cut=B,write=A`, `wake=A,link=B>A`")]
pub struct NoStep(pub String);

fn replica(text: &str) -> Option<Replica> {
    match text.as_bytes() {
        [letter @ b'A'..=b'H'] => Some(Replica(letter - b'A')),
        _ => None,
    }
}

fn spread(parts: &[&str]) -> Option<Step> {
    let mut received = Vec::new();
    for part in parts {
        let name = replica(part.get(..1)?)?;
        let count = part.get(1..)?.parse().ok()?;
        if received.len() <= name.index() {
            received.resize(name.index() + 1, None);
        }
        received[name.index()] = Some(count);
    }
    Some(Step::Spread(received))
}

fn part(words: &[(&str, &str)]) -> Option<Step> {
    let fault = |word: &str| FAULTS.into_iter().find(|fault| fault.word() == word);
    match words {
        [("write", writer)] => Some(Step::Part(Strike::None, replica(writer)?)),
        [(word, ""), ("write", writer)] => {
            Some(Step::Part(Strike::Others(fault(word.strip_prefix("isolate-")?)?), replica(writer)?))
        }
        [(word, victim), ("write", writer)] => {
            Some(Step::Part(Strike::One(fault(word)?, replica(victim)?), replica(writer)?))
        }
        _ => None,
    }
}

fn join(words: &[(&str, &str)]) -> Option<Step> {
    let (mut wake, mut link, mut resync) = (None, None, Resync::Online);
    for word in words {
        match word {
            ("wake", who) => wake = Some(replica(who)?),
            ("link", pair) => {
                let (target, source) = pair.split_once('>')?;
                link = Some(Link { target: replica(target)?, source: replica(source)? });
            }
            ("offline", "") => resync = Resync::Offline,
            _ => return None,
        }
    }
    (wake.is_some() || link.is_some()).then_some(Step::Join { wake, link, resync })
}

impl FromStr for Step {
    type Err = NoStep;

    fn from_str(text: &str) -> Result<Self, NoStep> {
        let words: Vec<(&str, &str)> =
            text.split(',').map(|word| word.split_once('=').unwrap_or((word, ""))).collect();
        let step = match words[..] {
            [("up", names)] => {
                let up: Option<Vec<Replica>> =
                    (0..names.len()).map(|at| names.get(at..=at).and_then(replica)).collect();
                up.filter(|up| !up.is_empty()).map(Step::Rise)
            }
            [("write", first), ..] if first.len() > 1 => {
                let parts: Vec<&str> = text.trim_start_matches("write=").split(',').collect();
                spread(&parts)
            }
            [.., ("write", _)] => part(&words),
            _ => join(&words),
        };
        step.ok_or_else(|| NoStep(text.to_owned()))
    }
}

/// Writes a schedule as text.
pub fn text(schedule: &[Step]) -> String {
    let words: Vec<String> = schedule.iter().map(ToString::to_string).collect();
    words.join(" ")
}

/// Parses a schedule.
pub fn parse(text: &str) -> Result<Vec<Step>, NoStep> {
    text.split_whitespace().map(str::parse).collect()
}

/// The normal form of a schedule, which people may write in several ways. Lists are sorted, and have an entry for each
/// replica.
#[must_use]
pub fn normal(schedule: &[Step], replicas: u8) -> Vec<Step> {
    let mut schedule = schedule.to_vec();
    for step in &mut schedule {
        match step {
            Step::Spread(received) => received.resize(replicas.into(), None),
            Step::Rise(up) => up.sort_unstable(),
            Step::Part(..) | Step::Join { .. } => {}
        }
    }
    schedule
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_and_back() {
        let schedule = "write=A2,B1,C0 up=AB write=A1,B0 up=ABC cut=B,write=A write=C pause=D,write=B \
                        isolate-crash,write=A wake=A,link=B>A wake=C link=B>A,offline wake=A,link=A>B,offline";
        assert_eq!(parse(schedule).map(|steps| text(&steps)), Ok(schedule.to_owned()));
    }

    #[test]
    fn what_is_left_out_is_down() {
        let written = parse("write=A1,B0 up=CA").expect("steps");
        let (a, c) = (Replica(0), Replica(2));
        assert_eq!(normal(&written, 3), [Step::Spread(vec![Some(1), Some(0), None]), Step::Rise(vec![a, c])]);
    }

    #[test]
    fn nonsense_is_named() {
        for word in
            ["up=", "up=Z", "write=", "cut=B", "link=B", "wake=AB", "write=A,B", "hello", "write=A-1", ","]
        {
            assert_eq!(parse(word), Err(NoStep(word.to_owned())), "{word}");
        }
    }
}
