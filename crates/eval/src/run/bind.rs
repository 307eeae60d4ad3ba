//! Loops over sets: quantifiers, CHOOSE, filters and maps.

use kilter_value::{Value, View};

use super::Worker;
use crate::error::{ErrorKind, Eval};
use crate::node::{Binder, Bound, Node, Target};
use crate::origin::OriginId;

impl Worker<'_> {
    /// Calls `body` for each element of a set, in TLC's order, until it returns `false`. Returns whether it never did.
    pub(super) fn each(
        &mut self,
        set: Value,
        origin: OriginId,
        mut body: impl FnMut(&mut Self, Value) -> Eval<bool>,
    ) -> Eval<bool> {
        let store = self.store;
        if let Some(items) = store.items(set) {
            for index in 0..items.len() {
                self.tick(origin)?;
                if !body(self, items.get(index))? {
                    return Ok(false);
                }
            }
            return Ok(true);
        }
        if !store.is_set(set) {
            let shown = self.show(set);
            return self.fail(origin, format!("a set is needed here, but the value is\n{shown}"));
        }
        let mut iter = match store.iterate(set) {
            Ok(iter) => iter,
            Err(error) => return self.fail_set(origin, &error),
        };
        while let Some(elem) = iter.next(store) {
            self.tick(origin)?;
            if !body(self, elem)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Checks now and then whether the evaluation has to stop. It is called in loops, because one state may have very
    /// many successors.
    #[inline]
    pub(super) fn tick(&mut self, origin: OriginId) -> Eval<()> {
        if self.context.tick() { self.check_stop(origin) } else { Ok(()) }
    }

    #[cold]
    fn check_stop(&mut self, origin: OriginId) -> Eval<()> {
        if self.context.must_stop() {
            let message = "the evaluation was told to stop".to_owned();
            return self.raise(ErrorKind::Stopped, Some(origin), message);
        }
        Ok(())
    }

    /// Calls `body` for each choice of values for the bound names, until it returns `false`.
    pub(super) fn each_binding(
        &mut self,
        bounds: &[Bound],
        body: &mut dyn FnMut(&mut Self) -> Eval<bool>,
    ) -> Eval<bool> {
        // Most loops bind one name.
        if let [Bound { target: Target::Slots(slots), set, .. }] = bounds
            && let [slot] = &**slots
        {
            let value = self.eval(set)?;
            return self.each(value, set.origin, |worker, elem| {
                worker.frames.set(*slot, elem);
                body(worker)
            });
        }
        let mut sets = Vec::with_capacity(bounds.len());
        for bound in bounds {
            sets.push(self.eval(&bound.set)?);
        }
        self.each_rest(bounds, &sets, 0, body)
    }

    /// Runs the loops from number `depth` on. A bound with several names is several loops.
    fn each_rest(
        &mut self,
        bounds: &[Bound],
        sets: &[Value],
        depth: usize,
        body: &mut dyn FnMut(&mut Self) -> Eval<bool>,
    ) -> Eval<bool> {
        let Some((index, name)) = position(bounds, depth) else { return body(self) };
        let bound = &bounds[index];
        self.each(sets[index], bound.set.origin, |worker, elem| {
            match &bound.target {
                Target::Slots(slots) => worker.frames.set(slots[name], elem),
                Target::Tuple(slots) => worker.bind_tuple(slots, elem, bound.set.origin)?,
            }
            worker.each_rest(bounds, sets, depth + 1, body)
        })
    }

    /// Puts the components of a tuple into slots.
    pub(super) fn bind_tuple(&mut self, slots: &[u32], tuple: Value, origin: OriginId) -> Eval<()> {
        if let View::Tuple(elems) = self.store.view(tuple)
            && elems.len() == slots.len()
        {
            for (slot, elem) in slots.iter().zip(elems.iter()) {
                self.frames.set(*slot, elem);
            }
            return Ok(());
        }
        let shown = self.show(tuple);
        self.fail(
            origin,
            format!(
                "the bound names need a tuple of {} components, but an element of the set is\n{shown}",
                slots.len()
            ),
        )
    }

    /// Puts an element into the slots of a bound with one name or one tuple.
    pub(super) fn bind_one(&mut self, target: &Target, elem: Value, origin: OriginId) -> Eval<()> {
        match target {
            Target::Slots(slots) => {
                self.frames.set(slots[0], elem);
                Ok(())
            }
            Target::Tuple(slots) => self.bind_tuple(slots, elem, origin),
        }
    }

    pub(super) fn quantifier(&mut self, all: bool, binder: &Binder) -> Eval<bool> {
        let body = &binder.body;
        let completed =
            self.each_binding(&binder.bounds, &mut |worker| Ok(worker.eval_bool(body)? == all))?;
        Ok(completed == all)
    }

    pub(super) fn choose(&mut self, binder: &Binder, node: &Node) -> Eval<Value> {
        let bound = &binder.bounds[0];
        let set = self.eval(&bound.set)?;
        let mut chosen = None;
        self.each(set, bound.set.origin, |worker, elem| {
            worker.bind_one(&bound.target, elem, bound.set.origin)?;
            if worker.eval_bool(&binder.body)? {
                chosen = Some(elem);
                return Ok(false);
            }
            Ok(true)
        })?;
        match chosen {
            Some(elem) => Ok(elem),
            None => {
                let shown = self.show(set);
                self.fail(
                    node.origin,
                    format!("CHOOSE found no element that satisfies its condition in the set\n{shown}"),
                )
            }
        }
    }

    pub(super) fn filter(&mut self, binder: &Binder, node: &Node) -> Eval<Value> {
        let bound = &binder.bounds[0];
        let set = self.eval(&bound.set)?;
        let start = self.frames.top();
        let sorted = !set.is_lazy();
        let mut n_elems = 0;
        let result = self.each(set, bound.set.origin, |worker, elem| {
            worker.bind_one(&bound.target, elem, bound.set.origin)?;
            n_elems += 1;
            if worker.eval_bool(&binder.body)? {
                worker.frames.push(elem);
            }
            Ok(true)
        });
        if result.is_err() {
            self.frames.pop_to(start);
        }
        result?;
        if sorted {
            if self.frames.top() - start == n_elems {
                self.frames.pop_to(start);
                return Ok(set);
            }
            let value = self.store.set_sorted(self.frames.pushed(start));
            self.frames.pop_to(start);
            return Ok(value);
        }
        self.set_from(start, node.origin)
    }

    pub(super) fn map(&mut self, binder: &Binder, node: &Node) -> Eval<Value> {
        let start = self.frames.top();
        let body = &binder.body;
        let result = self.each_binding(&binder.bounds, &mut |worker| {
            let value = worker.eval(body)?;
            let value = worker.canonical(value, body.origin)?;
            worker.frames.push(value);
            Ok(true)
        });
        if result.is_err() {
            self.frames.pop_to(start);
        }
        result?;
        self.set_from(start, node.origin)
    }
}

/// The bound, and the name in it, that loop number `depth` is for. `None` after the last loop.
fn position(bounds: &[Bound], depth: usize) -> Option<(usize, usize)> {
    let mut rest = depth;
    for (index, bound) in bounds.iter().enumerate() {
        let loops = match &bound.target {
            Target::Slots(slots) => slots.len(),
            Target::Tuple(_) => 1,
        };
        if rest < loops {
            return Some((index, rest));
        }
        rest -= loops;
    }
    None
}
