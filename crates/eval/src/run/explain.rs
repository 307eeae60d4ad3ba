//! Finds out why a formula is true or false. Goes down through definitions, junctions, quantifiers and IFs as far as
//! they decide, and shows the values in the formulas at which it ends.

use kilter_base::Name;
use kilter_value::{Value, View};

use super::Worker;
use crate::error::{Eval, Raised};
use crate::node::{Binder, Bound, Kind, Node, Target};
use crate::origin::OriginId;
use crate::program::Predicate;
use crate::reason::{Choice, Reason, Shown};

/// Where all parts of a formula decide together, this many are shown.
const PARTS_MAX: usize = 4;
/// If a quantifier has no more choices than this, each is explained.
const CHOICES_MAX: u64 = 3;
/// The most values that are shown for a formula.
const VALUES_MAX: usize = 8;

impl Worker<'_> {
    /// Why a predicate is true or false in a state. Empty if it cannot be evaluated.
    pub fn reasons(&mut self, predicate: &Predicate, now: &[Value], next: Option<&[Value]>) -> Vec<Reason> {
        self.enter(predicate.frame, now, next);
        let result = self.guarded(|worker| {
            let holds = worker.eval_bool(&predicate.body)?;
            worker.why(&predicate.body, holds)
        });
        self.leave(result).unwrap_or_default()
    }

    /// How near a predicate is to being true: the number of its parts that are true before the first that is false.
    pub fn nearness(&mut self, predicate: &Predicate, now: &[Value], next: Option<&[Value]>) -> usize {
        self.enter(predicate.frame, now, next);
        let result = self.guarded(|worker| worker.n_true(&predicate.body));
        self.leave(result).unwrap_or_default()
    }

    fn n_true(&mut self, node: &Node) -> Eval<usize> {
        self.check_depth(node.origin)?;
        match &node.kind {
            Kind::Scope(slots, body) => {
                self.frames.unset(slots);
                self.n_true(body)
            }
            Kind::Memo(memo) => self.n_true(&memo.body),
            Kind::Cell(_, body) | Kind::Lazy(_, body) | Kind::Shared(body) => self.n_true(body),
            Kind::And(items) => {
                let mut n = 0;
                for item in items {
                    n += self.n_true(item)?;
                    if !self.eval_bool(item)? {
                        break;
                    }
                }
                Ok(n)
            }
            Kind::Quantifier(false, binder) => {
                let mut most = 0;
                self.each_binding(&binder.bounds, &mut |worker| {
                    most = most.max(worker.n_true(&binder.body)?);
                    Ok(true)
                })?;
                Ok(most)
            }
            _ => Ok(usize::from(self.eval_bool(node)?)),
        }
    }

    /// Why a formula, whose value is `holds`, has this value.
    pub(super) fn why(&mut self, node: &Node, holds: bool) -> Eval<Vec<Reason>> {
        self.check_depth(node.origin)?;
        match &node.kind {
            Kind::Scope(slots, body) => {
                self.frames.unset(slots);
                self.why(body, holds)
            }
            Kind::Memo(memo) => self.why(&memo.body, holds),
            Kind::Cell(_, body) | Kind::Lazy(_, body) | Kind::Shared(body) => self.why(body, holds),
            Kind::InNext(body) => self.in_next(|worker| worker.why(body, holds)),
            Kind::Not(body) => self.why(body, !holds),
            Kind::And(items) => self.why_junction(items, true, holds, node),
            Kind::Or(items) => self.why_junction(items, false, holds, node),
            Kind::Implies(pair) => {
                let [left, right] = &**pair;
                let applies = self.eval_bool(left)?;
                let mut reasons =
                    if applies == holds && holds { Vec::new() } else { self.why(left, applies)? };
                if applies {
                    reasons.extend(self.why(right, holds)?);
                }
                Ok(reasons)
            }
            Kind::If(parts) => {
                let condition = self.condition(&parts[0], "the condition of an IF")?;
                let mut reasons = self.why(&parts[0], condition)?;
                reasons.extend(self.why(&parts[if condition { 1 } else { 2 }], holds)?);
                Ok(reasons)
            }
            Kind::Case(arms, other) => {
                for (guard, value) in arms {
                    if self.condition(guard, "a condition of a CASE")? {
                        let mut reasons = self.why(guard, true)?;
                        reasons.extend(self.why(value, holds)?);
                        return Ok(reasons);
                    }
                }
                other.as_ref().map_or_else(|| Ok(Vec::new()), |other| self.why(other, holds))
            }
            Kind::Quantifier(all, binder) => self.why_quantifier(*all, binder, holds, node),
            _ => {
                let values = self.values_in(node);
                Ok(vec![Reason { values, ..self.reason(node.origin, holds) }])
            }
        }
    }

    /// A reason without details.
    pub(super) fn reason(&self, origin: OriginId, holds: bool) -> Reason {
        let origins = &self.program.origins;
        Reason {
            span: origins.span(origin),
            within: origins.chain(origin).into_iter().next(),
            holds,
            choice: Choice::None,
            values: Vec::new(),
            below: Vec::new(),
        }
    }

    /// One false conjunct decides alone, and so does one true disjunct. Otherwise all items decide together.
    fn why_junction(&mut self, items: &[Node], and: bool, holds: bool, node: &Node) -> Eval<Vec<Reason>> {
        if and != holds {
            for item in items {
                if self.eval_bool(item)? == holds {
                    return self.why(item, holds);
                }
            }
        }
        let mut below = Vec::new();
        for item in items.iter().take(PARTS_MAX) {
            below.extend(self.why(item, holds)?);
        }
        let whole = self.reason(node.origin, holds);
        // The `v` of `[A]_v` is written nowhere as a formula.
        below.retain(|reason| reason.span != whole.span);
        Ok(if and || below.len() == 1 { below } else { vec![Reason { below, ..whole }] })
    }

    fn why_quantifier(&mut self, all: bool, binder: &Binder, holds: bool, node: &Node) -> Eval<Vec<Reason>> {
        let body = &binder.body;
        if all != holds {
            let mut choice = Vec::new();
            let mut below = Vec::new();
            self.each_binding(&binder.bounds, &mut |worker| {
                if worker.eval_bool(body)? != holds {
                    return Ok(true);
                }
                choice = worker.chosen(&binder.bounds)?;
                below = worker.why(body, holds)?;
                Ok(false)
            })?;
            return Ok(vec![Reason {
                choice: Choice::One(choice),
                below,
                ..self.reason(node.origin, holds)
            }]);
        }
        let values = self.sets_of(&binder.bounds);
        let below = self.each_choice_of(binder, holds)?;
        let n_choices = below.len() as u64;
        let below = if n_choices <= CHOICES_MAX { below } else { Vec::new() };
        let reason = Reason { values, below, ..self.reason(node.origin, holds) };
        Ok(vec![Reason { choice: Choice::All(n_choices), ..reason }])
    }

    /// For each choice of a quantifier that has the same value for all, why it has. The compiler may have made a filter of
    /// the set, whose condition is part of the formula.
    fn each_choice_of(&mut self, binder: &Binder, holds: bool) -> Eval<Vec<Reason>> {
        let mut reasons: Vec<Reason> = Vec::new();
        let filter = match &*binder.bounds {
            [bound] => filter_of(&bound.set).map(|filter| (&bound.target, filter)),
            _ => None,
        };
        let bounds = filter.map_or(&binder.bounds, |(_, filter)| &filter.bounds);
        self.each_binding(bounds, &mut |worker| {
            let choice = Choice::One(worker.chosen(bounds)?);
            let detailed = (reasons.len() as u64) < CHOICES_MAX;
            let mut decides = &binder.body;
            if let Some((target, filter)) = filter {
                if worker.eval_bool(&filter.body)? {
                    if let [Bound { target: Target::Slots(slots), .. }] = &**bounds {
                        worker.bind_one(target, worker.frames.get(slots[0]), filter.body.origin)?;
                    }
                } else {
                    decides = &filter.body;
                }
            }
            let below = if detailed { worker.why(decides, holds)? } else { Vec::new() };
            reasons.push(worker.for_choice(choice, below, decides, holds));
            Ok(true)
        })?;
        Ok(reasons)
    }

    /// The reason for one choice of a quantifier's names. A reason that stands alone below it takes its place.
    fn for_choice(&self, choice: Choice, mut below: Vec<Reason>, node: &Node, holds: bool) -> Reason {
        match below.pop() {
            Some(only) if below.is_empty() && only.choice == Choice::None => Reason { choice, ..only },
            last => {
                below.extend(last);
                Reason { choice, below, ..self.reason(node.origin, holds) }
            }
        }
    }

    /// Why there is nothing to choose from: the sets, and why each of their elements is left out.
    pub(super) fn why_no_choice(&mut self, bounds: &[Bound]) -> Eval<(Vec<Shown>, Vec<Reason>)> {
        let values = self.sets_of(bounds);
        let mut reasons: Vec<Reason> = Vec::new();
        for filter in bounds.iter().filter_map(|bound| filter_of(&bound.set)) {
            self.each_binding(&filter.bounds, &mut |worker| {
                if !worker.eval_bool(&filter.body)? {
                    let choice = Choice::One(worker.chosen(&filter.bounds)?);
                    let below = worker.why(&filter.body, false)?;
                    reasons.push(worker.for_choice(choice, below, &filter.body, false));
                }
                Ok((reasons.len() as u64) < CHOICES_MAX)
            })?;
        }
        Ok((values, reasons))
    }

    /// The names of a quantifier, with their present values.
    pub(super) fn chosen(&mut self, bounds: &[Bound]) -> Eval<Vec<(Name, Value)>> {
        let mut chosen = Vec::new();
        for bound in bounds {
            let (Target::Slots(slots) | Target::Tuple(slots)) = &bound.target;
            for (name, slot) in bound.names.iter().zip(slots) {
                let value = self.frames.get(*slot);
                chosen.push((name.clone(), self.canonical(value, bound.set.origin)?));
            }
        }
        Ok(chosen)
    }

    fn sets_of(&mut self, bounds: &[Bound]) -> Vec<Shown> {
        let mut shown = Vec::new();
        for bound in bounds {
            let set = filter_of(&bound.set).map_or(&bound.set, |filter| &filter.bounds[0].set);
            self.show_value(set, &mut shown);
        }
        shown
    }

    /// The values of the expressions in a formula that has no parts which are formulas.
    fn values_in(&mut self, node: &Node) -> Vec<Shown> {
        let mut shown = Vec::new();
        if let Kind::In(true, pair) = &node.kind {
            shown.extend(self.misfit(&pair[0], &pair[1]));
        }
        if shown.is_empty() {
            self.values_below(node, &mut shown);
        }
        if shown.is_empty() && !matches!(node.kind, Kind::Value(_)) {
            self.show_value(node, &mut shown);
        }
        shown.truncate(VALUES_MAX);
        shown
    }

    /// Shows the operands of a node, each followed by its own operands.
    fn values_below(&mut self, node: &Node, shown: &mut Vec<Shown>) {
        match &node.kind {
            Kind::Scope(slots, body) => {
                self.frames.unset(slots);
                self.values_below(body, shown);
            }
            Kind::Memo(memo) => self.values_below(&memo.body, shown),
            Kind::Equiv(pair)
            | Kind::Test(_, pair)
            | Kind::In(_, pair)
            | Kind::Binary(_, pair)
            | Kind::Unchanged(pair) => pair.iter().for_each(|part| self.show_with_parts(part, shown)),
            // The function as a whole says little besides its value.
            Kind::Index(pair) => self.values_below(&pair[1], shown),
            Kind::Powerset(part) | Kind::BigUnion(part) | Kind::Domain(part) | Kind::Not(part) => {
                self.show_with_parts(part, shown);
            }
            Kind::Tuple(parts)
            | Kind::SetEnum(parts)
            | Kind::Record(_, parts)
            | Kind::And(parts)
            | Kind::Or(parts) => {
                parts.iter().for_each(|part| self.show_with_parts(part, shown));
            }
            Kind::Call(_, args) => args.iter().for_each(|arg| self.show_with_parts(arg, shown)),
            Kind::Native(call) => call.args.iter().for_each(|arg| self.show_with_parts(arg, shown)),
            _ => {}
        }
    }

    fn show_with_parts(&mut self, node: &Node, shown: &mut Vec<Shown>) {
        self.show_value(node, shown);
        self.values_below(node, shown);
    }

    /// Shows the value of an expression, unless it stands there itself, or is a set that would have to be listed first.
    fn show_value(&mut self, node: &Node, shown: &mut Vec<Shown>) {
        if matches!(node.kind, Kind::Value(_)) {
            return;
        }
        let (saved, frame) = (self.failure.take(), self.frames.mark());
        let value = self.eval(node).ok().filter(|value| !value.is_lazy());
        let value = value.and_then(|value| self.canonical(value, node.origin).ok());
        self.failure = saved;
        self.frames.restore(frame);
        let span = self.program.origins.span(node.origin);
        if let Some(value) = value
            && !shown.iter().any(|other| other.span == span)
        {
            // The prime stands outside of the variable.
            let path = if matches!(node.kind, Kind::VarPrimed(_)) { "'" } else { "" };
            shown.push(Shown { span, path: path.to_owned(), value });
        }
    }

    /// The part of a value because of which it is not in a set of functions, records or sequences.
    fn misfit(&mut self, elem: &Node, set: &Node) -> Option<Shown> {
        let saved = self.failure.take();
        let result = self.find_misfit(elem, set);
        self.failure = saved;
        let (path, value) = result.ok().flatten()?;
        Some(Shown { span: self.program.origins.span(elem.origin), path, value })
    }

    fn find_misfit(&mut self, elem: &Node, set: &Node) -> Eval<Option<(String, Value)>> {
        let value = self.eval(elem)?;
        let value = self.canonical(value, elem.origin)?;
        let set_value = self.eval(set)?;
        let mut path = String::new();
        let part = self.narrow_down(value, set_value, set.origin, &mut path)?;
        Ok(part.map(|part| (path, part)))
    }

    fn narrow_down(
        &mut self,
        value: Value,
        set: Value,
        origin: OriginId,
        path: &mut String,
    ) -> Eval<Option<Value>> {
        let store = self.store;
        let mut parts: Vec<(String, Value, Value)> = Vec::new();
        match (store.view(set), store.view(value)) {
            (View::FunctionSet { domain, range }, _) => {
                let domain = self.canonical(domain, origin)?;
                if store.domain(value) != Some(domain) {
                    return Ok(None);
                }
                let Some(values) = store.range_elems(value) else { return Ok(None) };
                let mut index = 0;
                self.each(domain, origin, |_, arg| {
                    parts.push((format!("[{}]", store.show(arg)), values.get(index), range));
                    index += 1;
                    Ok(true)
                })?;
            }
            (View::RecordSet { shape, sets }, View::Record { shape: own, values }) => {
                if !shape.iter().eq(own.iter()) {
                    return Ok(None);
                }
                for ((name, set), value) in shape.iter().zip(sets.iter()).zip(values.iter()) {
                    parts.push((format!(".{}", store.string_text(name).unwrap_or_default()), value, set));
                }
            }
            (View::SeqSet(range), View::Tuple(values)) => {
                parts.extend((1..).zip(values.iter()).map(|(n, value)| (format!("[{n}]"), value, range)));
            }
            _ => return Ok(None),
        }
        for (step, part, set) in parts {
            if !self.contains(set, part, origin)? {
                path.push_str(&step);
                return Ok(Some(self.narrow_down(part, set, origin, path)?.unwrap_or(part)));
            }
        }
        Ok(None)
    }

    /// Notes why a conjunct of an action is false, if somebody wants to know.
    #[cold]
    pub(super) fn note_obstacle(&mut self, guard: Option<&Node>, origin: OriginId) -> Eval<()> {
        let frame = self.frames.mark();
        let why = guard.map_or_else(|| Err(Raised), |guard| self.why(guard, false));
        self.frames.restore(frame);
        if why.is_err() {
            self.failure = None;
        }
        let reasons = why.unwrap_or_else(|Raised| vec![self.reason(origin, false)]);
        self.add_obstacle(reasons)
    }
}

/// The filter that a set is made by.
fn filter_of(set: &Node) -> Option<&Binder> {
    match &set.kind {
        Kind::Cell(_, body) => filter_of(body),
        Kind::Memo(memo) => filter_of(&memo.body),
        Kind::Filter(binder) if matches!(&*binder.bounds, [Bound { target: Target::Slots(slots), .. }] if slots.len() == 1) => {
            Some(binder)
        }
        _ => None,
    }
}
