//! Where compiled nodes come from, for error messages: a place, and the chain of operator calls around it.

use kilter_base::{Id, IdVec, Name, Span, define_id};

define_id! {
    /// Identifies the origin of a node: see [`Origins`].
    OriginId
}
define_id! {
    /// A chain of expanded operator calls.
    ContextId
}

/// One expanded operator call.
#[derive(Clone, Debug)]
struct Context {
    /// The name of the operator.
    name: Name,
    /// The place of the call. `None` for a body that is called from many places: each call adds its place when it
    /// fails.
    call: Option<Span>,
    /// The operator call around this one.
    parent: Option<ContextId>,
}

/// The origins of all nodes of a program.
#[derive(Clone, Debug, Default)]
pub struct Origins {
    places: IdVec<OriginId, (Span, Option<ContextId>)>,
    contexts: IdVec<ContextId, Context>,
}

/// One operator call in the chain around an error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallSite {
    /// The name of the operator.
    pub name: Name,
    /// The place of the call.
    pub span: Span,
}

impl Origins {
    pub(crate) fn add(&mut self, span: Span, context: Option<ContextId>) -> OriginId {
        self.places.push((span, context))
    }

    pub(crate) fn call(&mut self, name: Name, call: Span, parent: Option<ContextId>) -> ContextId {
        self.contexts.push(Context { name, call: Some(call), parent })
    }

    /// Makes the context for the body of an operator that is called at run time, not expanded.
    pub(crate) fn body(&mut self, name: Name) -> ContextId {
        self.contexts.push(Context { name, call: None, parent: None })
    }

    /// The name of the operator whose expanded body the context stands for.
    pub(crate) fn name(&self, context: ContextId) -> &Name {
        &self.contexts[context].name
    }

    /// The place of a node in the specification.
    pub fn span(&self, id: OriginId) -> Span {
        self.places[id].0
    }

    /// The expanded operator calls around a node, innermost first.
    pub fn chain(&self, id: OriginId) -> Vec<CallSite> {
        let mut chain = Vec::new();
        let mut next = self.places[id].1;
        while let Some(context) = next {
            let Context { name, call, parent } = &self.contexts[context];
            chain.extend(call.map(|span| CallSite { name: name.clone(), span }));
            next = *parent;
        }
        chain
    }

    /// The number of origins so far.
    pub(crate) fn len(&self) -> usize {
        self.places.ids().last().map_or(0, |id| id.index() + 1)
    }
}
