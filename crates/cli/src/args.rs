//! The command line. Each verb is a variant, and its arguments are in the verb's own file.

use clap::{Parser, Subcommand};
use kilter::program::{CONVERGE_HELP, ConvergeArgs, EXPLORE_HELP, ExploreArgs, TEST_HELP, TestArgs};

use crate::commands::campaign::CampaignArgs;
use crate::commands::check::CheckArgs;
use crate::commands::completions::CompletionsArgs;
use crate::commands::demo::DemoArgs;
use crate::commands::diff::DiffArgs;
use crate::commands::example::ExampleArgs;
use crate::commands::follow::FollowArgs;
use crate::commands::graph::GraphArgs;
use crate::commands::init::InitArgs;
use crate::commands::man::ManArgs;
use crate::commands::map::MapArgs;
use crate::commands::probe_check::ProbeCheckArgs;
use crate::commands::report::ReportArgs;
use crate::commands::simulate::SimulateArgs;
use crate::commands::suite::SuiteArgs;

/// Tells where a distributed system and its design have come apart
#[derive(Parser, Debug)]
#[command(name = "kilter", version, about, subcommand_required = true, arg_required_else_help = true)]
pub struct Args {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// The verbs.
#[derive(Subcommand, Debug)]
pub enum Command {
    /// Check a TLA+ specification: every reachable state, every step
    #[command(after_help = CHECK_HELP)]
    Check(CheckArgs),
    /// Check random behaviors of a TLA+ specification
    #[command(
        after_help = "The same seed gives the same behaviors. Finding nothing is never a proof: the verdict \
                            is then `bounded`.\nExit codes are those of `kilter check`."
    )]
    Simulate(SimulateArgs),
    /// Look at a state graph, or exchange it with other tools
    #[command(after_help = GRAPH_HELP)]
    Graph(GraphArgs),
    /// Make a test suite from a state graph: few tests, few steps, with proof
    #[command(after_help = SUITE_HELP)]
    Suite(SuiteArgs),
    /// Drive a system along its specification, and compare the two after every step
    #[command(after_help = TEST_HELP)]
    Test(TestArgs),
    /// Tell which steps a change touches, and make the tests for them
    #[command(after_help = DIFF_HELP)]
    Diff(DiffArgs),
    /// Write a first draft of the mapping between a specification and a system
    #[command(after_help = INIT_HELP)]
    Init(InitArgs),
    /// Check a mapping against its specification, without starting anything
    #[command(after_help = MAP_HELP)]
    Map(MapArgs),
    /// Show what a test run has found: as text, JSON, JUnit XML, or a page for a browser
    #[command(after_help = REPORT_HELP)]
    Report(ReportArgs),
    /// Run a system under every order of its events, with faults where they hurt: is it safe, does it still reach its goal?
    #[command(after_help = EXPLORE_HELP)]
    Explore(ExploreArgs),
    /// Drive a replicated store apart and back together: do the replicas agree again?
    #[command(after_help = CONVERGE_HELP)]
    Converge(ConvergeArgs),
    /// Ask whether a log is a behavior of the specification, and why not
    #[command(after_help = FOLLOW_HELP)]
    Follow(FollowArgs),
    /// Play the cases of `kilter test` on many machines, with brokers of NATS JetStream between them
    #[command(after_help = CAMPAIGN_HELP)]
    Campaign(CampaignArgs),
    /// Check a probe in any language: plays the testbed against its sample node, and says what it does wrong
    #[command(after_help = PROBE_CHECK_HELP)]
    ProbeCheck(ProbeCheckArgs),
    /// Write a small system with a bug, and its specification, to try Kilter with
    #[command(after_help = DEMO_HELP)]
    Demo(DemoArgs),
    /// Check a small built-in specification with a bug in its design
    #[command(after_help = EXAMPLE_HELP)]
    Example(ExampleArgs),
    /// Print a completion script for a shell
    Completions(CompletionsArgs),
    /// Write manual pages, one for each verb
    #[command(after_help = MAN_HELP)]
    Man(ManArgs),
}

const CHECK_HELP: &str = "\
Exit codes:
    0  nothing wrong: all holds, or a limit was reached (the verdict is then `bounded`, not `ok`)
    2  the options do not fit, or there is nothing to check
   10  an ASSUME or a POSTCONDITION is false
   11  deadlock
   12  an invariant is violated
   13  a property is violated
   14  an Assert failed
   75  something could not be evaluated
  130  interrupted
  141  nobody reads the answer any more
  150  the specification has errors
  151  the configuration has errors
  153  a file or the answer could not be read or written, or Kilter has a bug";

const GRAPH_HELP: &str = "\
Exit codes:
    0  done
    2  the graph cannot be used, or a file not written
  141  nobody reads the answer any more
  153  the answer could not be written, or Kilter has a bug";

const INIT_HELP: &str = "\
Exit codes:
    0  a draft was written
    2  the specification cannot be used, or the file exists already
  141  nobody reads the draft any more
  153  the draft could not be written, or Kilter has a bug";

const MAP_HELP: &str = "\
Exit codes:
    0  the mapping can be used
    2  it cannot
  141  nobody reads the answer any more
  153  the answer could not be written, or Kilter has a bug";

const FOLLOW_HELP: &str = "\
A log is lines of JSON, such as {\"event\":\"Timeout\",\"node\":\"n1\",\"state\":{\"term\":1}}. docs/guide/follow.md says more.

Exit codes:
    0  accepted: some behavior of the specification explains every line
    1  rejected: none does
    2  the mapping, the specification or a line cannot be used
    3  undecided: none was found, and not everything was tried
  130  interrupted
  141  nobody reads the answer any more
  153  the answer could not be written, or Kilter has a bug";

const CAMPAIGN_HELP: &str = "\
docs/guide/machines.md has the way from one machine to many. Credentials come from NATS_CREDS, NATS_NKEY, NATS_USER and NATS_PASSWORD, NATS_TOKEN, or a context.

Exit codes:
    0  done; for `work` and `report`: nothing was found
    1  findings
    2  no broker, no campaign, or something differs from that with which the campaign was started
    3  the system could not be run
  130  interrupted
  141  nobody reads the answer any more
  153  the answer could not be written, or Kilter has a bug";

const PROBE_CHECK_HELP: &str = "\
docs/protocol.md says what a probe does, and what its sample node has to do.

Exit codes:
    0  the probe does all of it right
    1  it does something wrong
    2  the options do not fit
    3  the sample node can't be started
  130  interrupted
  141  nobody reads the answer any more
  153  the answer could not be written, or Kilter has a bug";

const DEMO_HELP: &str = "\
Exit codes:
    0  the files were written
    2  the folder is not empty
  141  nobody reads the answer any more
  153  a file or the answer could not be written, or Kilter has a bug";

const EXAMPLE_HELP: &str = "\
Exit codes:
    0  the example shows what it should
  130  interrupted
  141  nobody reads the answer any more
  153  the answer could not be written, or Kilter has a bug";

const MAN_HELP: &str = "\
Exit codes:
    0  the pages were written
  141  nobody reads the answer any more
  153  a page or the answer could not be written, or Kilter has a bug";

const SUITE_HELP: &str = "\
Exit codes:
    0  a suite was made
    2  the graph, the suite or the goal cannot be used, or a file not written
  141  nobody reads the answer any more
  153  the answer could not be written, or Kilter has a bug";

const DIFF_HELP: &str = "\
Exit codes:
    0  compared; with --exit-code: nothing has to be tested
    1  with --exit-code: something has to be tested
    2  one of the versions cannot be used, or a file not written
  130  interrupted
  141  nobody reads the answer any more
  153  the answer could not be written, or Kilter has a bug";

const REPORT_HELP: &str = "\
Exit codes:
    0  every case that was run has passed
    1  there are findings
    2  the record cannot be read, or a report not written
    3  there are none, but some cases could not be run
  141  nobody reads the answer any more
  153  the answer could not be written, or Kilter has a bug";
#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::Args;

    #[test]
    fn every_verb_says_how_it_may_end() {
        for verb in Args::command().get_subcommands().filter(|verb| verb.get_name() != "completions") {
            let help = verb.get_after_help().map(ToString::to_string).unwrap_or_default();
            let codes: Vec<u8> =
                help.lines().filter_map(|line| line.split_whitespace().next()?.parse().ok()).collect();
            let is_told = codes.contains(&141) && codes.contains(&153) && codes.is_sorted();
            assert!(is_told || help.contains("those of `kilter check`"), "{}: {help}", verb.get_name());
        }
    }
}
