//! The nodes without a specification: they elect, replicate, survive crashes.

use kilter_raft_rs::world;
use kilter_testbed::{Command, Fault, OfferId, World};
use serde_json::{Value as Json, json};

/// Lets everything go that stands under one of these names, until nothing does.
fn settle(world: &mut dyn World, names: &[&str]) {
    loop {
        let next = world.offers().iter().find(|(_, offer)| names.contains(&offer.action.as_str()));
        let Some((id, _)) = next else { return };
        let id = *id;
        world.perform(&Command::Go(id)).expect("it goes");
    }
}

fn offer(world: &dyn World, node: &str, action: &str) -> OfferId {
    let found = world.offers().iter().find(|(_, offer)| *offer.node == *node && offer.action == action);
    *found.expect("the offer stands").0
}

fn variable(world: &dyn World, node: &str, name: &str) -> Json {
    world.variables(node).expect("the node is up")[name].clone()
}

const HANDLERS: &[&str] = &[
    "HandleRequestVote",
    "HandleRequestVoteResponse",
    "HandleAppend",
    "HandleAppendResponse",
    "HandleHeartbeat",
    "HandleHeartbeatResponse",
];

fn with_leader() -> Box<dyn World> {
    let mut world: Box<dyn World> = Box::new(world(&["n1", "n2", "n3"].map(str::to_owned)));
    world.start().expect("it starts");
    let campaign = offer(&*world, "n1", "Campaign");
    world.perform(&Command::Go(campaign)).expect("a campaign");
    settle(&mut *world, HANDLERS);
    world
}

#[test]
fn a_leader_is_elected_and_commits_what_it_is_asked_for() {
    let mut world = with_leader();
    assert_eq!(variable(&*world, "n1", "role"), json!("Leader"));
    let request =
        Command::Request { node: "n1".into(), action: "ClientRequest".to_owned(), args: vec![json!(1)] };
    world.perform(&request).expect("the leader takes it");
    assert_eq!(world.flights().len(), 2);
    settle(&mut *world, HANDLERS);
    for node in ["n1", "n2", "n3"] {
        assert_eq!(variable(&*world, node, "commit"), json!(2), "{node}");
        let log = json!([{ "term": 1, "value": 0 }, { "term": 1, "value": 1 }]);
        assert_eq!(variable(&*world, node, "log"), log, "{node}");
    }
}

#[test]
fn a_crash_takes_what_was_not_stored() {
    let mut world = with_leader();
    world.perform(&Command::on_node(Fault::Crash, "n1")).expect("it crashes");
    assert_eq!(world.variables("n1"), None);
    world.perform(&Command::on_node(Fault::Start, "n1")).expect("it comes up");
    assert_eq!(variable(&*world, "n1", "role"), json!("Follower"));
    assert_eq!(variable(&*world, "n1", "progress"), json!({}));
    let stored = ["term", "vote", "commit"].map(|name| variable(&*world, "n1", name));
    assert_eq!(stored, [json!(1), json!("n1"), json!(1)]);
}

#[test]
fn timers_run_out_when_they_are_told_to() {
    let mut world = with_leader();
    let heartbeat = offer(&*world, "n1", "Heartbeat");
    world.perform(&Command::Go(heartbeat)).expect("a heartbeat");
    assert_eq!(world.flights().len(), 2);
    let again = offer(&*world, "n2", "Campaign");
    world.perform(&Command::Go(again)).expect("a campaign");
    assert_eq!(variable(&*world, "n2", "term"), json!(2));
}
