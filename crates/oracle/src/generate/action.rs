//! Random initial predicates and actions.

use super::expr::{Known, Maker, Operator, Scope};
use super::types::{LENGTH_MAX, Type};
use crate::model::{Action, Behaviors, Binary, Expr, Step, Unary};

/// The variables of a module, and the names that its expressions may use.
#[derive(Clone)]
pub struct Module {
    /// The variables with their types.
    pub variables: Vec<(String, Type)>,
    /// The constants that expressions may use.
    pub constants: Vec<Known>,
    /// The operators of the module.
    pub operators: Vec<Operator>,
}

impl Module {
    /// What a constant expression may use.
    pub fn constant_scope(&self) -> Scope {
        Scope { known: self.constants.clone(), operators: self.operators.clone(), reads: false, at: None }
    }

    /// What a state predicate may use.
    pub fn state_scope(&self) -> Scope {
        let mut scope = self.constant_scope();
        scope.reads = true;
        for (name, of) in &self.variables {
            // Each variable is listed twice, so that variables are used more often than constants.
            for _ in 0..2 {
                scope.known.push(Known { expr: Expr::Var(name.clone()), of: of.clone(), small: true });
            }
        }
        scope
    }

    /// What a predicate on steps may use once all variables have their next values.
    pub fn step_scope(&self) -> Scope {
        let mut scope = self.state_scope();
        for (name, of) in &self.variables {
            scope.known.push(Known { expr: Expr::Primed(name.clone()), of: of.clone(), small: true });
        }
        scope
    }
}

impl Maker {
    /// Random behaviors of a module. The names of actions start with `prefix`.
    pub fn behaviors(&mut self, module: &Module, prefix: &str) -> Behaviors {
        let n_actions = 1 + self.rng.below(5);
        Behaviors {
            variables: module.variables.iter().map(|(name, _)| name.clone()).collect(),
            init: self.init(module),
            actions: (0..n_actions).map(|number| self.action(module, format!("{prefix}{number}"))).collect(),
            fairness: Vec::new(),
        }
    }

    fn init(&mut self, module: &Module) -> Expr {
        let mut variables = module.variables.clone();
        self.rng.shuffle(&mut variables);
        let mut scope = module.constant_scope();
        scope.reads = false;
        let mut conjuncts = Vec::new();
        for (name, of) in variables {
            let variable = Expr::Var(name.clone());
            conjuncts.push(match self.rng.below(8) {
                0..=3 => Expr::binary(Binary::Eq, variable, self.literal(&of)),
                4..=6 => {
                    let some = (0..=self.rng.below(3)).map(|_| self.literal(&of)).collect();
                    Expr::binary(Binary::In, variable, Expr::Set(some))
                }
                _ => self.assign(variable, &of, &scope),
            });
            scope.known.push(Known { expr: Expr::Var(name), of, small: true });
        }
        if self.one_in(8) {
            conjuncts.push(self.guard(&scope));
        }
        Expr::And(conjuncts)
    }

    fn action(&mut self, module: &Module, name: String) -> Action {
        let mut scope = module.state_scope();
        let mut params = Vec::new();
        for _ in 0..self.rng.below(3).saturating_sub(usize::from(self.rng.below(2) == 0)) {
            let (param, of) = (self.fresh("p"), self.domain_type());
            // The sets of parameters are constant, so that a checker can make an action of each argument.
            let constant = module.constant_scope();
            let (set, small) =
                if self.one_in(3) { self.set(&of, &constant, 1) } else { (of.universe(&self.stock), true) };
            params.push((param.clone(), set));
            scope.known.push(Known { expr: Expr::Name(param), of, small });
        }
        let body = if self.one_in(6) {
            Expr::Or((0..2).map(|_| self.step(module, &scope)).collect())
        } else {
            self.step(module, &scope)
        };
        Action { name, params, body }
    }

    /// A conjunction that gives each variable its next value.
    pub fn step(&mut self, module: &Module, scope: &Scope) -> Expr {
        let mut scope = scope.clone();
        let mut conjuncts = Vec::new();
        if self.one_in(2) {
            conjuncts.push(self.guard(&scope));
        }
        let mut variables = module.variables.clone();
        self.rng.shuffle(&mut variables);
        let mut unchanged = Vec::new();
        for (number, (name, of)) in variables.into_iter().enumerate() {
            if number > 0 && self.one_in(3) {
                unchanged.push(name);
                continue;
            }
            let primed = Expr::Primed(name.clone());
            conjuncts.push(if self.one_in(3) {
                self.assign(primed, &of, &scope)
            } else {
                let next = self.advance(Expr::Var(name.clone()), &of, &scope);
                Expr::binary(Binary::Eq, primed, next)
            });
            scope.known.push(Known { expr: Expr::Primed(name), of, small: true });
            if self.one_in(8) {
                conjuncts.push(self.guard(&scope));
            }
        }
        if !unchanged.is_empty() {
            let place = if self.one_in(4) { 0 } else { conjuncts.len() };
            conjuncts.insert(place, Expr::Unchanged(unchanged));
        }
        Expr::And(conjuncts)
    }

    /// A Boolean expression. Most of them compare a variable.
    pub fn guard(&mut self, scope: &Scope) -> Expr {
        let variable = |known: &&Known| matches!(known.expr, Expr::Var(_) | Expr::Primed(_));
        let variables: Vec<Known> = scope.known.iter().filter(variable).cloned().collect();
        let about = if self.one_in(4) { self.pick(&scope.known) } else { self.pick(&variables) };
        match about {
            Some(known) if !self.one_in(4) => self.comparison(&known, scope),
            _ => self.expr(&Type::Bool, scope, 3, false),
        }
    }

    /// A comparison with something known. It is true more often than not.
    fn comparison(&mut self, known: &Known, scope: &Scope) -> Expr {
        let value = known.expr.clone();
        // Comparing a value with itself says nothing.
        let other = match self.expr(&known.of, scope, 2, false) {
            Expr::Var(_) | Expr::Primed(_) | Expr::Name(_) => self.literal(&known.of),
            other => other,
        };
        match self.rng.below(8) {
            0 => Expr::binary(Binary::Eq, value, other),
            1 | 2 => Expr::binary(Binary::Ne, value, other),
            6 | 7 => Expr::binary(Binary::Ne, value, self.literal(&known.of)),
            3 if known.of == Type::Int => {
                let other = self.expr(&Type::Int, scope, 2, false);
                Expr::binary(Binary::Le, value, other)
            }
            3 => {
                let few = (0..2).map(|_| self.literal(&known.of)).collect();
                Expr::binary(Binary::NotIn, value, Expr::Set(few))
            }
            4 => Expr::binary(Binary::In, value, self.set(&known.of, scope, 2).0),
            _ => {
                let other = Expr::binary(Binary::Eq, value, self.expr(&known.of, scope, 1, false));
                Expr::Or(vec![other, self.expr(&Type::Bool, scope, 2, false)])
            }
        }
    }

    /// A value near this one. With such steps, most modules have more than a handful of states.
    fn advance(&mut self, value: Expr, of: &Type, scope: &Scope) -> Expr {
        match of {
            Type::Bool => Expr::unary(Unary::Not, value),
            Type::Int => {
                let step = self.pick(&[1, 1, 2, -1]).unwrap_or(1);
                Expr::call("Clip", vec![Expr::binary(Binary::Add, value, Expr::Int(step))])
            }
            Type::Str | Type::Model(_) => {
                let name = self.fresh("c");
                let other = Expr::binary(Binary::Ne, Expr::name(&name), value);
                Expr::Choose(Box::new((name, of.universe(&self.stock))), Box::new(other))
            }
            Type::OrNil(inner) => {
                let test = Expr::binary(Binary::Eq, value, Expr::name("nil"));
                Expr::cond(test, self.expr(inner, scope, 2, true), Expr::name("nil"))
            }
            Type::Set(inner) => {
                let op = self.pick(&[Binary::Cup, Binary::Cup, Binary::Diff]).unwrap_or(Binary::Cup);
                Expr::binary(op, value, Expr::Set(vec![self.expr(inner, scope, 2, true)]))
            }
            Type::Pair(a, _) => {
                let path = vec![Step::Index(Expr::Int(1))];
                Expr::Except(Box::new(value), vec![(path, self.advance(Expr::At, a, scope))])
            }
            Type::Rec(fields) => {
                let Some((name, inner)) = self.pick(fields) else { return value };
                let new = self.advance(Expr::At, &inner, scope);
                Expr::Except(Box::new(value), vec![(vec![Step::Field(name)], new)])
            }
            Type::Fun(from, to) => {
                let path = vec![Step::Index(self.expr(from, scope, 1, true))];
                Expr::Except(Box::new(value), vec![(path, self.advance(Expr::At, to, scope))])
            }
            Type::Seq(inner) => {
                let longer = Expr::call("Append", vec![value.clone(), self.expr(inner, scope, 2, true)]);
                let length = Expr::call("Len", vec![value.clone()]);
                let room = Expr::binary(Binary::Lt, length, Expr::Int(LENGTH_MAX));
                Expr::cond(room, longer, Expr::call("Tail", vec![value]))
            }
        }
    }

    /// A predicate that gives a variable one value, or one of several.
    fn assign(&mut self, target: Expr, of: &Type, scope: &Scope) -> Expr {
        let equals = |value: Expr| Expr::binary(Binary::Eq, target.clone(), value);
        match self.rng.below(13) {
            0 | 1 => {
                let set = if of.size(&self.stock) <= 12 {
                    of.universe(&self.stock)
                } else {
                    self.expr(&Type::Set(Box::new(of.clone())), scope, 2, true)
                };
                Expr::binary(Binary::In, target, set)
            }
            2 => {
                let set = (0..2).map(|_| self.expr(of, scope, 1, true)).collect();
                Expr::binary(Binary::In, target, Expr::Set(set))
            }
            3 => {
                let test = self.expr(&Type::Bool, scope, 2, false);
                let (yes, no) = (self.expr(of, scope, 2, true), self.expr(of, scope, 2, true));
                Expr::cond(test, equals(yes), equals(no))
            }
            4 => Expr::Or((0..2).map(|_| equals(self.expr(of, scope, 2, true))).collect()),
            5 => {
                let (name, from) = (self.fresh("e"), self.small_type());
                let (set, small) = self.set(&from, scope, 1);
                let mut inside = scope.clone();
                inside.known.push(Known { expr: Expr::Name(name.clone()), of: from, small });
                let value = self.expr(of, &inside, 2, true);
                Expr::Quant(false, vec![(name, set)], Box::new(equals(value)))
            }
            12 => {
                let name = self.fresh("f");
                let mut inside = scope.clone();
                inside.known.push(Known { expr: Expr::Name(name.clone()), of: of.clone(), small: true });
                let universe = if of.size(&self.stock) <= 16 {
                    of.universe(&self.stock)
                } else {
                    Expr::Set(vec![self.literal(of)])
                };
                let pred = self.guard(&inside);
                let some = Expr::Filter(Box::new((name, universe)), Box::new(pred));
                Expr::binary(Binary::In, target, some)
            }
            6 => {
                let arms =
                    vec![(self.expr(&Type::Bool, scope, 1, false), equals(self.expr(of, scope, 2, true)))];
                Expr::Case(arms, Some(Box::new(equals(self.expr(of, scope, 1, true)))))
            }
            _ => equals(self.expr(of, scope, 3, true)),
        }
    }
}
