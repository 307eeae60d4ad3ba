//! Random expressions of a given type.

use kilter_base::Rng;

use super::types::{GREATEST, LEAST, LENGTH_MAX, Stock, Type};
use crate::model::{Binary, Def, Expr, Step};

/// Something that an expression may use, such as a name or a variable.
#[derive(Clone)]
pub struct Known {
    /// The expression to write.
    pub expr: Expr,
    /// Its type.
    pub of: Type,
    /// Whether its integers and sequences are small enough for variables.
    pub small: bool,
}

/// An operator that an expression may use.
#[derive(Clone)]
pub struct Operator {
    /// Its name.
    pub name: String,
    /// The types of its arguments, without the operator that comes first if `higher`.
    pub params: Vec<Type>,
    /// Whether its first argument is an operator from integers to integers.
    pub higher: bool,
    /// The type of its value.
    pub of: Type,
    /// Whether its body reads variables.
    pub reads: bool,
    /// The argument for calls of a recursive operator. `None` if it is not recursive.
    pub first: Option<i64>,
}

/// What an expression may use.
#[derive(Clone, Default)]
pub struct Scope {
    /// Names and variables.
    pub known: Vec<Known>,
    /// Operators.
    pub operators: Vec<Operator>,
    /// Whether variables may be read.
    pub reads: bool,
    /// The type of `@` and whether its value is small. `None` outside of EXCEPT.
    pub at: Option<(Type, bool)>,
}

/// Makes expressions.
pub struct Maker {
    /// The random numbers.
    pub rng: Rng,
    /// The names that types are built from.
    pub stock: Stock,
    /// The number of fresh names that have been made.
    pub n_names: usize,
}

impl Scope {
    /// The scope with one more name.
    #[must_use]
    pub fn with(&self, expr: Expr, of: Type, small: bool) -> Scope {
        let mut scope = self.clone();
        scope.known.push(Known { expr, of, small });
        scope
    }
}

impl Maker {
    /// True once in `n` times.
    pub fn one_in(&mut self, n: usize) -> bool {
        self.rng.below(n) == 0
    }

    /// A name that no other call has returned.
    pub fn fresh(&mut self, prefix: &str) -> String {
        self.n_names += 1;
        format!("{prefix}{}", self.n_names)
    }

    /// A random item. `None` if there are no items.
    pub fn pick<T: Clone>(&mut self, items: &[T]) -> Option<T> {
        (!items.is_empty()).then(|| items[self.rng.below(items.len())].clone())
    }

    /// A random type of few values.
    pub fn small_type(&mut self) -> Type {
        super::types::random(&mut self.rng, &self.stock, 20, 1)
    }

    /// A literal of a type. It is small enough for variables.
    pub fn literal(&mut self, of: &Type) -> Expr {
        match of {
            Type::Bool => Expr::Bool(self.one_in(2)),
            Type::Int => Expr::Int(LEAST + self.rng.below((GREATEST - LEAST + 1) as usize) as i64),
            Type::Str => {
                let strings = self.stock.strings.clone();
                Expr::Str(self.pick(&strings).unwrap_or_default())
            }
            Type::Model(name) => {
                // The least element. A module cannot name the others.
                let bound = (self.fresh("m"), Expr::name(name));
                Expr::Choose(Box::new(bound), Box::new(Expr::Bool(true)))
            }
            Type::OrNil(inner) => {
                if self.one_in(2) {
                    Expr::name("nil")
                } else {
                    self.literal(inner)
                }
            }
            Type::Set(inner) => {
                let n = self.rng.below(3);
                Expr::Set((0..n).map(|_| self.literal(inner)).collect())
            }
            Type::Pair(a, b) => Expr::Tuple(vec![self.literal(a), self.literal(b)]),
            Type::Seq(inner) => {
                let n = self.rng.below(LENGTH_MAX as usize + 1);
                Expr::Tuple((0..n).map(|_| self.literal(inner)).collect())
            }
            Type::Rec(fields) => {
                Expr::Rec(fields.iter().map(|(name, of)| (name.clone(), self.literal(of))).collect())
            }
            Type::Fun(from, to) => {
                let bound = (self.fresh("d"), from.universe(&self.stock));
                Expr::Fun(vec![bound], Box::new(self.literal(to)))
            }
        }
    }

    /// An expression of a type. If `small`, its value can be assigned to a variable.
    pub fn expr(&mut self, of: &Type, scope: &Scope, depth: usize, small: bool) -> Expr {
        if depth == 0 || self.one_in(4) {
            return self.leaf(of, scope, small);
        }
        if self.one_in(3)
            && let Some(found) = self.anything(of, scope, depth - 1, small)
        {
            return found;
        }
        self.particular(of, scope, depth - 1, small)
    }

    /// Something known, a part of something known, or a literal.
    pub fn leaf(&mut self, of: &Type, scope: &Scope, small: bool) -> Expr {
        let fits: Vec<Expr> = scope
            .known
            .iter()
            .filter(|known| known.of == *of && (known.small || !small))
            .map(|known| known.expr.clone())
            .collect();
        if let Some((at, at_small)) = &scope.at
            && at == of
            && (*at_small || !small)
            && self.one_in(2)
        {
            return Expr::At;
        }
        match self.pick(&fits) {
            Some(found) if !self.one_in(6) => found,
            _ => match self.part(of, scope, small) {
                Some((known, path)) if !self.one_in(4) => enter(known, path, of),
                _ => self.literal(of),
            },
        }
    }

    /// An expression of a form that every type has. `None` if the chosen form does not fit.
    fn anything(&mut self, of: &Type, scope: &Scope, depth: usize, small: bool) -> Option<Expr> {
        let rest = scope;
        Some(match self.rng.below(11) {
            0 => {
                let test = self.expr(&Type::Bool, scope, depth, false);
                let (yes, no) = (self.expr(of, rest, depth, small), self.expr(of, rest, depth, small));
                Expr::cond(test, yes, no)
            }
            1 => {
                let arms = (0..=self.rng.below(2))
                    .map(|_| {
                        (self.expr(&Type::Bool, scope, depth, false), self.expr(of, scope, depth, small))
                    })
                    .collect();
                Expr::Case(arms, Some(Box::new(self.expr(of, scope, depth, small))))
            }
            2 => {
                let (name, inner) = (self.fresh("v"), self.type_of_known(scope));
                let inner_small = self.one_in(2);
                let body = self.expr(&inner, scope, depth, inner_small);
                let scope = scope.with(Expr::Name(name.clone()), inner, inner_small);
                let def = Def { name, params: Vec::new(), function: None, recursive: false, body };
                Expr::Let(vec![def], Box::new(self.expr(of, &scope, depth, small)))
            }
            3 => {
                let (name, param, inner) = (self.fresh("Op"), self.fresh("p"), self.type_of_known(scope));
                let inside = scope.with(Expr::Name(param.clone()), inner.clone(), small);
                let body = self.expr(of, &inside, depth, small);
                let params = vec![(param, 0)];
                let def = Def { name: name.clone(), params, function: None, recursive: false, body };
                let argument = self.expr(&inner, scope, depth, small);
                let call = Expr::Call(name, vec![argument]);
                let test = self.expr(&Type::Bool, scope, depth.min(1), false);
                let body = Expr::cond(test, call, self.leaf(of, scope, small));
                Expr::Let(vec![def], Box::new(body))
            }
            4 => {
                let fits = |operator: &Operator| operator.of == *of && (scope.reads || !operator.reads);
                let fits: Vec<Operator> = scope.operators.iter().filter(|one| fits(one)).cloned().collect();
                let operator = self.pick(&fits)?;
                match of {
                    Type::Int if small => Expr::call("Clip", vec![self.call(&operator, scope, depth)]),
                    _ if small && contains_int(of) => return None,
                    _ => self.call(&operator, scope, depth),
                }
            }
            5 | 6 => {
                let (known, path) = self.part(of, scope, small)?;
                enter(known, path, of)
            }
            7 => {
                // CHOOSE from a set that always has an element.
                let name = self.fresh("c");
                let element = self.expr(of, scope, depth, small);
                let more = self.expr(&Type::Set(Box::new(of.clone())), scope, depth, small);
                let set = Expr::binary(Binary::Cup, Expr::Set(vec![element]), more);
                let inside = scope.with(Expr::Name(name.clone()), of.clone(), small);
                let pred = self.expr(&Type::Bool, &inside, depth, false);
                let pred =
                    if self.one_in(2) { Expr::Or(vec![pred, Expr::Bool(true)]) } else { Expr::Bool(true) };
                Expr::Choose(Box::new((name, set)), Box::new(pred))
            }
            8 => {
                // A function that is applied where it is written.
                let (name, from) = (self.fresh("a"), self.domain_type());
                let inside = scope.with(Expr::Name(name.clone()), from.clone(), true);
                let body = self.expr(of, &inside, depth, small);
                let function = Expr::Fun(vec![(name, from.universe(&self.stock))], Box::new(body));
                let argument = self.expr(&from, scope, depth.min(1), true);
                Expr::Apply(Box::new(function), Box::new(argument))
            }
            9 => {
                // The head of a sequence, or another value if the sequence is empty.
                let seq = self.expr(&Type::Seq(Box::new(of.clone())), scope, depth, small);
                let other = self.leaf(of, scope, small);
                let empty = Expr::binary(Binary::Eq, seq.clone(), Expr::Tuple(Vec::new()));
                Expr::cond(empty, other, Expr::call("Head", vec![seq]))
            }
            _ => {
                // A value that may be `nil`, or another value if it is.
                let wrapped = Type::OrNil(Box::new(of.clone()));
                let fits: Vec<Expr> = scope
                    .known
                    .iter()
                    .filter(|known| known.of == wrapped && (known.small || !small))
                    .map(|known| known.expr.clone())
                    .collect();
                let value = self.pick(&fits)?;
                let test = Expr::binary(Binary::Eq, value.clone(), Expr::name("nil"));
                Expr::cond(test, self.leaf(of, scope, small), value)
            }
        })
    }

    /// A call of an operator of the module. Its arguments may be of any size, because its body was made for that.
    fn call(&mut self, operator: &Operator, scope: &Scope, depth: usize) -> Expr {
        let mut args: Vec<Expr> = operator.first.map(Expr::Int).into_iter().collect();
        if operator.higher {
            let name = self.fresh("l");
            let inside = scope.with(Expr::Name(name.clone()), Type::Int, false);
            let body = self.expr(&Type::Int, &inside, depth.min(1), false);
            args.push(Expr::Lambda(vec![name], Box::new(body)));
        }
        for param in &operator.params {
            args.push(self.expr(param, scope, depth, false));
        }
        Expr::Call(operator.name.clone(), args)
    }

    /// A type for the domains of functions.
    pub fn domain_type(&mut self) -> Type {
        super::types::random(&mut self.rng, &self.stock, 4, 0)
    }

    /// A part of this type of something known: the known expression, and the path into it.
    fn part(&mut self, of: &Type, scope: &Scope, small: bool) -> Option<(Expr, Vec<Step>)> {
        let mut found = Vec::new();
        for known in scope.known.iter().filter(|known| known.small || !small) {
            self.ways(&known.of, of, scope, &mut Vec::new(), &mut |path| {
                found.push((known.expr.clone(), path));
            });
        }
        self.pick(&found)
    }

    /// Calls `found` with each path from a value of one type to a part of another type. Paths have at most two steps.
    pub fn ways(
        &mut self,
        from: &Type,
        to: &Type,
        scope: &Scope,
        path: &mut Vec<Step>,
        found: &mut dyn FnMut(Vec<Step>),
    ) {
        if from == to && !path.is_empty() {
            found(path.clone());
        }
        if path.len() == 2 {
            return;
        }
        let mut step = |maker: &mut Maker, step: Step, inner: &Type| {
            path.push(step);
            maker.ways(inner, to, scope, path, found);
            path.pop();
        };
        match from {
            Type::Pair(a, b) => {
                step(self, Step::Index(Expr::Int(1)), a);
                step(self, Step::Index(Expr::Int(2)), b);
            }
            Type::Rec(fields) => {
                for (name, inner) in fields {
                    step(self, Step::Field(name.clone()), inner);
                }
            }
            Type::Fun(domain, inner) => {
                let index = match domain_names(domain, scope) {
                    names if names.is_empty() => self.literal(domain),
                    names => self.pick(&names).unwrap_or(Expr::Bool(true)),
                };
                step(self, Step::Index(index), inner);
            }
            _ => {}
        }
    }

    /// A set of elements of a type, for quantifiers, and whether its elements are small.
    pub fn set(&mut self, of: &Type, scope: &Scope, depth: usize) -> (Expr, bool) {
        let small = self.one_in(2);
        if of.size(&self.stock) <= 9 && self.one_in(2) {
            return (of.universe(&self.stock), true);
        }
        (self.expr(&Type::Set(Box::new(of.clone())), scope, depth, small), small)
    }
}

/// The known expressions that can be arguments of a function with this domain.
fn domain_names(domain: &Type, scope: &Scope) -> Vec<Expr> {
    let fits = scope.known.iter().filter(|known| known.of == *domain && known.small);
    fits.map(|known| known.expr.clone()).collect()
}

/// The expression for a part of a value. In an action, TLC works through the body of a function that a name stands for,
/// as it does for operators. To prevent that, a Boolean is compared with TRUE, unless it is a part of a variable.
fn enter(base: Expr, path: Vec<Step>, of: &Type) -> Expr {
    let stored = matches!(base, Expr::Var(_) | Expr::Primed(_));
    let part = path.into_iter().fold(base, |base, step| match step {
        Step::Index(index) => Expr::Apply(Box::new(base), Box::new(index)),
        Step::Field(name) => Expr::Field(Box::new(base), name),
    });
    if *of == Type::Bool && !stored { Expr::binary(Binary::Eq, part, Expr::Bool(true)) } else { part }
}

fn contains_int(of: &Type) -> bool {
    match of {
        Type::Int | Type::Seq(_) => true,
        Type::Bool | Type::Str | Type::Model(_) => false,
        Type::OrNil(of) | Type::Set(of) => contains_int(of),
        Type::Pair(a, b) | Type::Fun(a, b) => contains_int(a) || contains_int(b),
        Type::Rec(fields) => fields.iter().any(|(_, of)| contains_int(of)),
    }
}
