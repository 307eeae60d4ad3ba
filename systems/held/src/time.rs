//! A clock that moves when it is told to, and timers that run out when they are told to.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fmt;
use std::future::Future;
use std::ops::{Add, AddAssign, Sub, SubAssign};
use std::pin::Pin;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use crate::runtime::{Runtime, task};

thread_local! {
    /// The timers of the calls that are being polled, the innermost last.
    static CALLS: RefCell<Vec<TimerId>> = const { RefCell::new(Vec::new()) };
}

/// A timer of an executor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TimerId(u64);

/// A point in time of a node's clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Instant(Duration);

/// What an executor knows of time.
pub(crate) struct Clock {
    now: Instant,
    next: u64,
    timers: BTreeMap<TimerId, Timer>,
}

struct Timer {
    is_sleep: bool,
    task: u64,
    has_run_out: bool,
    waker: Option<Waker>,
}

impl Default for Clock {
    /// Starts late enough that libraries can ask what time it was a while ago.
    fn default() -> Self {
        Clock { now: Instant(Duration::from_secs(1 << 40)), next: 0, timers: BTreeMap::new() }
    }
}

impl Runtime {
    /// Moves the clock. No timer runs out because of that.
    pub fn advance(&self, by: Duration) {
        self.clock().now += by;
    }

    /// The timers that tasks sleep for, oldest first, with the numbers of the tasks; not those of calls.
    pub fn sleeps(&self) -> Vec<(TimerId, u64)> {
        let clock = self.clock();
        let sleeps = clock.timers.iter().filter(|(_, timer)| timer.is_sleep && !timer.has_run_out);
        sleeps.map(|(id, timer)| (*id, timer.task)).collect()
    }

    /// Lets a timer run out. Returns `false` if there is no such timer any more.
    pub fn run_out(&self, id: TimerId) -> bool {
        let mut clock = self.clock();
        let Some(timer) = clock.timers.get_mut(&id) else { return false };
        timer.has_run_out = true;
        let waker = timer.waker.take();
        drop(clock);
        if let Some(waker) = waker {
            waker.wake();
        }
        true
    }

    fn arm(&self, is_sleep: bool) -> Armed {
        let mut clock = self.clock();
        clock.next += 1;
        let id = TimerId(clock.next);
        clock.timers.insert(id, Timer { is_sleep, task: task(), has_run_out: false, waker: None });
        Armed { runtime: self.clone(), id }
    }
}

/// A timer as long as somebody waits for it.
struct Armed {
    runtime: Runtime,
    id: TimerId,
}

impl Armed {
    fn poll(&self, context: &mut Context<'_>) -> Poll<()> {
        let mut clock = self.runtime.clock();
        let timer = clock.timers.get_mut(&self.id).expect("it is there until `Armed` is dropped");
        if timer.has_run_out {
            return Poll::Ready(());
        }
        timer.waker = Some(context.waker().clone());
        Poll::Pending
    }
}

impl Drop for Armed {
    fn drop(&mut self) {
        self.runtime.clock().timers.remove(&self.id);
    }
}

/// Waits for a timer.
pub struct Sleep(Armed);

impl Future for Sleep {
    type Output = ();

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        self.0.poll(context)
    }
}

/// Waits until the timer is told to run out; the clock alone does not do that.
pub fn sleep_until(_: Instant) -> Sleep {
    Sleep(Runtime::current().arm(true))
}

/// A call that is given up when its timer runs out.
pub struct Timeout<F> {
    call: Pin<Box<F>>,
    timer: Armed,
}

/// Makes a call that is given up when its timer is told to run out.
pub fn timeout<F: Future>(_: Duration, call: F) -> Timeout<F> {
    Timeout { call: Box::pin(call), timer: Runtime::current().arm(false) }
}

/// The timer of the call that is being polled, for whoever carries out the call.
pub fn timer_of_call() -> Option<TimerId> {
    CALLS.with(|calls| calls.borrow().last().copied())
}

impl<F: Future> Future for Timeout<F> {
    type Output = Result<F::Output, Elapsed>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        struct Leave;
        impl Drop for Leave {
            fn drop(&mut self) {
                CALLS.with(|calls| calls.borrow_mut().pop());
            }
        }
        let id = self.timer.id;
        CALLS.with(|calls| calls.borrow_mut().push(id));
        let leave = Leave;
        let called = self.call.as_mut().poll(context);
        drop(leave);
        match called {
            Poll::Ready(value) => Poll::Ready(Ok(value)),
            Poll::Pending => self.timer.poll(context).map(|()| Err(Elapsed)),
        }
    }
}

/// A call was given up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Elapsed;

impl fmt::Display for Elapsed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the time for an answer is over")
    }
}

impl std::error::Error for Elapsed {}

impl Instant {
    /// The time of the executor whose code runs now.
    pub fn now() -> Instant {
        Runtime::current().clock().now
    }

    /// How long ago another instant was.
    pub fn duration_since(&self, earlier: Instant) -> Duration {
        *self - earlier
    }
}

impl Add<Duration> for Instant {
    type Output = Instant;

    fn add(self, by: Duration) -> Instant {
        Instant(self.0 + by)
    }
}

impl AddAssign<Duration> for Instant {
    fn add_assign(&mut self, by: Duration) {
        self.0 += by;
    }
}

impl Sub<Duration> for Instant {
    type Output = Instant;

    fn sub(self, by: Duration) -> Instant {
        Instant(self.0.saturating_sub(by))
    }
}

impl SubAssign<Duration> for Instant {
    fn sub_assign(&mut self, by: Duration) {
        self.0 -= by;
    }
}

impl Sub<Instant> for Instant {
    type Output = Duration;

    fn sub(self, earlier: Instant) -> Duration {
        self.0.saturating_sub(earlier.0)
    }
}
