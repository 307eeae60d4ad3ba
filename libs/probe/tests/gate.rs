//! An event loop behind a gate, with and without a testbed.

mod common;

use std::thread;
use std::time::{Duration, Instant};

use common::{Bed, Node};
use kilter_probe::{Action, Event, Gate, Inbox, Json, Outbox, Report, Variables, Wish, json};
use kilter_protocol::ToNode;

#[derive(Clone)]
enum Happening {
    Number(u64),
    Tick,
    Step,
}

impl Event for Happening {
    fn action(&self) -> Action {
        match self {
            Happening::Number(number) => Action::new("Take").message(number),
            Happening::Tick => Action::new("Tick").arg("n1").arg(7),
            Happening::Step => Action::new("Step"),
        }
    }

    fn from_delivery(_: &str, message: &Json) -> Option<Happening> {
        message.as_u64().map(Happening::Number)
    }

    fn from_request(action: &str, args: &[Json]) -> Option<Happening> {
        (action == "Add").then(|| Happening::Number(args.first().and_then(Json::as_u64).unwrap_or(0)))
    }
}

/// Sums numbers up; ticks while the sum is even, steps while it is above 10.
#[derive(Default)]
struct Summer {
    sum: u64,
}

impl Variables for Summer {
    fn variables(&self, into: &mut Report) {
        into.add("sum", self.sum);
    }
}

impl Summer {
    fn wishes(&self) -> Vec<Wish<Happening>> {
        let tick = self.sum.is_multiple_of(2).then(|| Wish::at(Instant::now(), Happening::Tick));
        let step = (self.sum > 10).then(|| Wish::now(Happening::Step));
        tick.into_iter().chain(step).collect()
    }

    fn handle(&mut self, event: &Happening, outbox: &Outbox) {
        match event {
            Happening::Number(number) => self.sum += number,
            Happening::Tick => outbox.sent("n2", &json!({"sum": self.sum})),
            Happening::Step => self.sum = 0,
        }
    }
}

/// A controlled summer on a thread, with its inbox and the testbed's side of it.
fn controlled() -> (Inbox<Happening>, Node) {
    let bed = Bed::new();
    let environment = bed.environment();
    let (send_inbox, inbox) = std::sync::mpsc::channel();
    thread::spawn(move || {
        let mut gate = Gate::controlled(&environment, |ending| panic!("{ending:?}"));
        assert!(gate.is_controlled());
        send_inbox.send(gate.inbox()).expect("the test waits for it");
        let outbox = gate.outbox();
        let mut summer = Summer::default();
        while let Some(event) = gate.next(&summer, summer.wishes()) {
            summer.handle(&event, &outbox);
        }
    });
    let (hello, node) = bed.accept();
    assert!(hello.says_still && hello.takes_delivery);
    assert_eq!((hello.node.as_str(), hello.token.as_str()), ("n1", "secret"));
    (inbox.recv().expect("the node has a gate"), node)
}

#[track_caller]
fn check(node: &mut Node, said: &[&str], received: u64) {
    assert_eq!(node.hear_until_still(), (said.iter().map(|line| (*line).to_owned()).collect(), received));
}

#[test]
fn an_event_is_handed_out_only_after_go() {
    let (inbox, mut node) = controlled();
    check(&mut node, &[r#"report {"sum":0}"#, r#"offer 1 Tick("n1", 7)"#], 0);
    inbox.message(Happening::Number(3));
    check(&mut node, &["offer 2 Take() of 3"], 1);
    inbox.push(Happening::Number(5));
    check(&mut node, &["offer 3 Take() of 5"], 1);
    node.go(1);
    check(&mut node, &[r#"done 1 {"sum":0} sent {"sum":0} to n2"#, r#"offer 4 Tick("n1", 7)"#], 1);
    // The wish is gone with an odd sum, what has arrived is not.
    node.go(2);
    check(&mut node, &[r#"done 2 {"sum":3}"#, "withdraw 4"], 1);
    node.go(3);
    check(&mut node, &[r#"done 3 {"sum":8}"#, r#"offer 5 Tick("n1", 7)"#], 1);
    node.tell(&ToNode::Stop {});
    assert!(node.is_gone());
}

#[test]
fn a_message_is_dropped_or_comes_twice() {
    let (inbox, mut node) = controlled();
    check(&mut node, &[r#"report {"sum":0}"#, r#"offer 1 Tick("n1", 7)"#], 0);
    inbox.message(Happening::Number(4));
    check(&mut node, &["offer 2 Take() of 4"], 1);
    node.tell(&ToNode::Twice { id: 2 });
    check(&mut node, &[r#"done 2 {"sum":4}"#, "offer 3 Take() of 4"], 1);
    node.tell(&ToNode::Drop { id: 3 });
    check(&mut node, &[r#"done 3 {"sum":4}"#], 1);
    // An answer to an offer that is no more changes nothing.
    node.go(3);
    node.go(1);
    check(&mut node, &[r#"done 1 {"sum":4} sent {"sum":4} to n2"#, r#"offer 4 Tick("n1", 7)"#], 1);
    node.tell(&ToNode::Stop {});
}

#[test]
fn the_testbed_delivers_and_requests() {
    let (_inbox, mut node) = controlled();
    check(&mut node, &[r#"report {"sum":0}"#, r#"offer 1 Tick("n1", 7)"#], 0);
    // A delivery is offered like any message, but was not received from a node.
    node.tell(&ToNode::Deliver { from: "n2".into(), message: json!(12) });
    check(&mut node, &["offer 2 Take() of 12"], 0);
    node.tell(&ToNode::Deliver { from: "n2".into(), message: json!("?") });
    check(&mut node, &[r#"note can't take delivery of a message from n2: "?""#], 0);
    // A request needs no offer.
    node.request(77, "Add", &[json!(30)]);
    check(&mut node, &[r#"done 77 {"sum":30}"#, "offer 3 Step()"], 0);
    node.request(78, "Subtract", &[]);
    check(&mut node, &[r#"done 78 {"sum":30}, which it does not know"#], 0);
    node.tell(&ToNode::Stop {});
}

#[test]
fn without_a_testbed_a_gate_is_a_queue_with_timers() {
    let mut gate = Gate::<Happening>::open();
    assert!(!gate.is_controlled());
    let inbox = gate.inbox();
    inbox.message(Happening::Number(1));
    inbox.push(Happening::Number(2));
    let far = Instant::now() + Duration::from_secs(3600);
    let mut next = |wishes| match gate.next(&(), wishes) {
        Some(Happening::Number(number)) => number.to_string(),
        Some(Happening::Tick) => "tick".into(),
        Some(Happening::Step) => "step".into(),
        None => "end".into(),
    };
    // A step comes before a timer that is due, that before what has arrived, and that before a timer that is not due.
    assert_eq!(next(vec![Wish::at(Instant::now(), Happening::Tick), Wish::now(Happening::Step)]), "step");
    assert_eq!(next(vec![Wish::at(Instant::now(), Happening::Tick)]), "tick");
    assert_eq!(next(vec![Wish::at(far, Happening::Tick)]), "1");
    assert_eq!(next(vec![]), "2");
    assert_eq!(next(vec![Wish::at(Instant::now() + Duration::from_millis(1), Happening::Tick)]), "tick");
    inbox.close();
    assert_eq!(next(vec![Wish::at(far, Happening::Tick)]), "end");
}

/// A gate whose node takes numbers in as `Odd` or `Even`, depending on its own sum, and does not offer sevens while it is 0.
#[test]
fn the_state_decides_under_which_name_an_event_is_offered() {
    let bed = Bed::new();
    let environment = bed.environment();
    let (send_inbox, inbox) = std::sync::mpsc::channel();
    thread::spawn(move || {
        let mut gate = Gate::controlled(&environment, |ending| panic!("{ending:?}"));
        send_inbox.send(gate.inbox()).expect("the test waits for it");
        let (outbox, mut summer) = (gate.outbox(), Summer::default());
        while let Some(event) = {
            let sum = summer.sum;
            gate.next_as(&summer, [], |event: &Happening| match event {
                Happening::Number(7) if sum == 0 => None,
                Happening::Number(number) => {
                    Some(Action::new(if sum.is_multiple_of(2) { "Even" } else { "Odd" }).message(number))
                }
                other => Some(other.action()),
            })
        } {
            summer.handle(&event, &outbox);
        }
    });
    let (_, mut node) = bed.accept();
    let inbox = inbox.recv().expect("the node has a gate");
    check(&mut node, &[r#"report {"sum":0}"#], 0);
    inbox.message(Happening::Number(7));
    check(&mut node, &[], 1);
    // A delivery that is not offered is heard of, too.
    node.tell(&ToNode::Deliver { from: "n2".into(), message: json!(7) });
    check(&mut node, &[], 1);
    inbox.message(Happening::Number(3));
    check(&mut node, &["offer 1 Even() of 3"], 2);
    inbox.message(Happening::Number(4));
    check(&mut node, &["offer 2 Even() of 4"], 3);
    node.go(1);
    check(
        &mut node,
        &[
            r#"done 1 {"sum":3}"#,
            "withdraw 2",
            "offer 3 Odd() of 7",
            "offer 4 Odd() of 7",
            "offer 5 Odd() of 4",
        ],
        3,
    );
    node.tell(&ToNode::Stop {});
}

#[test]
fn a_delivery_that_is_not_offered_is_heard_of() {
    let bed = Bed::new();
    let environment = bed.environment();
    thread::spawn(move || {
        let mut gate = Gate::<Happening>::controlled(&environment, |reason| panic!("{reason:?}"));
        gate.next_as(&Summer::default(), [], |_| None)
    });
    let (_, mut node) = bed.accept();
    check(&mut node, &[r#"report {"sum":0}"#], 0);
    node.tell(&ToNode::Deliver { from: "n2".into(), message: json!(7) });
    check(&mut node, &[], 0);
}
