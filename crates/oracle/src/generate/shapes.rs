//! Random expressions of the forms that only one type has: Booleans, integers, sets, functions and so on.

use super::expr::{Maker, Scope};
use super::types::{LENGTH_MAX, Type};
use crate::model::{Binary, Def, Expr, Step, Unary};

impl Maker {
    /// An expression of a form that only this type has.
    pub fn particular(&mut self, of: &Type, scope: &Scope, depth: usize, small: bool) -> Expr {
        match of {
            Type::Bool => self.boolean(scope, depth),
            Type::Int if small => {
                let any = self.integer(scope, depth);
                Expr::call("Clip", vec![any])
            }
            Type::Int => self.integer(scope, depth),
            Type::Str | Type::Model(_) => {
                let set = Expr::binary(
                    Binary::Cup,
                    Expr::Set(vec![self.leaf(of, scope, small)]),
                    self.expr(&Type::Set(Box::new(of.clone())), scope, depth, small),
                );
                Expr::Choose(Box::new((self.fresh("c"), set)), Box::new(Expr::Bool(true)))
            }
            Type::OrNil(inner) => {
                if self.one_in(3) {
                    Expr::name("nil")
                } else {
                    self.expr(inner, scope, depth, small)
                }
            }
            Type::Set(inner) => self.a_set(inner, scope, depth, small),
            Type::Pair(a, b) => {
                if self.one_in(3) {
                    return self.except(of, scope, depth, small);
                }
                Expr::Tuple(vec![self.expr(a, scope, depth, small), self.expr(b, scope, depth, small)])
            }
            Type::Seq(inner) => self.sequence(inner, scope, depth, small),
            Type::Rec(fields) => {
                if self.one_in(2) {
                    return self.except(of, scope, depth, small);
                }
                let fields =
                    fields.iter().map(|(name, of)| (name.clone(), self.expr(of, scope, depth, small)));
                Expr::Rec(fields.collect())
            }
            Type::Fun(from, to) => match self.rng.below(4) {
                0 | 1 => self.except(of, scope, depth, small),
                2 => {
                    let (at, value) =
                        (self.expr(from, scope, depth, true), self.expr(to, scope, depth, small));
                    let base = self.expr(of, scope, depth, small);
                    let single = Expr::binary(Binary::Single, at, value);
                    Expr::binary(Binary::Merge, single, base)
                }
                _ => {
                    let name = self.fresh("d");
                    let inside = scope.with(Expr::Name(name.clone()), (**from).clone(), true);
                    let body = self.expr(to, &inside, depth, small);
                    Expr::Fun(vec![(name, from.universe(&self.stock))], Box::new(body))
                }
            },
        }
    }

    /// EXCEPT with one or two changes, each one or two steps deep.
    fn except(&mut self, of: &Type, scope: &Scope, depth: usize, small: bool) -> Expr {
        let base = self.leaf(of, scope, small);
        let mut changes = Vec::new();
        for _ in 0..=self.rng.below(2) {
            let inner_types = inner_types(of);
            let Some(inner) = self.pick(&inner_types) else { continue };
            let mut ways = Vec::new();
            self.ways(of, &inner, scope, &mut Vec::new(), &mut |path| ways.push(path));
            let Some(path) = self.pick(&ways) else { continue };
            let mut scope = scope.clone();
            scope.at = Some((inner.clone(), small));
            changes.push((path, self.expr(&inner, &scope, depth, small)));
        }
        if changes.is_empty() { base } else { Expr::Except(Box::new(base), changes) }
    }

    fn boolean(&mut self, scope: &Scope, depth: usize) -> Expr {
        let choice = self.rng.below(13);
        match choice {
            0 => {
                let op = self.pick(&[Binary::Lt, Binary::Le]).unwrap_or(Binary::Lt);
                let (a, b) =
                    (self.expr(&Type::Int, scope, depth, false), self.expr(&Type::Int, scope, depth, false));
                Expr::binary(op, a, b)
            }
            1..=3 => {
                let of = self.type_of_known(scope);
                let op = if self.one_in(3) { Binary::Ne } else { Binary::Eq };
                Expr::binary(op, self.expr(&of, scope, depth, false), self.expr(&of, scope, depth, false))
            }
            4 => {
                let of = self.type_of_known(scope);
                let op = if self.one_in(3) { Binary::NotIn } else { Binary::In };
                let (set, _) = self.set(&of, scope, depth);
                Expr::binary(op, self.expr(&of, scope, depth, false), set)
            }
            5 => {
                let of = Type::Set(Box::new(self.element_type(scope)));
                let (a, b) = (self.expr(&of, scope, depth, false), self.expr(&of, scope, depth, false));
                Expr::binary(Binary::SubsetEq, a, b)
            }
            6 | 7 => {
                let mut bounds = Vec::new();
                let mut inside = scope.clone();
                for _ in 0..=self.rng.below(2) {
                    let (name, of) = (self.fresh("q"), self.element_type(scope));
                    let (set, small) = self.set(&of, scope, depth.min(1));
                    bounds.push((name.clone(), set));
                    inside = inside.with(Expr::Name(name), of, small);
                }
                let body = self.expr(&Type::Bool, &inside, depth, false);
                Expr::Quant(self.one_in(2), bounds, Box::new(body))
            }
            8 => Expr::unary(Unary::Not, self.expr(&Type::Bool, scope, depth, false)),
            9 | 10 => {
                let items =
                    (0..2 + self.rng.below(2)).map(|_| self.expr(&Type::Bool, scope, depth, false)).collect();
                if choice == 9 { Expr::And(items) } else { Expr::Or(items) }
            }
            _ => {
                let op = if self.one_in(3) { Binary::Equiv } else { Binary::Implies };
                let (a, b) = (
                    self.expr(&Type::Bool, scope, depth, false),
                    self.expr(&Type::Bool, scope, depth, false),
                );
                Expr::binary(op, a, b)
            }
        }
    }

    /// The type of something known, or sometimes another type. Comparisons with known values say more than comparisons
    /// of literals.
    pub fn type_of_known(&mut self, scope: &Scope) -> Type {
        let types: Vec<Type> = scope.known.iter().map(|known| known.of.clone()).collect();
        match self.pick(&types) {
            Some(of) if !self.one_in(5) => of,
            _ => self.small_type(),
        }
    }

    /// The type of the elements of a known set or domain. Sometimes another type, and always if none is known.
    fn element_type(&mut self, scope: &Scope) -> Type {
        let types: Vec<Type> = scope
            .known
            .iter()
            .filter_map(|known| match &known.of {
                Type::Set(of) | Type::Fun(of, _) => Some((**of).clone()),
                _ => None,
            })
            .collect();
        match self.pick(&types) {
            Some(of) if !self.one_in(4) => of,
            _ => self.small_type(),
        }
    }

    /// The type of a known sequence. If none is known, another sequence type.
    fn sequence_type(&mut self, scope: &Scope) -> Type {
        let known = scope.known.iter().map(|known| &known.of);
        let types: Vec<Type> = known.filter(|of| matches!(of, Type::Seq(_))).cloned().collect();
        self.pick(&types).unwrap_or_else(|| Type::Seq(Box::new(self.small_type())))
    }

    fn integer(&mut self, scope: &Scope, depth: usize) -> Expr {
        let int = |maker: &mut Maker| maker.expr(&Type::Int, scope, depth, false);
        match self.rng.below(10) {
            0..=2 => {
                let op =
                    self.pick(&[Binary::Add, Binary::Add, Binary::Sub, Binary::Mul]).unwrap_or(Binary::Add);
                Expr::binary(op, int(self), int(self))
            }
            3 => {
                let op = if self.one_in(2) { Binary::Mod } else { Binary::Div };
                Expr::binary(op, int(self), Expr::Int(1 + self.rng.below(3) as i64))
            }
            4 => Expr::unary(Unary::Minus, int(self)),
            5 => {
                let of = self.sequence_type(scope);
                Expr::call("Len", vec![self.expr(&of, scope, depth, false)])
            }
            6 => {
                let of = self.element_type(scope);
                let (set, _) = self.set(&of, scope, depth);
                Expr::call("Cardinality", vec![set])
            }
            7 => self.recursion(scope, depth),
            _ => self.leaf(&Type::Int, scope, false),
        }
    }

    /// A recursive function on the first few integers, applied to one of them.
    fn recursion(&mut self, scope: &Scope, depth: usize) -> Expr {
        let (name, n) = (self.fresh("rec"), self.fresh("n"));
        let top = 1 + self.rng.below(3) as i64;
        let inside = scope.with(Expr::Name(n.clone()), Type::Int, false);
        let before = Expr::Apply(
            Box::new(Expr::Name(name.clone())),
            Box::new(Expr::binary(Binary::Sub, Expr::Name(n.clone()), Expr::Int(1))),
        );
        let step = Expr::binary(Binary::Add, before, self.expr(&Type::Int, &inside, depth.min(1), false));
        let start = self.leaf(&Type::Int, scope, false);
        let first = Expr::binary(Binary::Eq, Expr::Name(n.clone()), Expr::Int(0));
        let def = Def {
            name: name.clone(),
            params: Vec::new(),
            function: Some((n, Expr::binary(Binary::Range, Expr::Int(0), Expr::Int(top)))),
            recursive: false,
            body: Expr::cond(first, start, step),
        };
        let argument = Expr::Int(self.rng.below(top as usize + 1) as i64);
        Expr::Let(vec![def], Box::new(Expr::Apply(Box::new(Expr::Name(name)), Box::new(argument))))
    }

    fn a_set(&mut self, of: &Type, scope: &Scope, depth: usize, small: bool) -> Expr {
        let whole = Type::Set(Box::new(of.clone()));
        match self.rng.below(9) {
            0 | 1 => {
                let n = self.rng.below(3);
                Expr::Set((0..=n).map(|_| self.expr(of, scope, depth, small)).collect())
            }
            2..=4 => {
                let op = self.pick(&[Binary::Cup, Binary::Cap, Binary::Diff]).unwrap_or(Binary::Cup);
                let (a, b) = (self.expr(&whole, scope, depth, small), self.expr(&whole, scope, depth, small));
                Expr::binary(op, a, b)
            }
            5 => {
                let name = self.fresh("f");
                let set = self.expr(&whole, scope, depth, small);
                let inside = scope.with(Expr::Name(name.clone()), of.clone(), small);
                let pred = self.expr(&Type::Bool, &inside, depth, false);
                Expr::Filter(Box::new((name, set)), Box::new(pred))
            }
            6 => {
                let (name, from) = (self.fresh("g"), self.element_type(scope));
                let (set, set_small) = self.set(&from, scope, depth.min(1));
                let inside = scope.with(Expr::Name(name.clone()), from, set_small);
                Expr::Map(Box::new(self.expr(of, &inside, depth, small)), vec![(name, set)])
            }
            7 => {
                let sets = (0..2).map(|_| self.expr(&whole, scope, depth, small)).collect();
                Expr::unary(Unary::Union, Expr::Set(sets))
            }
            _ => {
                let domains: Vec<Expr> = scope
                    .known
                    .iter()
                    .filter(|known| matches!(&known.of, Type::Fun(from, _) if **from == *of))
                    .map(|known| Expr::unary(Unary::Domain, known.expr.clone()))
                    .collect();
                match self.pick(&domains) {
                    Some(domain) => domain,
                    None => Expr::Set(vec![self.leaf(of, scope, small)]),
                }
            }
        }
    }

    fn sequence(&mut self, of: &Type, scope: &Scope, depth: usize, small: bool) -> Expr {
        let whole = Type::Seq(Box::new(of.clone()));
        let seq = self.expr(&whole, scope, depth.min(1), small);
        let length = Expr::call("Len", vec![seq.clone()]);
        match self.rng.below(5) {
            0 => {
                let n = 1 + self.rng.below(LENGTH_MAX as usize);
                Expr::Tuple((0..n).map(|_| self.expr(of, scope, depth, small)).collect())
            }
            1 => {
                let longer = Expr::call("Append", vec![seq.clone(), self.expr(of, scope, depth, small)]);
                if !small {
                    return longer;
                }
                let room = Expr::binary(Binary::Lt, length, Expr::Int(LENGTH_MAX));
                Expr::cond(room, longer, Expr::call("Tail", vec![seq]))
            }
            2 => {
                let empty = Expr::binary(Binary::Eq, seq.clone(), Expr::Tuple(Vec::new()));
                Expr::cond(empty, seq.clone(), Expr::call("Tail", vec![seq]))
            }
            3 if !small => Expr::binary(Binary::Concat, seq, self.expr(&whole, scope, depth.min(1), small)),
            3 => Expr::call("SubSeq", vec![seq, Expr::Int(2), length]),
            _ => {
                // The index may not exist. Then nothing changes.
                let scope = Scope { at: Some((of.clone(), small)), ..scope.clone() };
                let new = self.expr(of, &scope, depth, small);
                Expr::Except(Box::new(seq), vec![(vec![Step::Index(Expr::Int(1))], new)])
            }
        }
    }
}

/// The types of the parts of a value, one or more steps inside.
fn inner_types(of: &Type) -> Vec<Type> {
    let direct: Vec<Type> = match of {
        Type::Pair(a, b) => vec![(**a).clone(), (**b).clone()],
        Type::Rec(fields) => fields.iter().map(|(_, of)| of.clone()).collect(),
        Type::Fun(_, to) => vec![(**to).clone()],
        _ => Vec::new(),
    };
    let deeper: Vec<Type> = direct.iter().flat_map(inner_types).collect();
    [direct, deeper].concat()
}
