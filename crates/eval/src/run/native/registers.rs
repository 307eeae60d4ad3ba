//! The registers of the modules TLC and `TLCExt`, and what TLCGet tells about the run.

use kilter_value::Value;

use crate::error::{ErrorKind, Eval};
use crate::node::NativeCall;
use crate::origin::OriginId;
use crate::run::Worker;

impl Worker<'_> {
    pub(super) fn tlc_get(&mut self, call: &NativeCall, origin: OriginId) -> Eval<Value> {
        let (key, known) = self.register(call)?;
        match (known, self.store.string_text(key)) {
            (Some(value), _) => Ok(value),
            (None, Some(name)) => {
                let name = name.to_owned();
                self.run_info(&name, origin)
            }
            (None, None) => {
                let shown = self.show(key);
                self.fail(origin, format!("TLCGet({shown}) was undefined: no TLCSet has given it a value"))
            }
        }
    }

    pub(super) fn tlc_get_or_default(&mut self, call: &NativeCall, _: OriginId) -> Eval<Value> {
        match self.register(call)? {
            (_, Some(value)) => Ok(value),
            (_, None) => self.eval(&call.args[1]),
        }
    }

    pub(super) fn tlc_set(&mut self, call: &NativeCall, origin: OriginId) -> Eval<Value> {
        let (key, _) = self.register(call)?;
        let value = self.eval_canonical(&call.args[1])?;
        if self.store.string_text(key) == Some("exit") && value == Value::TRUE {
            let message = "the specification asked to stop".to_owned();
            return self.raise(ErrorKind::Exit, Some(origin), message);
        }
        // A register is named by a string or by a natural number.
        if self.store.string_text(key).is_none() && self.store.as_int(key).is_none_or(|n| n < 0) {
            return self.expected("first argument", "TLCSet", "a natural number", key, origin);
        }
        self.context.set_register(key, value);
        Ok(Value::TRUE)
    }

    pub(super) fn tlc_get_and_set(&mut self, call: &NativeCall, _: OriginId) -> Eval<Value> {
        let (key, known) = self.register(call)?;
        let default = self.eval_canonical(&call.args[2])?;
        let old = known.unwrap_or(default);
        let value = self.eval_canonical(&call.args[1])?;
        let new = self.apply2(&call.operators[0], old, value)?;
        self.context.set_register(key, new);
        Ok(old)
    }

    /// The register that the first argument names, and its value.
    fn register(&mut self, call: &NativeCall) -> Eval<(Value, Option<Value>)> {
        let key = self.eval_canonical(&call.args[0])?;
        Ok((key, self.context.register(key)))
    }

    fn run_info(&mut self, name: &str, origin: OriginId) -> Eval<Value> {
        let info = self.info.clone();
        let store = self.store;
        let number = |n: u64| store.int(i32::try_from(n).unwrap_or(i32::MAX));
        let all = [
            ("level", u64::from(info.level)),
            // As in TLC, the diameter is 1 before there is a state.
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
