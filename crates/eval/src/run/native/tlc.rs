//! The modules TLC and `TLCExt`: printing, assertions, errors, model values.

use kilter_value::Value;

use crate::error::{ErrorKind, Eval, Raised};
use crate::node::{NativeCall, Node};
use crate::origin::OriginId;
use crate::run::Worker;

impl Worker<'_> {
    /// Print(out, val)
    pub(super) fn print_both(&mut self, call: &NativeCall, _: OriginId) -> Eval<Value> {
        let shown = self.eval_shown(&call.args[0])?;
        let value = self.eval(&call.args[1])?;
        let second = self.show(value);
        self.context.printed.push(format!("{shown}  {second}"));
        Ok(value)
    }

    /// PrintT(out)
    pub(super) fn print_one(&mut self, call: &NativeCall, _: OriginId) -> Eval<Value> {
        let shown = self.eval_shown(&call.args[0])?;
        self.context.printed.push(shown);
        Ok(Value::TRUE)
    }

    pub(super) fn to_string(&mut self, call: &NativeCall, _: OriginId) -> Eval<Value> {
        let shown = self.eval_shown(&call.args[0])?;
        Ok(self.store.string(&shown))
    }

    fn eval_shown(&mut self, node: &Node) -> Eval<String> {
        let value = self.eval(node)?;
        let value = match self.store.is_finite(value) {
            Ok(false) | Err(_) => self.explicit(value, node.origin)?,
            Ok(true) => self.canonical(value, node.origin)?,
        };
        Ok(self.store.show(value))
    }

    pub(super) fn assert(&mut self, call: &NativeCall, origin: OriginId) -> Eval<Value> {
        let value = self.eval(&call.args[0])?;
        if value == Value::TRUE {
            return Ok(Value::TRUE);
        }
        let shown = self.eval_shown(&call.args[1])?;
        let message =
            format!("the first argument of Assert evaluated to FALSE; the second argument was:\n{shown}");
        self.raise(ErrorKind::Assertion, Some(origin), message)
    }

    pub(super) fn assert_eq(&mut self, call: &NativeCall, origin: OriginId) -> Eval<Value> {
        let a = self.eval(&call.args[0])?;
        let b = self.eval(&call.args[1])?;
        if self.equal(a, b, origin)? {
            return Ok(Value::TRUE);
        }
        let (a, b) = (self.show(a), self.show(b));
        self.context.printed.push(format!("\"AssertEq failed:\" {a} # {b}"));
        Ok(Value::FALSE)
    }

    /// `AssertError(message, expression)`: whether the expression fails with this message.
    pub(super) fn assert_error(&mut self, call: &NativeCall, _: OriginId) -> Eval<Value> {
        let message = self.text_arg(call, 0)?;
        let saved = self.frames.mark();
        if self.eval_canonical(&call.args[1]).is_ok() {
            return Ok(Value::FALSE);
        }
        match self.failure.take() {
            Some(failure) if failure.kind != ErrorKind::Exit => {
                self.frames.restore(saved);
                Ok(Value::bool(same_message(&message, &failure.message)))
            }
            failure => {
                self.failure = failure;
                Err(Raised)
            }
        }
    }

    pub(super) fn tlc_eval(&mut self, call: &NativeCall, origin: OriginId) -> Eval<Value> {
        let value = self.eval(&call.args[0])?;
        self.canonical(value, origin)
    }

    /// TLCEvalDefinition(name)
    pub(super) fn tlc_eval_definition(&mut self, _: &NativeCall, origin: OriginId) -> Eval<Value> {
        self.fail(origin, "TLCEvalDefinition is not supported; write the name of the definition instead")
    }

    /// `TLCCache(expression, closure)`: the value of the expression. Expensive expressions are kept in a table anyway.
    pub(super) fn first_argument(&mut self, call: &NativeCall, _: OriginId) -> Eval<Value> {
        self.eval(&call.args[0])
    }

    /// `PickSuccessor` and `TLCDefer`: always TRUE. TLC lets the user choose a successor, or evaluates its argument
    /// later.
    pub(super) fn always_true(&mut self, _: &NativeCall, _: OriginId) -> Eval<Value> {
        Ok(Value::TRUE)
    }

    pub(super) fn tlc_model_value(&mut self, call: &NativeCall, origin: OriginId) -> Eval<Value> {
        let name = self.eval(&call.args[0])?;
        match self.store.string_text(name) {
            Some(text) => Ok(self.store.model_value(text)),
            None => self.expected("argument", "TLCModelValue", "a string", name, origin),
        }
    }

    /// TLCFP(value)
    pub(super) fn tlc_fp(&mut self, call: &NativeCall, _: OriginId) -> Eval<Value> {
        let value = self.eval_canonical(&call.args[0])?;
        Ok(self.store.int(self.store.hash(value) as i32))
    }
}

/// Whether two messages say the same. TLC's messages begin with a capital letter and end in a full stop; ours do not.
fn same_message(expected: &str, actual: &str) -> bool {
    let plain = |text: &str| text.trim().trim_end_matches('.').to_lowercase();
    plain(expected) == plain(actual)
}
