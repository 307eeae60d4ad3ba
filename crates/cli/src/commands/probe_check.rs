//! `kilter probe-check`: plays the testbed against the sample node of a probe, and says what it does wrong.

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use kilter::diagnostics::error_word;
use kilter::error::{BAD_INPUT, FINDINGS, FINE, NOT_RUNNABLE, OutputLost};
use kilter::program::rim;
use kilter_kit::{Control, Failure, Verdict};
use serde_json::{Value as Json, json};

/// `kilter probe-check`
#[derive(clap::Args, Clone, Debug)]
pub struct ProbeCheckArgs {
    /// The command that starts the sample node; `--node`, `--listen` and `--peers` are added to it
    #[arg(value_name = "COMMAND", last = true, required_unless_present = "list")]
    pub command: Vec<String>,
    /// Only the checks whose name contains this text
    #[arg(long, value_name = "TEXT")]
    pub only: Option<String>,
    /// Show the names of all checks, and start nothing
    #[arg(long)]
    pub list: bool,
    /// Let the node connect by TCP, for languages without Unix sockets
    #[arg(long)]
    pub tcp: bool,
    /// How long the node may take to answer, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..=3600))]
    pub patience: u64,
    /// Write one JSON object to standard output
    #[arg(long)]
    pub json: bool,
}

/// Checks a probe, and prints each verdict as soon as it is known. Returns the exit code.
pub fn run(args: &ProbeCheckArgs) -> anyhow::Result<u8> {
    let is_wanted = |name: &str| args.only.as_deref().is_none_or(|part| name.contains(part));
    if !kilter_kit::names().any(is_wanted) {
        let part = args.only.as_deref().unwrap_or_default();
        rim::say(&format!("{}: no check has {part:?} in its name; `--list` shows them\n", error_word()));
        return Ok(BAD_INPUT);
    }
    if args.list {
        let names: Vec<&str> = kilter_kit::names().filter(|name| is_wanted(name)).collect();
        rim::print(&if args.json {
            format!("{}\n", json!({ "checks": names }))
        } else {
            names.join("\n") + "\n"
        })?;
        return Ok(FINE);
    }
    let started = Instant::now();
    let control = if args.tcp { Control::Tcp } else { Control::Unix };
    let mut checks: Vec<(&str, Verdict)> = Vec::new();
    let mut printed: Result<(), OutputLost> = Ok(());
    let ran = kilter_kit::run(
        &args.command,
        control,
        Duration::from_secs(args.patience),
        is_wanted,
        |name, verdict| {
            if !args.json && printed.is_ok() {
                printed = rim::print(&line(name, &verdict));
            }
            checks.push((name, verdict));
        },
    );
    printed?;
    if let Err(error) = ran {
        rim::say(&format!("{}: {error}\n", error_word()));
        return Ok(NOT_RUNNABLE);
    }
    let seconds = started.elapsed().as_secs_f64();
    let n_failed = checks.iter().filter(|(_, verdict)| matches!(verdict, Verdict::Failed(_))).count();
    let n_passed = checks.iter().filter(|(_, verdict)| *verdict == Verdict::Passed).count();
    if args.json {
        let each: Vec<Json> = checks.iter().map(|(name, verdict)| as_json(name, verdict)).collect();
        let all = json!({ "checks": each, "passed": n_passed, "failed": n_failed, "seconds": seconds });
        rim::print(&format!("{all}\n"))?;
    } else {
        let word = if n_failed == 0 { "ok" } else { "out of kilter" };
        let n_checks = checks.len();
        let mut text = format!("{word}: {n_passed} of {n_checks} checks passed");
        let n_left_out = n_checks - n_passed - n_failed;
        if n_left_out > 0 {
            let _ = write!(text, ", {n_left_out} left out");
        }
        rim::print(&format!("{text}; {seconds:.1} s\n"))?;
    }
    Ok(if n_failed == 0 { FINE } else { FINDINGS })
}

/// What people read of a check.
fn line(name: &str, verdict: &Verdict) -> String {
    match verdict {
        Verdict::Passed => format!("ok        {name}\n"),
        Verdict::LeftOut(why) => format!("left out  {name}: {why}\n"),
        Verdict::Failed(Failure { wrong, conversation, printed }) => {
            let mut text = format!("WRONG     {name}\n            {wrong}\n");
            if !conversation.is_empty() {
                text += "          what it said (>) and was told (<):\n";
            }
            for line in conversation {
                let _ = writeln!(text, "            {line}");
            }
            if !printed.trim().is_empty() {
                text += "          what it printed:\n";
                for line in printed.lines() {
                    let _ = writeln!(text, "            {line}");
                }
            }
            text
        }
    }
}

fn as_json(name: &str, verdict: &Verdict) -> Json {
    match verdict {
        Verdict::Passed => json!({ "name": name, "verdict": "passed" }),
        Verdict::LeftOut(why) => json!({ "name": name, "verdict": "left-out", "why": why }),
        Verdict::Failed(Failure { wrong, conversation, printed }) => {
            json!({ "name": name, "verdict": "failed", "wrong": wrong, "conversation": conversation, "printed": printed })
        }
    }
}
