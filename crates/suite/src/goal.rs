//! What a suite is asked for.

use thiserror::Error;

/// What has to be covered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cover {
    /// Every edge.
    Edges,
    /// Every state.
    States,
    /// Every action.
    Actions,
    /// Every pair of actions that can follow each other.
    Pairs,
}

impl Cover {
    /// All of them, the usual one first.
    pub const ALL: [Cover; 4] = [Cover::Edges, Cover::States, Cover::Actions, Cover::Pairs];

    /// The word for it in options and files.
    pub const fn name(self) -> &'static str {
        match self {
            Cover::Edges => "edges",
            Cover::States => "states",
            Cover::Actions => "actions",
            Cover::Pairs => "pairs",
        }
    }
}

/// How a suite is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Algorithm {
    /// The cheapest, with proof; where that is too hard, the best found, with a lower bound.
    Optimal,
    /// Mocket's traversal.
    Dfs,
    /// One pass, for large graphs.
    Greedy,
}

impl Algorithm {
    /// All of them, the usual one first.
    pub const ALL: [Algorithm; 3] = [Algorithm::Optimal, Algorithm::Dfs, Algorithm::Greedy];

    /// The word for it in options and files.
    pub const fn name(self) -> &'static str {
        match self {
            Algorithm::Optimal => "optimal",
            Algorithm::Dfs => "dfs",
            Algorithm::Greedy => "greedy",
        }
    }
}

/// Everything that a suite is asked for.
#[derive(Clone, Debug)]
pub struct Goal {
    /// What has to be covered.
    pub cover: Cover,
    /// Only edges of these actions are targets; all if empty.
    pub actions: Vec<String>,
    /// Only these edges (or, for [`Cover::States`], these states) are targets, by number.
    pub wanted: Option<Vec<bool>>,
    /// Tests end after a step of one of these actions, if any is given.
    pub end_actions: Vec<String>,
    /// Tests end in one of these states, by number.
    pub end_states: Option<Vec<bool>>,
    /// How it is made.
    pub algorithm: Algorithm,
    /// What a test costs, compared with a step.
    pub restart_cost: u32,
    /// No test has more steps.
    pub max_steps: Option<u32>,
    /// Another seed decides ties differently.
    pub seed: u64,
}

impl Default for Goal {
    fn default() -> Goal {
        Goal {
            cover: Cover::Edges,
            actions: Vec::new(),
            wanted: None,
            end_actions: Vec::new(),
            end_states: None,
            algorithm: Algorithm::Optimal,
            restart_cost: 20,
            max_steps: None,
            seed: 0,
        }
    }
}

/// Why there is no suite.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum GoalError {
    /// No action has this name.
    #[error("the graph has no action `{name}`; it has {known}")]
    UnknownAction {
        /// The name.
        name: String,
        /// Those that there are.
        known: String,
    },
    /// There is nothing to cover.
    #[error("the goal cannot be reached: no reachable {what} is a target")]
    NothingToCover {
        /// Edges or states.
        what: &'static str,
    },
    /// No test may end anywhere.
    #[error("the goal cannot be reached: no reachable state or step is an end")]
    NoEnds,
    /// A target needs longer tests.
    #[error(
        "the goal cannot be reached with tests of {max_steps} steps: {n_targets} of the targets need more, up to {needed}"
    )]
    TooFar {
        /// The limit.
        max_steps: u32,
        /// How many targets do not fit.
        n_targets: usize,
        /// How many steps would do.
        needed: u32,
    },
    /// Mocket's traversal knows only edges.
    #[error("--algorithm dfs covers all edges and knows no other goal; leave out {option}")]
    NotWithDfs {
        /// What it does not know.
        option: &'static str,
    },
}
