//! Prefix and infix operators on values.

use super::library;
use crate::model::{Binary, Unary};
use crate::value::{Error, Value, equal};

/// Applies a prefix operator.
pub fn unary(op: Unary, value: Value) -> Result<Value, Error> {
    match op {
        Unary::Not => Ok(Value::Bool(!value.truth()?)),
        Unary::Minus => Ok(Value::Int(-value.int()?)),
        Unary::Subset => library::subsets(value.elements()?),
        Unary::Union => {
            let mut all = Vec::new();
            for set in value.elements()? {
                all.extend_from_slice(set.elements()?);
            }
            Value::set(all)
        }
        Unary::Domain => match value {
            Value::Fun(pairs) => Ok(Value::Set(pairs.into_iter().map(|pair| pair.0).collect())),
            _ => Err("DOMAIN of no function".to_owned()),
        },
    }
}

/// Applies an infix operator.
pub fn binary(op: Binary, a: Value, b: Value) -> Result<Value, Error> {
    let int = |number: Option<i64>| {
        let fits = number.filter(|number| i32::try_from(*number).is_ok());
        fits.map(Value::Int).ok_or_else(|| "no integer of 32 bits".to_owned())
    };
    let truth = |truth: bool| Ok(Value::Bool(truth));
    match op {
        Binary::Eq => truth(equal(&a, &b)?),
        Binary::Ne => truth(!equal(&a, &b)?),
        Binary::Lt => truth(a.int()? < b.int()?),
        Binary::Le => truth(a.int()? <= b.int()?),
        Binary::Add => int(a.int()?.checked_add(b.int()?)),
        Binary::Sub => int(a.int()?.checked_sub(b.int()?)),
        Binary::Mul => int(a.int()?.checked_mul(b.int()?)),
        Binary::Div => match (a.int()?, b.int()?) {
            (_, 0) => Err("a division by 0".to_owned()),
            // Rounds towards minus infinity, as TLC does.
            (a, b) => int(Some(a.div_euclid(b) - i64::from(b < 0 && a.rem_euclid(b) != 0))),
        },
        Binary::Mod => match (a.int()?, b.int()?) {
            (a, b) if b > 0 => int(Some(a.rem_euclid(b))),
            _ => Err("a modulus below 1".to_owned()),
        },
        Binary::Range => Ok(Value::Set((a.int()?..=b.int()?).map(Value::Int).collect())),
        Binary::In => truth(library::member(&a, &b)?),
        Binary::NotIn => truth(!library::member(&a, &b)?),
        Binary::SubsetEq => {
            for item in a.elements()? {
                if !library::member(item, &b)? {
                    return truth(false);
                }
            }
            truth(true)
        }
        Binary::Cup => Value::set([a.elements()?, b.elements()?].concat()),
        Binary::Cap | Binary::Diff => {
            let mut kept = Vec::new();
            for item in a.elements()? {
                if library::member(item, &b)? == (op == Binary::Cap) {
                    kept.push(item.clone());
                }
            }
            Ok(Value::Set(kept))
        }
        Binary::Equiv => truth(a.truth()? == b.truth()?),
        Binary::Concat => Ok(Value::tuple([a.sequence()?, b.sequence()?].concat())),
        Binary::Single => Ok(Value::Fun(vec![(a, b)])),
        Binary::Merge => match (a, b) {
            (Value::Fun(a), Value::Fun(b)) => Value::function([a, b].concat()),
            _ => Err("@@ of no functions".to_owned()),
        },
        Binary::Implies => Err("=> is evaluated elsewhere".to_owned()),
    }
}
