//! For programs without an event loop: a thread or task waits at the place where an action begins.
//!
//! - `live`   the probe, and the beginning of an action
//! - `desk`   what the threads of a node and the testbed exchange
//! - `step`   an action between its beginning and its end
//! - `traced` an action that is written to a file instead
//! - `absent` all of that, when it compiles to nothing
//!
//! In the whole system, the testbed lets one action go at a time. So an action must end before the same thread begins
//! the next one, and it must not wait for another thread that begins one.

#[cfg(feature = "controlled")]
mod desk;
#[cfg(feature = "controlled")]
mod live;
#[cfg(feature = "controlled")]
mod step;
#[cfg(feature = "controlled")]
mod traced;
#[cfg(feature = "controlled")]
pub use live::{Offering, Probe};
#[cfg(feature = "controlled")]
pub use step::{Asked, Step, Times};

#[cfg(not(feature = "controlled"))]
mod absent;
#[cfg(not(feature = "controlled"))]
pub use absent::{Asked, Offering, Probe, Step, Times};
