//! Operators of the module `TLCExt` about the behavior up to the current state.

use kilter_value::{Value, View};

use crate::error::Eval;
use crate::node::NativeCall;
use crate::origin::OriginId;
use crate::run::Worker;

impl Worker<'_> {
    pub(super) fn trace_value(&mut self, _: &NativeCall, _: OriginId) -> Eval<Value> {
        Ok(self.store.tuple(&self.behavior()))
    }

    /// The behavior up to the current state. Each state is a record.
    fn behavior(&self) -> Vec<Value> {
        let store = self.store;
        let now = (!self.states.is_initial()).then_some(&self.states.now);
        let record = |state: &Vec<Value>| {
            let fields = self.program.variables.iter().zip(state);
            store.record(&mut fields.map(|(name, value)| (store.string(name), *value)).collect())
        };
        self.trace.iter().chain(now).map(record).collect()
    }

    /// The behavior as a graph: numbered states, and the steps between them.
    pub(super) fn counter_example(&mut self, _: &NativeCall, _: OriginId) -> Eval<Value> {
        let store = self.store;
        let numbered = |(index, state): (usize, Value)| store.tuple(&[store.int(index as i32 + 1), state]);
        let states: Vec<Value> = self.behavior().into_iter().enumerate().map(numbered).collect();
        // A worker does not know which action made a step. So each step is named after the next-state action.
        let next = self.program.next.as_ref().map_or("Next", |next| &*next.name);
        let action = store.record(&mut vec![(store.string("name"), store.string(next))]);
        let steps: Vec<Value> =
            states.windows(2).map(|pair| store.tuple(&[pair[0], action, pair[1]])).collect();
        // The numbers in front make both lists sorted.
        let mut fields = vec![
            (store.string("action"), store.set_sorted(&steps)),
            (store.string("state"), store.set_sorted(&states)),
        ];
        Ok(store.record(&mut fields))
    }

    /// The states of a counterexample in the order of their numbers, without the numbers.
    pub(super) fn trace_of(&mut self, call: &NativeCall, origin: OriginId) -> Eval<Value> {
        let value = self.eval_canonical(&call.args[0])?;
        let store = self.store;
        let numbered = store.field(value, store.string("state")).and_then(|states| store.items(states));
        let states: Option<Vec<Value>> = numbered.and_then(|states| {
            states
                .iter()
                .map(|state| match store.view(state) {
                    View::Tuple(pair) if pair.len() == 2 => Some(pair.get(1)),
                    _ => None,
                })
                .collect()
        });
        match states {
            Some(states) => Ok(store.tuple(&states)),
            None => self.expected("argument", "ToTrace", "a counterexample", value, origin),
        }
    }
}
