//! Makes loops shorter.
//!
//! In `\E m \in msgs : m.type = "ack" /\ …` the first conjunct depends on `m` and `msgs` alone. So it is moved into the
//! set, which becomes `{m \in msgs : m.type = "ack"}`. The worker computes this set once for each value of `msgs` and
//! looks it up from then on. Only leading conjuncts are moved, so that what they guard stays guarded.

use std::rc::Rc;

use kilter_base::Span;

use super::free::Free;
use super::{Compiler, MEMO_KEY_MAX};
use crate::node::{Act, ActBinder, ActKind, Binder, Bound, Kind, Node, Slot, Target};

/// The conjuncts that move into the set, and what the narrowed set depends on.
struct Guards {
    slot: Slot,
    /// The lazy slots of operators between the loop and the conjuncts.
    scopes: Vec<Slot>,
    nodes: Vec<Node>,
    free: Free,
}

impl Compiler<'_> {
    /// Makes `\E x \in S : body` as an action, with leading guards moved into `S`.
    pub(super) fn exists(&mut self, mut bounds: Vec<Bound>, body: Act, span: Span) -> Act {
        let slot = match bounds.last() {
            Some(Bound { target: Target::Slots(slots), .. }) if slots.len() == 1 => Some(slots[0]),
            _ => None,
        };
        let (Some(slot), false) = (slot, self.in_enabled) else {
            return self.make(ActKind::Exists(Box::new(ActBinder { bounds: bounds.into(), body })), span);
        };
        let last = bounds.pop().expect("looked at above");
        let mut guards = self.guards(slot, &last.set);
        let body = self.take_guards(body, &mut guards);
        let last = self.narrowed(last, guards, span);
        let inner = self.make(ActKind::Exists(Box::new(ActBinder { bounds: Box::new([last]), body })), span);
        if bounds.is_empty() {
            return inner;
        }
        self.make(ActKind::Exists(Box::new(ActBinder { bounds: bounds.into(), body: inner })), span)
    }

    /// Like `exists`, for quantifiers in predicates. Only for those that depend on too much to be looked up
    /// as a whole.
    pub(super) fn narrow_quantifier(&mut self, all: bool, binder: Binder, free: &Free) -> Binder {
        let slot = match &*binder.bounds {
            [Bound { target: Target::Slots(slots), .. }] if slots.len() == 1 => slots[0],
            _ => return binder,
        };
        if free.len() <= MEMO_KEY_MAX || free.impure || self.in_enabled {
            return binder;
        }
        let Binder { bounds, body } = binder;
        let bound = bounds.into_iter().next().expect("looked at above");
        let span = self.origins.span(body.origin);
        let mut guards = self.guards(slot, &bound.set);
        let body = if all {
            self.take_antecedent(body, &mut guards)
        } else {
            self.take_conjuncts(body, &mut guards)
        };
        let bound = self.narrowed(bound, guards, span);
        Binder { bounds: Box::new([bound]), body }
    }

    fn guards(&self, slot: Slot, set: &Node) -> Guards {
        let free = self.deps.get(&set.origin).map(|free| (**free).clone()).unwrap_or_default();
        Guards { slot, scopes: Vec::new(), nodes: Vec::new(), free }
    }

    /// Whether a conjunct can be moved. If so, its dependencies are added to those of the narrowed set.
    fn admit(&self, node: &Node, guards: &mut Guards) -> bool {
        let Some(deps) = self.deps.get(&node.origin) else { return false };
        if deps.impure || !deps.primed.is_empty() || guards.free.impure || !guards.free.primed.is_empty() {
            return false;
        }
        let mut free = guards.free.clone();
        free.merge(deps);
        free.slots.remove(&guards.slot);
        Self::unbind(&mut free, &guards.scopes);
        // A guard that reads further variables makes a key that hardly ever comes back.
        if free.len() > MEMO_KEY_MAX || free.vars.len() > guards.free.vars.len().max(1) {
            return false;
        }
        guards.free = free;
        true
    }

    /// Moves the leading guards of an action into `guards` and returns the rest.
    fn take_guards(&mut self, act: Act, guards: &mut Guards) -> Act {
        let Act { kind, origin } = act;
        let kind = match kind {
            ActKind::Named(id, inner) => ActKind::Named(id, Box::new(self.take_guards(*inner, guards))),
            ActKind::Scope(slots, inner) => {
                guards.scopes.extend(slots.iter());
                ActKind::Scope(slots, Box::new(self.take_guards(*inner, guards)))
            }
            ActKind::Guard(node) if self.admit(&node, guards) => {
                guards.nodes.push(node);
                ActKind::And(Box::default())
            }
            ActKind::And(items) => {
                let mut rest = Vec::new();
                let mut open = true;
                for item in items {
                    if !open {
                        rest.push(item);
                        continue;
                    }
                    let item = self.take_guards(item, guards);
                    // Once a conjunct remains, those after it may rely on it.
                    if !matches!(&item.kind, ActKind::And(inner) if inner.is_empty()) {
                        open = false;
                        rest.push(item);
                    }
                }
                ActKind::And(rest.into())
            }
            other => other,
        };
        Act { kind, origin }
    }

    /// Moves the leading conjuncts of a predicate into `guards` and returns the rest.
    fn take_conjuncts(&mut self, body: Node, guards: &mut Guards) -> Node {
        let Node { kind, origin } = body;
        let Kind::And(items) = kind else { return Node { kind, origin } };
        let mut rest = Vec::new();
        for item in items {
            if rest.is_empty() && self.admit(&item, guards) {
                guards.nodes.push(item);
            } else {
                rest.push(item);
            }
        }
        Node { kind: Kind::And(rest.into()), origin }
    }

    /// Moves the left side of an `=>` below `\A` into `guards` and returns the right side.
    fn take_antecedent(&mut self, body: Node, guards: &mut Guards) -> Node {
        let Node { kind, origin } = body;
        match kind {
            Kind::Implies(pair) => {
                let [condition, consequent] = *pair;
                if self.admit(&condition, guards) {
                    guards.nodes.push(condition);
                    consequent
                } else {
                    Node { kind: Kind::Implies(Box::new([condition, consequent])), origin }
                }
            }
            kind => Node { kind, origin },
        }
    }

    /// Replaces the set of a bound by the elements that satisfy the guards.
    fn narrowed(&mut self, bound: Bound, guards: Guards, span: Span) -> Bound {
        let Guards { slot, scopes, nodes, mut free } = guards;
        if nodes.is_empty() {
            return bound;
        }
        let mut body = self.node(Kind::And(nodes.into()), span);
        if !scopes.is_empty() {
            body = self.node(Kind::Scope(scopes.into(), Box::new(body)), span);
        }
        let names = bound.names.clone();
        let inner = Bound { names, target: Target::Slots(Box::new([slot])), set: bound.set };
        let filter = Binder { bounds: Box::new([inner]), body };
        let filter = self.node(Kind::Filter(Box::new(filter)), span);
        free.loops = true;
        let set = self.economize(filter, &free, span);
        self.deps.insert(set.origin, Rc::new(free));
        Bound { names: bound.names, target: bound.target, set }
    }
}
