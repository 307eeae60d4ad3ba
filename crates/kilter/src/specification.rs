//! A specification that can be checked.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use kilter_base::memory::{self, DEEP_STACK_BYTES};
use kilter_check::{Counts, Options, Outcome, Progress, state_graph};
use kilter_eval::Program;
use kilter_graph::StateGraph;
use kilter_value::Store;

use crate::load::{Input, Loaded, Refusal, load};

/// A specification with its configuration, ready to be checked.
pub struct Specification {
    input: Input,
    store: Store,
    loaded: Loaded,
    program: Program,
}

impl Specification {
    /// Reads a specification. Its configuration has the same name and the ending `cfg`.
    pub fn open(spec: impl Into<PathBuf>) -> Result<Self, Box<Refusal>> {
        Specification::load(Input::new(spec))
    }

    /// Reads a specification from these files.
    pub fn load(input: Input) -> Result<Self, Box<Refusal>> {
        memory::with_stack(DEEP_STACK_BYTES, |_| {
            let store = Store::new();
            let loaded = load(&input, &store)?;
            let program = loaded.compile(&store);
            Ok(Specification { input, store, loaded, program })
        })
    }

    /// Searches all states. Violations are in the outcome's verdict.
    pub fn check(&self, options: &Options) -> Outcome {
        self.check_with(options, &mut Quiet)
    }

    /// Like `check`, and reports its progress.
    pub fn check_with(&self, options: &Options, progress: &mut (dyn Progress + Send)) -> Outcome {
        kilter_check::run(&self.program, &self.store, options, progress)
    }

    /// The state graph of a search. `None` if the search was not asked to keep it (`Options::graph`).
    pub fn graph(&self, outcome: &Outcome) -> Option<StateGraph> {
        let config = self.input.config_path();
        state_graph::from_search(&self.program, &self.store, outcome, &self.loaded.sources, &config)
    }

    /// The store with the values of states and traces.
    pub fn store(&self) -> &Store {
        &self.store
    }
}

/// Ignores the progress of a search, and never interrupts it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Quiet;

impl Progress for Quiet {
    fn report(&mut self, _: &Counts, _: Duration) {}

    fn print(&mut self, _: &str) {}

    fn interrupted(&self) -> Arc<AtomicBool> {
        Arc::default()
    }
}
