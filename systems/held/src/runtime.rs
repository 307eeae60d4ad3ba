//! Tasks in one thread, in the order in which they were woken.

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, VecDeque};
use std::fmt;
use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Wake, Waker};

use crate::time::Clock;

type Task = Pin<Box<dyn Future<Output = ()> + Send>>;

/// More polls than a library needs after one event. Beyond it, it never comes to rest.
const POLLS_MAX: u32 = 100_000;

thread_local! {
    static CURRENT: RefCell<Vec<Runtime>> = const { RefCell::new(Vec::new()) };
    static TASK: Cell<u64> = const { Cell::new(0) };
}

/// The number of the task that runs now; 0 outside of all tasks.
pub fn task() -> u64 {
    TASK.get()
}

/// The executor of a node. Clones are the same executor.
#[derive(Clone, Default)]
pub struct Runtime {
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    tasks: Mutex<BTreeMap<u64, Task>>,
    next_task: Mutex<u64>,
    woken: Arc<Mutex<VecDeque<u64>>>,
    panics: Mutex<Vec<String>>,
    clock: Mutex<Clock>,
}

/// A lock that a panic of a task has poisoned is as good as before: nothing is half done under it.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Runtime {
    /// The executor whose code runs now.
    pub fn current() -> Runtime {
        let current = CURRENT.with(|current| current.borrow().last().cloned());
        current.expect("the library runs inside of `Runtime::enter`")
    }

    /// Runs code that may use the functions of this crate.
    pub fn enter<T>(&self, code: impl FnOnce() -> T) -> T {
        struct Leave;
        impl Drop for Leave {
            fn drop(&mut self) {
                CURRENT.with(|current| current.borrow_mut().pop());
            }
        }
        CURRENT.with(|current| current.borrow_mut().push(self.clone()));
        let _leave = Leave;
        code()
    }

    pub(crate) fn clock(&self) -> MutexGuard<'_, Clock> {
        lock(&self.shared.clock)
    }

    /// Adds a task.
    pub fn spawn<F>(&self, future: F) -> JoinHandle<F::Output>
    where
        F: Future<Output: Send + 'static> + Send + 'static,
    {
        let ended = Arc::new(Mutex::new(Ended::default()));
        let told = Told { ended: Arc::clone(&ended) };
        let shared = Arc::downgrade(&self.shared);
        let task = async move {
            let result = Guarded(Box::pin(future)).await.map_err(|panic| {
                let text = panic_text(&*panic);
                if let Some(shared) = shared.upgrade() {
                    lock(&shared.panics).push(text.clone());
                }
                JoinError { panic: text }
            });
            told.tell(result);
        };
        let mut next = lock(&self.shared.next_task);
        *next += 1;
        lock(&self.shared.tasks).insert(*next, Box::pin(task));
        lock(&self.shared.woken).push_back(*next);
        JoinHandle { ended }
    }

    /// Runs until every task waits. An error says what has panicked, or that there is no rest.
    pub fn settle(&self) -> Result<(), String> {
        for _ in 0..POLLS_MAX {
            // Not in the `let`: the lock must not be held while the task runs.
            let next = lock(&self.shared.woken).pop_front();
            let Some(number) = next else {
                let panics = std::mem::take(&mut *lock(&self.shared.panics));
                return if panics.is_empty() {
                    Ok(())
                } else {
                    Err(format!("it panicked: {}", panics.join("; ")))
                };
            };
            let task = lock(&self.shared.tasks).remove(&number);
            let Some(mut task) = task else { continue };
            let waker = Waker::from(Arc::new(Alarm { number, woken: Arc::clone(&self.shared.woken) }));
            TASK.set(number);
            let state = self.enter(|| task.as_mut().poll(&mut Context::from_waker(&waker)));
            TASK.set(0);
            if state.is_pending() {
                lock(&self.shared.tasks).insert(number, task);
            } else {
                self.enter(|| drop(task));
            }
        }
        Err(format!("it does not come to rest in {POLLS_MAX} steps of its tasks"))
    }

    /// Runs until a future is done or every task waits. `None` if it is not done then.
    pub fn run<F>(&self, future: F) -> Result<Option<F::Output>, String>
    where
        F: Future<Output: Send + 'static> + Send + 'static,
    {
        let handle = self.enter(|| self.spawn(future));
        self.settle()?;
        lock(&handle.ended).result.take().transpose().map_err(|error| error.panic)
    }

    /// Ends all tasks at once, as a crash does.
    pub fn crash(&self) {
        loop {
            let tasks = std::mem::take(&mut *lock(&self.shared.tasks));
            lock(&self.shared.woken).clear();
            if tasks.is_empty() {
                return;
            }
            // What a task drops may wake or spawn others.
            self.enter(|| drop(tasks));
        }
    }
}

/// Adds a task to the executor whose code runs now.
pub fn spawn<F>(future: F) -> JoinHandle<F::Output>
where
    F: Future<Output: Send + 'static> + Send + 'static,
{
    Runtime::current().spawn(future)
}

struct Alarm {
    number: u64,
    woken: Arc<Mutex<VecDeque<u64>>>,
}

impl Wake for Alarm {
    fn wake(self: Arc<Self>) {
        let mut woken = lock(&self.woken);
        if !woken.contains(&self.number) {
            woken.push_back(self.number);
        }
    }
}

/// A future whose panic is its result.
struct Guarded<F>(Pin<Box<F>>);

impl<F: Future> Future for Guarded<F> {
    type Output = Result<F::Output, Box<dyn Any + Send>>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        match catch_unwind(AssertUnwindSafe(|| self.0.as_mut().poll(context))) {
            Ok(Poll::Pending) => Poll::Pending,
            Ok(Poll::Ready(value)) => Poll::Ready(Ok(value)),
            Err(panic) => Poll::Ready(Err(panic)),
        }
    }
}

fn panic_text(panic: &(dyn Any + Send)) -> String {
    let said = panic.downcast_ref::<String>().map(String::as_str);
    said.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("something that is no text").to_owned()
}

struct Ended<T> {
    result: Option<Result<T, JoinError>>,
    waker: Option<Waker>,
}

impl<T> Default for Ended<T> {
    fn default() -> Self {
        Ended { result: None, waker: None }
    }
}

struct Told<T> {
    ended: Arc<Mutex<Ended<T>>>,
}

impl<T> Told<T> {
    fn tell(&self, result: Result<T, JoinError>) {
        let mut ended = lock(&self.ended);
        ended.result = Some(result);
        let waker = ended.waker.take();
        drop(ended);
        if let Some(waker) = waker {
            waker.wake();
        }
    }
}

/// Waits for the end of a task. The task goes on if this is dropped.
pub struct JoinHandle<T> {
    ended: Arc<Mutex<Ended<T>>>,
}

impl<T> Future for JoinHandle<T> {
    type Output = Result<T, JoinError>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let mut ended = lock(&self.ended);
        if let Some(result) = ended.result.take() {
            return Poll::Ready(result);
        }
        ended.waker = Some(context.waker().clone());
        Poll::Pending
    }
}

impl<T> fmt::Debug for JoinHandle<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JoinHandle")
    }
}

/// A task has panicked.
#[derive(Debug)]
pub struct JoinError {
    /// What it said.
    pub panic: String,
}

impl fmt::Display for JoinError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a task panicked: {}", self.panic)
    }
}

impl std::error::Error for JoinError {}
