//! Operators of the standard modules, and sets made from other sets.

use crate::value::{Error, Value, equal};

/// The operators that [`call`] knows.
pub const NAMES: &[&str] = &["Len", "Append", "Head", "Tail", "SubSeq", "Cardinality", "IsFiniteSet"];

/// Applies an operator of a standard module.
pub fn call(name: &str, args: &[Value]) -> Result<Value, Error> {
    match (name, args) {
        ("Len", [s]) => Ok(Value::Int(s.sequence()?.len() as i64)),
        ("Append", [s, item]) => Ok(Value::tuple([s.sequence()?, vec![item.clone()]].concat())),
        ("Head", [s]) => s.sequence()?.first().cloned().ok_or_else(|| "Head of <<>>".to_owned()),
        ("Tail", [s]) => match s.sequence()?.split_first() {
            Some((_, rest)) => Ok(Value::tuple(rest.to_vec())),
            None => Err("Tail of <<>>".to_owned()),
        },
        ("SubSeq", [s, from, to]) => {
            let (items, from, to) = (s.sequence()?, from.int()?, to.int()?);
            if from > to {
                return Ok(Value::tuple(Vec::new()));
            }
            if from < 1 || to > items.len() as i64 {
                return Err("SubSeq outside of its sequence".to_owned());
            }
            Ok(Value::tuple(items[from as usize - 1..to as usize].to_vec()))
        }
        ("Cardinality", [set]) => Ok(Value::Int(set.elements()?.len() as i64)),
        ("IsFiniteSet", [set]) => set.elements().map(|_| Value::Bool(true)),
        _ => Err(format!("{name} is not known")),
    }
}

/// Whether a value is in a set.
pub fn member(item: &Value, set: &Value) -> Result<bool, Error> {
    for other in set.elements()? {
        if equal(other, item)? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The set of all subsets.
pub fn subsets(items: &[Value]) -> Result<Value, Error> {
    let mut all = vec![Vec::new()];
    for item in items {
        let with: Vec<Vec<Value>> =
            all.iter().map(|subset| [subset.as_slice(), std::slice::from_ref(item)].concat()).collect();
        all.extend(with);
    }
    Value::set(all.into_iter().map(Value::Set).collect())
}

/// `[S -> T]`.
pub fn functions(from: &[Value], to: &[Value]) -> Result<Value, Error> {
    let components: Vec<(Value, Value)> =
        from.iter().map(|argument| (argument.clone(), Value::Set(to.to_vec()))).collect();
    choices(&components)
}

/// The set of all functions that map each argument to an element of its set.
pub fn choices(components: &[(Value, Value)]) -> Result<Value, Error> {
    let mut all: Vec<Vec<(Value, Value)>> = vec![Vec::new()];
    for (argument, set) in components {
        let mut longer = Vec::new();
        for pairs in &all {
            for item in set.elements()? {
                longer.push([pairs.as_slice(), &[(argument.clone(), item.clone())]].concat());
            }
        }
        all = longer;
    }
    let functions: Result<Vec<Value>, Error> = all.into_iter().map(Value::function).collect();
    Value::set(functions?)
}
