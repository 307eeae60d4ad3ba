//! Types of expressions. Each has finitely many values that variables may have.

use kilter_base::rng::Rng;

use crate::model::{Binary, Expr, Unary};

/// The smallest integer that a variable may hold.
pub const LEAST: i64 = -1;
/// The largest integer that a variable may hold.
pub const GREATEST: i64 = 3;
/// The longest sequence that a variable may hold.
pub const LENGTH_MAX: i64 = 2;

/// A type.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Type {
    /// Booleans.
    Bool,
    /// Integers.
    Int,
    /// Strings.
    Str,
    /// Elements of a constant set of model values.
    Model(String),
    /// The model value `nil`, or a value of the given type.
    OrNil(Box<Type>),
    /// Sets.
    Set(Box<Type>),
    /// Pairs.
    Pair(Box<Type>, Box<Type>),
    /// Sequences.
    Seq(Box<Type>),
    /// Records.
    Rec(Vec<(String, Type)>),
    /// Functions. The domain has all values that a variable of the first type may hold.
    Fun(Box<Type>, Box<Type>),
}

/// The names that types and values are built from.
#[derive(Clone, Default)]
pub struct Stock {
    /// The strings that values may be.
    pub strings: Vec<String>,
    /// The fields of records.
    pub fields: Vec<String>,
    /// The sets of model values, with their sizes.
    pub models: Vec<(String, u64)>,
    /// Whether the constant `nil` exists.
    pub nil: bool,
}

impl Type {
    /// The number of values that a variable of this type may have.
    pub fn size(&self, stock: &Stock) -> u64 {
        match self {
            Type::Bool => 2,
            Type::Int => (GREATEST - LEAST + 1) as u64,
            Type::Str => stock.strings.len() as u64,
            Type::Model(name) => {
                stock.models.iter().find(|(known, _)| known == name).map_or(1, |(_, size)| *size)
            }
            Type::OrNil(of) => of.size(stock) + 1,
            Type::Set(of) => 1_u64.checked_shl(of.size(stock) as u32).unwrap_or(u64::MAX),
            Type::Pair(a, b) => a.size(stock).saturating_mul(b.size(stock)),
            Type::Seq(of) => {
                let n = of.size(stock);
                n.saturating_mul(n).saturating_add(n + 1)
            }
            Type::Rec(fields) => fields.iter().map(|(_, of)| of.size(stock)).fold(1, u64::saturating_mul),
            Type::Fun(from, to) => to.size(stock).saturating_pow(from.size(stock) as u32),
        }
    }

    /// The set of all values that a variable of this type may have.
    pub fn universe(&self, stock: &Stock) -> Expr {
        let of = |of: &Type| Box::new(of.universe(stock));
        match self {
            Type::Bool => Expr::name("BOOLEAN"),
            Type::Int => Expr::binary(Binary::Range, Expr::Int(LEAST), Expr::Int(GREATEST)),
            Type::Str => Expr::Set(stock.strings.iter().cloned().map(Expr::Str).collect()),
            Type::Model(name) => Expr::name(name),
            Type::OrNil(inner) => {
                Expr::binary(Binary::Cup, inner.universe(stock), Expr::Set(vec![Expr::name("nil")]))
            }
            Type::Set(inner) => Expr::unary(Unary::Subset, inner.universe(stock)),
            Type::Pair(a, b) => Expr::Product(of(a), of(b)),
            Type::Seq(inner) => {
                let one = Expr::Map(
                    Box::new(Expr::Tuple(vec![Expr::name("one")])),
                    vec![("one".to_owned(), inner.universe(stock))],
                );
                let short = Expr::binary(Binary::Cup, Expr::Set(vec![Expr::Tuple(Vec::new())]), one);
                Expr::binary(Binary::Cup, short, Expr::Product(of(inner), of(inner)))
            }
            Type::Rec(fields) => {
                Expr::RecSet(fields.iter().map(|(name, of)| (name.clone(), of.universe(stock))).collect())
            }
            Type::Fun(from, to) => Expr::FunSet(of(from), of(to)),
        }
    }
}

/// A random type with at most `size_max` values. If 20 tries find none, `Int` or `Bool`.
pub fn random(rng: &mut Rng, stock: &Stock, size_max: u64, depth: usize) -> Type {
    for _ in 0..20 {
        let found = any(rng, stock, depth);
        if found.size(stock) <= size_max {
            return found;
        }
    }
    if size_max >= 4 { Type::Int } else { Type::Bool }
}

fn any(rng: &mut Rng, stock: &Stock, depth: usize) -> Type {
    let inner = |rng: &mut Rng| Box::new(any(rng, stock, depth - 1));
    match rng.below(if depth == 0 { 7 } else { 14 }) {
        0 => Type::Bool,
        3 => Type::Str,
        4 if !stock.models.is_empty() => Type::Model(stock.models[rng.below(stock.models.len())].0.clone()),
        5 if stock.nil && depth > 0 => Type::OrNil(inner(rng)),
        7 | 8 => Type::Set(inner(rng)),
        9 => Type::Pair(inner(rng), inner(rng)),
        10 => Type::Seq(inner(rng)),
        11 => {
            let n = 1 + rng.below(stock.fields.len());
            let mut names = stock.fields.clone();
            rng.shuffle(&mut names);
            Type::Rec(names.into_iter().take(n).map(|name| (name, any(rng, stock, depth - 1))).collect())
        }
        12 | 13 => {
            let from = loop {
                let from = any(rng, stock, 0);
                if from.size(stock) <= 4 {
                    break from;
                }
            };
            Type::Fun(Box::new(from), inner(rng))
        }
        _ => Type::Int,
    }
}
