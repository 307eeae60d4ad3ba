//! Evaluates a program.
//!
//! - [`expr`]     expressions; [`operator`] on two values, [`form`] for the forms that a value has
//! - [`bind`]     loops over sets
//! - [`member`]   membership without building the set; [`endless`] for sets that cannot be built
//! - [`function`] functions, closures and calls; [`except`] functions made from others
//! - [`act`]      actions: [`successors`], and what remains of an action as a predicate on a [`step`]
//! - [`cache`]    successors of actions by what they read
//! - [`memo`]     values of expensive expressions by what they depend on
//! - [`table`]    what workers share without locks, for both of these
//! - [`part`]     initial states in parts, one for each worker
//! - [`temporal`] temporal formulas: quantifiers expanded, literals evaluated
//! - [`native`]   operators of the standard modules

mod act;
mod bind;
mod cache;
mod endless;
mod except;
mod expr;
mod form;
mod function;
mod member;
mod memo;
pub(crate) mod native;
mod operator;
mod part;
mod step;
mod successors;
mod table;
mod temporal;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use kilter_base::memory::StackEnd;
use kilter_base::{Name, apart};
use kilter_value::{HeapFull, Mismatch, SetError, Store, Value};

use crate::error::{ErrorKind, Eval, EvalError, Failure, Raised};
use crate::node::{Node, OriginId};
use crate::origin::CallSite;
use crate::program::{Predicate, Program};
use cache::ActionCache;
use function::Closure;
use memo::{MemoTable, OperationTable};
pub use part::Part;
pub use successors::{Label, Successors};

/// What TLCGet tells about the run.
#[derive(Clone, Debug, Default)]
pub struct RunInfo {
    /// The level of the current state, counted from 1; 0 before there is one.
    pub level: u32,
    /// The levels reached so far.
    pub diameter: u32,
    /// States generated so far.
    pub generated: u64,
    /// Distinct states so far.
    pub distinct: u64,
    /// States waiting to be explored.
    pub queue: u64,
    /// Seconds since the start.
    pub duration_s: u64,
    /// Whether random behaviors are being run, not all.
    pub simulating: bool,
    /// How many workers there are.
    pub workers: u64,
    /// Whether states without successors are reported.
    pub check_deadlock: bool,
    /// The seed of random numbers.
    pub seed: u64,
}

/// A list of an action's steps under construction.
struct Listing {
    /// No more than this.
    n_max: usize,
    /// Whether it was cut short: there are more, or a next state leaves variables out.
    cut: bool,
}

/// Evaluates one program; each thread has its own.
pub struct Worker<'p> {
    program: &'p Program,
    store: &'p Store,
    /// Slots of all frames, innermost last.
    slots: Vec<Value>,
    /// Where the current frame starts.
    base: usize,
    /// Where the next frame will start.
    top: usize,
    /// The current state.
    now: Vec<Value>,
    /// The next state under construction; unassigned variables are UNSET.
    next: Vec<Value>,
    n_unassigned: usize,
    cells: Vec<Value>,
    closures: Vec<Closure>,
    /// Closures below this belong to constants and stay.
    closures_kept: usize,
    memos: MemoTable,
    operations: OperationTable,
    actions: ActionCache,
    failure: Option<Box<Failure>>,
    /// Failures of arguments that may never be used.
    poisons: Vec<Failure>,
    stack_end: StackEnd,
    out: Successors,
    action: u32,
    blocks: Vec<u32>,
    record: bool,
    /// Whether an action is only asked whether it is enabled.
    probing: bool,
    /// The part of the initial states that is wanted, until the first choice among them.
    part: Option<Part>,
    /// Set while the steps of an action are listed that need not be complete.
    listing: Option<Listing>,
    registers: Vec<(Value, Value)>,
    printed: Vec<String>,
    seed: u64,
    random: u64,
    ticks: u32,
    stop: Option<(Arc<AtomicBool>, Option<Instant>)>,
    /// What TLCGet tells about the run.
    pub info: RunInfo,
    /// The behavior up to the current state, for TLCExt's Trace.
    pub trace: Vec<Vec<Value>>,
}

impl<'p> Worker<'p> {
    /// A worker whose thread has this much stack.
    pub fn new(program: &'p Program, store: &'p Store, stack_bytes: usize) -> Self {
        let memos = MemoTable::new(program.n_memos);
        let actions = ActionCache::new(program.n_cached);
        Worker::with(program, store, stack_bytes, memos, actions)
    }

    /// A worker for another thread, which finds what this one has found out, and the other way round. `store` is a
    /// sibling of this one's store. It draws other random numbers, but constants stay the same.
    #[must_use]
    pub fn sibling(&self, store: &'p Store, number: u64, stack_bytes: usize) -> Self {
        let (memos, actions) = (self.memos.sibling(), self.actions.sibling());
        let mut worker = Worker::with(self.program, store, stack_bytes, memos, actions);
        worker.registers.clone_from(&self.registers);
        worker.stop.clone_from(&self.stop);
        worker.info = self.info.clone();
        worker.record = self.record;
        worker.seed = self.seed;
        worker.random = self.seed.wrapping_add(number.wrapping_mul(0x9E37_79B9_7F4A_7C15) << 1);
        worker
    }

    fn with(
        program: &'p Program,
        store: &'p Store,
        stack_bytes: usize,
        memos: MemoTable,
        actions: ActionCache,
    ) -> Self {
        let n_vars = program.variables.len();
        let mut worker = Worker {
            program,
            store,
            slots: vec![Value::UNSET; 1024],
            base: 0,
            top: 0,
            now: apart(Value::UNSET, n_vars),
            next: apart(Value::UNSET, n_vars),
            n_unassigned: n_vars,
            cells: apart(Value::UNSET, program.n_cells),
            closures: Vec::new(),
            closures_kept: 0,
            memos,
            operations: OperationTable::new(),
            actions,
            failure: None,
            poisons: Vec::new(),
            stack_end: StackEnd::default(),
            out: Successors::default(),
            action: 0,
            blocks: Vec::new(),
            record: false,
            probing: false,
            part: None,
            listing: None,
            registers: Vec::new(),
            printed: Vec::new(),
            seed: 1,
            random: 1,
            ticks: 0,
            stop: None,
            info: RunInfo::default(),
            trace: Vec::new(),
        };
        worker.set_stack(stack_bytes);
        worker
    }

    /// What it evaluates.
    pub fn program(&self) -> &'p Program {
        self.program
    }

    /// Says that the worker now runs in a thread with this much stack.
    pub fn set_stack(&mut self, stack_bytes: usize) {
        self.stack_end = StackEnd::after(stack_bytes);
    }

    /// Whether successors carry arguments and basic blocks.
    pub fn set_recording(&mut self, record: bool) {
        self.record = record;
    }

    /// The seed of RandomElement and its like.
    pub fn set_seed(&mut self, seed: u64) {
        // An odd number is never zero, which this generator could not leave; multiplying keeps seeds apart.
        self.seed = seed.wrapping_mul(2).wrapping_add(1);
        self.random = self.seed;
    }

    /// Evaluations end with [`ErrorKind::Stopped`] soon after the flag is set or the deadline has passed.
    pub fn set_stop(&mut self, flag: Arc<AtomicBool>, deadline: Option<Instant>) {
        self.stop = Some((flag, deadline));
    }

    /// The store as this worker sees it.
    pub fn store(&self) -> &'p Store {
        self.store
    }

    /// What Print and PrintT have printed since the last call.
    pub fn take_printed(&mut self) -> Vec<String> {
        std::mem::take(&mut self.printed)
    }

    /// Evaluates a predicate in a state, or in a pair of states.
    pub fn holds(
        &mut self,
        predicate: &Predicate,
        now: &[Value],
        next: Option<&[Value]>,
    ) -> Result<bool, EvalError> {
        self.enter(predicate.frame, now, next);
        let result = self.guarded(|worker| worker.eval_bool(&predicate.body));
        self.leave(result)
    }

    /// Evaluates an expression in a state, or in a pair of states, to its canonical form.
    pub fn value(
        &mut self,
        expression: &Predicate,
        now: &[Value],
        next: Option<&[Value]>,
    ) -> Result<Value, EvalError> {
        self.enter(expression.frame, now, next);
        let result = self.guarded(|worker| {
            let value = worker.eval(&expression.body)?;
            worker.canonical(value, expression.body.origin)
        });
        self.leave(result)
    }

    /// A part of the initial states.
    pub fn initial(&mut self, part: Part, out: &mut Successors) -> Result<(), EvalError> {
        let Some(init) = &self.program.init else { return Ok(()) };
        self.enter(init.frame, &[], None);
        self.begin_step(out);
        self.part = Some(part);
        let result = self.guarded(|worker| worker.run_action(&init.body).map(drop));
        self.part = None;
        std::mem::swap(out, &mut self.out);
        self.leave(result)
    }

    /// The successors of a state.
    pub fn successors(&mut self, now: &[Value], out: &mut Successors) -> Result<(), EvalError> {
        let Some(next) = &self.program.next else {
            out.clear();
            return Ok(());
        };
        self.enter(next.frame, now, None);
        self.begin_step(out);
        let result = self.guarded(|worker| worker.run_action(&next.body).map(drop));
        std::mem::swap(out, &mut self.out);
        self.leave(result)
    }

    fn begin_step(&mut self, out: &mut Successors) {
        out.clear();
        std::mem::swap(out, &mut self.out);
        self.out.clear();
        self.blocks.clear();
        self.action = u32::MAX;
        self.probing = false;
    }

    fn enter(&mut self, frame: u32, now: &[Value], next: Option<&[Value]>) {
        self.now.truncate(0);
        self.now.extend_from_slice(now);
        self.now.resize(self.program.variables.len(), Value::UNSET);
        self.next.truncate(0);
        if let Some(next) = next {
            self.next.extend_from_slice(next);
            self.n_unassigned = 0;
        } else {
            self.n_unassigned = self.program.variables.len();
        }
        self.next.resize(self.program.variables.len(), Value::UNSET);
        self.closures.truncate(self.closures_kept);
        self.poisons.clear();
        self.base = 0;
        self.top = self.program.frame_sizes[frame as usize] as usize;
        self.reserve_slots();
    }

    fn reserve_slots(&mut self) {
        if self.slots.len() < self.top {
            self.slots.resize(self.top * 2, Value::UNSET);
        }
    }

    /// Runs an evaluation; a full heap is an error like any other.
    fn guarded<T>(&mut self, evaluate: impl FnOnce(&mut Self) -> Eval<T>) -> Eval<T> {
        let attempt = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| evaluate(self)));
        match attempt {
            Ok(result) => result,
            Err(payload) if payload.is::<HeapFull>() => self.raise(
                ErrorKind::OutOfMemory,
                None,
                "out of memory for values: the specification makes more distinct values than fit".to_owned(),
            ),
            Err(payload) => std::panic::resume_unwind(payload),
        }
    }

    fn leave<T>(&mut self, result: Eval<T>) -> Result<T, EvalError> {
        result.map_err(|Raised| {
            let failure = self.failure.take().expect("whoever raises says why");
            self.explain(*failure)
        })
    }

    fn explain(&self, failure: Failure) -> EvalError {
        let origins = &self.program.origins;
        let mut chain = failure.origin.map(|origin| origins.chain(origin)).unwrap_or_default();
        for (name, origin) in failure.calls {
            chain.push(CallSite { name, span: origins.span(origin) });
            chain.extend(origins.chain(origin));
        }
        EvalError {
            kind: failure.kind,
            message: failure.message,
            span: failure.origin.map(|origin| origins.span(origin)),
            chain,
        }
    }

    #[cold]
    fn raise<T>(&mut self, kind: ErrorKind, origin: Option<OriginId>, message: String) -> Eval<T> {
        self.failure = Some(Box::new(Failure { kind, message, origin, calls: Vec::new() }));
        Err(Raised)
    }

    #[cold]
    fn fail<T>(&mut self, origin: OriginId, message: impl Into<String>) -> Eval<T> {
        self.raise(ErrorKind::Evaluation, Some(origin), message.into())
    }

    #[cold]
    fn fail_mismatch<T>(&mut self, origin: OriginId, mismatch: &Mismatch) -> Eval<T> {
        let message = self.store.mismatch_message(mismatch);
        self.fail(origin, message)
    }

    #[cold]
    fn fail_set<T>(&mut self, origin: OriginId, error: &SetError) -> Eval<T> {
        let message = self.store.set_error_message(error);
        self.fail(origin, message)
    }

    /// Adds a called function to the chain of a failure on its way out.
    #[cold]
    fn note_call(&mut self, name: &Name, origin: OriginId) {
        if let Some(failure) = &mut self.failure {
            // A runaway recursion would list itself a hundred thousand times.
            if failure.calls.len() < 20 {
                failure.calls.push((name.clone(), origin));
            }
        }
    }

    /// Whether one more call is possible: there is stack left, and nobody wants the evaluation to stop.
    fn check_stack(&mut self, node: &Node) -> Eval<()> {
        self.tick(node.origin)?;
        self.check_depth(node.origin)
    }

    /// Whether there is stack left to go deeper.
    #[inline]
    fn check_depth(&mut self, origin: OriginId) -> Eval<()> {
        if self.stack_end.is_near() { self.fail_too_deep(origin) } else { Ok(()) }
    }

    #[cold]
    fn fail_too_deep(&mut self, origin: OriginId) -> Eval<()> {
        self.fail(origin, "the evaluation is nested too deeply: probably a recursion that does not end")
    }

    /// A pseudo-random number below `bound`, from the seed.
    fn random_below(&mut self, bound: usize) -> usize {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        (self.random.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) as usize % bound.max(1)
    }
}
