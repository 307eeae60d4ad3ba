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

/// The most replicas that a model may have. Schedules name them by letters, and symmetry tries all orders.
pub const REPLICAS_MAX: u8 = 6;
/// The most writes that a model may have.
pub const OPS_MAX: u8 = 30;

/// The links with which a chain model begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Start {
    /// No replica copies another.
    Apart,
    /// B copies A, C copies B, and so on.
    Chain,
}

/// Whom the fault of one divergence strikes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scope {
    /// One replica or one link, or none if the replicas are apart already.
    One,
    /// All replicas but the one that is written to.
    Others,
}

/// The links that a convergence may set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Direction {
    /// Any link. Data may be given up for older data, as an operator can do.
    Any,
    /// Only links whose source has the later write.
    Latest,
}

/// The rules of a chain model.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ChainRules {
    /// The links at the beginning.
    pub start: Start,
    /// What can fail.
    pub faults: BTreeSet<Fault>,
    /// The replicas that a failure strikes.
    #[serde(default = "one")]
    pub scope: Scope,
    /// The ways in which a replica can get its source's data.
    #[serde(default = "online")]
    pub resync: BTreeSet<Resync>,
    /// The links that may be set.
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
    /// A majority serves, and the replica with the latest write leads.
    Quorum,
    /// Links are set by hand.
    Chain(ChainRules),
}

impl Rules {
    /// The name of the rules, in one word.
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
    /// The rules of the model.
    pub rules: Rules,
    /// The number of replicas.
    pub replicas: u8,
    /// The number of writes.
    pub ops: u8,
}

/// The error for a model that is not allowed.
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
    /// Makes a model. It is an error if its size or its rules are not allowed.
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

    /// The state in which every schedule begins.
    pub fn initial(&self) -> State {
        match &self.rules {
            Rules::Quorum => State::apart(self.replicas),
            Rules::Chain(rules) => chain::initial(rules, self.replicas),
        }
    }

    /// The possible next steps, each with the state that it leads to. Their order is fixed.
    pub fn steps(&self, state: &State) -> Vec<(Step, State)> {
        match &self.rules {
            Rules::Quorum => quorum::steps(state, self.ops),
            Rules::Chain(rules) => chain::steps(rules, state, self.ops),
        }
    }

    /// The state after a step. `None` if the step is not possible.
    pub fn after(&self, state: &State, step: &Step) -> Option<State> {
        self.steps(state).into_iter().find_map(|(next, state)| (next == *step).then_some(state))
    }

    /// Whether a schedule may end here: all writes have been made, and all replicas are back together.
    pub fn is_final(&self, state: &State) -> bool {
        state.used == self.ops && state.is_whole(matches!(self.rules, Rules::Chain(_)))
    }
}
