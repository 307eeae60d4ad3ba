//! Natively implemented operators. What evaluates each one is the last column of [`kilter_spec::native_operators`].
//!
//! - [`numbers`]   Integers, Reals and Bitwise
//! - [`sets`]      `FiniteSets`, functions of TLC, largest and smallest elements
//! - [`sequences`] Sequences, on strings too
//! - [`folds`]     operators that take operators; other operators of the community modules on sets and sequences
//! - [`bags`]      Bags
//! - [`tlc`]       TLC and `TLCExt`: printing, assertions, errors; [`registers`] and [`behavior`] for what they know of the run
//! - [`random`]    random elements and subsets, and the time
//! - [`json`], [`csv`], [`io`] files and programs; [`format`] their templates
//! - [`svg`]       SVG and Statistics

#![allow(
    clippy::unnecessary_wraps,
    clippy::unused_self,
    clippy::wrong_self_convention,
    reason = "all handlers have one signature, and the names of their operators"
)]

mod bags;
mod behavior;
mod csv;
mod folds;
mod format;
mod io;
mod json;
mod numbers;
mod random;
mod registers;
mod sequences;
mod sets;
mod svg;
mod tlc;

use kilter_spec::native::Native;
use kilter_value::Value;

use super::Worker;
use crate::error::Eval;
use crate::node::{Binary, NativeCall, Node, Test};
use crate::origin::OriginId;

/// Evaluates an application of a native operator.
type Handler = fn(&mut Worker<'_>, &NativeCall, OriginId) -> Eval<Value>;

/// How a native operator is evaluated.
pub(crate) enum Evaluation {
    /// Expressions have a form for it.
    Binary(Binary),
    /// Expressions have a form for it.
    Test(Test),
    /// It is a value.
    Value(Value),
    /// By a method of a worker: see [`handler`].
    Call,
}

macro_rules! evaluation {
    (Binary($op:ident)) => {
        Evaluation::Binary(Binary::$op)
    };
    (Test($test:ident)) => {
        Evaluation::Test(Test::$test)
    };
    (Value($value:ident)) => {
        Evaluation::Value(Value::$value)
    };
    (Call($method:ident)) => {
        Evaluation::Call
    };
}

macro_rules! handler {
    (Call($method:ident)) => {
        |worker, call, origin| worker.$method(call, origin)
    };
    ($how:ident($by:ident)) => {
        |_, call, _| unreachable!("{} has a form of its own in expressions", call.native.name())
    };
}

macro_rules! evaluations {
    ($($module:literal { $($op:literal $arity:literal $purity:ident $order:ident $native:ident $how:ident($by:ident);)* })*) => {
        /// How an operator is evaluated.
        pub(crate) fn evaluation(native: Native) -> Evaluation {
            match native {
                $($(Native::$native => evaluation!($how($by)),)*)*
            }
        }

        /// The operators' handlers, in the order of the table.
        static HANDLERS: [Handler; Native::ALL.len()] = [$($(handler!($how($by)),)*)*];
    };
}

kilter_spec::native_operators!(evaluations);

/// What evaluates an operator that is called.
#[inline]
pub(super) fn handler(native: Native) -> Handler {
    HANDLERS[native as usize]
}

/// Helpers of all of them.
impl Worker<'_> {
    pub(super) fn eval_canonical(&mut self, node: &Node) -> Eval<Value> {
        let value = self.eval(node)?;
        self.canonical(value, node.origin)
    }

    fn size_value(&mut self, size: usize, origin: OriginId) -> Eval<Value> {
        match i32::try_from(size) {
            Ok(size) => Ok(self.store.int(size)),
            Err(_) => self.fail(origin, "overflow: the size does not fit into an integer of 32 bits"),
        }
    }

    #[cold]
    fn expected<T>(&mut self, which: &str, op: &str, what: &str, value: Value, origin: OriginId) -> Eval<T> {
        let shown = self.show(value);
        self.fail(origin, format!("the {which} of {op} should be {what}, but instead it is:\n{shown}"))
    }

    fn natural_arg(&mut self, call: &NativeCall, index: usize) -> Eval<usize> {
        let arg = &call.args[index];
        let value = self.eval(arg)?;
        match self.store.as_int(value).and_then(|i| usize::try_from(i).ok()) {
            Some(n) => Ok(n),
            None => self.expected(ordinal(index), call.native.name(), "a natural number", value, arg.origin),
        }
    }

    /// A string argument's text.
    fn text_arg(&mut self, call: &NativeCall, index: usize) -> Eval<String> {
        let arg = &call.args[index];
        let value = self.eval(arg)?;
        match self.store.string_text(value) {
            Some(text) => Ok(text.to_owned()),
            None => self.expected(ordinal(index), call.native.name(), "a string", value, arg.origin),
        }
    }

    /// A string's text, and other values as they are printed.
    fn unquoted(&self, value: Value) -> String {
        self.store.string_text(value).map_or_else(|| self.store.show(value), str::to_owned)
    }
}

/// What an error calls an argument, counted from 0.
fn ordinal(index: usize) -> &'static str {
    ["first argument", "second argument", "third argument"].get(index).copied().unwrap_or("last argument")
}
