//! A program that checks a replicated data type of its own:
//! `cargo run -p kilter --features program --example data_type -- converge crates/kilter/examples/data_type/tally.toml`

mod tally;

use std::process::ExitCode;

use kilter::Worlds;

fn main() -> ExitCode {
    let tally = |system: &kilter_system::System| Ok(tally::Tally { bug: system.bug });
    kilter::program::main(Worlds::default().with_data_type("tally", tally))
}
