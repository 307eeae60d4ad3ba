//! The dataflow: in each round, a parcel from each process to each process. It exchanges parcels by the process that they
//! are for, and nothing else: a level ends when all say so, which they say in their parcels.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::net::TcpStream;
use std::rc::Rc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use kilter_check::{Exchange, Lost};
use serde::{Deserialize, Serialize};
use timely::WorkerConfig;
use timely::communication::allocator::ProcessBuilder;
use timely::communication::allocator::zero_copy::initialize::initialize_networking_from_sockets;
use timely::communication::{AllocatorBuilder, Hooks, WorkerGuards};
use timely::container::CapacityContainerBuilder;
use timely::dataflow::InputHandle;
use timely::dataflow::operators::{Exchange as _, Input as _, Inspect as _};
use timely::worker::Worker;

use crate::link::{Link, Watch};

/// How long the dataflow sleeps if nothing comes. What comes wakes it.
const NAP: Duration = Duration::from_millis(100);
/// How long a process waits until others have what it has sent, when it leaves.
const FAREWELL: Duration = Duration::from_secs(10);

/// What travels.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Parcel {
    round: u64,
    from: u32,
    to: u32,
    #[serde(with = "serde_bytes")]
    bytes: Vec<u8>,
}

type Parcels = Vec<Vec<u8>>;
/// The parcels that have come, by round and process.
type Waiting = BTreeMap<(u64, u32), Vec<u8>>;

/// This process's side of the exchange.
pub struct Rounds {
    me: usize,
    n_processes: usize,
    parcels: Option<Sender<Parcels>>,
    arrived: Receiver<Result<Parcels, Lost>>,
    ended: Receiver<()>,
    guards: Option<WorkerGuards<()>>,
    watch: Arc<Watch>,
    /// Whether a process was lost. Then threads that wait for it never end.
    is_broken: bool,
}

impl Rounds {
    /// Begins an exchange over the connections to all other processes, by number.
    pub fn begin(streams: Vec<Option<TcpStream>>, me: usize) -> Result<Rounds, String> {
        let n_processes = streams.len();
        let watch = Arc::new(Watch::default());
        let links = streams.into_iter().enumerate();
        let links =
            links.map(|(process, stream)| stream.map(|stream| Link::new(stream, process, &watch))).collect();
        let hooks = Hooks::default();
        let local = ProcessBuilder::new_typed_vector(1, hooks.refill.clone(), hooks.spill.clone());
        let (builders, threads) = initialize_networking_from_sockets(local, links, me, 1, hooks)
            .map_err(|error| format!("the connections cannot be used: {error}"))?;
        let builders = builders.into_iter().map(AllocatorBuilder::Tcp).collect();
        let (parcels, outbox) = channel();
        let (inbox, arrived) = channel();
        let (end, ended) = channel();
        let ends = Mutex::new(Some(Flow { watch: Arc::clone(&watch), outbox, inbox, _end: end }));
        let guards = timely::execute::execute_from(
            builders,
            Box::new(threads),
            WorkerConfig::default(),
            move |worker| {
                let flow = ends.lock().unwrap_or_else(PoisonError::into_inner).take();
                flow.expect("there is one worker").run(worker);
            },
        )?;
        Ok(Rounds {
            me,
            n_processes,
            parcels: Some(parcels),
            arrived,
            ended,
            guards: Some(guards),
            watch,
            is_broken: false,
        })
    }
}

impl Exchange for Rounds {
    fn me(&self) -> usize {
        self.me
    }

    fn n_processes(&self) -> usize {
        self.n_processes
    }

    fn swap(&mut self, parcels: Parcels) -> Result<Parcels, Lost> {
        let gone = || {
            let how = "the exchange has ended".to_owned();
            self.watch.lost().unwrap_or(Lost { process: self.me, how })
        };
        let outbox = self.parcels.as_ref().ok_or_else(gone)?;
        let sent = outbox.send(parcels).map_err(|_| gone());
        let arrived = sent.and_then(|()| self.arrived.recv().map_err(|_| gone())?);
        self.is_broken |= arrived.is_err();
        arrived
    }
}

impl Drop for Rounds {
    fn drop(&mut self) {
        self.parcels = None;
        let mut has_ended = false;
        if !self.is_broken {
            self.watch.is_done();
            // Others may still wait for what this process has sent last.
            has_ended = self.ended.recv_timeout(FAREWELL) == Err(RecvTimeoutError::Disconnected);
        }
        if !has_ended {
            std::mem::forget(self.guards.take());
        }
    }
}

/// The dataflow's side.
struct Flow {
    watch: Arc<Watch>,
    outbox: Receiver<Parcels>,
    inbox: Sender<Result<Parcels, Lost>>,
    /// Dropped when the dataflow has ended.
    _end: Sender<()>,
}

impl Flow {
    fn run(self, worker: &mut Worker) {
        let (me, n_processes) = (worker.index(), worker.peers());
        let waiting: Rc<RefCell<Waiting>> = Rc::default();
        let taken = Rc::clone(&waiting);
        let mut input: InputHandle<u64, CapacityContainerBuilder<Vec<Parcel>>> = InputHandle::new();
        worker.dataflow::<u64, _, _>(|scope| {
            let parcels = scope.input_from(&mut input);
            parcels.exchange(|parcel: &Parcel| parcel.to.into()).inspect(move |parcel: &Parcel| {
                taken.borrow_mut().insert((parcel.round, parcel.from), parcel.bytes.clone());
            });
        });
        for round in 0.. {
            let Ok(parcels) = self.outbox.recv() else { break };
            for (to, bytes) in (0..).zip(parcels) {
                input.send(Parcel { round, from: me as u32, to, bytes });
            }
            input.advance_to(round + 1);
            let of_round = || waiting.borrow().range((round, 0)..(round + 1, 0)).count() == n_processes;
            while !of_round() {
                // A process that has left may have sent all that is needed before.
                let lost = self.watch.lost();
                worker.step_or_park(if lost.is_some() { Some(Duration::ZERO) } else { Some(NAP) });
                if let Some(lost) = lost {
                    for _ in 0..LAST_STEPS {
                        worker.step();
                    }
                    if !of_round() {
                        let _ = self.inbox.send(Err(lost));
                        return;
                    }
                }
            }
            let later = waiting.borrow_mut().split_off(&(round + 1, 0));
            let parcels = waiting.replace(later).into_values().collect();
            if self.inbox.send(Ok(parcels)).is_err() {
                break;
            }
        }
        input.close();
        while worker.has_dataflows() {
            worker.step_or_park(Some(NAP));
        }
    }
}

/// The steps after which everything has come that a process has sent before it left.
const LAST_STEPS: usize = 10;
