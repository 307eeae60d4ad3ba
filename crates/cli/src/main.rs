//! The `kilter` command.

#![cfg_attr(not(test), warn(clippy::disallowed_macros, clippy::disallowed_methods, clippy::disallowed_types))]

use std::process::ExitCode;

use kilter_cli::exploring::config::System;
use kilter_cli::{Worlds, run_with};
use kilter_explore::outcome::Made;
use kilter_protocols::{Shape, broadcast, election, gossip};

fn main() -> ExitCode {
    let shape = |system: &System| Shape { n_nodes: system.size, bug: system.bug };
    let worlds = Worlds::default()
        .with_explorable("broadcast", move |system| Made::boxed(broadcast::system(shape(system))))
        .with_explorable("election", move |system| Made::boxed(election::system(shape(system))))
        .with_explorable("gossip", move |system| Made::boxed(gossip::system(shape(system))));
    run_with(worlds)
}
