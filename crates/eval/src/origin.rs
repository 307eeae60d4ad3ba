//! Where compiled nodes come from, for error messages: a place, and the chain of operator calls around it.

use kilter_base::{Id, IdVec, Name, Span, define_id};

define_id! {
    /// Where a node comes from: see [`Origins`].
    OriginId
}
define_id! {
    /// A chain of expanded operator calls.
    ContextId
}

/// One expanded operator call.
#[derive(Clone, Debug)]
struct Context {
    /// The operator.
    name: Name,
    /// Where it was called; `None` for a body that is called from many places, each of which says so when it fails.
    call: Option<Span>,
    /// The call around that one.
    parent: Option<ContextId>,
}

/// Places of all nodes of a program.
#[derive(Clone, Debug, Default)]
pub struct Origins {
    places: IdVec<OriginId, (Span, Option<ContextId>)>,
    contexts: IdVec<ContextId, Context>,
}

/// One step of a chain of operator calls.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallSite {
    /// The operator that was being evaluated.
    pub name: Name,
    /// Where it was called.
    pub span: Span,
}

impl Origins {
    pub(crate) fn add(&mut self, span: Span, context: Option<ContextId>) -> OriginId {
        self.places.push((span, context))
    }

    pub(crate) fn call(&mut self, name: Name, call: Span, parent: Option<ContextId>) -> ContextId {
        self.contexts.push(Context { name, call: Some(call), parent })
    }

    /// The body of an operator that is called, not expanded.
    pub(crate) fn body(&mut self, name: Name) -> ContextId {
        self.contexts.push(Context { name, call: None, parent: None })
    }

    /// The operator of an expanded call.
    pub(crate) fn name(&self, context: ContextId) -> &Name {
        &self.contexts[context].name
    }

    /// The place of a node.
    pub fn span(&self, id: OriginId) -> Span {
        self.places[id].0
    }

    /// The operator calls around a node, innermost first.
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

    /// The number of nodes so far.
    pub(crate) fn len(&self) -> usize {
        self.places.ids().last().map_or(0, |id| id.index() + 1)
    }
}
