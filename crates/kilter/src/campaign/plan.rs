//! The cases of a campaign, and what they are made of, for each command whose cases can be played by many machines.

use kilter_run::Verb;
use kilter_value::Store;

use super::options::StartOptions;
use super::pack::Parts;
use crate::converge::{self, ConvergeOptions};
use crate::error::Tried;
use crate::explore::{self, ExploreOptions};
use crate::graphs;
use crate::host::Host;
use crate::part::{Part, Planned};
use crate::prepare::prepare;
use crate::run::RunOptions;
use crate::test::{self, TestOptions};

/// A search is divided as for so many jobs, however many there will be.
const JOBS_OF_SEARCH: u16 = 32;

/// Makes the cases, and builds the system.
pub(super) fn plan(options: &StartOptions, host: &mut Host) -> Tried<(Planned, Parts)> {
    host.part = Part::Plan(None);
    let parts = match options.verb {
        Verb::Converge => {
            let of_converge = ConvergeOptions {
                sample: options.sample,
                seed: options.seed,
                ..ConvergeOptions::of(&options.config)
            };
            converge::run(&of_converge, host)?;
            let (system, read) = converge::made_of(&of_converge)?;
            Parts { config: options.config.clone(), read, system }
        }
        Verb::Explore => {
            let run = RunOptions { jobs: JOBS_OF_SEARCH, ..RunOptions::default() };
            explore::run_here(&ExploreOptions { run, ..ExploreOptions::of(&options.config) }, host)?;
            let system = explore::system_of(&options.config)?;
            Parts { config: options.config.clone(), read: Vec::new(), system }
        }
        Verb::Test | Verb::Follow => {
            let of_test = TestOptions {
                suite: options.suite.clone(),
                seed: options.seed,
                allow_io: options.allow_io,
                ..TestOptions::of(&options.config)
            };
            test::run_here(&of_test, host)?;
            test_parts(options)?
        }
    };
    match std::mem::take(&mut host.part) {
        Part::Plan(Some(planned)) => Ok((*planned, parts)),
        _ => Err("there is nothing to play".into()),
    }
}

/// What a test is made of: its specification, and the graph that has just been made of it.
fn test_parts(options: &StartOptions) -> Tried<Parts> {
    let access = if options.allow_io { crate::Access::Everything } else { crate::Access::OwnFolder };
    let prepared = prepare(&options.config, access, &Store::new()).map_err(|problems| *problems)?;
    let kept = test::own_folder(&options.config, &prepared.folder);
    let sources = prepared.loaded.sources.files().map(|file| file.name.clone().into());
    let read = sources.chain([kept.join(graphs::file_name(&prepared.loaded))]).collect();
    Ok(Parts { config: prepared.path, read, system: prepared.mapping.system })
}
