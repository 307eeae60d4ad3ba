//! What each library of consensus does in its own way; [`crate::node`] makes a node of it.

use kilter_testbed::Call;
use serde_json::{Map, Value as Json};

use crate::calls::{Key, Wires};
use crate::names::Names;
use crate::runtime::Runtime;

/// What each library does in its own way. The value is what survives a crash.
pub trait Library: Sized + 'static {
    /// The library as it runs. A crash ends it.
    type Raft;
    /// The term of whoever asks a question.
    type Term: Copy + PartialEq;
    /// What nodes ask each other.
    type Question;
    /// What they answer.
    type Answer: Clone;
    /// What a node does by itself as long as it runs, but for giving up calls.
    type Timer: Clone + PartialEq;

    /// Makes what a node has stored before it runs for the first time.
    fn new(id: u64, names: &Names) -> Self;

    /// Starts the library on what is stored.
    fn start(&self, runtime: &Runtime, wires: &WiresOf<Self>) -> Result<Self::Raft, String>;

    /// Looks at the library when all its tasks wait. An error counts as the end of the node.
    fn look(&self, running: &mut Running<Self::Raft>) -> Result<(), String>;

    /// The timers that can run out now. Their order must depend only on the state.
    fn timers(&self, running: &Running<Self::Raft>) -> Vec<Self::Timer>;

    /// The name and the arguments of a timer.
    fn call(&self, timer: &Self::Timer) -> Call;

    /// Lets a timer run out.
    fn run_out(&self, timer: Self::Timer, running: &mut Running<Self::Raft>) -> Result<(), String>;

    /// The answer of this node to a question.
    fn answer(
        &self,
        question: &Self::Question,
        running: &mut Running<Self::Raft>,
    ) -> Result<Self::Answer, String>;

    /// Takes a client's request.
    fn request(&self, action: &str, args: &[Json], running: &Running<Self::Raft>) -> Result<(), String>;

    /// The variables of a node, which may be down.
    fn variables(&self, running: Option<&Running<Self::Raft>>) -> Map<String, Json>;

    /// A question of this node as JSON.
    fn show_question(&self, key: &Key<Self::Term>, question: &Self::Question) -> Json;

    /// An answer of this node as JSON, to the question with this key of another node.
    fn show_answer(&self, to: u64, key: &Key<Self::Term>, answer: &Self::Answer) -> Json;

    /// Forgets what the value has and a crash takes away.
    fn crash(&self) {}
}

/// The calls of a node.
pub type WiresOf<L> = Wires<<L as Library>::Term, <L as Library>::Question, <L as Library>::Answer>;

/// A library and the executor that it runs on.
pub struct Running<R> {
    /// The executor.
    pub runtime: Runtime,
    /// The library.
    pub raft: R,
}

impl<R> Drop for Running<R> {
    fn drop(&mut self) {
        self.runtime.crash();
    }
}
