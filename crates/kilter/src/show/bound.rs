//! Finds the variables that only bound the model among the reasons why a step is not possible. A log knows nothing of such bounds.

use kilter_base::Sources;
use kilter_eval::reason::Reason;
use kilter_mapping::Mapping;
use kilter_mapping::mapping::Compared;

/// The variables that only bound the model, and have a part in every one of these ways in which a step is not possible.
pub(super) fn at_fault<'m>(ways: &[Vec<Reason>], sources: &Sources, mapping: &'m Mapping) -> Vec<&'m str> {
    let bounds = mapping.variables.iter().filter(|variable| variable.kind == Compared::Bound);
    let is_in = |way: &Vec<Reason>, name: &str| way.iter().any(|reason| names(reason, name, sources));
    bounds.map(|bound| bound.name.as_str()).filter(|name| ways.iter().all(|way| is_in(way, name))).collect()
}

/// Whether a part of a formula that decides about it has this name in it.
fn names(reason: &Reason, name: &str, sources: &Sources) -> bool {
    if !reason.below.is_empty() {
        return reason.below.iter().any(|below| names(below, name, sources));
    }
    let file = sources.file(reason.span.file);
    let text = &file.text[reason.span.start as usize..reason.span.end as usize];
    text.split(|c: char| c != '_' && !c.is_alphanumeric()).any(|word| word == name)
}
