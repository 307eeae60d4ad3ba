//! Evaluates native operators. The last column of [`kilter_spec::native_operators`] says how each one is evaluated.
//!
//! - [`numbers`]   Integers, Reals and Bitwise
//! - [`sets`]      `FiniteSets`, functions of TLC, largest and smallest elements
//! - [`sequences`] Sequences, on strings too
//! - [`folds`]     operators that take operators; other operators of the community modules on sets and sequences
//! - [`bags`]      Bags
//! - [`tlc`]       TLC and `TLCExt`: printing, assertions, errors; [`registers`] and [`behavior`] what they tell about
//!   the run
//! - [`random`]    random elements and subsets, and the time
//! - [`json`], [`csv`], [`io`] files and programs; [`format`] text templates
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

/// A function that evaluates an application of a native operator.
type Handler = fn(&mut Worker<'_>, &NativeCall, OriginId) -> Eval<Value>;

/// The way in which a native operator is evaluated.
pub(crate) enum Evaluation {
    /// As a node for a binary operator.
    Binary(Binary),
    /// As a node for a comparison.
    Test(Test),
    /// It is a constant value.
    Value(Value),
    /// By a method of the worker: see [`handler`].
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
        /// The way in which an operator is evaluated.
        pub(crate) fn evaluation(native: Native) -> Evaluation {
            match native {
                $($(Native::$native => evaluation!($how($by)),)*)*
            }
        }

        /// The handlers, in the order of the table of operators.
        static HANDLERS: [Handler; Native::ALL.len()] = [$($(handler!($how($by)),)*)*];
    };
}

kilter_spec::native_operators!(evaluations);

/// The method that evaluates an operator of the kind `Evaluation::Call`.
#[inline]
pub(super) fn handler(native: Native) -> Handler {
    HANDLERS[native as usize]
}

/// Methods that several modules use.
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

    /// Evaluates an argument that must be a string.
    fn text_arg(&mut self, call: &NativeCall, index: usize) -> Eval<String> {
        let arg = &call.args[index];
        let value = self.eval(arg)?;
        match self.store.string_text(value) {
            Some(text) => Ok(text.to_owned()),
            None => self.expected(ordinal(index), call.native.name(), "a string", value, arg.origin),
        }
    }

    /// The text of a string. Other values as they are printed.
    fn unquoted(&self, value: Value) -> String {
        self.store.string_text(value).map_or_else(|| self.store.show(value), str::to_owned)
    }
}

/// The name of an argument in an error. `index` counts from 0.
fn ordinal(index: usize) -> &'static str {
    ["first argument", "second argument", "third argument"].get(index).copied().unwrap_or("last argument")
}
