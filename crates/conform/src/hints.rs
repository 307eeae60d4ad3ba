//! What the messages of a case tell about the cause of a finding: a send that was not reported, or a message that was
//! lost with its receiver; what threads tell; and who reports a variable that is missing.

use kilter_mapping::mapping::Compared;
use kilter_run::{Carried, Difference, FindingKind};
use kilter_testbed::{World, notes};

use crate::observe::look_up;
use crate::plan::Plan;
use crate::traffic::Traffic;

/// How many threads are told of, for each reason.
const THREADS_MAX: usize = 3;

/// What nodes have said of their threads in this case, as far as a finding may come of it: one died, waits for another, or comes by the clock.
pub(crate) fn about_threads(kind: FindingKind, notes: &[String]) -> Vec<String> {
    let words: &[(&str, &str)] = match kind {
        FindingKind::MissingAction => &[
            (notes::DIED, "implementation"),
            (notes::BLOCKED, "implementation or table"),
            (notes::TIMER, "table"),
        ],
        FindingKind::InconsistentState | FindingKind::UnexpectedAction | FindingKind::Crash => {
            &[(notes::DIED, "implementation"), (notes::BLOCKED, "implementation or table")]
        }
        _ => &[],
    };
    let mut hints: Vec<String> = Vec::new();
    for (part, who) in words {
        // The last ones are about the step that failed.
        for note in notes.iter().rev().filter(|note| note.contains(part)).take(THREADS_MAX) {
            let hint = format!("{who}: {note}");
            if !hints.contains(&hint) {
                hints.push(hint);
            }
        }
    }
    hints
}

/// For each global variable that the node that is asked does not report: who does.
pub(crate) fn about_globals(plan: &Plan<'_>, differences: &[Difference], world: &dyn World) -> Vec<String> {
    let names: Vec<&str> = plan.mapping.words.nodes().iter().map(|(name, _)| name.as_str()).collect();
    let hint = |difference: &Difference| {
        let mut variables = plan.mapping.variables.iter();
        let variable = variables.find(|variable| variable.name == difference.variable)?;
        let Compared::Global(path, Some(asked)) = &variable.kind else { return None };
        let reports = |node: &str| world.variables(node).is_some_and(|said| look_up(said, path).is_some());
        let (asked, path) = (names[*asked], path.join("."));
        let others: Vec<&str> = names.iter().copied().filter(|node| reports(node)).collect();
        (!reports(asked)).then(|| match &others[..] {
            [] => format!(
                "mapping or implementation: {asked} does not report `{path}`, nor does any other node; `from` says what nodes call it"
            ),
            [other] => format!("mapping: {asked} does not report `{path}`, {other} does; perhaps node = \"{other}\" is meant"),
            [first, ..] => format!(
                "mapping: {asked} does not report `{path}`, {} do; perhaps node = \"{first}\" is meant",
                others.join(", ")
            ),
        })
    };
    let mut hints: Vec<String> = Vec::new();
    for hint in differences.iter().filter(|difference| difference.observed.is_empty()).filter_map(hint) {
        if !hints.contains(&hint) {
            hints.push(hint);
        }
    }
    hints
}

/// Whether a thread of this node can't go on, or is gone. What it has not done then is no fault of the probe.
fn is_stuck(node: &str, notes: &[String]) -> bool {
    let says_so = |note: &String| note.contains(notes::DIED) || note.contains(notes::BLOCKED);
    notes.iter().any(|note| says_so(note) && note.split_once(": ").is_some_and(|(who, _)| who == node))
}

/// Reasons to suspect the probe. `is_down` says whether a node is down now.
pub(crate) fn about_messages(
    kind: FindingKind,
    traffic: &[Traffic],
    is_down: &dyn Fn(&str) -> bool,
    notes: &[String],
) -> Vec<String> {
    let Some((last, before)) = traffic.split_last() else { return Vec::new() };
    let mut hints = Vec::new();
    let mut add = |hint: Option<String>| hints.extend(hint.filter(|hint| !hints.contains(hint)));
    match kind {
        FindingKind::InconsistentState => {
            let is_lost = |message: &&Carried| message.fate == "dropped" && message.unexpected;
            last.messages.iter().filter(is_lost).for_each(|message| add(Some(lost(message))));
            let sends_others =
                last.messages.iter().any(|message| message.fate == "sent" && message.unexpected);
            for message in last.expected.iter().filter(|message| message.fate == "sent" && !sends_others) {
                if message.from.as_deref().is_some_and(|from| is_stuck(from, notes)) {
                    continue;
                }
                add(Some(if is_down(&message.to) { to_nobody(message) } else { unreported(message) }));
            }
        }
        FindingKind::MissingAction => {
            for message in last.expected.iter().filter(|message| message.fate == "taken") {
                add(missing(message, before));
            }
        }
        _ => {}
    }
    hints
}

/// Why nobody takes in a message. `None` if it is under way.
fn missing(message: &Carried, before: &[Traffic]) -> Option<String> {
    let mut happened = before.iter().flat_map(|traffic| &traffic.messages);
    let last = happened.rfind(|other| other.text == message.text && other.fate != "taken");
    match last {
        Some(other) if other.fate == "dropped" => Some(lost(other)),
        Some(_) => None,
        None => Some(unreported(message)),
    }
}

fn unreported(message: &Carried) -> String {
    let who = message.from.as_deref().unwrap_or("no node");
    let verb = if message.from.is_some() { "has not reported" } else { "has reported" };
    format!(
        "implementation or probe: {who} {verb} that it sent {}; `sent()`, or a point with `sends` for Java, has to stand beside each send",
        message.text
    )
}

fn lost(message: &Carried) -> String {
    let Carried { to, text, .. } = message;
    format!(
        "probe: {text} was lost when {to} went down; a probe that takes delivery (`from_delivery`) gets it back after the restart"
    )
}

fn to_nobody(message: &Carried) -> String {
    let Carried { to, text, .. } = message;
    format!(
        "probe: {to} is down, so {text} is lost; a probe that takes delivery (`from_delivery`) gets it at its restart"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn carried(fate: &str, from: Option<&str>, unexpected: bool) -> Carried {
        let from = from.map(str::to_owned);
        Carried { fate: fate.to_owned(), from, to: "b".to_owned(), text: "hello".to_owned(), unexpected }
    }

    fn step(messages: Vec<Carried>, expected: Vec<Carried>) -> Traffic {
        Traffic { messages, expected }
    }

    #[track_caller]
    fn check(kind: FindingKind, traffic: &[Traffic], is_down: bool, expected: &[&str]) {
        let hints = about_messages(kind, traffic, &|_| is_down, &[]);
        let begins = hints.iter().zip(expected).all(|(hint, part)| hint.contains(part));
        assert!(hints.len() == expected.len() && begins, "{hints:?}");
    }

    #[test]
    fn a_send_that_was_not_reported() {
        let expected = || vec![carried("sent", Some("a"), false)];
        let kind = FindingKind::InconsistentState;
        check(kind, &[step(Vec::new(), expected())], false, &["a has not reported that it sent hello"]);
        check(kind, &[step(Vec::new(), expected())], true, &["b is down, so hello is lost"]);
        // Another message was sent: then the report is not what is missing.
        check(kind, &[step(vec![carried("sent", Some("a"), true)], expected())], false, &[]);
        check(FindingKind::Crash, &[step(Vec::new(), expected())], false, &[]);
    }

    #[test]
    fn a_thread_that_is_stuck_has_not_sent() {
        let blocked =
            "a: thread w waits for x.Lock, which thread h holds while it waits at point 1".to_owned();
        let died = "b: thread w has died of x.Bad at x.Y.z(Y.java:3)".to_owned();
        let timer = "b: thread t of a pool has a timer that is due in 900 ms".to_owned();
        let kind = FindingKind::InconsistentState;
        let notes = [blocked.clone(), "b: ready".to_owned(), died.clone(), timer.clone()];
        let (died, blocked) =
            (format!("implementation: {died}"), format!("implementation or table: {blocked}"));
        assert_eq!(about_threads(kind, &notes), [died.clone(), blocked.clone()]);
        let missing = about_threads(FindingKind::MissingAction, &notes);
        assert_eq!(missing, [died, blocked, format!("table: {timer}")]);
        let traffic = [step(Vec::new(), vec![carried("sent", Some("a"), false)])];
        assert_eq!(about_messages(kind, &traffic, &|_| false, &notes), Vec::<String>::new());
        assert_eq!(about_messages(kind, &traffic, &|_| false, &notes[1..]).len(), 1);
    }

    #[test]
    fn a_message_that_was_lost_with_its_receiver() {
        let lost = step(vec![carried("dropped", Some("a"), true)], Vec::new());
        check(FindingKind::InconsistentState, &[lost], false, &["hello was lost when b went down"]);
    }

    #[test]
    fn a_message_that_is_not_taken_in() {
        let kind = FindingKind::MissingAction;
        let last = || step(Vec::new(), vec![carried("taken", None, false)]);
        let sent = || step(vec![carried("sent", Some("a"), false)], Vec::new());
        let lost = || step(vec![carried("dropped", Some("a"), false)], Vec::new());
        check(kind, &[sent(), last()], false, &[]);
        check(kind, &[sent(), lost(), last()], false, &["hello was lost when b went down"]);
        check(kind, &[last()], false, &["no node has reported that it sent hello"]);
    }
}
