//! Names and what they stand for.

use std::rc::Rc;

use crate::model::{Def, Expr};
use crate::value::Value;

/// The bound names around an expression, the innermost first.
#[derive(Clone, Debug, Default)]
pub struct Env<'m>(Option<Rc<Link<'m>>>);

#[derive(Debug)]
struct Link<'m> {
    name: &'m str,
    item: Item<'m>,
    rest: Env<'m>,
}

/// What a name stands for.
#[derive(Clone, Debug)]
pub enum Item<'m> {
    /// A value.
    Value(Value),
    /// An expression that is evaluated where it is needed.
    Later(&'m Expr, Env<'m>),
    /// A definition of a LET, with the names around it.
    Def(&'m Def, Env<'m>),
    /// An operator that was passed as an argument.
    Operator(&'m [String], &'m Expr, Env<'m>),
}

impl<'m> Env<'m> {
    /// One more name.
    #[must_use]
    pub fn with(&self, name: &'m str, item: Item<'m>) -> Env<'m> {
        Env(Some(Rc::new(Link { name, item, rest: self.clone() })))
    }

    /// One more name with its value.
    #[must_use]
    pub fn with_value(&self, name: &'m str, value: Value) -> Env<'m> {
        self.with(name, Item::Value(value))
    }

    /// What a name stands for.
    pub fn get(&self, name: &str) -> Option<&Item<'m>> {
        let mut env = self;
        while let Some(link) = &env.0 {
            if link.name == name {
                return Some(&link.item);
            }
            env = &link.rest;
        }
        None
    }

    /// From a definition of a LET on: it and its neighbors see each other only backwards, so the names around it and itself.
    #[must_use]
    pub fn with_def(&self, def: &'m Def) -> Env<'m> {
        self.with(&def.name, Item::Def(def, self.clone()))
    }
}
