//! All tests of this crate that need no program of their own: one program is built much faster than many.

mod common;

#[path = "architecture.rs"]
mod architecture;
#[path = "campaign.rs"]
mod campaign;
#[path = "ci_guide.rs"]
mod ci_guide;
#[path = "clock.rs"]
mod clock;
#[path = "contract.rs"]
mod contract;
#[path = "converge_specs.rs"]
mod converge_specs;
#[path = "demo.rs"]
mod demo;
#[path = "diff.rs"]
mod diff;
#[path = "disk.rs"]
mod disk;
#[path = "dropped.rs"]
mod dropped;
#[path = "ends.rs"]
mod ends;
#[path = "explore.rs"]
mod explore;
#[path = "follow/mod.rs"]
mod follow;
#[path = "from_tlc.rs"]
mod from_tlc;
#[path = "graph.rs"]
mod graph;
#[path = "guide_commands.rs"]
mod guide_commands;
#[path = "guided.rs"]
mod guided;
#[path = "honest.rs"]
mod honest;
#[path = "hosts.rs"]
mod hosts;
#[path = "java.rs"]
mod java;
#[path = "keep_going.rs"]
mod keep_going;
#[path = "man.rs"]
mod man;
#[path = "mapping.rs"]
mod mapping;
#[path = "memory.rs"]
mod memory;
#[path = "models.rs"]
mod models;
#[path = "mutants.rs"]
mod mutants;
#[path = "outside.rs"]
mod outside;
#[path = "post.rs"]
mod post;
#[path = "probe_check.rs"]
mod probe_check;
#[path = "random.rs"]
mod random;
#[path = "report.rs"]
mod report;
#[path = "run_options.rs"]
mod run_options;
#[path = "suite.rs"]
mod suite;
#[path = "transcripts.rs"]
mod transcripts;
