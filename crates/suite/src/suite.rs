//! Suites: tests over a graph, with their costs and lower bounds.

use kilter_graph::{EdgeId, StateId};

use crate::dfs::Tree;
use crate::net::Net;
use crate::tests::Tests;

/// Tests over a graph.
#[derive(Clone, Debug)]
pub struct Suite {
    paths: Paths,
    /// How many targets there are.
    pub n_targets: u64,
    /// How many of the targets the tests cover.
    pub n_covered: u64,
    /// Lower bounds for all suites with the same goal.
    pub bound: Bound,
    /// The cost of starting a test. A step costs 1.
    pub restart_cost: u32,
}

/// Lower bounds for every suite with the same goal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bound {
    /// The least number of tests.
    pub tests: u64,
    /// The least value of restart cost × tests + steps.
    pub cost: u64,
}

#[derive(Clone, Debug)]
enum Paths {
    /// Walks on a net whose arcs are edges of the graph.
    Flat(Tests),
    /// The paths of Mocket's traversal, and the edge of each arc.
    Tree(Tree, Vec<EdgeId>),
}

impl Suite {
    /// A suite of walks on a net.
    pub fn from_tests(
        net: &Net,
        tests: Tests,
        n_targets: u64,
        n_covered: u64,
        bound: Bound,
        restart_cost: u32,
    ) -> Suite {
        // Two arcs of a net may be the same edge. Then different walks may be the same test.
        let paths = Paths::Flat(tests.map(|arc| net.edge(arc).0).without_repeats());
        Suite { paths, n_targets, n_covered, bound, restart_cost }
    }

    /// Makes a suite from walks whose arcs are edges of the graph.
    pub fn from_walks(
        tests: Tests,
        n_targets: u64,
        n_covered: u64,
        bound: Bound,
        restart_cost: u32,
    ) -> Suite {
        Suite { paths: Paths::Flat(tests), n_targets, n_covered, bound, restart_cost }
    }

    /// Makes a suite from other walks, with the targets and bounds of `like`.
    pub fn from_edges(tests: Tests, like: &Suite) -> Suite {
        Suite { paths: Paths::Flat(tests), ..like.clone() }
    }

    /// A suite of Mocket's paths.
    pub fn from_tree(
        net: &Net,
        tree: Tree,
        n_targets: u64,
        n_covered: u64,
        bound: Bound,
        restart_cost: u32,
    ) -> Suite {
        let edges = (0..net.n_arcs() as u32).map(|arc| net.edge(arc)).collect();
        Suite { paths: Paths::Tree(tree, edges), n_targets, n_covered, bound, restart_cost }
    }

    /// How many tests there are.
    pub fn n_tests(&self) -> u64 {
        match &self.paths {
            Paths::Flat(tests) => tests.len() as u64,
            Paths::Tree(tree, _) => tree.len() as u64,
        }
    }

    /// How many steps all tests have.
    pub fn n_steps(&self) -> u64 {
        match &self.paths {
            Paths::Flat(tests) => tests.n_steps(),
            Paths::Tree(tree, _) => tree.n_steps(),
        }
    }

    /// Restart cost × tests + steps.
    pub fn cost(&self) -> u64 {
        self.n_tests() * u64::from(self.restart_cost) + self.n_steps()
    }

    /// Lower bound on the steps of any suite with at most as many tests.
    pub fn bound_steps(&self) -> u64 {
        self.bound.cost.saturating_sub(self.n_tests() * u64::from(self.restart_cost))
    }

    /// Whether it is proven that no suite for the goal costs less.
    pub fn is_proven(&self) -> bool {
        self.cost() == self.bound.cost && self.n_covered == self.n_targets
    }

    /// How many steps each test has, in order.
    pub fn lengths(&self) -> Vec<u32> {
        let n = self.n_tests() as usize;
        match &self.paths {
            Paths::Flat(tests) => (0..n).map(|test| tests.arcs(test).len() as u32).collect(),
            Paths::Tree(tree, _) => (0..n).map(|path| tree.n_arcs(path)).collect(),
        }
    }

    /// Writes a test's edges to `edges` and returns the state that it starts in.
    pub fn read(&self, test: usize, edges: &mut Vec<EdgeId>) -> StateId {
        edges.clear();
        match &self.paths {
            Paths::Flat(tests) => {
                edges.extend(tests.arcs(test).iter().map(|edge| EdgeId(*edge)));
                StateId(tests.start(test))
            }
            Paths::Tree(tree, edge_of) => {
                let mut arcs = Vec::new();
                tree.read(test, &mut arcs);
                edges.extend(arcs.iter().map(|arc| edge_of[*arc as usize]));
                StateId(tree.start(test))
            }
        }
    }
}
