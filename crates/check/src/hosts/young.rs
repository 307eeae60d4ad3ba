//! The values that may be dropped again.

use kilter_value::Mark;

/// Where new values begin.
pub(crate) struct Young {
    pub(crate) mark: Mark,
    /// The first state that may have new values.
    pub(crate) first: u32,
}
