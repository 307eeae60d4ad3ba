//! How fast worlds are: cases a second with three small processes each, steps a second in process.
//!
//! `cargo bench -p kilter-testbed [processes|machines]`. This executable plays the nodes as well.

#[path = "../tests/support/mod.rs"]
mod support;

use std::io::Write as _;
use std::time::{Duration, Instant};

use kilter_testbed::{Call, Cluster, Command, InProcess, Machine, NodeName, OfferId, Outbox, Setup, World};
use serde_json::{Map, Value as Json, json};

const STEPS: usize = 10;
const CASES: u32 = 300;
const MACHINE_STEPS: u32 = 20;

fn main() {
    support::play();
    let wanted = std::env::args().skip(1).find(|arg| !arg.starts_with('-')).unwrap_or_default();
    if "processes".contains(&wanted) {
        for (jobs, reset) in [(1, None), (2, None), (1, Some("Reset"))] {
            let (seconds, waited) = clusters(jobs, reset);
            let how = if reset.is_some() { "used again" } else { "started afresh" };
            let what = format!("3 processes {how}, {STEPS} steps, {jobs} jobs");
            report(&what, f64::from(CASES * jobs) / seconds, waited);
        }
    }
    if "machines".contains(&wanted) {
        report(&format!("3 machines in process, {MACHINE_STEPS} steps"), machines(), Duration::ZERO);
    }
}

fn report(what: &str, rate: f64, waited: Duration) {
    let line = format!("{what:45} {rate:>8.0} cases/s, {} ms waiting for timeouts\n", waited.as_millis());
    std::io::stdout().write_all(line.as_bytes()).expect("somebody reads this");
}

/// Runs cases in so many threads; how long that took, and how much of it was spent waiting for timeouts.
fn clusters(jobs: u32, reset: Option<&str>) -> (f64, Duration) {
    let begin = Instant::now();
    let waited = std::thread::scope(|scope| {
        let job = || {
            let setup = support::setup(3, "good");
            cases(&mut Cluster::new(Setup { reset: reset.map(str::to_owned).into_iter().collect(), ..setup }))
        };
        let jobs: Vec<_> = (0..jobs).map(|_| scope.spawn(job)).collect();
        jobs.into_iter().map(|job| job.join().expect("a job ends well")).sum()
    });
    (begin.elapsed().as_secs_f64(), waited)
}

fn cases(cluster: &mut Cluster) -> Duration {
    let mut waited = Duration::ZERO;
    for _ in 0..CASES {
        cluster.start().expect("it starts");
        for step in 0..STEPS / 2 {
            let (from, to) = [("n1", "n2"), ("n2", "n3"), ("n3", "n1")][step % 3];
            support::ping(cluster, from, to);
            support::go(cluster, to, "Take");
        }
        waited += cluster.waited();
    }
    waited
}

/// A node of a ring that passes on what it gets, with a few variables of different shapes.
#[derive(Clone)]
struct Link {
    name: NodeName,
    next: NodeName,
    log: Vec<u64>,
}

impl Machine for Link {
    type Action = ();
    type Message = u64;

    fn actions(&self) -> Vec<()> {
        vec![()]
    }

    fn call(&self, (): &()) -> Call {
        Call::new("Begin", [json!(*self.name)])
    }

    fn act(&mut self, (): (), outbox: &mut Outbox<u64>) -> Result<(), String> {
        outbox.send(&self.next, self.log.len() as u64);
        Ok(())
    }

    fn handler(&self, _: &u64) -> Option<Call> {
        Some(Call::new("Pass", [json!(*self.name)]))
    }

    fn handle(&mut self, message: u64, outbox: &mut Outbox<u64>) -> Result<(), String> {
        self.log.push(message);
        outbox.send(&self.next, message + 1);
        Ok(())
    }

    fn request(&mut self, _: &str, _: &[Json], _: &mut Outbox<u64>) -> Result<(), String> {
        Err("nobody asks".to_owned())
    }

    fn variables(&self) -> Map<String, Json> {
        Map::from_iter([
            ("log".to_owned(), json!(self.log)),
            ("next".to_owned(), json!(*self.next)),
            ("length".to_owned(), json!(self.log.len())),
            ("role".to_owned(), json!("link")),
        ])
    }

    fn show(message: &u64) -> Json {
        json!({ "type": "pass", "hops": message, "term": 1, "entries": [] })
    }

    fn restart(&mut self) -> Result<(), String> {
        Ok(())
    }
}

fn machines() -> f64 {
    const CASES: u32 = 20_000;
    let next = |name: &str| match name {
        "n1" => "n2",
        "n2" => "n3",
        _ => "n1",
    };
    let boot = move |name: &NodeName| Link { name: name.clone(), next: next(name).into(), log: vec![] };
    let mut world = InProcess::new(["n1", "n2", "n3"], boot);
    let begin = Instant::now();
    for _ in 0..CASES {
        world.start().expect("it starts");
        for step in 0..MACHINE_STEPS {
            // The first of all offers begins, the newest passes on.
            let mut ids = world.offers().keys();
            let id: OfferId = *if step == 0 { ids.next() } else { ids.next_back() }.expect("an offer");
            world.perform(&Command::Go(id)).expect("a step");
        }
    }
    f64::from(CASES) / begin.elapsed().as_secs_f64()
}
