//! For programs without an event loop: a thread or task waits at the place where an action begins.
//!
//! - `live`   the probe, and how an action is begun
//! - `desk`   what the threads of a node and the testbed hand to each other
//! - `step`   an action between its beginning and its end
//! - `absent` all of that when it compiles to nothing
//!
//! The testbed lets one action go at a time, in the whole system. So an action must end before the same thread begins the next, and must
//! not wait for another thread that begins one.

#[cfg(feature = "controlled")]
mod desk;
#[cfg(feature = "controlled")]
mod live;
#[cfg(feature = "controlled")]
mod step;
#[cfg(feature = "controlled")]
pub use live::{Offering, Probe};
#[cfg(feature = "controlled")]
pub use step::{Asked, Step, Times};

#[cfg(not(feature = "controlled"))]
mod absent;
#[cfg(not(feature = "controlled"))]
pub use absent::{Asked, Offering, Probe, Step, Times};
