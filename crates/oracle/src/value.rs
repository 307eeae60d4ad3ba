//! Values as plain data, with TLC's order and TLC's equality.

use std::cmp::Ordering;

/// The reason why an expression has no value.
pub type Error = String;

/// A value. Tuples, sequences and records are functions.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Value {
    /// A Boolean.
    Bool(bool),
    /// An integer.
    Int(i64),
    /// A string, by its position in the order of first use.
    Str(usize),
    /// A model value, by its position in the configuration.
    Model(usize),
    /// A set, sorted by [`compare`] and without repetitions.
    Set(Vec<Value>),
    /// A function as its pairs, sorted by argument.
    Fun(Vec<(Value, Value)>),
}

impl Value {
    /// A tuple or sequence.
    pub fn tuple(items: Vec<Value>) -> Value {
        Value::Fun((1..).map(Value::Int).zip(items).collect())
    }

    /// The set of these values, which may be in any order and may repeat. Fails if two of them cannot be compared.
    pub fn set(items: Vec<Value>) -> Result<Value, Error> {
        let mut sorted: Vec<Value> = Vec::new();
        for item in items {
            insert(&mut sorted, item)?;
        }
        Ok(Value::Set(sorted))
    }

    /// The function with these pairs. If two pairs have the same argument, the first counts.
    pub fn function(pairs: Vec<(Value, Value)>) -> Result<Value, Error> {
        let mut sorted: Vec<(Value, Value)> = Vec::new();
        for (argument, result) in pairs {
            let mut at = 0;
            let mut known = false;
            while at < sorted.len() {
                match compare(&sorted[at].0, &argument)? {
                    Ordering::Less => at += 1,
                    order => {
                        known = order == Ordering::Equal;
                        break;
                    }
                }
            }
            if !known {
                sorted.insert(at, (argument, result));
            }
        }
        Ok(Value::Fun(sorted))
    }

    /// The elements, if this is a sequence. Fails otherwise.
    pub fn sequence(&self) -> Result<Vec<Value>, Error> {
        match self {
            Value::Fun(pairs) if pairs.iter().zip(1..).all(|((key, _), n)| *key == Value::Int(n)) => {
                Ok(pairs.iter().map(|(_, value)| value.clone()).collect())
            }
            _ => Err(format!("{self:?} is no sequence")),
        }
    }

    /// The result for an argument. `None` if the argument is not in the domain.
    pub fn apply(&self, argument: &Value) -> Result<Option<&Value>, Error> {
        let Value::Fun(pairs) = self else { return Err(format!("{self:?} is no function")) };
        for (key, value) in pairs {
            if equal(key, argument)? {
                return Ok(Some(value));
            }
        }
        Ok(None)
    }

    /// The elements, if this is a set. Fails otherwise.
    pub fn elements(&self) -> Result<&[Value], Error> {
        match self {
            Value::Set(items) => Ok(items),
            _ => Err(format!("{self:?} is no set")),
        }
    }

    /// The Boolean, if this is one. Fails otherwise.
    pub fn truth(&self) -> Result<bool, Error> {
        match self {
            Value::Bool(truth) => Ok(*truth),
            _ => Err(format!("{self:?} is no Boolean")),
        }
    }

    /// The integer, if this is one. Fails otherwise.
    pub fn int(&self) -> Result<i64, Error> {
        match self {
            Value::Int(number) => Ok(*number),
            _ => Err(format!("{self:?} is no integer")),
        }
    }

    /// The value with its model values renamed. `to` has the new number of each.
    pub fn permuted(&self, to: &[usize]) -> Result<Value, Error> {
        Ok(match self {
            Value::Model(model) => Value::Model(to[*model]),
            Value::Set(items) => {
                let items: Result<Vec<_>, _> = items.iter().map(|item| item.permuted(to)).collect();
                Value::set(items?)?
            }
            Value::Fun(pairs) => {
                let pairs: Result<Vec<_>, Error> =
                    pairs.iter().map(|(key, value)| Ok((key.permuted(to)?, value.permuted(to)?))).collect();
                Value::function(pairs?)?
            }
            other => other.clone(),
        })
    }
}

fn insert(sorted: &mut Vec<Value>, item: Value) -> Result<(), Error> {
    for at in 0..sorted.len() {
        match compare(&sorted[at], &item)? {
            Ordering::Less => {}
            Ordering::Equal => return Ok(()),
            Ordering::Greater => {
                sorted.insert(at, item);
                return Ok(());
            }
        }
    }
    sorted.push(item);
    Ok(())
}

/// TLC's order. Smaller sets and functions come first. Those of the same size compare element by element. Model values
/// come before all other values.
pub fn compare(a: &Value, b: &Value) -> Result<Ordering, Error> {
    Ok(match (a, b) {
        (Value::Model(x), Value::Model(y)) => x.cmp(y),
        (Value::Model(_), _) => Ordering::Less,
        (_, Value::Model(_)) => Ordering::Greater,
        (Value::Bool(x), Value::Bool(y)) => x.cmp(y),
        (Value::Int(x), Value::Int(y)) => x.cmp(y),
        (Value::Str(x), Value::Str(y)) => x.cmp(y),
        (Value::Set(x), Value::Set(y)) => {
            if x.len() != y.len() {
                return Ok(x.len().cmp(&y.len()));
            }
            compare_each(x.iter().zip(y))?
        }
        (Value::Fun(x), Value::Fun(y)) => {
            if x.len() != y.len() {
                return Ok(x.len().cmp(&y.len()));
            }
            let keys = compare_each(x.iter().map(|pair| &pair.0).zip(y.iter().map(|pair| &pair.0)))?;
            match keys {
                Ordering::Equal => {
                    compare_each(x.iter().map(|pair| &pair.1).zip(y.iter().map(|pair| &pair.1)))?
                }
                order => order,
            }
        }
        _ => return Err(format!("{a:?} and {b:?} cannot be compared")),
    })
}

fn compare_each<'v>(pairs: impl Iterator<Item = (&'v Value, &'v Value)>) -> Result<Ordering, Error> {
    for (a, b) in pairs {
        let order = compare(a, b)?;
        if order != Ordering::Equal {
            return Ok(order);
        }
    }
    Ok(Ordering::Equal)
}

/// TLC's equality. Comparing values of different kinds is an error, unless one of them is a model value.
pub fn equal(a: &Value, b: &Value) -> Result<bool, Error> {
    match (a, b) {
        (Value::Model(_), _) | (_, Value::Model(_)) => Ok(a == b),
        _ => Ok(compare(a, b)? == Ordering::Equal),
    }
}
