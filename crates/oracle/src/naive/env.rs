//! The bound names around an expression.

use std::rc::Rc;

use crate::model::{Def, Expr};
use crate::value::Value;

/// The bound names around an expression, innermost first.
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
    /// An expression that is evaluated where the name is used.
    Later(&'m Expr, Env<'m>),
    /// A definition of a LET, with the names that its body sees.
    Def(&'m Def, Env<'m>),
    /// An operator that was passed as an argument.
    Operator(&'m [String], &'m Expr, Env<'m>),
}

impl<'m> Env<'m> {
    /// The names with one more name.
    #[must_use]
    pub fn with(&self, name: &'m str, item: Item<'m>) -> Env<'m> {
        Env(Some(Rc::new(Link { name, item, rest: self.clone() })))
    }

    /// The names with one more name, which stands for a value.
    #[must_use]
    pub fn with_value(&self, name: &'m str, value: Value) -> Env<'m> {
        self.with(name, Item::Value(value))
    }

    /// What a name stands for. `None` if it is not bound.
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

    /// The names with one more definition of a LET. Its body sees the names before it, but not later definitions. A
    /// recursive function gets its own name when it is evaluated.
    #[must_use]
    pub fn with_def(&self, def: &'m Def) -> Env<'m> {
        self.with(&def.name, Item::Def(def, self.clone()))
    }
}
