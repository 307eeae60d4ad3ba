//! Random temporal formulas, fairness conditions and abstract modules.

use super::action::Module;
use super::expr::Maker;
use super::types::Type;
use crate::model::{Abstraction, Behaviors, Binary, Expr, Fairness, Temporal};

/// The most temporal operators in a formula. With more of them, the naive search would be too slow.
const PARTS_MAX: usize = 5;

fn n_parts(formula: &Temporal) -> usize {
    match formula {
        Temporal::State(_) => 0,
        Temporal::Always(f) | Temporal::Eventually(f) => 1 + n_parts(f),
        Temporal::LeadsTo(f, g) => 2 + n_parts(f) + n_parts(g),
        Temporal::Not(f) => n_parts(f),
        Temporal::And(f, g) | Temporal::Or(f, g) | Temporal::Implies(f, g) => n_parts(f) + n_parts(g),
        Temporal::OftenStep(_) | Temporal::AtLastSteps(_) => 1,
        Temporal::Fair(_) => 2,
    }
}

impl Maker {
    /// A state predicate that names a variable. TLC refuses constant ones.
    pub fn about_variables(&mut self, module: &Module) -> Expr {
        let guard = self.guard(&module.state_scope());
        if matches!(&guard, Expr::Binary(_, left, _) if matches!(**left, Expr::Var(_))) {
            return guard;
        }
        let about = self.predicate(module);
        Expr::Or(vec![guard, about])
    }

    /// A state predicate as a part of a temporal formula. It is no IF or LET, because TLC would take those apart and
    /// evaluate each branch.
    fn atom(&mut self, module: &Module) -> Temporal {
        Temporal::State(match self.predicate(module) {
            simple @ Expr::Binary(..) => simple,
            other => Expr::binary(Binary::Eq, other, Expr::Bool(true)),
        })
    }

    /// A comparison with a variable, sometimes joined with another predicate.
    pub fn predicate(&mut self, module: &Module) -> Expr {
        let Some((name, of)) = self.pick(&module.variables) else { return Expr::Bool(true) };
        let scope = module.state_scope();
        let variable = Expr::Var(name);
        let other = if self.one_in(2) { self.literal(&of) } else { self.expr(&of, &scope, 2, false) };
        let compared = match self.rng.below(3) {
            0 => Expr::binary(Binary::Ne, variable, other),
            _ => Expr::binary(Binary::Eq, variable, other),
        };
        match self.rng.below(3) {
            0 => Expr::Or(vec![compared, self.expr(&Type::Bool, &scope, 2, false)]),
            1 => Expr::And(vec![compared, self.expr(&Type::Bool, &scope, 2, false)]),
            _ => compared,
        }
    }

    /// A fairness condition on an action or on all actions.
    pub fn fairness(&mut self, behaviors: &Behaviors) -> Fairness {
        let action = (!self.one_in(4)).then(|| self.rng.below(behaviors.actions.len()));
        // The naive search tries all combinations of truth values of the conditions, so there must be few conditions.
        let few = |number: usize| match behaviors.actions[number].params.as_slice() {
            [(_, Expr::Name(_))] => true,
            [(_, Expr::Set(items))] => items.len() < 3,
            _ => false,
        };
        let each = action.is_some_and(few) && self.one_in(2);
        Fairness { strong: self.one_in(2), action, each }
    }

    /// A formula that TLC checks as one temporal property, and not as an invariant or as two properties.
    pub fn temporal_property(&mut self, module: &Module, behaviors: &Behaviors) -> Temporal {
        let mut formula = self.temporal(module, behaviors, 2);
        while n_parts(&formula) > PARTS_MAX {
            formula = self.temporal(module, behaviors, 1);
        }
        match formula {
            // Without temporal operators, the formula would be about initial states.
            plain if n_parts(&plain) == 0 => Temporal::Eventually(Box::new(plain)),
            Temporal::Always(inner) if matches!(*inner, Temporal::State(_)) => {
                Temporal::Eventually(Box::new(Temporal::Always(inner)))
            }
            Temporal::And(a, b) => Temporal::Or(a, b),
            other => other,
        }
    }

    fn temporal(&mut self, module: &Module, behaviors: &Behaviors, depth: usize) -> Temporal {
        let state = |maker: &mut Maker| Box::new(maker.atom(module));
        let always = |of: Box<Temporal>| Box::new(Temporal::Always(of));
        let eventually = |of: Box<Temporal>| Box::new(Temporal::Eventually(of));
        if depth == 0 {
            return match self.rng.below(4) {
                0 => self.atom(module),
                1 => Temporal::Always(eventually(state(self))),
                2 => Temporal::Eventually(state(self)),
                _ => Temporal::Always(state(self)),
            };
        }
        let inner = |maker: &mut Maker| Box::new(maker.temporal(module, behaviors, depth - 1));
        match self.rng.below(13) {
            0 => Temporal::Always(eventually(state(self))),
            1 => Temporal::Eventually(always(state(self))),
            2 | 3 => Temporal::LeadsTo(state(self), state(self)),
            4 => Temporal::Eventually(state(self)),
            5 => {
                let (from, to) = (state(self), eventually(state(self)));
                Temporal::Always(Box::new(Temporal::Implies(from, to)))
            }
            6 => Temporal::And(inner(self), inner(self)),
            7 => Temporal::Or(inner(self), inner(self)),
            8 => Temporal::Implies(inner(self), inner(self)),
            9 => Temporal::Not(inner(self)),
            10 => {
                let action = self.step_predicate(module);
                if self.one_in(2) { Temporal::OftenStep(action) } else { Temporal::AtLastSteps(action) }
            }
            11 => Temporal::Fair(Fairness { each: false, ..self.fairness(behaviors) }),
            _ => {
                // Deeper nesting is for state predicates only, because TLC accepts actions in few places.
                let deep =
                    Temporal::Eventually(Box::new(Temporal::And(state(self), eventually(state(self)))));
                if self.one_in(2) { deep } else { Temporal::Always(Box::new(deep)) }
            }
        }
    }

    /// A comparison with a variable after a step.
    pub fn step_predicate(&mut self, module: &Module) -> Expr {
        let Some((name, of)) = self.pick(&module.variables) else { return Expr::Bool(true) };
        let value = self.expr(&of, &module.step_scope(), 2, false);
        let op = if self.one_in(2) { Binary::Ne } else { Binary::Eq };
        Expr::binary(op, Expr::Primed(name), value)
    }

    /// An abstract module, and a mapping of its variables to variables or state functions of this module.
    pub fn abstraction(&mut self, module: &Module, live: bool) -> Abstraction {
        let plain = live || self.one_in(2);
        let mut mapping = Vec::new();
        let mut second =
            Module { variables: Vec::new(), constants: module.constants.clone(), operators: Vec::new() };
        let mut concrete = module.variables.clone();
        self.rng.shuffle(&mut concrete);
        concrete.truncate(2);
        for (number, (name, of)) in concrete.into_iter().enumerate() {
            let abstract_name = format!("abs{number}");
            let (stands, of) = if plain {
                (Expr::Var(name), of)
            } else {
                let of = self.small_type();
                (self.expr(&of, &module.state_scope(), 2, true), of)
            };
            second.variables.push((abstract_name.clone(), of));
            mapping.push((abstract_name, stands));
        }
        let mut behaviors = self.behaviors(&second, "Abs");
        self.permit(&mut behaviors, &second);
        if live && plain {
            let condition = self.fairness(&behaviors);
            behaviors.fairness.push(condition);
        }
        Abstraction { behaviors, mapping }
    }

    /// Makes an abstract module allow more, so that some refinements hold.
    fn permit(&mut self, behaviors: &mut Behaviors, module: &Module) {
        let anything = |maker: &mut Maker, primed: bool| {
            let all = module.variables.iter().map(|(name, of)| {
                let variable = if primed { Expr::Primed(name.clone()) } else { Expr::Var(name.clone()) };
                Expr::binary(Binary::In, variable, of.universe(&maker.stock))
            });
            Expr::And(all.collect())
        };
        if !self.one_in(4) {
            behaviors.init = anything(self, false);
        }
        if !self.one_in(3) {
            let body = anything(self, true);
            let number = self.rng.below(behaviors.actions.len());
            let guard = self.expr(&Type::Bool, &module.state_scope(), 2, false);
            let guard = if self.one_in(2) { Expr::Bool(true) } else { guard };
            behaviors.actions[number].params = Vec::new();
            behaviors.actions[number].body = Expr::And(vec![guard, body]);
        }
    }
}
