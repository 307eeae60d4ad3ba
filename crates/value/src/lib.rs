//! TLA+ values as handles. Equal values have equal handles, so a state is a short row of `u32`s.
//!
//! - [`handle`]    the 32-bit [`Value`]: small atoms by their bits, everything else by its place on the heap
//! - [`store`]     the shared [`Store`]: hash-consing, atoms, statistics
//! - `heap`, `long`, `hash`, `names`, `scratch`  the parts of the store
//! - [`make`]      constructors, which bring values into their canonical form
//! - [`view`]      the parts of a value; [`sequence`] those of a tuple
//! - [`order`]     TLC's order and equality, with TLC's errors for values that cannot be compared
//! - [`sets`]      sizes and normal forms of sets, lazy ones included
//! - [`member`]    membership without enumeration
//! - [`iterate`]   the elements of a set in TLC's order
//! - [`set_ops`]   `\cup`, `\cap`, `\`, `UNION`, `\subseteq`
//! - [`functions`] application, `EXCEPT`, `DOMAIN`, `@@`
//! - [`sequences`] `Append`, `\o`, `Head`, `Tail`, `SubSeq`
//! - [`fork`]      copies of a store, and values that move between them
//! - [`mod@link`] values as bytes for another process, and back
//! - [`saved`]     the contents of a store as bytes, and a store that gets them back
//! - [`sweep`]     dropping new values that nobody needs
//! - [`permute`]   exchanging model values in values, for symmetry
//! - [`mod@print`], [`pretty`], [`messages`]  values and errors as TLC prints them
//! - [`json`], [`itf`] values as JSON and as ITF

#![cfg_attr(not(test), warn(clippy::disallowed_macros, clippy::disallowed_methods, clippy::disallowed_types))]

mod fork;
mod functions;
mod handle;
mod hash;
mod heap;
mod iterate;
mod itf;
mod json;
mod link;
mod long;
mod make;
mod member;
mod messages;
mod names;
mod order;
mod permute;
mod pretty;
mod print;
mod saved;
mod scratch;
mod sequence;
mod sequences;
mod set_ops;
mod sets;
mod store;
mod sweep;
mod view;

pub use fork::Moved;
pub use handle::Value;
pub use heap::{HeapFull, within_heap};
pub use iterate::SetIter;
pub use json::JsonError;
pub use link::{Garbled, Receiving, Sending, put_number, take_number};
pub use order::{Mismatch, Relation};
pub use permute::{Permutation, PermuteCache};
pub use saved::{OtherStore, Restore, UNIT_BYTES};
pub use sequence::{Sequence, SequenceIter};
pub use sets::SetError;
pub use store::Store;
pub use sweep::{Mark, Sweep, Swept};
pub use view::{Elems, Infinite, Items, View};
