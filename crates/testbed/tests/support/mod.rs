//! A small node to test with. A test's own executable plays it: see [`play`].

#![allow(dead_code, reason = "each test uses some of this")]

pub mod bad;
pub mod node;

use std::time::Duration;

use kilter_testbed::{Cluster, Command, NodeName, OfferId, Setup, Trouble, World};
use serde_json::{Value as Json, json};

/// Generous: tests have to pass on a machine that is busy with other things.
pub const LONG: Duration = Duration::from_secs(60);

/// Acts as a node if a testbed has started this process. Every test executable has a test of this name that calls it.
pub fn play() {
    if std::env::var("KILTER_ADDRESS").is_ok() {
        match std::env::var("FAKE").as_deref() {
            Ok("good") | Err(_) => node::run(),
            Ok(other) => bad::run(other),
        }
        std::process::exit(0);
    }
}

/// Starts nodes of the given kind from this executable.
pub fn setup(n_nodes: usize, kind: &str) -> Setup {
    let me = std::env::current_exe().expect("this executable has a path");
    let nodes = (1..=n_nodes).map(|index| NodeName::from(format!("n{index}")));
    let command = [&me.display().to_string(), "--exact", "play", "--nocapture", "--test-threads=1"];
    let env = [("FAKE", kind), ("ADDRESS", "{address}"), ("PEERS", "{peers}"), ("DATA", "{data}")];
    Setup {
        env: env.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec(),
        patience: LONG,
        start_patience: LONG,
        ..Setup::new(nodes, command)
    }
}

pub fn started(setup: Setup) -> Cluster {
    let mut cluster = Cluster::new(setup);
    cluster.start().unwrap_or_else(|trouble| panic!("{trouble}"));
    cluster
}

pub fn find(world: &impl World, node: &str, action: &str) -> OfferId {
    let mut offers = world.offers().iter();
    let found = offers.find(|(_, offer)| *offer.node == *node && offer.action == action);
    *found.unwrap_or_else(|| panic!("{node} offers no {action}: {:?}", world.offers())).0
}

pub fn does(world: &impl World, node: &str, action: &str) -> bool {
    world.offers().values().any(|offer| *offer.node == *node && offer.action == action)
}

pub fn ping(world: &mut impl World, from: &str, to: &str) {
    let mut offers = world.offers().iter();
    let found = offers.find(|(_, offer)| *offer.node == *from && offer.args == [json!(to)]);
    let id = *found.unwrap_or_else(|| panic!("{from} can't ping {to}: {:?}", world.offers())).0;
    world.perform(&Command::Go(id)).expect("a ping");
}

pub fn go(world: &mut impl World, node: &str, action: &str) {
    let id = find(world, node, action);
    world.perform(&Command::Go(id)).unwrap_or_else(|trouble| panic!("{trouble}"));
}

pub fn ask(world: &mut impl World, node: &str, action: &str, args: &[Json]) -> Result<(), Trouble> {
    let request = Command::Request { node: node.into(), action: action.to_owned(), args: args.to_vec() };
    world.perform(&request)
}

pub fn count(world: &impl World, node: &str) -> u64 {
    world.variables(node).expect("the node is up")["count"].as_u64().expect("a number")
}

pub fn copies(world: &impl World) -> u32 {
    world.flights().iter().map(|flight| flight.copies).sum()
}
