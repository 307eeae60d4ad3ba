//! Methods, code snippets, messages, variables, threads and tasks under a testbed's control.

mod common;

use std::future::Future;
use std::pin::pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, JoinHandle, Thread};

use common::{Bed, Node};
use kilter_probe::{Json, Probe, Variables, action, json};
use kilter_protocol::{FromNode, ToNode};

#[derive(Clone, PartialEq, Debug, serde::Serialize)]
struct Vote {
    from: u32,
    granted: bool,
}

/// A replica that counts votes.
#[derive(Variables)]
struct Replica {
    id: u32,
    probe: Probe,
    #[variable("state")]
    role: &'static str,
    #[variable("votes", with = |votes: &Vec<Vote>| votes.iter().map(|vote| vote.from).collect::<Vec<_>>())]
    votes: Vec<Vote>,
    #[variables]
    clock: Clock,
}

#[derive(Default, Variables)]
struct Clock {
    #[variable]
    term: u64,
}

impl Replica {
    fn new(probe: Probe) -> Replica {
        Replica { id: 7, probe, role: "follower", votes: Vec::new(), clock: Clock::default() }
    }

    #[action("Timeout", args(self.id, "now"), probe = self.probe)]
    fn time_out(&mut self) {
        self.role = "candidate";
        self.clock.term += 1;
        self.probe.sent("n2", &json!({"term": self.clock.term}));
        self.probe.sent("n3", &json!({"term": self.clock.term}));
    }

    #[action("HandleVote", message = vote, probe = self.probe, dropped = Err("lost".into()))]
    fn handle_vote(&mut self, vote: Vote, voters: &[u32]) -> Result<bool, String> {
        if !vote.granted {
            Err("refused")?;
        }
        self.votes.push(vote);
        if self.votes.len() <= voters.len() / 2 {
            return Ok(false);
        }
        self.role = "leader";
        Ok(true)
    }

    #[action("HandleVote", args(self.id), message = vote, probe = self.probe)]
    async fn handle_vote_later(&mut self, vote: Vote) -> Option<usize> {
        self.votes.push(vote);
        Some(self.votes.len())
    }

    #[action("Rest", probe = self.probe)]
    async fn rest(&mut self) -> Result<(), std::num::ParseIntError> {
        self.clock.term = "12".parse()?;
        Ok(())
    }
}

/// A node on a thread of its own, and the testbed's side of it.
fn start<R: Send + 'static>(run: impl FnOnce(Probe) -> R + Send + 'static) -> (JoinHandle<R>, Node) {
    let bed = Bed::new();
    let probe = Probe::controlled(bed.environment(), |ending| panic!("{ending:?}"));
    let thread = thread::spawn(move || run(probe));
    let (hello, node) = bed.accept();
    assert!(!hello.says_still && !hello.takes_delivery);
    (thread, node)
}

fn granted(from: u32) -> Vote {
    Vote { from, granted: true }
}

#[test]
fn a_method_waits_for_go() {
    let (thread, mut node) = start(|probe| {
        let mut replica = Replica::new(probe);
        replica.time_out();
        replica.role
    });
    let variables = json!({"state": "follower", "votes": [], "term": 0});
    assert_eq!(node.hear_report(), variables);
    let offer = node.hear_offer();
    assert_eq!((offer.action.as_str(), &offer.args[..]), ("Timeout", &[json!(7), json!("now")][..]));
    assert!(!thread.is_finished());
    node.go(offer.id);
    let done = node.hear_done();
    assert_eq!(Json::Object(done.variables), json!({"state": "candidate", "votes": [], "term": 1}));
    let sent: Vec<_> = done.sent.iter().map(|sent| (sent.to.as_str(), &sent.message)).collect();
    assert_eq!(sent, [("n2", &json!({"term": 1})), ("n3", &json!({"term": 1}))]);
    assert_eq!(thread.join().expect("no panic"), "candidate");
}

#[test]
fn a_message_is_lost_refused_or_comes_twice() {
    let (thread, mut node) = start(|probe| {
        let mut replica = Replica::new(probe);
        let lost = replica.handle_vote(granted(1), &[1, 2, 3, 4, 5]);
        let refused = replica.handle_vote(Vote { from: 2, granted: false }, &[1, 2, 3, 4, 5]);
        let twice = replica.handle_vote(granted(3), &[1, 2, 3, 4, 5]);
        (lost, refused, twice, replica.votes.len())
    });
    node.hear_report();
    let offer = node.hear_offer();
    assert_eq!(offer.message, Some(json!({"from": 1, "granted": true})));
    node.tell(&ToNode::Drop { id: offer.id });
    assert_eq!(node.hear_done().variables["votes"], json!([]));
    let offer = node.hear_offer();
    node.go(offer.id);
    assert_eq!(node.hear_done().id, offer.id);
    let first = node.hear_offer();
    node.tell(&ToNode::Twice { id: first.id });
    assert_eq!(node.hear_done().variables["votes"], json!([3]));
    let second = node.hear_offer();
    assert!(second.id > first.id);
    assert_eq!(second.message, first.message);
    node.go(second.id);
    assert_eq!(node.hear_done().variables["votes"], json!([3, 3]));
    let results = thread.join().expect("no panic");
    assert_eq!(results, (Err("lost".into()), Err("refused".into()), Ok(false), 2));
}

#[test]
fn tasks_wait_and_take_their_offers_back_when_cancelled() {
    let (thread, mut node) = start(|probe| {
        let mut replica = Replica::new(probe.clone());
        // Asked once and then cancelled.
        let mut waiting = Box::pin(replica.handle_vote_later(granted(1)));
        let waker = Waker::noop();
        assert!(waiting.as_mut().poll(&mut Context::from_waker(waker)).is_pending());
        drop(waiting);
        let lost = block_on(replica.handle_vote_later(granted(2)));
        let twice = block_on(replica.handle_vote_later(granted(3)));
        let rested = block_on(replica.rest());
        (lost, twice, rested)
    });
    node.hear_report();
    let offer = node.hear_offer();
    assert_eq!(node.hear(), FromNode::Withdraw { id: offer.id });
    let offer = node.hear_offer();
    assert_eq!(offer.args, [json!(7)]);
    node.tell(&ToNode::Drop { id: offer.id });
    node.hear_done();
    let offer = node.hear_offer();
    node.tell(&ToNode::Twice { id: offer.id });
    assert_eq!(node.hear_done().variables["votes"], json!([3]));
    let again = node.hear_offer();
    node.go(again.id);
    assert_eq!(node.hear_done().variables["votes"], json!([3, 3]));
    let rest = node.hear_offer();
    node.go(rest.id);
    assert_eq!(node.hear_done().variables["term"], json!(12));
    assert_eq!(thread.join().expect("no panic"), (None, Some(2), Ok(())));
}

#[test]
fn a_snippet_begins_and_ends() {
    let (thread, mut node) = start(|probe| {
        let mut count = probe.shadow("count", 0);
        let step = probe.action("Count").arg(1).begin();
        count.update(|count| *count += 1);
        step.end(&());
        for step in probe.action("Take").taking("m") {
            count.set(*count + 10);
            drop(step); // as good as an end: what the shadows say is reported
        }
        // A step that was left with a panic is done as well.
        let inner = probe.clone();
        let left = thread::spawn(move || {
            let _step = inner.action("Fail").begin();
            std::panic::resume_unwind(Box::new("on purpose"));
        });
        assert!(left.join().is_err());
        *count
    });
    assert_eq!(node.hear_report(), json!({"count": 0}));
    for (action, answer, count) in
        [("Count", false, 1), ("Take", true, 11), ("Take", false, 21), ("Fail", false, 21)]
    {
        let offer = node.hear_offer();
        assert_eq!(offer.action, action);
        node.tell(&if answer { ToNode::Twice { id: offer.id } } else { ToNode::Go { id: offer.id } });
        assert_eq!(Json::Object(node.hear_done().variables), json!({ "count": count }));
    }
    assert_eq!(thread.join().expect("no panic"), 21);
}

#[test]
fn threads_wait_side_by_side_and_say_when_all_of_them_wait() {
    let bed = Bed::new();
    let probe = Probe::controlled(bed.environment(), |_| {});
    probe.parties(3);
    let log = Arc::new(Mutex::new(Vec::new()));
    let (to_idler, from_outside) = std::sync::mpsc::channel::<()>();
    let mut threads: Vec<JoinHandle<()>> = ["A", "B"]
        .map(|name| {
            let (probe, log) = (probe.clone(), log.clone());
            thread::spawn(move || {
                let step = probe.action(name).begin();
                log.lock().expect("no panic").push(name);
                drop(step);
            })
        })
        .into();
    let idler = probe.clone();
    threads.push(thread::spawn(move || {
        idler.idle(|| from_outside.recv()).expect("the test sends");
        idler.received();
        assert_eq!(idler.action("C").taking("hello").count(), 1);
        let asked = idler.next_request().expect("the testbed asks");
        assert_eq!((asked.action.as_str(), &asked.args[..]), ("Reset", &[json!(1)][..]));
        asked.step.end(&());
        assert!(idler.next_request().is_none());
    }));
    let (hello, mut node) = bed.accept();
    assert!(hello.says_still);
    let (said, received) = node.hear_until_still();
    assert_eq!((said.len(), received), (3, 0), "a report and two offers in {said:?}");
    to_idler.send(()).expect("the idler waits");
    let (said, received) = node.hear_until_still();
    assert_eq!((said, received), (vec![r#"offer 3 C() of "hello""#.into()], 1));
    for id in [2, 1] {
        node.go(id);
        assert_eq!(node.hear_done().id, id);
    }
    node.go(3);
    assert_eq!(node.hear_done().id, 3);
    node.request(99, "Reset", &[json!(1)]);
    assert_eq!(node.hear_done().id, 99);
    node.tell(&ToNode::Stop {});
    for thread in threads {
        thread.join().expect("no panic");
    }
    assert_eq!(log.lock().expect("no panic").len(), 2);
}

#[test]
fn a_process_that_goes_on_without_its_testbed_waits_for_nothing() {
    let bed = Bed::new();
    let probe = Probe::controlled(bed.environment(), |_| {});
    let thread = thread::spawn(move || {
        drop(probe.action("First").begin());
        drop(probe.action("Second").begin());
        probe.next_request().is_none()
    });
    let (_, mut node) = bed.accept();
    node.hear_report();
    node.hear_offer();
    drop(node);
    assert!(thread.join().expect("no panic"));
}

#[test]
fn without_a_testbed_nothing_waits() {
    let probe = Probe::absent();
    assert!(!probe.is_controlled());
    let mut replica = Replica::new(probe.clone());
    replica.time_out();
    assert_eq!(replica.handle_vote(granted(1), &[1]), Ok(true));
    assert_eq!(block_on(replica.handle_vote_later(granted(2))), Some(2));
    assert_eq!(probe.action("Take").taking("m").count(), 1);
    assert!(probe.next_request().is_none());
    // No testbed has started the tests.
    assert!(!Probe::global().is_controlled());
}

/// The smallest of executors.
fn block_on<R>(future: impl Future<Output = R>) -> R {
    struct Unpark(Thread);
    impl Wake for Unpark {
        fn wake(self: Arc<Self>) {
            self.0.unpark();
        }
    }
    let waker = Waker::from(Arc::new(Unpark(thread::current())));
    let mut future = pin!(future);
    loop {
        if let Poll::Ready(result) = future.as_mut().poll(&mut Context::from_waker(&waker)) {
            return result;
        }
        thread::park();
    }
}
