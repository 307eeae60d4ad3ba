//! Computes `\cap` and `\` where one operand is a filter of an infinite set, such as `{n \in Nat : n > 2}`. As in TLC,
//! the elements of the other operand are listed and tested for membership.

use kilter_spec::native::Native;
use kilter_value::{Value, View};

use super::Worker;
use crate::error::Eval;
use crate::node::{Binary, Kind, Node};
use crate::origin::OriginId;

impl Worker<'_> {
    /// The result, if one operand cannot be listed. `None` if the usual way works.
    pub(super) fn without_listing(
        &mut self,
        op: Binary,
        pair: &[Node; 2],
        origin: OriginId,
    ) -> Eval<Option<Value>> {
        let [left, right] = pair;
        let (listed, asked) = match op {
            Binary::Cap | Binary::Minus if is_endless(right) => (left, right),
            Binary::Cap if is_endless(left) => (right, left),
            _ => return Ok(None),
        };
        let keep = op == Binary::Cap;
        let set = self.eval_set(listed)?;
        let start = self.frames.top();
        let result = self.each(set, origin, |worker, elem| {
            if worker.member(elem, asked, origin)? == keep {
                worker.frames.push(elem);
            }
            Ok(true)
        });
        if result.is_err() {
            self.frames.pop_to(start);
        }
        result?;
        self.set_from(start, origin).map(Some)
    }

    /// Whether a sequence is in `Seq(S)`, or a tuple in `S \X T`, where these sets cannot be listed.
    pub(super) fn member_by_parts(&mut self, elem: Value, set: &Node, origin: OriginId) -> Eval<bool> {
        let elem = self.explicit(elem, origin)?;
        let store = self.store;
        let View::Tuple(values) = store.view(elem) else {
            let shown = self.show(elem);
            return self
                .fail(origin, format!("attempted to check if the value:\n{shown}\nis in a set of tuples"));
        };
        let parts = match &set.kind {
            Kind::Product(parts) if parts.len() != values.len() => return Ok(false),
            Kind::Product(parts) => parts,
            Kind::Native(call) => &call.args,
            _ => return self.fail(origin, "a set of tuples was expected".to_owned()),
        };
        for (value, part) in values.into_iter().zip(parts.iter().cycle()) {
            if !self.member(value, part, origin)? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// Whether a set is made of filters of infinite sets, as in `Seq({n \in Nat : n > 2})`. Only membership can be decided
/// in such a set.
pub(super) fn is_made_of_endless(set: &Node) -> bool {
    match &set.kind {
        Kind::Native(call) if call.native == Native::Seq => call.args.iter().any(is_or_has_endless),
        Kind::Product(parts) => parts.iter().any(is_or_has_endless),
        _ => false,
    }
}

fn is_or_has_endless(part: &Node) -> bool {
    is_endless(part) || is_made_of_endless(part)
}

/// Whether a set is a filter of a set that is known to be infinite.
fn is_endless(set: &Node) -> bool {
    match &set.kind {
        Kind::Filter(binder) => is_infinite(&binder.bounds[0].set),
        Kind::Cell(_, body) | Kind::Lazy(_, body) | Kind::Shared(body) => is_endless(body),
        Kind::Memo(memo) => is_endless(&memo.body),
        _ => false,
    }
}

fn is_infinite(set: &Node) -> bool {
    match &set.kind {
        Kind::Value(Value::NAT | Value::INT | Value::REAL | Value::STRING) => true,
        Kind::Native(call) if call.native == Native::Seq => true,
        Kind::Cell(_, body) | Kind::Lazy(_, body) | Kind::Shared(body) => is_infinite(body),
        _ => is_endless(set),
    }
}
