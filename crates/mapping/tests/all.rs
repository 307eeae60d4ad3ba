//! All tests of this crate that need no program of their own: one program is built much faster than many.

#[path = "mapping.rs"]
mod mapping;
#[path = "shapes.rs"]
mod shapes;
