//! One worker's part of a search: computes the successors of a chunk of states and looks them up among the known
//! states.

use std::ops::Range;

use kilter_base::{Name, apart};
use kilter_eval::node::ActionId;
use kilter_eval::{EvalError, Label, Part, Program, Successors, Worker};
use kilter_value::{PermuteCache, Store, Value};

use crate::chunk::{Chunk, Event, Found, Target, What};
use crate::disk::cold::Recall;
use crate::outcome::Coverage;
use crate::space::{Space, hash_row};
use crate::symmetry::Identity;

/// What all workers of a search read.
#[expect(clippy::struct_excessive_bools, reason = "independent options")]
pub(crate) struct Model<'p> {
    pub(crate) program: &'p Program,
    pub(crate) store: &'p Store,
    pub(crate) identity: &'p Identity,
    pub(crate) check_deadlock: bool,
    /// Whether to go on after a violation.
    pub(crate) keep_going: bool,
    pub(crate) graph: bool,
    /// Whether to record links between states, for temporal properties.
    pub(crate) links: bool,
}

/// A worker with its buffers, on cache lines of its own.
#[repr(align(128))]
pub(crate) struct Hand<'p> {
    pub(crate) worker: Worker<'p>,
    successors: Successors,
    key: Vec<Value>,
    caches: Vec<PermuteCache>,
    enabled: Enabled,
    /// Indices of states that were put into the current chunk lately, by hash. Indices left over from other chunks do
    /// no harm, because the states are compared.
    lately: Vec<u32>,
    recall: Recall,
    /// Violations after which the search goes on, until somebody takes them.
    pub(crate) violated: Vec<What>,
}

/// The number of states of a chunk that can be found again.
const LATELY: usize = 1 << 13;

/// For each definition, the state in which its actions were last enabled.
#[derive(Default)]
struct Enabled {
    /// For each action, the first action of the same name.
    first: Vec<u32>,
    /// For each first action, the state.
    last: Vec<u32>,
}

impl Enabled {
    fn new(program: &Program) -> Self {
        let names: Vec<&Name> = program.actions.iter().map(|action| &action.name).collect();
        let first = |name: &&Name| names.iter().position(|other| other == name).unwrap_or(0) as u32;
        Enabled { first: names.iter().map(first).collect(), last: apart(u32::MAX, names.len()) }
    }

    fn count(&mut self, action: ActionId, source: u32, coverage: &mut [Coverage]) {
        coverage[action.0 as usize].taken += 1;
        let first = self.first[action.0 as usize] as usize;
        if self.last[first] != source {
            self.last[first] = source;
            coverage[first].enabled += 1;
        }
    }
}

impl<'p> Hand<'p> {
    pub(crate) fn new(worker: Worker<'p>) -> Self {
        let enabled = Enabled::new(worker.program());
        let lately = vec![0; LATELY];
        Hand {
            worker,
            successors: Successors::default(),
            key: Vec::new(),
            caches: Vec::new(),
            enabled,
            lately,
            recall: Recall::default(),
            violated: Vec::new(),
        }
    }

    /// Explores states, up to the first event that ends the search.
    pub(crate) fn expand(
        &mut self,
        model: &Model<'p>,
        space: &Space,
        sources: Range<u32>,
        level: u32,
    ) -> Chunk {
        let mut chunk =
            Chunk { coverage: vec![Coverage::default(); model.program.actions.len()], ..Chunk::default() };
        for source in sources {
            if let Err(event) = self.expand_one(model, space, source, level, &mut chunk) {
                chunk.event = Some(*event);
                break;
            }
        }
        if space.is_cold() {
            self.recall.hashes.clear();
            self.recall.hashes.extend(chunk.found.iter().map(|found| found.hash));
            let n_vars = model.program.variables.len();
            let key_width = model.identity.key_width(n_vars);
            chunk.recalled = space.recall(&mut self.recall, |at| chunk.key(at, n_vars, key_width));
        }
        chunk.printed = self.worker.take_printed();
        chunk
    }

    fn expand_one(
        &mut self,
        model: &Model<'p>,
        space: &Space,
        source: u32,
        level: u32,
        chunk: &mut Chunk,
    ) -> Result<(), Box<Event>> {
        let row = space.row(source);
        self.worker.info.level = level;
        self.follow(model, space, source);
        let event = |successor: Option<&[Value]>, what| {
            Box::new(Event { source: Some(source), successor: successor.map(<[Value]>::to_vec), what })
        };
        let mut successors = std::mem::take(&mut self.successors);
        let result = self.worker.successors(row, &mut successors);
        let n_vars = model.program.variables.len();
        chunk.generated += successors.n_between();
        let outcome = (|| {
            for (successor, label) in successors.iter(n_vars) {
                chunk.generated += 1;
                if let Some(action) = label.action {
                    self.enabled.count(action, source, &mut chunk.coverage);
                }
                self.successor(model, space, source, successor, label, level, chunk)
                    .map_err(|what| event(Some(successor), what))?;
                for what in self.violated.drain(..) {
                    chunk.pass(*event(Some(successor), what));
                }
            }
            if let Err(error) = result {
                return Err(event(None, What::Error(error)));
            }
            if successors.is_empty() && model.check_deadlock {
                let deadlock = event(None, What::Deadlock);
                if !model.keep_going {
                    return Err(deadlock);
                }
                chunk.pass(*deadlock);
            }
            Ok(())
        })();
        self.successors = successors;
        outcome
    }

    #[allow(clippy::too_many_arguments, reason = "one transition, taken apart once")]
    fn successor(
        &mut self,
        model: &Model<'p>,
        space: &Space,
        source: u32,
        successor: &[Value],
        label: &Label,
        level: u32,
        chunk: &mut Chunk,
    ) -> Result<(), What> {
        let row = space.row(source);
        let key_width = model.identity.key_width(successor.len());
        let (mut hash, mut known) = (0, None);
        if key_width.is_none() {
            hash = hash_row(successor);
            known = space.find(successor, hash);
        }
        if !self.allows(model, row, successor, known.is_some(), level).map_err(What::Error)? {
            // An excluded state is not explored, but invariants and properties must hold in it. With VIEW or SYMMETRY
            // this very state may not have been checked, even if a state that counts as the same is known.
            let before = if known.is_some() { successor } else { row };
            self.step(model, row, level);
            self.check_state(model, successor, Some(before))?;
            self.step_back(model, level);
            return self.check_step(model, row, successor);
        }
        if key_width.is_some() {
            // A VIEW may mention the level. It means the level of the state that is viewed.
            self.step(model, row, level);
            let result = self.view(model, successor);
            self.step_back(model, level);
            result.map_err(What::Error)?;
            hash = hash_row(&self.key);
            known = space.find(&self.key, hash);
        }
        let target = match known {
            Some(id) => Target::Known(id),
            None => {
                let key = key_width.map(|_| self.key.as_slice());
                let slot = &mut self.lately[hash as usize % LATELY];
                if !chunk.has_at(*slot, hash, key.unwrap_or(successor), successor.len(), key_width) {
                    *slot = chunk.found.len() as u32;
                    let action = label.action.map_or(u32::MAX, |action| action.0);
                    chunk.push(successor, key, Found { source, hash, action });
                }
                Target::Found(*slot)
            }
        };
        if model.graph {
            let image = model.identity.has_symmetry().then(|| self.worker.store().tuple(successor));
            chunk.edges.push((source, target, *label, image));
        }
        if model.links {
            chunk.links.push((source, target));
        }
        // This comes last, because the state must be in the chunk: its invariants are reported before properties of the
        // step.
        self.check_step(model, row, successor)
    }

    /// Writes what identifies a state to `self.key`.
    fn view(&mut self, model: &Model<'p>, row: &[Value]) -> Result<(), EvalError> {
        let mut key = std::mem::take(&mut self.key);
        let result = model.identity.key(row, &mut key, model.program, &mut self.worker, &mut self.caches);
        self.key = key;
        result
    }

    /// Gives the worker the behavior up to `state`, if the program asks for it.
    pub(crate) fn follow(&mut self, model: &Model<'p>, space: &Space, state: u32) {
        if model.program.asks_behavior {
            self.worker.trace = space.way_to(state);
            self.worker.trace.pop();
        }
    }

    /// Tells the worker that its current state becomes a successor of `row`.
    fn step(&mut self, model: &Model<'p>, row: &[Value], level: u32) {
        self.worker.info.level = level + 1;
        if model.program.asks_behavior {
            self.worker.trace.push(row.to_vec());
        }
    }

    /// Tells the worker that its current state becomes `row` again.
    fn step_back(&mut self, model: &Model<'p>, level: u32) {
        self.worker.info.level = level;
        if model.program.asks_behavior {
            self.worker.trace.pop();
        }
    }

    /// Whether the constraints admit a transition. A known state satisfies the constraints on states already, unless
    /// these ask for more than the state, such as its level.
    fn allows(
        &mut self,
        model: &Model<'p>,
        row: &[Value],
        successor: &[Value],
        known: bool,
        level: u32,
    ) -> Result<bool, EvalError> {
        if !model.program.constraints.is_empty() {
            self.step(model, row, level);
            for constraint in &model.program.constraints {
                if (!known || constraint.impure) && !self.worker.holds(constraint, successor, None)? {
                    self.step_back(model, level);
                    return Ok(false);
                }
            }
            self.step_back(model, level);
        }
        for constraint in &model.program.action_constraints {
            if !self.worker.holds(constraint, row, Some(successor))? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Whether the constraints admit a state after `previous`, or as an initial state if that is `None`.
    pub(crate) fn admits(
        &mut self,
        model: &Model<'p>,
        previous: Option<&[Value]>,
        state: &[Value],
        level: u32,
    ) -> Result<bool, EvalError> {
        if let Some(previous) = previous {
            return self.allows(model, previous, state, false, level - 1);
        }
        for constraint in &model.program.constraints {
            if !self.worker.holds(constraint, state, None)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The number of the state that stands for `row`. `None` if there is none.
    pub(crate) fn find(&mut self, model: &Model<'p>, space: &Space, row: &[Value]) -> Option<u32> {
        let mut key = Vec::new();
        let (worker, caches) = (&mut self.worker, &mut self.caches);
        model.identity.key(row, &mut key, model.program, worker, caches).ok()?;
        space.find(&key, hash_row(&key))
    }

    /// Keeps a violation after which the search goes on. If it does not go on, the violation is the error.
    fn violated(&mut self, model: &Model<'p>, what: What) -> Result<(), What> {
        if !model.keep_going {
            return Err(what);
        }
        self.violated.push(what);
        Ok(())
    }

    /// Checks all invariants in a state. An invariant holds if it held in `before` and reads nothing that has changed
    /// since.
    pub(crate) fn check_state(
        &mut self,
        model: &Model<'p>,
        row: &[Value],
        before: Option<&[Value]>,
    ) -> Result<(), What> {
        for invariant in model.program.invariants.iter().chain(&model.program.properties.invariants) {
            let unchanged = |before: &[Value]| {
                !invariant.impure
                    && invariant.vars.iter().all(|var| row[*var as usize] == before[*var as usize])
            };
            if before.is_some_and(unchanged) {
                continue;
            }
            if !self.worker.holds(invariant, row, None).map_err(What::Error)? {
                self.violated(model, What::Invariant(invariant.name.clone()))?;
            }
        }
        Ok(())
    }

    /// Checks the invariants and the properties of initial states in an initial state.
    pub(crate) fn check_initial(&mut self, model: &Model<'p>, row: &[Value]) -> Result<(), What> {
        self.check_state(model, row, None)?;
        for property in &model.program.properties.initial {
            if !self.worker.holds(property, row, None).map_err(What::Error)? {
                self.violated(model, What::Property(property.name.clone()))?;
            }
        }
        Ok(())
    }

    /// Checks the properties of steps.
    pub(crate) fn check_step(
        &mut self,
        model: &Model<'p>,
        row: &[Value],
        successor: &[Value],
    ) -> Result<(), What> {
        for step in &model.program.properties.steps {
            // A step that changes nothing satisfies [A]_v.
            if row != successor && !self.worker.holds(step, row, Some(successor)).map_err(What::Error)? {
                self.violated(model, What::Property(step.name.clone()))?;
            }
        }
        Ok(())
    }

    /// Finds a part of the initial states, in order. The chunk's `found` are those that the constraints admit.
    pub(crate) fn initial(&mut self, model: &Model<'p>, part: Part) -> Chunk {
        let mut chunk =
            Chunk { coverage: vec![Coverage::default(); model.program.actions.len()], ..Chunk::default() };
        let mut successors = std::mem::take(&mut self.successors);
        let result = self.worker.initial(part, &mut successors);
        let n_vars = model.program.variables.len();
        for (row, _) in successors.iter(n_vars) {
            chunk.generated += 1;
            if let Err(what) = self.initial_state(model, row, &mut chunk) {
                chunk.event = Some(Event { source: None, successor: Some(row.to_vec()), what });
                break;
            }
            for what in self.violated.drain(..) {
                chunk.pass(Event { source: None, successor: Some(row.to_vec()), what });
            }
        }
        if let (Err(error), None) = (result, &chunk.event) {
            chunk.event = Some(Event { source: None, successor: None, what: What::Error(error) });
        }
        self.successors = successors;
        chunk.printed = self.worker.take_printed();
        chunk
    }

    fn initial_state(&mut self, model: &Model<'p>, row: &[Value], chunk: &mut Chunk) -> Result<(), What> {
        self.worker.info.level = 1;
        if !self.admits(model, None, row, 1).map_err(What::Error)? {
            return self.check_initial(model, row);
        }
        let key_width = model.identity.key_width(row.len());
        let hash = if key_width.is_none() {
            hash_row(row)
        } else {
            self.view(model, row).map_err(What::Error)?;
            hash_row(&self.key)
        };
        let key = key_width.map(|_| self.key.as_slice());
        chunk.push(row, key, Found { source: u32::MAX, hash, action: u32::MAX });
        Ok(())
    }
}
