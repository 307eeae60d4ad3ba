//! The `kilter` command with the world `raft-rs` linked in.

use std::process::ExitCode;

use kilter_cli::{Worlds, run_with};

fn main() -> ExitCode {
    run_with(Worlds::default().with("raft-rs", |system| Ok(Box::new(kilter_raft_rs::world(&system.nodes)))))
}
