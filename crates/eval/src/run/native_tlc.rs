//! What a specification may ask about its run: the modules TLC and `TLCExt` on registers, behaviors and errors.

use kilter_spec::native::Native;
use kilter_value::{Value, View};

use super::Worker;
use crate::error::{ErrorKind, Eval, Raised};
use crate::node::{Node, Operator, OriginId};

impl Worker<'_> {
    pub(super) fn trace_value(&mut self) -> Value {
        self.store.tuple(&self.behavior())
    }

    /// The behavior up to the current state, as records.
    fn behavior(&self) -> Vec<Value> {
        let store = self.store;
        let now = self.now.first().is_some_and(|value| *value != Value::UNSET).then_some(&self.now);
        let record = |state: &Vec<Value>| {
            let fields = self.program.variables.iter().zip(state);
            store.record(&mut fields.map(|(name, value)| (store.string(name), *value)).collect())
        };
        self.trace.iter().chain(now).map(record).collect()
    }

    /// The behavior as a graph: numbered states, and the steps between them.
    pub(super) fn counter_example(&mut self) -> Value {
        let store = self.store;
        let numbered = |(index, state): (usize, Value)| store.tuple(&[store.int(index as i32 + 1), state]);
        let states: Vec<Value> = self.behavior().into_iter().enumerate().map(numbered).collect();
        // A worker does not know which action made a step; all are steps of the next-state action.
        let next = self.program.next.as_ref().map_or("Next", |next| &*next.name);
        let action = store.record(&mut vec![(store.string("name"), store.string(next))]);
        let steps: Vec<Value> =
            states.windows(2).map(|pair| store.tuple(&[pair[0], action, pair[1]])).collect();
        // Numbers in front make both lists sorted.
        let mut fields = vec![
            (store.string("action"), store.set_sorted(&steps)),
            (store.string("state"), store.set_sorted(&states)),
        ];
        store.record(&mut fields)
    }

    /// The states of a counterexample without their numbers, in the order of those.
    pub(super) fn trace_of(&mut self, node: &Node, origin: OriginId) -> Eval<Value> {
        let value = self.eval_canonical(node)?;
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

    /// AssertError(message, expression): whether the expression fails, and says why in these words.
    pub(super) fn assert_error(&mut self, args: &[Node]) -> Eval<Value> {
        let message = self.text_arg(args, 0, "AssertError")?;
        let saved = (self.base, self.top);
        if self.eval_canonical(&args[1]).is_ok() {
            return Ok(Value::FALSE);
        }
        match self.failure.take() {
            Some(failure) if failure.kind != ErrorKind::Exit => {
                (self.base, self.top) = saved;
                Ok(Value::bool(same_message(&message, &failure.message)))
            }
            failure => {
                self.failure = failure;
                Err(Raised)
            }
        }
    }

    pub(super) fn register_native(
        &mut self,
        native: Native,
        args: &[Node],
        operators: &[Operator],
        node: &Node,
    ) -> Eval<Value> {
        let origin = node.origin;
        let key = self.eval_canonical(&args[0])?;
        let known = self.registers.iter().find(|(other, _)| *other == key).map(|(_, value)| *value);
        match native {
            Native::TlcSet => {
                let value = self.eval_canonical(&args[1])?;
                if self.store.string_text(key) == Some("exit") && value == Value::TRUE {
                    return self.raise(
                        ErrorKind::Exit,
                        Some(origin),
                        "the specification asked to stop".to_owned(),
                    );
                }
                // Names may be registers too, numbers from 0 on.
                if self.store.string_text(key).is_none() && self.store.as_int(key).is_none_or(|n| n < 0) {
                    return self.expected("first argument", "TLCSet", "a natural number", key, origin);
                }
                self.set_register(key, value);
                Ok(Value::TRUE)
            }
            Native::TlcGetOrDefault => match known {
                Some(value) => Ok(value),
                None => self.eval(&args[1]),
            },
            Native::TlcGetAndSet => {
                let default = self.eval_canonical(&args[2])?;
                let old = known.unwrap_or(default);
                let value = self.eval_canonical(&args[1])?;
                let new = self.apply2(&operators[0], old, value)?;
                self.set_register(key, new);
                Ok(old)
            }
            _ => match (known, self.store.string_text(key)) {
                (Some(value), _) => Ok(value),
                (None, Some(name)) => {
                    let name = name.to_owned();
                    self.run_info(&name, origin)
                }
                (None, None) => {
                    let shown = self.show(key);
                    self.fail(
                        origin,
                        format!("TLCGet({shown}) was undefined: no TLCSet has given it a value"),
                    )
                }
            },
        }
    }

    fn set_register(&mut self, key: Value, value: Value) {
        match self.registers.iter_mut().find(|(other, _)| *other == key) {
            Some(register) => register.1 = value,
            None => self.registers.push((key, value)),
        }
    }

    fn run_info(&mut self, name: &str, origin: OriginId) -> Eval<Value> {
        let info = self.info.clone();
        let store = self.store;
        let number = |n: u64| store.int(i32::try_from(n).unwrap_or(i32::MAX));
        let all = [
            ("level", u64::from(info.level)),
            // As in TLC, there is a first level before there is a state.
            ("diameter", u64::from(info.diameter.max(1))),
            ("generated", info.generated),
            ("distinct", info.distinct),
            ("queue", info.queue),
            ("duration", info.duration_s),
        ];
        if name == "stats" {
            let mut fields: Vec<(Value, Value)> =
                all.iter().skip(1).map(|(name, n)| (store.string(name), number(*n))).collect();
            return Ok(store.record(&mut fields));
        }
        if name == "config" {
            let mode = if info.simulating { "simulate" } else { "bfs" };
            let mut fields = vec![
                (store.string("mode"), store.string(mode)),
                (store.string("depth"), store.int(-1)),
                (store.string("deadlock"), Value::bool(info.check_deadlock)),
                (store.string("seed"), number(info.seed)),
                (store.string("worker"), number(info.workers)),
            ];
            return Ok(store.record(&mut fields));
        }
        if name == "-Dtlc2.tool.impl.Tool.cdot" {
            // TLC's switch for action composition, which is always on here.
            return Ok(store.string("true"));
        }
        match all.iter().find(|(other, _)| *other == name) {
            Some((_, n)) => Ok(number(*n)),
            None => self.fail(origin, format!(
                    "TLCGet(\"{name}\") was undefined: no TLCSet has given it a value, and it is not one of level, diameter, generated, distinct, queue, duration and stats"
                )),
        }
    }
}

/// Whether two messages say the same. TLC's begin with a capital letter and end in a full stop; ours do not.
fn same_message(expected: &str, actual: &str) -> bool {
    let plain = |text: &str| text.trim().trim_end_matches('.').to_lowercase();
    plain(expected) == plain(actual)
}
