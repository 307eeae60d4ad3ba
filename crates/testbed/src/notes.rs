//! Words of notes that say something about a whole run, or about a finding. The agent for Java in `probes/java` and the testbed itself make them.

/// Begins a note: why nodes that run could not be brought back to their initial state.
pub const NOT_REUSED: &str = "can't be used again: ";
/// A node was ready, and no thread had a name that fits a pattern of the table. The pattern follows in back quotes.
pub const NO_SUCH_THREAD: &str = ": no thread has a name that fits ";
/// A thread has come whose name fits it.
pub const SUCH_A_THREAD: &str = " has a name that fits ";
/// A timer of a pool is due later. Nobody can let it come before.
pub const TIMER: &str = " of a pool has a timer that is due ";
/// A thread waits for a monitor that another one holds at a point.
pub const BLOCKED: &str = " holds while it waits at ";
/// A thread has ended by an exception.
pub const DIED: &str = " has died of ";
/// A node does not come to rest; who runs and where follows.
pub const BUSY: &str = ": not still for ";
