//! Abstract models: which faults, writes and recoveries may follow each other.
//!
//! - [`state`]    what a model knows of the replicas, and which replicas are interchangeable
//! - [`quorum`]   systems that need a majority and find their leader themselves
//! - [`chain`]    systems whose replication links are set by hand
//! - [`generate`] all schedules of a model: counted, listed, or the one with a given number
//! - [`legal`]    whether a schedule is one of a model's, decided without the code above
//!
//! A model is data ([`Model`]): a user combines rules in a configuration file and has a new one.

pub mod chain;
pub mod generate;
pub mod legal;
pub mod quorum;
pub mod state;

use std::collections::BTreeSet;

use kilter_system::Fault;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::step::{FAULTS, Resync, Step};
use state::State;

/// The most replicas that a model may have: schedules name them by letters, and symmetry tries all orders.
pub const REPLICAS_MAX: u8 = 6;
/// The most writes.
pub const OPS_MAX: u8 = 30;

/// Where the replicas of a chain model begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Start {
    /// Nobody copies anybody.
    Apart,
    /// B copies A, C copies B, and so on.
    Chain,
}

/// Whom the fault of one divergence strikes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scope {
    /// One replica or one link; nobody, if the replicas are apart already.
    One,
    /// Everybody but the replica that is written to.
    Others,
}

/// Which links a convergence may set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Direction {
    /// All of them: data may be given up for older data, as an operator can.
    Any,
    /// The source has the later write.
    Latest,
}

/// The rules of a chain model.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ChainRules {
    /// Where it begins.
    pub start: Start,
    /// What can fail.
    pub faults: BTreeSet<Fault>,
    /// Whom it strikes.
    #[serde(default = "one")]
    pub scope: Scope,
    /// How a replica gets its source's data.
    #[serde(default = "online")]
    pub resync: BTreeSet<Resync>,
    /// Which links may be set.
    #[serde(default = "any")]
    pub direction: Direction,
}

fn one() -> Scope {
    Scope::One
}

fn online() -> BTreeSet<Resync> {
    BTreeSet::from([Resync::Online])
}

fn any() -> Direction {
    Direction::Any
}

/// The rules of a model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Rules {
    /// A majority serves; whoever has the latest write leads.
    Quorum,
    /// Links are set by hand.
    Chain(ChainRules),
}

impl Rules {
    /// In one word.
    pub fn name(&self) -> &'static str {
        match self {
            Rules::Quorum => "quorum",
            Rules::Chain(_) => "chain",
        }
    }
}

/// A model with its size.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Model {
    /// What may happen.
    pub rules: Rules,
    /// How many replicas.
    pub replicas: u8,
    /// How many writes.
    pub ops: u8,
}

/// A size that no model has.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum BadModel {
    /// Too many or too few replicas.
    #[error("a model has 2 to {REPLICAS_MAX} replicas, not {0}")]
    Replicas(u8),
    /// Too many or too few writes.
    #[error("a model has 1 to {OPS_MAX} operations, not {0}")]
    Ops(u8),
    /// Nothing can fail or come together.
    #[error("a chain model needs at least one fault and one resync")]
    Empty,
    /// A fault that the drivers of stores can't bring about.
    #[error("a chain model can't have the fault `{0}`; it can have {known}", known = FAULTS.map(Fault::word).join(", "))]
    NoSuchFault(Fault),
}

/// The names of the models that come with Kilter.
pub const BUILT_IN: [&str; 4] = ["quorum", "pause", "link", "crash-and-link"];

impl Rules {
    /// The rules that come with Kilter, by name.
    pub fn built_in(name: &str) -> Option<Self> {
        let chain = |start, faults: &[Fault], scope, resync: &[Resync], direction| {
            Self::Chain(ChainRules {
                start,
                faults: faults.iter().copied().collect(),
                scope,
                resync: resync.iter().copied().collect(),
                direction,
            })
        };
        let online = [Resync::Online];
        let both = [Resync::Online, Resync::Offline];
        Some(match name {
            "quorum" => Self::Quorum,
            "pause" => chain(Start::Apart, &[Fault::Pause], Scope::One, &online, Direction::Any),
            "link" => chain(Start::Chain, &[Fault::Cut], Scope::One, &online, Direction::Any),
            "crash-and-link" => {
                chain(Start::Chain, &[Fault::Crash, Fault::Cut], Scope::Others, &both, Direction::Latest)
            }
            _ => return None,
        })
    }
}

impl Model {
    /// A model, if its size makes sense.
    pub fn new(rules: Rules, replicas: u8, ops: u8) -> Result<Self, BadModel> {
        if !(2..=REPLICAS_MAX).contains(&replicas) {
            return Err(BadModel::Replicas(replicas));
        }
        if !(1..=OPS_MAX).contains(&ops) {
            return Err(BadModel::Ops(ops));
        }
        if let Rules::Chain(chain) = &rules {
            if chain.faults.is_empty() || chain.resync.is_empty() {
                return Err(BadModel::Empty);
            }
            if let Some(fault) = chain.faults.iter().find(|fault| !FAULTS.contains(fault)) {
                return Err(BadModel::NoSuchFault(*fault));
            }
        }
        Ok(Self { rules, replicas, ops })
    }

    /// Where every schedule begins.
    pub fn initial(&self) -> State {
        match &self.rules {
            Rules::Quorum => State::apart(self.replicas),
            Rules::Chain(rules) => chain::initial(rules, self.replicas),
        }
    }

    /// What can happen next, each with what it leads to; in a fixed order.
    pub fn steps(&self, state: &State) -> Vec<(Step, State)> {
        match &self.rules {
            Rules::Quorum => quorum::steps(state, self.ops),
            Rules::Chain(rules) => chain::steps(rules, state, self.ops),
        }
    }

    /// What a step leads to, if it is one of the next.
    pub fn after(&self, state: &State, step: &Step) -> Option<State> {
        self.steps(state).into_iter().find_map(|(next, state)| (next == *step).then_some(state))
    }

    /// Whether a schedule may end here: the writes are used up, and everybody is there again.
    pub fn is_final(&self, state: &State) -> bool {
        state.used == self.ops && state.is_whole(matches!(self.rules, Rules::Chain(_)))
    }
}
