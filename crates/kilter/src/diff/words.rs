//! Writes changes as sentences.

use kilter_change::{Changes, SpecChange};

use super::round::{Full, Round, Taken};
use kilter_report::style::{count, plural};

/// A change in words.
pub struct Said {
    /// The kind of change in one word, for scripts.
    pub kind: &'static str,
    /// The name of what has changed.
    pub name: String,
    /// One sentence, with code between backquotes.
    pub text: String,
}

/// All changes in words, in order.
pub fn changes(changes: &Changes) -> Vec<Said> {
    let spec = changes.spec.iter().flat_map(|spec| &spec.changes).map(spec_change);
    let code = changes.code.iter().map(|change| {
        let variables = match &change.variables {
            Some(names) if names.is_empty() => "assigns no variable".to_owned(),
            Some(names) => format!("assigns `{}`", names.join("`, `")),
            None => "may assign any variable".to_owned(),
        };
        said("code", &change.action, format!("code of `{}`: {}; {variables}", change.action, change.why))
    });
    let compared = changes
        .compared
        .iter()
        .map(|what| said("compared", what, format!("everything is compared again: {what}")));
    let unattributed = changes
        .unattributed
        .iter()
        .map(|what| said("unattributed", what, format!("code that belongs to no action: {what}")));
    let start = changes.start.iter().map(|what| said("start", what, format!("code of {what}")));
    let unused = changes.unused.iter().map(|what| {
        said(
            "unused",
            what,
            format!("code that no action and no start of a node runs, which needs no test: {what}"),
        )
    });
    let pair = |kind: &'static str, verb: &'static str| {
        move |(first, second): &(String, String)| {
            said(kind, first, format!("`{second}` right after `{first}` is {verb}"))
        }
    };
    let allowed = changes.allowed.iter().map(pair("allowed", "now possible"));
    let forbidden = changes.forbidden.iter().map(pair("forbidden", "no longer possible"));
    spec.chain(code)
        .chain(compared)
        .chain(unattributed)
        .chain(start)
        .chain(unused)
        .chain(allowed)
        .chain(forbidden)
        .collect()
}

fn said(kind: &'static str, name: &str, text: String) -> Said {
    Said { kind, name: name.to_owned(), text }
}

fn spec_change(change: &SpecChange) -> Said {
    match change {
        SpecChange::VariableAdded(name) => said("variable-added", name, format!("variable `{name}` added")),
        SpecChange::VariableDeleted(name) => {
            said("variable-deleted", name, format!("variable `{name}` deleted"))
        }
        SpecChange::BlockAdded { name, new } => {
            said("block-added", name, format!("basic block of `{name}` added at {new}"))
        }
        SpecChange::BlockDeleted { name, old } => {
            said("block-deleted", name, format!("basic block of `{name}` deleted, was at {old}"))
        }
        SpecChange::BlockModified { name, old, new } if old == new => {
            said("block-modified", name, format!("basic block of `{name}` modified at {new}"))
        }
        SpecChange::BlockModified { name, old, new } => {
            said("block-modified", name, format!("basic block of `{name}` modified at {new}, was at {old}"))
        }
        SpecChange::Init => said("init", "Init", "initial predicate modified".to_owned()),
        SpecChange::Constant { name, old, new } => {
            let shown = |value: &Option<String>| value.clone().unwrap_or_else(|| "nothing".to_owned());
            said("constant", name, format!("`{name}` is `{}`, was `{}`", shown(new), shown(old)))
        }
        SpecChange::Model(section) => said("model", section, format!("{section} modified")),
        SpecChange::Checked(section) => {
            said("checked", section, format!("{section} modified; no step depends on it"))
        }
    }
}

/// The number of kinds of edges to test, if one edge stands for several similar ones. Otherwise empty.
pub fn alike(round: &Round) -> String {
    if round.is_alike {
        format!(", {} to test", plural(round.affected.wants.n() as u64, "kind"))
    } else {
        String::new()
    }
}

/// How much is saved compared with the full suite. `None` if that is not known.
pub fn saved(round: &Round) -> Option<String> {
    let Full { tests, steps, cost, taken } = round.full?;
    let told = |tests, steps| format!("{} with {}", plural(tests, "test"), plural(steps, "step"));
    let full = told(tests, steps);
    if let Taken::Full { instead_of_tests, instead_of_steps } = taken {
        let selected = told(instead_of_tests, instead_of_steps);
        return Some(format!(
            "the full suite, because tests for the affected edges alone cost more: {selected}"
        ));
    }
    let own = round.n_tests();
    if own < tests || (own == tests && round.n_steps() < steps) {
        let fewer = |share: f64, what: &str| match share {
            0.0 => format!("no fewer {what}"),
            share => format!("{:.2} % fewer {what}", 100.0 * share),
        };
        let (of_tests, of_steps) = (round.reduction()?, round.step_reduction()?);
        return Some(format!(
            "instead of {full}: {}, {}",
            fewer(of_tests, "tests"),
            fewer(of_steps, "steps")
        ));
    }
    let why = match taken {
        Taken::FullDoesLess => ", which does not do all of this".to_owned(),
        Taken::Grown => ", which does all of this, too; --algorithm optimal finds fewer".to_owned(),
        _ => match &round.suite {
            Some(suite) if suite.cost() < cost => {
                let (own, rate) = (count(suite.cost()), suite.restart_cost);
                format!(", but cheaper: {own} instead of {} = {rate} × tests + steps", count(cost))
            }
            _ => String::new(),
        },
    };
    Some(match own - tests {
        0 => format!("no fewer than the full suite's {full}{why}"),
        more => format!("{} more than the full suite's {full}{why}", count(more)),
    })
}

/// Why nothing has to be tested. `None` if something has to be.
pub fn nothing(round: &Round) -> Option<&'static str> {
    if round.affected.wants.n() > 0 {
        return None;
    }
    let is_quiet = |change: &SpecChange| matches!(change, SpecChange::Checked(_));
    let has_changes = round.changes.spec.as_ref().is_some_and(|spec| !spec.changes.iter().all(is_quiet));
    let Changes { code, unused, .. } = &round.changes;
    Some(match (&round.changes.spec, has_changes || !code.is_empty()) {
        _ if round.is_same_text && !(code.is_empty() && unused.is_empty()) => {
            "no step runs the code that changed"
        }
        _ if round.is_same_text => "both versions are the same",
        _ if round.affected.known > 0 => {
            "what is new is so to the specification only: each node does what it did in the old graph"
        }
        (None, _) => "both graphs have the same states and steps",
        (Some(_), false) => {
            "only comments, layout, names of bound variables or the order of definitions differ: every basic block says what it said"
        }
        (Some(_), true) => {
            "what was rewritten comes to the same: the graphs have the same states and steps, so there is nothing new to see"
        }
    })
}
