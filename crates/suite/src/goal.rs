//! What a suite has to cover.

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
    /// Every pair of actions such that the second can follow the first.
    Pairs,
}

impl Cover {
    /// All values. The default comes first.
    pub const ALL: [Cover; 4] = [Cover::Edges, Cover::States, Cover::Actions, Cover::Pairs];

    /// The name in options and files.
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
    /// The cheapest suite, with a proof. If that is too hard to find, the best one found, with a lower bound.
    Optimal,
    /// Mocket's traversal.
    Dfs,
    /// One pass over the graph, for large graphs.
    Greedy,
}

impl Algorithm {
    /// All values. The default comes first.
    pub const ALL: [Algorithm; 3] = [Algorithm::Optimal, Algorithm::Dfs, Algorithm::Greedy];

    /// The name in options and files.
    pub const fn name(self) -> &'static str {
        match self {
            Algorithm::Optimal => "optimal",
            Algorithm::Dfs => "dfs",
            Algorithm::Greedy => "greedy",
        }
    }
}

/// Everything that a suite has to satisfy.
#[derive(Clone, Debug)]
pub struct Goal {
    /// What has to be covered.
    pub cover: Cover,
    /// Only edges of these actions are targets. If this is empty, all edges are.
    pub actions: Vec<String>,
    /// For each edge, whether it may be a target. With [`Cover::States`], for each state. `None` if all may.
    pub wanted: Option<Vec<bool>>,
    /// Tests end after a step of one of these actions. Empty if actions do not matter.
    pub end_actions: Vec<String>,
    /// For each state, whether tests may end there. `None` if states do not matter.
    pub end_states: Option<Vec<bool>>,
    /// How the suite is made.
    pub algorithm: Algorithm,
    /// The cost of starting a test. A step costs 1.
    pub restart_cost: u32,
    /// The largest number of steps of a test.
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

/// Why no suite can be made.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum GoalError {
    /// No action has this name.
    #[error("the graph has no action `{name}`; it has {known}")]
    UnknownAction {
        /// The name.
        name: String,
        /// The names of the graph's actions.
        known: String,
    },
    /// There is nothing to cover.
    #[error("the goal cannot be reached: no reachable {what} is a target")]
    NothingToCover {
        /// What the targets would be, such as `edge` or `state`.
        what: &'static str,
    },
    /// There is no place where a test may end.
    #[error("the goal cannot be reached: no reachable state or step is an end")]
    NoEnds,
    /// Some targets need longer tests.
    #[error(
        "the goal cannot be reached with tests of {max_steps} steps: {n_targets} of the targets need more, up to {needed}"
    )]
    TooFar {
        /// The largest number of steps of a test.
        max_steps: u32,
        /// How many targets need longer tests.
        n_targets: usize,
        /// The number of steps that would be enough for all targets.
        needed: u32,
    },
    /// Mocket's traversal only covers all edges.
    #[error("--algorithm dfs covers all edges and knows no other goal; leave out {option}")]
    NotWithDfs {
        /// The option that Mocket's traversal does not support.
        option: &'static str,
    },
}
