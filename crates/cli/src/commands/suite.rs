//! `kilter suite`: makes test suites from a state graph.

use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::ValueEnum;
use kilter::graphs::load;
use kilter::host::Watch as _;
use kilter::program::{AnswerArgs, Terminal, rim};
use kilter::suite::{Made, Orders, Request, save, verify as check, visited};
use kilter_graph::StateGraph;
use kilter_report::style::plural;
use kilter_suite::{Algorithm, Cover};
use serde_json::json;

use super::answer::{blamed, within_memory};
use crate::render::suite::{Table, table};
use crate::render::summary;

/// `kilter suite`
#[derive(clap::Args, Clone, Debug)]
pub struct SuiteArgs {
    /// A state graph, from `kilter check --graph` or `kilter graph import`
    #[arg(value_name = "GRAPH")]
    pub graph: PathBuf,
    /// What the tests have to cover
    #[arg(long, value_enum, default_value_t = CoverArg::Edges)]
    pub cover: CoverArg,
    /// How the suite is made
    #[arg(long, value_enum, default_value_t = AlgorithmArg::Optimal)]
    pub algorithm: AlgorithmArg,
    /// Cover only edges of this action, or states that it leads to; may be repeated
    #[arg(long, value_name = "NAME")]
    pub action: Vec<String>,
    /// Cover only states in which this TLA+ formula holds, or edges for which it does: `x` is before the step, `x'` after it
    #[arg(long, value_name = "FORMULA")]
    pub only_when: Option<String>,
    /// A test ends after a step of this action; may be repeated
    #[arg(long, value_name = "NAME")]
    pub end_action: Vec<String>,
    /// A test ends in a state in which this TLA+ formula holds
    #[arg(long, value_name = "FORMULA")]
    pub end_when: Option<String>,
    /// No test has more steps than this
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub max_steps: Option<u32>,
    /// What a test costs, compared with a step
    #[arg(long, default_value_t = 20, value_name = "N", value_parser = clap::value_parser!(u32).range(..=1_000_000))]
    pub restart_cost: u32,
    /// Of steps that can be taken in either order, cover one order
    #[arg(long, conflicts_with_all = ["por_rest", "symmetry"])]
    pub por: bool,
    /// Cover exactly what `--por` with the same seed leaves out
    #[arg(long, conflicts_with = "symmetry")]
    pub por_rest: bool,
    /// Cover edges up to renaming of these model values, such as n1,n2,n3; may be repeated. Without names: of all that are
    /// interchangeable in the graph
    #[arg(long, value_name = "NAMES", num_args = 0..=1, default_missing_value = "")]
    pub symmetry: Vec<String>,
    /// Another seed decides ties differently
    #[arg(long, default_value_t = 0, value_name = "N")]
    pub seed: u64,
    /// Write the tests to this file, as JSON lines
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Check that this suite belongs to the graph and what it covers, instead of making one
    #[arg(long, value_name = "FILE", conflicts_with = "out")]
    pub verify: Option<PathBuf>,
    /// How the answer is given.
    #[command(flatten)]
    pub answer: AnswerArgs,
}

/// What to cover.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum CoverArg {
    /// Every edge
    Edges,
    /// Every state
    States,
    /// Every action
    Actions,
    /// Every pair of actions that can follow each other
    Pairs,
}

/// How to make a suite.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum AlgorithmArg {
    /// The least restart cost × tests + steps, proven; where that is too hard, the best found with a lower bound
    Optimal,
    /// Mocket's traversal, for comparison
    Dfs,
    /// One pass, for graphs that are too large
    Greedy,
}

/// Makes or verifies a suite. Errors are the input's fault.
pub fn run(args: &SuiteArgs) -> anyhow::Result<u8> {
    let made = within_memory(|| match &args.verify {
        Some(path) => verify(args, path),
        None => make(args),
    });
    blamed(made, args.answer.json)
}

fn make(args: &SuiteArgs) -> anyhow::Result<()> {
    let graph = load(&args.graph)?;
    let started = Instant::now();
    if !graph.is_complete() {
        let missing =
            "the graph is incomplete, because the search was cut short: what was not found is not covered";
        rim::say(&summary::warning_lines(&[missing.to_owned()]));
    }
    let request = Request::from(args);
    let mut terminal = Terminal::new(args.answer);
    terminal.at(&format!("making tests for {}", plural(graph.n_edges() as u64, "edge")));
    let made = request.make(&graph);
    terminal.ended();
    drop(terminal);
    let made = made?;
    let suite = &made.suite;
    if let Some(path) = &args.out {
        save(&graph, suite, &request.header(&graph, suite, &made.symmetry), path)?;
    }
    let seconds = started.elapsed().as_secs_f64();
    if args.answer.json {
        rim::print(&format!("{}\n", to_json(&graph, &request, &made, seconds)))?;
    } else {
        let dfs = kilter_suite::baseline(&graph);
        if let Some(reduction) = &made.por {
            rim::print(&format!(
                "{} commuting pairs of steps, {} of them in both orders; {} of {} states visited\n",
                reduction.n_diamonds,
                reduction.n_whole,
                visited(&graph, suite),
                graph.n_states()
            ))?;
        }
        for set in &made.symmetry {
            rim::print(&format!("up to renaming of {}\n", set.join(", ")))?;
        }
        rim::print(&table(&Table {
            origin: graph.origin(),
            suite,
            dfs,
            seconds,
            what: request.cover.name().to_owned(),
        }))?;
    }
    Ok(())
}

impl From<&SuiteArgs> for Request {
    fn from(args: &SuiteArgs) -> Self {
        Request {
            cover: args.cover.into(),
            algorithm: args.algorithm.into(),
            actions: args.action.clone(),
            only_when: args.only_when.clone(),
            end_actions: args.end_action.clone(),
            end_when: args.end_when.clone(),
            max_steps: args.max_steps,
            restart_cost: args.restart_cost,
            orders: match (args.por, args.por_rest) {
                (_, true) => Orders::Rest,
                (true, false) => Orders::One,
                (false, false) => Orders::Both,
            },
            symmetry: args.symmetry.clone(),
            seed: args.seed,
        }
    }
}

impl From<CoverArg> for Cover {
    fn from(cover: CoverArg) -> Self {
        match cover {
            CoverArg::Edges => Cover::Edges,
            CoverArg::States => Cover::States,
            CoverArg::Actions => Cover::Actions,
            CoverArg::Pairs => Cover::Pairs,
        }
    }
}

impl From<AlgorithmArg> for Algorithm {
    fn from(algorithm: AlgorithmArg) -> Self {
        match algorithm {
            AlgorithmArg::Optimal => Algorithm::Optimal,
            AlgorithmArg::Dfs => Algorithm::Dfs,
            AlgorithmArg::Greedy => Algorithm::Greedy,
        }
    }
}

/// The result as JSON. Scripts rely on its fields.
fn to_json(graph: &StateGraph, request: &Request, made: &Made, seconds: f64) -> serde_json::Value {
    let suite = &made.suite;
    let mut json = json!({
        "tests": suite.n_tests(),
        "steps": suite.n_steps(),
        "edges": graph.n_edges(),
        "cover": request.cover.name(),
        "algorithm": request.algorithm.name(),
        "target_edges": suite.n_targets,
        "covered_edges": suite.n_covered,
        "longest": suite.lengths().into_iter().max().unwrap_or(0),
        "cost": suite.cost(),
        "restart_cost": suite.restart_cost,
        "lower_bound_tests": suite.bound.tests,
        "lower_bound_steps": suite.bound_steps(),
        "lower_bound_cost": suite.bound.cost,
        "proven": suite.is_proven(),
        "complete": graph.is_complete(),
        "seconds": seconds,
    });
    if let Some(reduction) = &made.por {
        json["diamonds"] = reduction.n_diamonds.into();
        json["whole_diamonds"] = reduction.n_whole.into();
        json["visited_states"] = visited(graph, suite).into();
        json["states"] = graph.n_states().into();
    }
    if !made.symmetry.is_empty() {
        json["symmetry"] = json!(made.symmetry);
    }
    json
}

fn verify(args: &SuiteArgs, path: &Path) -> anyhow::Result<()> {
    let graph = load(&args.graph)?;
    let (header, checked) = check(&graph, path)?;
    let count = |covered: &[bool]| covered.iter().filter(|covered| **covered).count();
    let found = json!({
        "tests": checked.tests, "steps": checked.steps, "states": graph.n_states(), "covered_states": count(&checked.states),
        "edges": graph.n_edges(), "covered_edges": count(&checked.edges), "algorithm": header.algorithm,
    });
    rim::print(&if args.answer.json {
        format!("{found}\n")
    } else {
        format!(
            "ok: every test is a path of the graph and says what its edges say\n{} tests, {} steps; {} of {} edges, {} of {} states\n",
            checked.tests,
            checked.steps,
            count(&checked.edges),
            graph.n_edges(),
            count(&checked.states),
            graph.n_states()
        )
    })?;
    Ok(())
}
