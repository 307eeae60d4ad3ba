//! Nodes that misbehave, each in its own way.

/// Misbehaves.
pub fn run(kind: &str) {
    panic!("there is no bad node `{kind}`");
}
