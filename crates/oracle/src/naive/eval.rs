//! Evaluates expressions by their definitions.

use std::cell::Cell;

use super::env::{Env, Item};
use super::library;
use super::operators::{binary, unary};
use crate::model::{Binary, Constant, Def, Expr, Model, Step};
use crate::value::{Error, Value, equal};

/// A state of which some variables may have no value yet.
pub type Partial = Vec<Option<Value>>;

/// A model whose expressions can be evaluated.
pub struct Evaluator<'m> {
    /// The model.
    pub model: &'m Model,
    /// Strings and fields, in TLC's order.
    pub strings: Vec<&'m str>,
    /// Model values, in TLC's order.
    pub models: Vec<&'m str>,
    /// The effort that is left.
    left: Cell<u64>,
}

/// The states in which an expression is evaluated.
#[derive(Clone, Copy)]
pub struct Frame<'a, 'm> {
    /// The first state.
    pub first: &'a [Option<Value>],
    /// The second state.
    pub second: &'a [Option<Value>],
    /// The expressions that replace the variables of the abstract module. `None` outside of that module.
    pub mapping: Option<&'m [(String, Expr)]>,
}

impl<'m> Evaluator<'m> {
    /// Makes an evaluator. Names are ordered as in TLC: those of the configuration, then fields, which are words of the
    /// module, then strings.
    pub fn new(model: &'m Model, effort_max: u64) -> Self {
        let mut strings: Vec<&str> = Vec::new();
        let mut models: Vec<&str> = Vec::new();
        for (name, constant) in &model.constants {
            match constant {
                Constant::Str(text) => strings.push(text),
                Constant::Model => models.push(name),
                Constant::Models(names) => models.extend(names.iter().map(String::as_str)),
                Constant::Int(_) | Constant::Ints(_) => {}
            }
        }
        for name in model.fields.iter().chain(&model.strings) {
            if !strings.contains(&name.as_str()) {
                strings.push(name);
            }
        }
        Evaluator { model, strings, models, left: Cell::new(effort_max) }
    }

    /// Spends effort. An evaluation costs 1. Fails when nothing is left.
    pub fn spend(&self, effort: u64) -> Result<(), Error> {
        self.left.set(self.left.get().saturating_sub(effort));
        if self.exhausted() { Err("this takes too long".to_owned()) } else { Ok(()) }
    }

    /// Whether no effort is left.
    pub fn exhausted(&self) -> bool {
        self.left.get() == 0
    }

    /// The value of a string.
    pub fn string(&self, text: &str) -> Result<Value, Error> {
        let place = self.strings.iter().position(|known| *known == text);
        place.map(Value::Str).ok_or_else(|| format!("the string {text} is not listed"))
    }

    /// The value of a constant of the configuration. `None` if there is no such constant.
    pub fn constant(&self, name: &str) -> Option<Result<Value, Error>> {
        let (_, constant) = self.model.constants.iter().find(|(known, _)| known == name)?;
        let model_value = |name: &str| {
            let place = self.models.iter().position(|known| *known == name);
            Value::Model(place.unwrap_or_default())
        };
        Some(match constant {
            Constant::Int(number) => Ok(Value::Int(*number)),
            Constant::Str(text) => self.string(text),
            Constant::Model => Ok(model_value(name)),
            Constant::Ints(numbers) => Value::set(numbers.iter().copied().map(Value::Int).collect()),
            Constant::Models(names) => Value::set(names.iter().map(|name| model_value(name)).collect()),
        })
    }

    /// Whether a predicate holds.
    pub fn holds(&self, expr: &'m Expr, env: &Env<'m>, frame: Frame<'_, 'm>) -> Result<bool, Error> {
        self.eval(expr, env, frame)?.truth()
    }

    /// The value of an expression.
    pub fn eval(&self, expr: &'m Expr, env: &Env<'m>, frame: Frame<'_, 'm>) -> Result<Value, Error> {
        self.spend(1)?;
        let eval = |expr: &'m Expr| self.eval(expr, env, frame);
        let each = |exprs: &'m [Expr]| exprs.iter().map(eval).collect::<Result<Vec<Value>, Error>>();
        match expr {
            Expr::Bool(truth) => Ok(Value::Bool(*truth)),
            Expr::Int(number) => Ok(Value::Int(*number)),
            Expr::Str(text) => self.string(text),
            Expr::Name(name) => self.name(name, env, frame),
            Expr::Var(name) => self.variable(name, frame, false),
            Expr::Primed(name) => self.variable(name, frame, true),
            Expr::At => self.name("@", env, frame),
            Expr::Unary(op, of) => unary(*op, eval(of)?),
            Expr::Binary(op, left, right) => match op {
                Binary::Implies => Ok(Value::Bool(!eval(left)?.truth()? || eval(right)?.truth()?)),
                _ => binary(*op, eval(left)?, eval(right)?),
            },
            Expr::And(items) => {
                for item in items {
                    if !eval(item)?.truth()? {
                        return Ok(Value::Bool(false));
                    }
                }
                Ok(Value::Bool(true))
            }
            Expr::Or(items) => {
                for item in items {
                    if eval(item)?.truth()? {
                        return Ok(Value::Bool(true));
                    }
                }
                Ok(Value::Bool(false))
            }
            Expr::If(test, yes, no) => eval(if eval(test)?.truth()? { yes } else { no }),
            Expr::Case(arms, other) => eval(self.arm(arms, other.as_deref(), env, frame)?),
            Expr::Let(defs, body) => self.eval(body, &with_defs(defs, env), frame),
            Expr::Quant(all, bounds, body) => {
                for env in self.contexts(bounds, env, frame)? {
                    if self.holds(body, &env, frame)? != *all {
                        return Ok(Value::Bool(!all));
                    }
                }
                Ok(Value::Bool(*all))
            }
            Expr::Choose(bound, body) => {
                for item in eval(&bound.1)?.elements()? {
                    if self.holds(body, &env.with_value(&bound.0, item.clone()), frame)? {
                        return Ok(item.clone());
                    }
                }
                Err("CHOOSE from none".to_owned())
            }
            Expr::Set(items) => Value::set(each(items)?),
            Expr::Filter(bound, body) => {
                let mut kept = Vec::new();
                for item in eval(&bound.1)?.elements()? {
                    if self.holds(body, &env.with_value(&bound.0, item.clone()), frame)? {
                        kept.push(item.clone());
                    }
                }
                Ok(Value::Set(kept))
            }
            Expr::Map(body, bounds) => {
                let contexts = self.contexts(bounds, env, frame)?;
                let items: Result<Vec<_>, _> =
                    contexts.iter().map(|env| self.eval(body, env, frame)).collect();
                Value::set(items?)
            }
            Expr::Fun(bounds, body) => self.function(bounds, body, env, frame),
            Expr::FunSet(from, to) => {
                let (from, to) = (eval(from)?, eval(to)?);
                library::functions(from.elements()?, to.elements()?)
            }
            Expr::Rec(fields) => {
                let pairs: Result<Vec<_>, Error> =
                    fields.iter().map(|(name, value)| Ok((self.string(name)?, eval(value)?))).collect();
                Value::function(pairs?)
            }
            Expr::RecSet(fields) => {
                let sets: Result<Vec<_>, Error> =
                    fields.iter().map(|(name, set)| Ok((self.string(name)?, eval(set)?))).collect();
                library::choices(&sets?)
            }
            Expr::Tuple(items) => Ok(Value::tuple(each(items)?)),
            Expr::Product(left, right) => {
                library::choices(&[(Value::Int(1), eval(left)?), (Value::Int(2), eval(right)?)])
            }
            Expr::Apply(function, argument) => self.apply(function, argument, env, frame),
            Expr::Field(record, name) => {
                let record = eval(record)?;
                record.apply(&self.string(name)?)?.cloned().ok_or_else(|| format!("no field {name}"))
            }
            Expr::Except(function, changes) => {
                let mut result = eval(function)?;
                for (path, new) in changes {
                    let path: Result<Vec<Value>, Error> = path
                        .iter()
                        .map(|step| match step {
                            Step::Index(index) => eval(index),
                            Step::Field(name) => self.string(name),
                        })
                        .collect();
                    result = self.change(result, &path?, new, env, frame)?;
                }
                Ok(result)
            }
            Expr::Call(name, args) => self.call(name, args, env, frame),
            Expr::Lambda(..) => Err("a LAMBDA is no value".to_owned()),
            Expr::Unchanged(names) => {
                for name in names {
                    if !equal(&self.variable(name, frame, false)?, &self.variable(name, frame, true)?)? {
                        return Ok(Value::Bool(false));
                    }
                }
                Ok(Value::Bool(true))
            }
            Expr::Enabled(action) => Ok(Value::Bool(self.enabled(action, env, frame, None)?)),
        }
    }

    /// The branch of a CASE whose guard is true, or OTHER.
    pub fn arm(
        &self,
        arms: &'m [(Expr, Expr)],
        other: Option<&'m Expr>,
        env: &Env<'m>,
        frame: Frame<'_, 'm>,
    ) -> Result<&'m Expr, Error> {
        for (guard, value) in arms {
            if self.holds(guard, env, frame)? {
                return Ok(value);
            }
        }
        other.ok_or_else(|| "CASE without a true guard".to_owned())
    }

    /// All ways to bind names to elements of their sets. The first name changes fastest, as in TLC.
    pub fn contexts(
        &self,
        bounds: &'m [(String, Expr)],
        env: &Env<'m>,
        frame: Frame<'_, 'm>,
    ) -> Result<Vec<Env<'m>>, Error> {
        let sets: Result<Vec<Value>, Error> =
            bounds.iter().map(|(_, set)| self.eval(set, env, frame)).collect();
        let mut contexts = vec![env.clone()];
        for ((name, _), set) in bounds.iter().zip(sets?) {
            let items = set.elements()?.to_vec();
            contexts = items
                .iter()
                .flat_map(|item| contexts.iter().map(|env| env.with_value(name, item.clone())))
                .collect();
        }
        Ok(contexts)
    }

    /// A variable's value in one of the two states.
    pub fn variable(&self, name: &str, frame: Frame<'_, 'm>, primed: bool) -> Result<Value, Error> {
        if let Some(mapping) = frame.mapping {
            let stands = mapping.iter().find(|(known, _)| known == name);
            let (_, expr) = stands.ok_or_else(|| format!("nothing stands for {name}"))?;
            // The mapping gives a state function of the concrete module, to be evaluated in one of the two states.
            let state = if primed { frame.second } else { frame.first };
            let frame = Frame { first: state, second: &[], mapping: None };
            return self.eval(expr, &Env::default(), frame);
        }
        let place = self.place(name)?;
        let state = if primed { frame.second } else { frame.first };
        state.get(place).cloned().flatten().ok_or_else(|| format!("{name} has no value"))
    }

    /// The index of a variable in a state.
    pub fn place(&self, name: &str) -> Result<usize, Error> {
        let variables = &self.model.behaviors.variables;
        variables.iter().position(|known| known == name).ok_or_else(|| format!("no variable {name}"))
    }

    fn name(&self, name: &'m str, env: &Env<'m>, frame: Frame<'_, 'm>) -> Result<Value, Error> {
        match env.get(name) {
            Some(Item::Value(value)) => Ok(value.clone()),
            Some(Item::Later(expr, env)) => self.eval(expr, env, frame),
            Some(Item::Def(def, around)) => self.defined(def, &around.clone(), frame),
            Some(Item::Operator(..)) => Err(format!("{name} is an operator")),
            None if name == "BOOLEAN" => Value::set(vec![Value::Bool(false), Value::Bool(true)]),
            None => match self.constant(name) {
                Some(value) => value,
                None => self.defined(self.global(name)?, &Env::default(), frame),
            },
        }
    }

    fn global(&self, name: &str) -> Result<&'m Def, Error> {
        let def = self.model.defs.iter().find(|def| def.name == name);
        def.ok_or_else(|| format!("{name} is not defined"))
    }

    /// The value of a definition without parameters.
    fn defined(&self, def: &'m Def, around: &Env<'m>, frame: Frame<'_, 'm>) -> Result<Value, Error> {
        match &def.function {
            None => self.eval(&def.body, around, frame),
            Some(bound) => {
                self.function(std::slice::from_ref(bound), &def.body, &around.with_def(def), frame)
            }
        }
    }

    fn function(
        &self,
        bounds: &'m [(String, Expr)],
        body: &'m Expr,
        env: &Env<'m>,
        frame: Frame<'_, 'm>,
    ) -> Result<Value, Error> {
        let mut pairs = Vec::new();
        for context in self.contexts(bounds, env, frame)? {
            let arguments: Result<Vec<Value>, Error> =
                bounds.iter().map(|(name, _)| self.name(name, &context, frame)).collect();
            let mut arguments = arguments?;
            let argument = if bounds.len() == 1 { arguments.remove(0) } else { Value::tuple(arguments) };
            pairs.push((argument, self.eval(body, &context, frame)?));
        }
        Value::function(pairs)
    }

    /// Applies a function. A recursive function is evaluated at this argument only.
    fn apply(
        &self,
        function: &'m Expr,
        argument: &'m Expr,
        env: &Env<'m>,
        frame: Frame<'_, 'm>,
    ) -> Result<Value, Error> {
        let outside = || "an argument outside of the domain".to_owned();
        if let Expr::Name(name) = function
            && let Some(Item::Def(def, around)) = env.get(name)
            && let Some((parameter, domain)) = &def.function
        {
            let argument = self.eval(argument, env, frame)?;
            if !library::member(&argument, &self.eval(domain, around, frame)?)? {
                return Err(outside());
            }
            let inside = around.with_def(def).with_value(parameter, argument);
            return self.eval(&def.body, &inside, frame);
        }
        let function = self.eval(function, env, frame)?;
        let argument = self.eval(argument, env, frame)?;
        function.apply(&argument)?.cloned().ok_or_else(outside)
    }

    /// EXCEPT at one path. Changes nothing if the path leaves the domain.
    fn change(
        &self,
        value: Value,
        path: &[Value],
        new: &'m Expr,
        env: &Env<'m>,
        frame: Frame<'_, 'm>,
    ) -> Result<Value, Error> {
        let Some((step, rest)) = path.split_first() else {
            return self.eval(new, &env.with_value("@", value), frame);
        };
        let Some(old) = value.apply(step)?.cloned() else { return Ok(value) };
        let changed = self.change(old, rest, new, env, frame)?;
        let Value::Fun(mut pairs) = value else { return Err("EXCEPT of no function".to_owned()) };
        for pair in &mut pairs {
            if equal(&pair.0, step)? {
                pair.1 = changed.clone();
            }
        }
        Ok(Value::Fun(pairs))
    }

    fn call(
        &self,
        name: &'m str,
        args: &'m [Expr],
        env: &Env<'m>,
        frame: Frame<'_, 'm>,
    ) -> Result<Value, Error> {
        if library::NAMES.contains(&name) {
            let values: Result<Vec<Value>, Error> =
                args.iter().map(|arg| self.eval(arg, env, frame)).collect();
            return library::call(name, &values?);
        }
        let (body, inside) = self.enter(name, args, env)?;
        self.eval(body, &inside, frame)
    }

    /// The body of an operator, and the names that it sees.
    pub fn enter(
        &self,
        name: &'m str,
        args: &'m [Expr],
        env: &Env<'m>,
    ) -> Result<(&'m Expr, Env<'m>), Error> {
        match env.get(name) {
            Some(Item::Operator(params, body, around)) => {
                let mut inside = around.clone();
                for (param, arg) in params.iter().zip(args) {
                    inside = inside.with(param, Item::Later(arg, env.clone()));
                }
                Ok((body, inside))
            }
            Some(Item::Def(def, around)) => Ok((&def.body, bind(def, args, env, around.clone()))),
            _ => {
                if let Some(action) = self.model.behaviors.actions.iter().find(|one| one.name == name) {
                    let mut inside = Env::default();
                    for ((param, _), arg) in action.params.iter().zip(args) {
                        inside = inside.with(param, Item::Later(arg, env.clone()));
                    }
                    return Ok((&action.body, inside));
                }
                let def = self.global(name)?;
                Ok((&def.body, bind(def, args, env, Env::default())))
            }
        }
    }
}

/// The names that the body of a LET sees.
pub fn with_defs<'m>(defs: &'m [Def], env: &Env<'m>) -> Env<'m> {
    defs.iter().fold(env.clone(), |env, def| env.with_def(def))
}

/// The names that the body of an operator sees. Arguments are evaluated where they are used.
fn bind<'m>(def: &'m Def, args: &'m [Expr], env: &Env<'m>, mut inside: Env<'m>) -> Env<'m> {
    for ((param, arity), arg) in def.params.iter().zip(args) {
        let item = match arg {
            Expr::Lambda(params, body) if *arity > 0 => Item::Operator(params, body, env.clone()),
            _ => Item::Later(arg, env.clone()),
        };
        inside = inside.with(param, item);
    }
    inside
}
