//! What the library leaves open: the runtime, entries, the state machine's requests.

use std::future::Future;
use std::io::Cursor;
use std::time::Duration;

use kilter_held as held;
use openraft::async_runtime::AsyncOneshotSendExt;
use openraft::{AsyncRuntime, EmptyNode, Entry, OptionalSend, RaftTypeConfig};
use rand::SeedableRng;
use rand::rngs::StdRng;
use tokio::sync::oneshot;

/// A node's number. The library numbers nodes from 1.
pub type Id = u64;

/// The library's types.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Types;

impl RaftTypeConfig for Types {
    type D = u64;
    type R = ();
    type NodeId = Id;
    type Node = EmptyNode;
    type Entry = Entry<Types>;
    type SnapshotData = Cursor<Vec<u8>>;
    type AsyncRuntime = Held;
    type Responder = openraft::impls::OneshotResponder<Types>;
}

/// A vote of the library.
pub type Vote = openraft::Vote<Id>;
/// The term, the leader and the index of an entry.
pub type LogId = openraft::LogId<Id>;

/// The executor of `kilter-held` as the library wants it.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Held;

/// A point in time of a node's clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Instant(held::Instant);

impl openraft::Instant for Instant {
    fn now() -> Self {
        Instant(held::Instant::now())
    }
}

impl std::ops::Add<Duration> for Instant {
    type Output = Instant;

    fn add(self, by: Duration) -> Instant {
        Instant(self.0 + by)
    }
}

impl std::ops::AddAssign<Duration> for Instant {
    fn add_assign(&mut self, by: Duration) {
        self.0 += by;
    }
}

impl std::ops::Sub<Duration> for Instant {
    type Output = Instant;

    fn sub(self, by: Duration) -> Instant {
        Instant(self.0 - by)
    }
}

impl std::ops::SubAssign<Duration> for Instant {
    fn sub_assign(&mut self, by: Duration) {
        self.0 -= by;
    }
}

impl std::ops::Sub<Instant> for Instant {
    type Output = Duration;

    fn sub(self, earlier: Instant) -> Duration {
        self.0 - earlier.0
    }
}

/// The sender of a channel for one value.
pub struct Sender<T>(oneshot::Sender<T>);

impl<T: OptionalSend> AsyncOneshotSendExt<T> for Sender<T> {
    fn send(self, value: T) -> Result<(), T> {
        self.0.send(value)
    }
}

impl<T> std::fmt::Debug for Sender<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Sender")
    }
}

impl AsyncRuntime for Held {
    type JoinError = held::JoinError;
    type JoinHandle<T: OptionalSend + 'static> = held::JoinHandle<T>;
    type Sleep = held::Sleep;
    type Instant = Instant;
    type TimeoutError = held::time::Elapsed;
    type Timeout<R, T: Future<Output = R> + OptionalSend> = held::Timeout<T>;
    type ThreadLocalRng = StdRng;
    type OneshotSender<T: OptionalSend> = Sender<T>;
    type OneshotReceiver<T: OptionalSend> = oneshot::Receiver<T>;
    type OneshotReceiverError = oneshot::error::RecvError;

    fn spawn<T>(future: T) -> Self::JoinHandle<T::Output>
    where
        T: Future + OptionalSend + 'static,
        T::Output: OptionalSend + 'static,
    {
        held::spawn(future)
    }

    fn sleep(duration: Duration) -> Self::Sleep {
        held::sleep_until(held::Instant::now() + duration)
    }

    fn sleep_until(deadline: Self::Instant) -> Self::Sleep {
        held::sleep_until(deadline.0)
    }

    fn timeout<R, F: Future<Output = R> + OptionalSend>(
        duration: Duration,
        future: F,
    ) -> Self::Timeout<R, F> {
        held::timeout(duration, future)
    }

    fn timeout_at<R, F: Future<Output = R> + OptionalSend>(
        _: Self::Instant,
        future: F,
    ) -> Self::Timeout<R, F> {
        held::timeout(Duration::ZERO, future)
    }

    fn is_panic(_: &Self::JoinError) -> bool {
        true
    }

    fn thread_rng() -> Self::ThreadLocalRng {
        // The library draws how long its timers run, which means nothing here.
        StdRng::seed_from_u64(0)
    }

    fn oneshot<T>() -> (Self::OneshotSender<T>, Self::OneshotReceiver<T>)
    where
        T: OptionalSend,
    {
        let (sender, receiver) = oneshot::channel();
        (Sender(sender), receiver)
    }
}
