//! All tests of this crate that need no program of their own: one program is built much faster than many.

mod common;

#[path = "go.rs"]
mod go;
#[path = "java.rs"]
mod java;
#[path = "laws.rs"]
mod laws;
#[path = "mutations.rs"]
mod mutations;
#[path = "python.rs"]
mod python;
#[path = "raft.rs"]
mod raft;
#[path = "ran.rs"]
mod ran;
#[path = "rust.rs"]
mod rust;
#[path = "tree.rs"]
mod tree;
