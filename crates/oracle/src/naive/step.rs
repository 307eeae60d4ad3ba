//! Initial states and successors, in TLC's order and with TLC's repetitions.
//!
//! A predicate is worked through from left to right. As long as a variable has no value, each disjunct is a branch of
//! its own, and so is each element of the set of a `\E`. Once all variables have values, the rest of the predicate is
//! only evaluated.

use std::rc::Rc;

use super::env::{Env, Item};
use super::eval::{Evaluator, Frame, Partial, with_defs};
use super::library;
use crate::model::{Binary, Expr};
use crate::value::{Error, Value, equal};

/// Why an enumeration ended early.
#[derive(Debug)]
pub enum Halt {
    /// An expression has no value.
    Error(Error),
    /// The caller wants no more states.
    Stop,
}

impl From<Error> for Halt {
    fn from(error: Error) -> Halt {
        Halt::Error(error)
    }
}

/// Which variables get values.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// Those of the first state.
    Init,
    /// Those of the second state.
    Next,
}

/// The predicates that are left to work through, the next one first.
#[derive(Clone, Default)]
struct Rest<'m>(Option<Rc<(Pending<'m>, Rest<'m>)>>);

#[derive(Clone)]
enum Pending<'m> {
    Predicate(&'m Expr, Env<'m>),
    Unchanged(&'m str),
}

/// Takes the states one by one.
pub type Emit<'e> = &'e mut dyn FnMut(&Partial) -> Result<(), Halt>;

/// One enumeration.
#[derive(Clone, Copy)]
struct Walk<'w, 'm> {
    of: &'w Evaluator<'m>,
    mode: Mode,
    from: &'w [Option<Value>],
    mapping: Option<&'m [(String, Expr)]>,
}

impl<'m> Evaluator<'m> {
    /// Calls `emit` with all states that a predicate allows. These are initial states, or successors of `from`.
    pub fn states(
        &self,
        mode: Mode,
        pred: &'m Expr,
        env: &Env<'m>,
        from: &[Option<Value>],
        mapping: Option<&'m [(String, Expr)]>,
        emit: Emit<'_>,
    ) -> Result<(), Halt> {
        let walk = Walk { of: self, mode, from, mapping };
        let empty = vec![None; self.model.behaviors.variables.len()];
        walk.enter(pred, env, &Rest::default(), &empty, emit)
    }

    /// Whether an action has a successor. With `changed`, the successor must change one of these variables.
    pub fn enabled(
        &self,
        action: &'m Expr,
        env: &Env<'m>,
        frame: Frame<'_, 'm>,
        changed: Option<&[String]>,
    ) -> Result<bool, Error> {
        let mut found = false;
        let mut emit = |next: &Partial| {
            let step = Frame { second: next, ..frame };
            if self.changes(changed, step)? {
                found = true;
                return Err(Halt::Stop);
            }
            Ok(())
        };
        match self.states(Mode::Next, action, env, frame.first, frame.mapping, &mut emit) {
            Err(Halt::Error(error)) => Err(error),
            _ => Ok(found),
        }
    }

    /// Whether a step changes one of these variables. True if `names` is `None`.
    pub fn changes(&self, names: Option<&[String]>, frame: Frame<'_, 'm>) -> Result<bool, Error> {
        let Some(names) = names else { return Ok(true) };
        for name in names {
            if !equal(&self.variable(name, frame, false)?, &self.variable(name, frame, true)?)? {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

impl<'m> Walk<'_, 'm> {
    fn frame<'s>(&'s self, state: &'s Partial) -> Frame<'s, 'm> {
        match self.mode {
            Mode::Init => Frame { first: state, second: &[], mapping: self.mapping },
            Mode::Next => Frame { first: self.from, second: state, mapping: self.mapping },
        }
    }

    /// Works through the predicates that are left.
    fn go_on(&self, rest: &Rest<'m>, state: &Partial, emit: Emit<'_>) -> Result<(), Halt> {
        let Some(link) = &rest.0 else { return emit(state) };
        let (pending, rest) = &**link;
        match pending {
            Pending::Unchanged(name) => self.unchanged(name, rest, state, emit),
            Pending::Predicate(pred, env) if state.iter().all(Option::is_some) => {
                if self.of.holds(pred, env, self.frame(state))? {
                    self.go_on(rest, state, emit)?;
                }
                Ok(())
            }
            Pending::Predicate(pred, env) => self.enter(pred, env, rest, state, emit),
        }
    }

    fn unchanged(&self, name: &str, rest: &Rest<'m>, state: &Partial, emit: Emit<'_>) -> Result<(), Halt> {
        let old = self.of.variable(name, self.frame(state), false)?;
        self.assign(self.variable(name), &old, rest, state, emit)
    }

    /// The index of the variable that a name of the module stands for. `None` if it stands for an expression.
    fn variable(&self, name: &str) -> Option<usize> {
        match self.mapping {
            None => self.of.place(name).ok(),
            Some(mapping) => match mapping.iter().find(|(known, _)| known == name) {
                Some((_, Expr::Var(concrete))) => self.of.place(concrete).ok(),
                _ => None,
            },
        }
    }

    /// Gives a variable a value. If it has one already, compares the two.
    fn assign(
        &self,
        place: Option<usize>,
        value: &Value,
        rest: &Rest<'m>,
        state: &Partial,
        emit: Emit<'_>,
    ) -> Result<(), Halt> {
        let place = place.ok_or_else(|| "an expression cannot be given a value".to_owned())?;
        match &state[place] {
            Some(known) => {
                if equal(known, value)? {
                    self.go_on(rest, state, emit)?;
                }
                Ok(())
            }
            None => {
                let mut state = state.clone();
                state[place] = Some(value.clone());
                self.go_on(rest, &state, emit)
            }
        }
    }

    /// The variable on the left side of a predicate, if it is one that gets a value.
    fn target(&self, left: &Expr) -> Option<usize> {
        match (self.mode, left) {
            (Mode::Init, Expr::Var(name)) | (Mode::Next, Expr::Primed(name)) => self.variable(name),
            _ => None,
        }
    }

    fn enter(
        &self,
        pred: &'m Expr,
        env: &Env<'m>,
        rest: &Rest<'m>,
        state: &Partial,
        emit: Emit<'_>,
    ) -> Result<(), Halt> {
        let eval = |expr: &'m Expr| self.of.eval(expr, env, self.frame(state));
        match pred {
            Expr::And(items) => match items.split_first() {
                None => self.go_on(rest, state, emit),
                Some((first, others)) => {
                    let mut rest = rest.clone();
                    for other in others.iter().rev() {
                        rest = rest.after(Pending::Predicate(other, env.clone()));
                    }
                    self.enter(first, env, &rest, state, emit)
                }
            },
            Expr::Or(items) => {
                for item in items {
                    self.enter(item, env, rest, state, emit)?;
                }
                Ok(())
            }
            Expr::Quant(false, bounds, body) => {
                for inside in self.of.contexts(bounds, env, self.frame(state))? {
                    self.enter(body, &inside, rest, state, emit)?;
                }
                Ok(())
            }
            Expr::Quant(true, bounds, body) => {
                let contexts = self.of.contexts(bounds, env, self.frame(state))?;
                let Some((first, others)) = contexts.split_first() else {
                    return self.go_on(rest, state, emit);
                };
                // TLC takes the first element, and then the others beginning with the last.
                let mut rest = rest.clone();
                for other in others {
                    rest = rest.after(Pending::Predicate(body, other.clone()));
                }
                self.enter(body, first, &rest, state, emit)
            }
            Expr::If(test, yes, no) => {
                let branch = if eval(test)?.truth()? { yes } else { no };
                self.enter(branch, env, rest, state, emit)
            }
            Expr::Case(arms, other) => {
                let arm = self.of.arm(arms, other.as_deref(), env, self.frame(state))?;
                self.enter(arm, env, rest, state, emit)
            }
            Expr::Let(defs, body) => self.enter(body, &with_defs(defs, env), rest, state, emit),
            Expr::Binary(Binary::Implies, left, right) => {
                if eval(left)?.truth()? {
                    self.enter(right, env, rest, state, emit)
                } else {
                    self.go_on(rest, state, emit)
                }
            }
            Expr::Binary(op @ (Binary::Eq | Binary::In | Binary::SubsetEq), left, right) => {
                let Some(place) = self.target(left) else { return self.test(pred, env, rest, state, emit) };
                let right = eval(right)?;
                match (op, &state[place]) {
                    (Binary::Eq, _) => self.assign(Some(place), &right, rest, state, emit),
                    (_, Some(_)) => self.test(pred, env, rest, state, emit),
                    (Binary::In, None) => self.assign_each(place, right.elements()?, rest, state, emit),
                    (_, None) => {
                        let subsets = library::subsets(right.elements()?)?;
                        self.assign_each(place, subsets.elements()?, rest, state, emit)
                    }
                }
            }
            // TLC also works through the body of a function that is applied where it is written, but not for initial
            // states.
            Expr::Apply(function, argument)
                if self.mode == Mode::Next
                    && let Expr::Fun(bounds, body) = &**function
                    && let [(name, domain)] = bounds.as_slice() =>
            {
                let argument = eval(argument)?;
                if !library::member(&argument, &eval(domain)?)? {
                    return Err(Halt::Error("an argument outside of the domain".to_owned()));
                }
                self.enter(body, &env.with_value(name, argument), rest, state, emit)
            }
            Expr::Unchanged(names) => {
                let mut rest = rest.clone();
                for name in names.iter().rev() {
                    rest = rest.after(Pending::Unchanged(name));
                }
                self.go_on(&rest, state, emit)
            }
            Expr::Call(name, args) if !library::NAMES.contains(&name.as_str()) => {
                let (body, inside) = self.of.enter(name, args, env)?;
                self.enter(body, &inside, rest, state, emit)
            }
            Expr::Name(name) => match env.get(name) {
                Some(Item::Later(expr, around)) => self.enter(expr, &around.clone(), rest, state, emit),
                Some(Item::Def(def, around)) if def.function.is_none() => {
                    self.enter(&def.body, &around.clone(), rest, state, emit)
                }
                None if self.of.constant(name).is_none() => {
                    let (body, inside) = self.of.enter(name, &[], env)?;
                    self.enter(body, &inside, rest, state, emit)
                }
                _ => self.test(pred, env, rest, state, emit),
            },
            _ => self.test(pred, env, rest, state, emit),
        }
    }

    /// Goes on with the rest if a predicate holds.
    fn test(
        &self,
        pred: &'m Expr,
        env: &Env<'m>,
        rest: &Rest<'m>,
        state: &Partial,
        emit: Emit<'_>,
    ) -> Result<(), Halt> {
        if self.of.holds(pred, env, self.frame(state))? {
            self.go_on(rest, state, emit)?;
        }
        Ok(())
    }

    fn assign_each(
        &self,
        place: usize,
        values: &[Value],
        rest: &Rest<'m>,
        state: &Partial,
        emit: Emit<'_>,
    ) -> Result<(), Halt> {
        for value in values {
            self.assign(Some(place), value, rest, state, emit)?;
        }
        Ok(())
    }
}

impl<'m> Rest<'m> {
    fn after(self, first: Pending<'m>) -> Rest<'m> {
        Rest(Some(Rc::new((first, self))))
    }
}
