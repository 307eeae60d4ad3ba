//! `kilter graph`: shows, exports and imports state graphs.

use std::fmt::Write as _;
use std::io::{self, BufWriter, Write};
use std::path::PathBuf;

use anyhow::{Context, bail};
use clap::{Subcommand, ValueEnum};
use kilter::error::OutputLost;
use kilter::graphs::{load, save};
use kilter::program::rim;
use kilter::read;
use kilter_graph::export::{self, ExportError, Format};
use kilter_graph::{StateGraph, StateId, Summary, dot, summarize, walk};
use kilter_run::files;
use kilter_value::Store;
use serde_json::json;

use super::answer::{blamed, within_memory};
use crate::render::{count, plural};

/// `kilter graph`
#[derive(clap::Args, Clone, Debug)]
pub struct GraphArgs {
    /// What to do.
    #[command(subcommand)]
    pub command: GraphCommand,
}

/// What to do with a state graph.
#[derive(Subcommand, Clone, Debug)]
pub enum GraphCommand {
    /// Print sizes, depth, components, and actions with their counts
    Info(InfoArgs),
    /// Write a state graph for other tools
    Export(ExportArgs),
    /// Make a state graph from another tool's
    Import(ImportArgs),
}

/// `kilter graph info`
#[derive(clap::Args, Clone, Debug)]
pub struct InfoArgs {
    /// A state graph, from `kilter check --graph` or `kilter graph import`
    #[arg(value_name = "GRAPH")]
    pub file: PathBuf,
    /// Write one JSON object to standard output
    #[arg(long)]
    pub json: bool,
}

/// `kilter graph export`
#[derive(clap::Args, Clone, Debug)]
pub struct ExportArgs {
    /// A state graph, from `kilter check --graph` or `kilter graph import`
    #[arg(value_name = "GRAPH")]
    pub file: PathBuf,
    /// The format
    #[arg(long, value_enum)]
    pub to: To,
    /// With `--to itf`: the state that a shortest path leads to, by its number
    #[arg(long, value_name = "N", required_if_eq("to", "itf"))]
    pub state: Option<u32>,
    /// Where to write; `-` is standard output [default: -]
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Say in one JSON object on standard output what was written
    #[arg(long, requires = "out")]
    pub json: bool,
}

/// Formats to write.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum To {
    /// For `GraphViz`, and for `kilter graph import`
    Dot,
    /// One object, values in the Informal Trace Format
    Json,
    /// For graph editors and libraries
    Graphml,
    /// One path, in the Informal Trace Format
    Itf,
}

/// `kilter graph import`
#[derive(clap::Args, Clone, Debug)]
pub struct ImportArgs {
    /// The file to read
    pub file: PathBuf,
    /// Its format
    #[arg(long, value_enum)]
    pub from: From,
    /// Where to write the state graph
    #[arg(long, value_name = "GRAPH")]
    pub out: PathBuf,
    /// Write one JSON object to standard output
    #[arg(long)]
    pub json: bool,
}

/// Formats to read.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum From {
    /// What `java tlc2.TLC -dump dot` and `kilter graph export --to dot` write
    TlcDot,
}

/// Carries out the command. Errors are the input's fault.
pub fn run(args: &GraphArgs) -> anyhow::Result<u8> {
    match &args.command {
        GraphCommand::Info(args) => blamed(info(args), args.json),
        GraphCommand::Export(args) => blamed(within_memory(|| export(args)), args.json),
        GraphCommand::Import(args) => blamed(within_memory(|| import(args)), args.json),
    }
}

fn info(args: &InfoArgs) -> anyhow::Result<()> {
    let summary = summarize(&load(&args.file)?);
    Ok(rim::print(&if args.json { format!("{}\n", json!(summary)) } else { describe(&summary) })?)
}

fn import(args: &ImportArgs) -> anyhow::Result<()> {
    let From::TlcDot = args.from;
    let (text, _) = read::text(&args.file, "the dump").map_err(|unreadable| {
        let help = unreadable.diagnostic.help.unwrap_or_default();
        anyhow::anyhow!("{}; {help}", unreadable.diagnostic.message)
    })?;
    let origin = args.file.file_name().unwrap_or_default().to_string_lossy();
    let imported =
        dot::import(&text, &origin, &Store::new()).with_context(|| args.file.display().to_string())?;
    save(&imported.graph, &args.out)?;
    let summary = summarize(&imported.graph);
    if args.json {
        let mut json = json!(summary);
        json["repeated_edges"] = imported.n_repeated.into();
        json["excluded_edges"] = imported.n_excluded.into();
        json["stuttering_edges"] = imported.n_stuttering.into();
        return Ok(rim::print(&format!("{json}\n"))?);
    }
    rim::print(&describe(&summary))?;
    let left_out = [
        (imported.n_repeated, "that repeat another one"),
        (imported.n_excluded, "that a constraint excludes"),
        (imported.n_stuttering, "that only stutter"),
    ];
    for (n, what) in left_out.into_iter().filter(|(n, _)| *n > 0) {
        rim::print(&format!("left out: {} {what}\n", plural(n as u64, "edge")))?;
    }
    Ok(())
}

fn export(args: &ExportArgs) -> anyhow::Result<()> {
    let file = args.out.as_ref().filter(|path| path.as_os_str() != "-");
    if args.json && file.is_none() {
        bail!("--json says what was written to a file, and `--out -` writes to standard output itself");
    }
    let graph = load(&args.file)?;
    let Some(path) = file else {
        // The text may be large, so it is written as it is made.
        let mut out = BufWriter::new(anstream::stdout().lock());
        let written = export_to(&graph, args, &mut out).and_then(|()| Ok(out.flush()?));
        return written.map_err(lost);
    };
    files::replace_with(path, |out| export_to(&graph, args, out))?;
    if args.json {
        let written = json!({ "out": path, "states": graph.n_states(), "edges": graph.n_edges() });
        rim::print(&format!("{written}\n"))?;
    }
    Ok(())
}

/// Turns an error of writing to standard output into an `OutputLost`.
fn lost(error: anyhow::Error) -> anyhow::Error {
    let code = error.chain().find_map(|cause| cause.downcast_ref::<io::Error>()?.raw_os_error());
    code.map_or(error, |code| OutputLost(io::Error::from_raw_os_error(code)).into())
}

fn export_to(graph: &StateGraph, args: &ExportArgs, out: &mut dyn Write) -> anyhow::Result<()> {
    let format = match args.to {
        To::Dot => Format::Dot,
        To::Json => Format::Json,
        To::Graphml => Format::GraphMl,
        To::Itf => return export_path(graph, StateId(args.state.unwrap_or(0)), out),
    };
    export::write(graph, format, out).map_err(|error| match error {
        ExportError::Io(error) => error.into(),
        ExportError::Values(error) => error.into(),
    })
}

fn export_path(graph: &StateGraph, to: StateId, out: &mut dyn Write) -> anyhow::Result<()> {
    if to.0 as usize >= graph.n_states() {
        bail!("there is no state {}: the graph has {}", to.0, plural(graph.n_states() as u64, "state"));
    }
    if !graph.exchanges().is_empty() {
        bail!(
            "a state of this graph stands for all that SYMMETRY makes the same; `kilter suite` tells concrete paths"
        );
    }
    let Some((start, edges)) = walk::levels(graph).path(graph, to) else {
        bail!("no path leads from an initial state to state {}", to.0);
    };
    writeln!(out, "{:#}", export::to_itf(graph, start, &edges)?)?;
    Ok(out.flush()?)
}

/// The summary as text for people.
fn describe(summary: &Summary) -> String {
    let n = |number: usize| count(number as u64);
    let complete = if summary.complete { "" } else { ", incomplete: the search was cut short" };
    let mut out = format!("state graph of {}{complete}\n", summary.origin);
    let rows = [
        ("states", n(summary.states)),
        ("edges", n(summary.edges)),
        (
            "ways",
            match summary.several_ways {
                0 => format!("{}, one through the action for each edge", n(summary.ways)),
                several => format!(
                    "{} through actions, several for {}",
                    n(summary.ways),
                    plural(several as u64, "edge")
                ),
            },
        ),
        ("initial", n(summary.initial)),
        ("depth", n(summary.depth as usize)),
        ("sinks", n(summary.sinks)),
        ("self-loops", n(summary.self_loops)),
        ("unreachable", n(summary.unreachable)),
        (
            "components",
            format!(
                "{}, the largest of {}",
                n(summary.components),
                plural(summary.largest_component as u64, "state")
            ),
        ),
        ("values", n(summary.values)),
        ("variables", summary.variables.join(", ")),
        ("fingerprint", summary.fingerprint.clone()),
    ];
    for (name, value) in rows {
        let _ = writeln!(out, "  {name:<12} {value}");
    }
    out += "actions, with their edges\n";
    let width = summary.actions.keys().map(|name| name.chars().count()).max().unwrap_or(0);
    for (name, n_edges) in &summary.actions {
        let _ = writeln!(out, "  {name:<width$}  {}", n(*n_edges));
    }
    out
}
