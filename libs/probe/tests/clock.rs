//! A node with a lease, whose clock the testbed makes jump.

mod common;

use std::thread;
use std::time::{Duration, SystemTime};

use common::Bed;
use kilter_probe::{Action, Clock, Event, Gate, Json, Report, Variables};
use kilter_protocol::ToNode;

#[derive(Clone)]
enum Happening {
    ClockJumps,
    Asked,
}

impl Event for Happening {
    fn action(&self) -> Action {
        match self {
            Happening::ClockJumps => Action::new(Clock::JUMPS),
            Happening::Asked => Action::new("Ask"),
        }
    }

    fn from_request(action: &str, _: &[Json]) -> Option<Happening> {
        match action {
            Clock::JUMPS => Some(Happening::ClockJumps),
            "Ask" => Some(Happening::Asked),
            _ => None,
        }
    }
}

struct Holder {
    clock: Clock,
    lease_ends: SystemTime,
    is_leader: bool,
}

impl Variables for Holder {
    fn variables(&self, into: &mut Report) {
        into.add("leader", self.is_leader);
    }
}

impl Holder {
    fn handle(&mut self, event: &Happening) {
        match event {
            Happening::ClockJumps => self.clock.jump(),
            Happening::Asked => self.is_leader = self.clock.now() < self.lease_ends,
        }
    }
}

#[test]
fn a_lease_ends_when_the_clock_jumps() {
    let bed = Bed::new();
    let environment = bed.environment();
    thread::spawn(move || {
        let mut gate = Gate::controlled(&environment, |ending| panic!("{ending:?}"));
        let clock = Clock::default();
        let lease_ends = clock.now() + Duration::from_secs(1800);
        let mut holder = Holder { clock, lease_ends, is_leader: false };
        while let Some(event) = gate.next(&holder, Vec::new()) {
            holder.handle(&event);
        }
    });
    let (_, mut node) = bed.accept();
    assert_eq!(node.hear_until_still().0, [r#"report {"leader":false}"#]);
    let mut after = |id, action| {
        node.request(id, action, &[]);
        node.hear_until_still().0.concat()
    };
    assert_eq!(after(1, "Ask"), r#"done 1 {"leader":true}"#);
    assert_eq!(after(2, Clock::JUMPS), r#"done 2 {"leader":true}"#);
    assert_eq!(after(3, "Ask"), r#"done 3 {"leader":false}"#);
    node.tell(&ToNode::Stop {});
}
