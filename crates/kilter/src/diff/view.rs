//! Derives from the mapping what nodes can see of the states and steps of a specification.

use kilter_change::view::{Actor, Actors, Sight, View};
use kilter_mapping::Mapping;
use kilter_mapping::file::Form;
use kilter_mapping::mapping::{Compared, Deed, Place, Rule, Template};
use kilter_value::Store;

/// What nodes can see. `None` if the mapping says that they share more than messages.
pub fn of(mapping: &Mapping, store: &Store) -> Option<View> {
    if mapping.diff.shared {
        return None;
    }
    let variables = mapping.variables.iter().map(|variable| {
        let sight = match &variable.kind {
            Compared::Messages(Form::Bag) => Sight::Bag,
            Compared::Messages(Form::Set | Form::Monotone) => Sight::Set,
            Compared::Bound => Sight::Nothing,
            Compared::Global(_, Some(node)) => Sight::At(name(*node, mapping, store)),
            Compared::Global(_, None) => Sight::Whole,
            // A node may know a variable even if it does not report it.
            Compared::Node(..) | Compared::Not | Compared::Unnamed => Sight::Own,
        };
        (variable.name.clone(), sight)
    });
    let actions =
        mapping.rules.iter().filter_map(|rule| Some((rule.action.clone(), actor(rule, mapping, store)?)));
    Some(View { variables: variables.collect(), actions: actions.collect() })
}

/// The node as the specification writes it.
fn name(node: usize, mapping: &Mapping, store: &Store) -> String {
    mapping.words.nodes().get(node).map(|(_, value)| store.show(*value)).unwrap_or_default()
}

/// The node that takes the steps of an action. `None` if there may be several, or if that is not known.
fn actor(rule: &Rule, mapping: &Mapping, store: &Store) -> Option<Actor> {
    let node = match (&rule.node, &rule.deed) {
        (_, Deed::Internal) => return None,
        _ if rule.other.is_some() => return None,
        (Some(Place::Part(part)), _) => Actors::Part(part.param, part.path.clone()),
        (Some(Place::Fixed(node)), _) => Actors::Fixed(name(*node, mapping, store)),
        (None, Deed::Fault(fault)) if fault.is_about_message() => Actors::Nobody,
        (None, _) => return None,
    };
    let counts = match &rule.deed {
        Deed::Request { args, .. } => args.contains(&Template::Count),
        // A program may look at anything.
        Deed::Command(_) | Deed::Offer { provoked_by: Some(_), .. } => true,
        _ => false,
    };
    let is_offered = matches!(rule.deed, Deed::Offer { .. }) && !rule.is_bounded;
    Some(Actor { node, message: rule.message, counts, is_offered })
}
