//! What a point says, beside the names of classes, methods and calls: whether its keys go together.

use std::collections::BTreeMap;

use super::code::is_call;
use super::{Around, Checker};
use crate::class::{Call, Class, Method};
use crate::table::Point;

/// The calls that points take over: the class, the method, the number of the call in it, and the point.
type Taken<'t> = BTreeMap<(String, String, usize), &'t Point>;

impl Checker<'_> {
    pub(super) fn points(&mut self) {
        let table = self.table;
        let mut taken = Taken::new();
        for point in &table.points {
            self.point(point, &mut taken);
        }
    }

    fn point<'t>(&mut self, point: &'t Point, taken: &mut Taken<'t>) {
        let meanings = point.meanings();
        if meanings.len() != 1 {
            let all = "action, takes, polls, receives, arrives, sends, rests, waits, skip";
            let found = if meanings.is_empty() { "none of them".to_owned() } else { meanings.join(" and ") };
            let message = format!("a point has one meaning, and this one has {found}");
            self.wrong(&point.method, message, Some(format!("it is one of {all}")));
        }
        if let Some(at) = point.at.as_deref().filter(|at| !matches!(*at, "entry" | "exit")) {
            self.wrong(
                at,
                format!("`{at}` is no place in a method"),
                Some("at = \"entry\", at = \"exit\", or call = \"Class.method\"".to_owned()),
            );
        }
        let needs_call = [
            ("takes", point.takes.is_some()),
            ("polls", point.polls),
            ("rests", point.rests),
            ("waits", point.waits),
            ("skip", point.skip),
        ];
        for (word, _) in needs_call.into_iter().filter(|(_, is_there)| *is_there && point.call.is_none()) {
            self.wrong(
                &point.method,
                format!("`{word}` is about a call, and none is named"),
                Some("add call = \"Class.method\"".to_owned()),
            );
        }
        if let Some(when) = point.when.as_deref().filter(|_| point.skip) {
            let help = "leave `if` out";
            self.wrong(when, "`skip` leaves a call out always", Some(help.to_owned()));
        }
        self.time(point);
        if point.drops && (point.receives.is_none() || point.call.is_none()) {
            self.wrong(
                &point.method,
                "`drops` is about a call that receives, and returns null when its message is dropped",
                Some("add `call` and `receives`, or leave `drops` out".to_owned()),
            );
        }
        if point.sends.is_some() && point.to.is_none() {
            self.wrong(
                &point.method,
                "nothing says to whom the message is sent",
                Some("add to = \"…\", the name of a node".to_owned()),
            );
        }
        let found = self.method(&point.method);
        let mut element = None;
        if let (Some((class, methods)), Some(call)) = (&found, &point.call) {
            element = self.call(call, point.nth, methods);
            self.kind_of_call(point, call, methods);
            self.only_one(point, call, (class, methods), taken);
        }
        let around = found.as_ref().and_then(|(class, methods)| Some((class, methods.first()?)));
        let around = Around { method: around, is_call: point.call.is_some(), element: element.as_deref() };
        for text in point.expressions() {
            self.expression(text, around);
        }
    }

    /// Whether what is said of the end of a time belongs to a point that has one.
    fn time(&mut self, point: &Point) {
        let has_queue = point.takes.is_some() || point.polls;
        if let Some(name) = point.timeout.as_ref().filter(|_| !has_queue && !point.waits) {
            self.wrong(name, "`timeout` is for `takes`, `polls` and `waits`", None);
        }
        if let Some(when) = point.timeout_if.as_ref().filter(|_| point.timeout.is_none()) {
            self.wrong(when, "`timeout-if` says when a `timeout` may come, and there is none", None);
        }
        if point.early && (point.takes.is_none() || point.timeout.is_none()) {
            self.wrong(&point.method, "`early` is for `takes` with `timeout`", None);
        }
        if point.any && point.takes.is_none() {
            self.wrong(&point.method, "`any` is for `takes`", None);
        }
    }

    /// Whether the agent can do in the place of the call what the point says.
    fn kind_of_call(&mut self, point: &Point, text: &str, methods: &[Method]) {
        let takes = point.takes.is_some() || point.polls;
        let (word, names, whose): (_, &[&str], _) = match point {
            Point { waits: true, .. } => ("waits", &["wait"], "Object.wait"),
            Point { polls: true, .. } => ("polls", &["poll", "take"], "`poll` and `take` of queues"),
            _ if takes => ("takes", &["poll", "take"], "`poll` and `take` of queues"),
            _ => return,
        };
        let other = found(methods, text, point.nth).find(|(_, call)| !names.contains(&call.method.as_str()));
        if other.is_some() {
            self.wrong(text, format!("`{word}` is for {whose}, and not for `{text}`"), None);
        }
    }

    /// Whether another point has taken over the same call.
    fn only_one<'t>(
        &mut self,
        point: &'t Point,
        text: &str,
        (class, methods): (&Class, &[Method]),
        taken: &mut Taken<'t>,
    ) {
        if !replaces(point) {
            return;
        }
        for ((method, number), _) in found(methods, text, point.nth) {
            if let Some(first) = taken.insert((class.name.clone(), method, number), point) {
                let (one, other) = (first.meanings().join(""), point.meanings().join(""));
                let message =
                    format!("two points, `{one}` and `{other}`, are about the same call of `{text}`");
                let help = "one call can have only one such point, whatever its `if` is; `timeout-if` says when a `timeout` may come";
                self.wrong(text, message, Some(help.to_owned()));
                return;
            }
        }
    }
}

/// The calls that are meant: the method, and the number of the call among its calls.
fn found<'m>(
    methods: &'m [Method],
    text: &'m str,
    nth: Option<u32>,
) -> impl Iterator<Item = ((String, usize), &'m Call)> {
    let all = methods.iter().flat_map(|method| {
        method.calls.iter().enumerate().map(move |(i, call)| ((method.key.clone(), i), call))
    });
    let fitting = all.filter(move |(_, call)| is_call(call, text));
    let (skipped, wanted) = nth.map_or((0, usize::MAX), |nth| ((nth as usize).saturating_sub(1), 1));
    fitting.skip(skipped).take(wanted)
}

/// Whether the agent does something else in the place of the call.
fn replaces(point: &Point) -> bool {
    let Point { takes, polls, receives, rests, waits, skip, .. } = point;
    takes.is_some() || receives.is_some() || *polls || *rests || *waits || *skip
}
