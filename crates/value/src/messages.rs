//! The text of errors about values. It is TLC's text where that says what is wrong, because `AssertError` compares with
//! it.

use crate::handle::Value;
use crate::order::{Mismatch, Relation};
use crate::sets::SetError;
use crate::store::Store;
use crate::view::View;

/// TLC wraps values in messages at this width.
const WIDTH: usize = 80;

impl Store {
    /// Why two values cannot be compared.
    pub fn mismatch_message(&self, mismatch: &Mismatch) -> String {
        let Mismatch { left, right, relation } = *mismatch;
        let (l, r) = (self.quote(left), self.quote(right));
        let compare = match relation {
            Relation::Order => "compare",
            Relation::Equality => "check equality of",
        };
        match (self.view(left), self.view(right)) {
            (View::Model(_), View::Model(_)) => {
                format!("attempted to {compare} the differently-typed model values {l} and {r}")
            }
            (View::Model(_), _) => match relation {
                Relation::Order => {
                    format!("attempted to compare the typed model value {l} and non-model value\n{r}")
                }
                Relation::Equality => {
                    format!("attempted to check equality of typed model value {l} and non-model value\n{r}")
                }
            },
            (_, View::Model(_)) => {
                format!("attempted to {compare} the typed model value {r} and the non-model value\n{l}")
            }
            (View::Int(_), _) => format!("attempted to {compare} integer {l} with non-integer:\n{r}"),
            (View::Bool(_), _) => {
                // TLC words this differently for booleans.
                let compare = if relation == Relation::Equality { "compare equality of" } else { compare };
                format!("attempted to {compare} boolean {l} with non-boolean:\n{r}")
            }
            (View::String(_), _) => format!("attempted to {compare} string {l} with non-string:\n{r}"),
            (View::Record { .. }, _) => format!("attempted to {compare} record:\n{l}\nwith non-record\n{r}"),
            (View::Tuple(_) | View::Function { .. }, _) => {
                format!("attempted to {compare} the function {l} with the value:\n{r}")
            }
            (View::Infinite(_) | View::SeqSet(_), _) => {
                format!("attempted to {compare} the infinite set {l} with the value:\n{r}")
            }
            _ => format!("attempted to {compare} the set {l} with the value:\n{r}"),
        }
    }

    /// Why an operation on sets could not be done.
    pub fn set_error_message(&self, error: &SetError) -> String {
        match *error {
            SetError::Mismatch(mismatch) => self.mismatch_message(&mismatch),
            SetError::NotASet(value) => {
                format!("a set is needed here, but the value is\n{}", self.quote(value))
            }
            SetError::Membership { elem, set } => self.membership_message(elem, set),
            SetError::Infinite(set) => {
                format!("the set {} is infinite, its elements cannot be enumerated", self.quote(set))
            }
            SetError::TooLarge(set) => match self.view(set) {
                View::Interval { .. } => format!(
                    "the interval has more elements than an integer of 32 bits can count: {}",
                    self.quote(set)
                ),
                View::Product(_) => {
                    format!("overflow when computing the number of elements in {}", self.quote(set))
                }
                _ => format!("overflow when computing the number of elements in:\n{}", self.quote(set)),
            },
        }
    }

    fn membership_message(&self, elem: Value, set: Value) -> String {
        let (e, s) = (self.quote(elem), self.quote(set));
        let of =
            |what: &str| format!("attempted to check if the value:\n{e}\nis an element of the {what} {s}");
        match self.view(set) {
            View::Interval { lo, hi } => {
                format!("attempted to check if the value:\n{e}\nis in the integer interval {lo}..{hi}")
            }
            View::Powerset(_) => {
                format!("attempted to check if the value:\n{e}\nwhich is not a set, is an element of\n{s}")
            }
            _ if elem.as_model_number().is_some() && self.is_set(set) => {
                format!("attempted to check if the typed model value {e} is an element of\n{s}")
            }
            View::FunctionSet { .. } => format!(
                "attempted to check if the value:\n{e}\nwhich is not a function, is in the set of functions:\n{s}"
            ),
            View::RecordSet { .. } => {
                format!("attempted to check if non-record\n{e}\nis in the set of records:\n{s}")
            }
            View::Product(_) => {
                format!("attempted to check if non-tuple\n{e}\nis in the set of tuples:\n{s}")
            }
            View::Int(_) => of("integer"),
            View::Bool(_) => of("boolean"),
            View::String(_) => of("string"),
            View::Model(_) => of("model value"),
            View::Function { .. } => of("function"),
            View::Record { .. } => of("record"),
            View::Tuple(_) => of("tuple"),
            _ => format!("attempted to check if the value:\n{e}\nis an element of {s}"),
        }
    }

    fn quote(&self, value: Value) -> String {
        self.show_pretty(value, 0, WIDTH)
    }
}
