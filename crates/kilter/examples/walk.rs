//! Checks a specification and walks its state graph: `cargo run -p kilter --example walk specs/Cache/Cache.tla`

#![allow(clippy::print_stdout, reason = "it is a program")]

use std::error::Error;

use kilter::{Options, Specification};

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).ok_or("usage: walk SPEC.tla")?;
    let specification = Specification::open(path)?;
    let outcome = specification.check(&Options { graph: true, ..Options::default() });
    println!("{} distinct states", outcome.counts.distinct);
    let graph = specification.graph(&outcome).ok_or("the specification has no behaviors")?;
    for edge in graph.edges() {
        println!("{} {} {}", graph.source(edge).0, graph.action_of(edge).name, graph.target(edge).0);
    }
    Ok(())
}
