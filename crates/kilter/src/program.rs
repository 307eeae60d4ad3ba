//! What a program with a system of its own needs around the library: a command line with `test`, `explore` and `converge`, Ctrl-C,
//! progress, the answer as text or JSON, and exit codes. `kilter` itself is such a program, with more verbs.
//!
//! ```no_run
//! use std::process::ExitCode;
//! # use kilter_testbed::{Trouble, World};
//! # fn cluster(_: &[String]) -> Result<Box<dyn World>, Trouble> { Err(Trouble::NotStarted(String::new())) }
//!
//! fn main() -> ExitCode {
//!     // For `[system] world = "mine"` in a kilter.toml.
//!     kilter::program::main(kilter::Worlds::default().with("mine", |system| cluster(system.nodes())))
//! }
//! ```
//!
//! - `converge`   `converge` on a command line
//! - [`rim`]      where the process begins and ends: panics, standard streams, exit codes
//! - [`Terminal`] how far a job is, on a terminal
//! - `pulse`      the same where there is no terminal

mod converge;
mod pulse;
pub mod rim;
mod terminal;

use std::path::Path;
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use kilter_base::{Diagnostic, Sources};
use kilter_follow::Problem;
use serde_json::{Value as Json, json};

pub use self::converge::{ConvergeArgs, converge};
pub use self::terminal::Terminal;
use crate::diagnostics::{error_word, to_json};
use crate::error::{Error, file_of};
use crate::explore::{self, ExploreOptions};
use crate::host::Host;
use crate::part::Part;
use crate::run::{Ended, Ran};
use crate::signals::Signals;
use crate::test::{self, TestOptions};
use crate::worlds::Worlds;

/// The end of the help text of `test`.
pub const TEST_HELP: &str = "\
Exit codes:
    0  the system does what the specification says
    1  findings
    2  the mapping, the specification or the suite cannot be used
    3  the system could not be run
  130  interrupted
  141  nobody reads the answer any more
  153  the answer, the record or the report could not be written, or Kilter has a bug";

/// The end of the help text of `explore`.
pub const EXPLORE_HELP: &str = "\
Exit codes:
    0  nothing wrong was found
    1  there are findings
    2  the configuration or an option cannot be used
    3  the system could not be run
  130  interrupted
  141  nobody reads the answer any more
  153  the answer, the record or the report could not be written, or Kilter has a bug";

/// The end of the help text of `converge`.
pub const CONVERGE_HELP: &str = "\
Exit codes:
    0  after every schedule that was run, the replicas agreed again
    1  there are findings
    2  the configuration or a schedule cannot be used
    3  the system could not be run
  130  interrupted
  141  nobody reads the answer any more
  153  the answer, the record or the report could not be written, or Kilter has a bug";

/// Tests and explores the systems that are linked into this program
#[derive(Parser, Debug)]
#[command(version, about, subcommand_required = true, arg_required_else_help = true)]
struct Args {
    /// What to do.
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand, Debug)]
enum Command {
    /// Drive a system along its specification, and compare the two after every step
    #[command(after_help = TEST_HELP)]
    Test(TestArgs),
    /// Run a system under every order of its events, with faults where they hurt: is it safe, does it still reach its goal?
    #[command(after_help = EXPLORE_HELP)]
    Explore(ExploreArgs),
    /// Drive replicas apart and back together, and ask whether they agree again
    #[command(after_help = CONVERGE_HELP)]
    Converge(ConvergeArgs),
}

/// `test` on a command line.
#[derive(clap::Args, Clone, Debug)]
pub struct TestArgs {
    /// What is tested, and how.
    #[command(flatten)]
    pub options: TestOptions,
    /// How the answer is given.
    #[command(flatten)]
    pub answer: AnswerArgs,
}

/// `explore` on a command line.
#[derive(clap::Args, Clone, Debug)]
pub struct ExploreArgs {
    /// What is explored, and how.
    #[command(flatten)]
    pub options: ExploreOptions,
    /// How the answer is given.
    #[command(flatten)]
    pub answer: AnswerArgs,
}

/// How the answer is given.
#[derive(clap::Args, Clone, Copy, Debug, Default)]
pub struct AnswerArgs {
    /// Write one JSON object to standard output
    #[arg(long)]
    pub json: bool,
    /// Do not say on standard error how far the work is
    #[arg(long)]
    pub quiet: bool,
}

/// Runs a whole program with these systems linked in.
pub fn main(worlds: Worlds) -> ExitCode {
    rim::begin(|| {
        let args = Args::parse();
        rim::run(move |signals| match &args.command {
            Command::Test(args) => test(args, worlds, signals),
            Command::Explore(args) => explore(args, worlds, signals),
            Command::Converge(args) => converge(args, worlds, signals),
        })
    })
}

/// What this process lends a job.
pub fn host(worlds: Worlds, signals: &Signals, answer: AnswerArgs) -> Host {
    let watch = Box::new(Terminal::new(answer));
    Host { program: name(), worlds, signals: signals.clone(), watch, env: Vec::new(), part: Part::Whole }
}

/// The name of this program.
fn name() -> String {
    #[expect(clippy::disallowed_methods, reason = "this is the program around the library")]
    let program = std::env::args_os().next();
    let name = program.as_ref().and_then(|program| Path::new(program).file_name());
    name.map_or_else(|| "kilter".to_owned(), |name| name.to_string_lossy().into_owned())
}

/// Tests a system and prints the result. Returns the exit code.
pub fn test(args: &TestArgs, worlds: Worlds, signals: &Signals) -> Result<u8, Error> {
    let ended = test::run_here(&args.options, &mut host(worlds, signals, args.answer));
    answer(ended, args.answer.json)
}

/// Explores a system and prints the result. Returns the exit code.
pub fn explore(args: &ExploreArgs, worlds: Worlds, signals: &Signals) -> Result<u8, Error> {
    let ended = explore::run_here(&args.options, &mut host(worlds, signals, args.answer));
    answer(ended, args.answer.json)
}

/// Prints the result of a job. Returns the exit code.
pub fn answer(ended: Result<Ended, Error>, json: bool) -> Result<u8, Error> {
    match ended {
        Ok(Ended::Ran(ran)) => tell(*ran, json),
        Ok(Ended::Said { text, json: said, code }) => {
            print(&if json { format!("{said}\n") } else { text })?;
            Ok(code)
        }
        Err(error) => refuse(error, json),
    }
}

/// Says why a job came to no end; the exit code.
pub fn refuse(error: Error, json: bool) -> Result<u8, Error> {
    match &error {
        Error::Interrupted(_) | Error::Lost(_) => return Err(error),
        Error::Input(_) | Error::NotRunnable(_) => rim::complain(&error),
        Error::Problems(problems) => rim::say(&problems.text()),
    }
    if json {
        print(&format!("{}\n", error_json(&error)))?;
    }
    Ok(error.code())
}

fn print(text: &str) -> Result<(), Error> {
    rim::print(text).map_err(|lost| Error::Lost(lost.into()))
}

/// What is wrong, for scripts: all errors as `kilter check` has them, and the first of them.
fn error_json(error: &Error) -> Json {
    let errors = match error {
        Error::Problems(problems) => problems.json(),
        other => {
            let message = format!("{other}");
            let message = anstream::adapter::strip_str(&message).to_string();
            let mut json = to_json(&Diagnostic::global(message), &Sources::default());
            if let Some(Problem { file, line, message }) = other.cause().downcast_ref() {
                json["file"] = file.as_str().into();
                json["line"] = (*line).into();
                json["message"] = message.as_str().into();
            }
            if let Some(file) = file_of(other.cause()) {
                json["file"] = file.display().to_string().into();
            }
            vec![json]
        }
    };
    json!({ "verdict": "error", "error": errors.first(), "errors": errors })
}

/// Prints the result of a run. Returns the exit code.
fn tell(ran: Ran, json: bool) -> Result<u8, Error> {
    if json {
        print(&format!("{}\n", ran.json()))?;
    } else if let Some(why) = ran.not_runnable().filter(|_| ran.n_cases() == 0) {
        rim::say(&format!("{}: {why}\n", error_word()));
    } else {
        print(&ran.text())?;
    }
    let code = ran.code();
    ran.written().map_err(|lost| Error::Lost(lost.into()))?;
    Ok(code)
}
