//! What async-raft uses of tokio. Channels and the traits of input and output are tokio's own; tasks and time are those of
//! `kilter-held`, so that it is known when everything waits, and no timer runs out by itself.

pub use kilter_held::spawn;
pub use tokio_itself::{io, sync};

#[doc(hidden)]
pub use tokio_itself as itself;

/// Tasks.
pub mod task {
    pub use kilter_held::{JoinError, JoinHandle};
}

/// Time.
pub mod time {
    pub use std::time::Duration;

    pub use kilter_held::{Instant, sleep_until, timeout};

    /// Ticks whenever its timer is told to run out. The first tick of tokio's is due at once, but that is a timer too.
    pub struct Interval;

    /// Makes an interval.
    pub fn interval(_: Duration) -> Interval {
        Interval
    }

    impl Interval {
        /// Waits for the next tick.
        pub async fn tick(&mut self) -> Instant {
            sleep_until(Instant::now()).await;
            Instant::now()
        }
    }
}

/// Like tokio's, but of several branches that are ready the first is taken, so that the same input gives the same run.
#[macro_export]
macro_rules! select {
    ($($branch:tt)*) => { $crate::itself::select! { biased; $($branch)* } };
}
