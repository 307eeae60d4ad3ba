//! What the tests share: values as plain data, random ones of one type, and two ways to build them.
#![allow(dead_code, reason = "each test file uses a part")]

use kilter_value::{SetError, Store, Value};
use proptest::prelude::*;

/// A value as plain data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Term {
    Int(i32),
    Str(&'static str),
    Model(&'static str),
    Set(Vec<Term>),
    Tuple(Vec<Term>),
    Record(Vec<(&'static str, Term)>),
    /// Of a repeated argument the first pair counts.
    Function(Vec<(Term, Term)>),
}

/// The types of [`Term`]s; values of one type can always be compared.
#[derive(Clone, Debug)]
pub enum Type {
    Int,
    Str,
    Model,
    Set(Box<Type>),
    Seq(Box<Type>),
    Record(Box<Type>, Box<Type>),
    Function(Box<Type>, Box<Type>),
}

pub fn any_type() -> impl Strategy<Value = Type> {
    let leaf = prop_oneof![Just(Type::Int), Just(Type::Str), Just(Type::Model)];
    leaf.prop_recursive(3, 8, 2, |inner| {
        let one = inner.clone().prop_map(Box::new);
        let two = (inner.clone().prop_map(Box::new), inner.prop_map(Box::new));
        prop_oneof![
            one.clone().prop_map(Type::Set),
            one.prop_map(Type::Seq),
            two.clone().prop_map(|(a, b)| Type::Record(a, b)),
            two.prop_map(|(a, b)| Type::Function(a, b)),
        ]
    })
}

pub fn any_term(of: &Type) -> BoxedStrategy<Term> {
    match of {
        Type::Int => prop_oneof![8 => -3..6, 1 => Just(i32::MAX), 1 => Just(i32::MIN), 1 => Just(1 << 29)]
            .prop_map(Term::Int)
            .boxed(),
        Type::Str => prop_oneof![Just("a"), Just("b"), Just("c d"), Just("")].prop_map(Term::Str).boxed(),
        Type::Model => prop_oneof![Just("m1"), Just("m2"), Just("m3")].prop_map(Term::Model).boxed(),
        Type::Set(elem) => prop::collection::vec(any_term(elem), 0..5).prop_map(Term::Set).boxed(),
        Type::Seq(elem) => prop::collection::vec(any_term(elem), 0..4).prop_map(Term::Tuple).boxed(),
        Type::Record(a, b) => (any_term(a), any_term(b), any::<bool>())
            .prop_map(|(a, b, both)| {
                let mut fields = vec![("x", a)];
                if both {
                    fields.push(("a", b));
                }
                Term::Record(fields)
            })
            .boxed(),
        Type::Function(from, to) => {
            prop::collection::vec((any_term(from), any_term(to)), 0..4).prop_map(Term::Function).boxed()
        }
    }
}

/// Several values of one type.
pub fn same_type(n: usize) -> impl Strategy<Value = Vec<Term>> {
    any_type().prop_flat_map(move |of| prop::collection::vec(any_term(&of), n))
}

/// Up to six values of one type, as the elements of a set.
pub fn elements() -> impl Strategy<Value = Vec<Term>> {
    any_type().prop_flat_map(move |of| prop::collection::vec(any_term(&of), 0..6))
}

/// Builds a value with the constructors for whole values.
pub fn build(store: &Store, term: &Term) -> Value {
    match term {
        Term::Int(i) => store.int(*i),
        Term::Str(text) => store.string(text),
        Term::Model(name) => store.model_value(name),
        Term::Set(elems) => set(store, elems.iter().map(|elem| build(store, elem)).collect()),
        Term::Tuple(elems) => store.tuple(&elems.iter().map(|elem| build(store, elem)).collect::<Vec<_>>()),
        Term::Record(fields) => {
            store.record(&mut fields.iter().map(|(n, v)| (store.string(n), build(store, v))).collect())
        }
        Term::Function(pairs) => {
            let pairs: Vec<_> = pairs.iter().map(|(a, v)| (build(store, a), build(store, v))).collect();
            let mut args: Vec<Value> = pairs.iter().map(|(arg, _)| *arg).collect();
            let domain = store.set(&mut args).expect("values of one type");
            let value = |arg| pairs.iter().find(|(a, _)| a == arg).expect("one of the arguments").1;
            store.function(domain, &args.iter().map(value).collect::<Vec<_>>())
        }
    }
}

/// Builds a value step by step, the last part first.
pub fn build_in_steps(store: &Store, term: &Term) -> Value {
    match term {
        Term::Int(_) | Term::Str(_) | Term::Model(_) => build(store, term),
        Term::Set(elems) => elems.iter().rev().fold(store.empty_set(), |all, elem| {
            let one = store.set_sorted(&[build_in_steps(store, elem)]);
            store.union(all, one).expect("values of one type")
        }),
        Term::Tuple(elems) => elems.iter().fold(store.empty_tuple(), |seq, elem| {
            store.append(seq, build_in_steps(store, elem)).expect("a sequence")
        }),
        Term::Record(fields) => fields.iter().rev().fold(store.empty_tuple(), |record, (name, value)| {
            merge_one(store, store.string(name), build_in_steps(store, value), record)
        }),
        Term::Function(pairs) => pairs.iter().rev().fold(store.empty_tuple(), |function, (arg, value)| {
            merge_one(store, build_in_steps(store, arg), build_in_steps(store, value), function)
        }),
    }
}

fn merge_one(store: &Store, arg: Value, value: Value, function: Value) -> Value {
    let one = store.singleton_function(arg, value);
    store.merge(one, function).expect("arguments of one type").expect("two functions")
}

pub fn set(store: &Store, mut elems: Vec<Value>) -> Value {
    store.set(&mut elems).expect("values that can be compared")
}

pub fn ints(store: &Store, ints: &[i32]) -> Value {
    set(store, ints.iter().map(|i| store.int(*i)).collect())
}

pub fn record(store: &Store, fields: &[(&str, Value)]) -> Value {
    store.record(&mut fields.iter().map(|(name, value)| (store.string(name), *value)).collect())
}

/// All elements of a set, in the order of enumeration.
pub fn list(store: &Store, set: Value) -> Result<Vec<Value>, SetError> {
    let mut iter = store.iterate(set)?;
    Ok(std::iter::from_fn(|| iter.next(store)).collect())
}

/// The elements as text, separated by spaces.
pub fn show_list(store: &Store, set: Value) -> String {
    let elems = list(store, set).expect("a set that can be enumerated");
    elems.iter().map(|elem| store.show(*elem)).collect::<Vec<_>>().join(" ")
}

/// What `contains` says, or its error, as text.
pub fn show_contains(store: &Store, set: Value, elem: Value) -> String {
    match store.contains(set, elem) {
        Ok(answer) => answer.to_string(),
        Err(error) => store.set_error_message(&error),
    }
}
