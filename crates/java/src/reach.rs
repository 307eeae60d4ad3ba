//! Which methods may run in a step of an action, and which while a node starts.
//!
//! A step begins at a point and ends when its thread rests again. So it may run what its method calls, and what the callers of its
//! method do when that returns, but not what lies behind another point. The start of a node runs what makes the threads of the actions,
//! and what that calls.
//!
//! A call of a method may be one of any class that overrides it, with one exception: what is called as a task (`Runnable.run`) is not the
//! `run` of a thread, which only the thread itself calls. Threads and tasks that a method makes run with it.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

use crate::class::{Call, Class, Method};
use crate::jars::Jars;
use crate::table::{Point, Table};

const THREAD: &str = "java.lang.Thread";
/// What a thread, and the task of one, runs.
const TASKS: [&str; 2] = ["run()", "call()"];

/// A method, with what it may run.
pub(crate) struct Body {
    class: String,
    name: String,
    pub(crate) code: String,
    /// The class's parents: if they change, calls in all its methods may mean others.
    pub(crate) parents: String,
    /// Methods that it may call.
    calls: BTreeSet<String>,
    /// Methods that run in a thread of their own from here on.
    starts: BTreeSet<String>,
    /// Whether its thread ends with it.
    is_thread: bool,
}

/// All methods of some jars, as `Class.method(types)`.
pub(crate) struct Program {
    pub(crate) methods: BTreeMap<String, Body>,
    /// For each method, those that may call it.
    callers: BTreeMap<String, Vec<String>>,
    /// For each method that runs in a thread of its own, those that make the thread.
    makers: BTreeMap<String, Vec<String>>,
}

/// Methods that may run, the nearest first.
#[derive(Default)]
pub(crate) struct Reached<'p> {
    /// The methods, in the order in which they were found.
    pub(crate) order: Vec<&'p str>,
    /// For each of them, the method by which it was found. One of an action's own was found by itself.
    from: BTreeMap<&'p str, &'p str>,
}

impl<'p> Reached<'p> {
    fn add(&mut self, name: &'p str, from: &'p str) {
        if let Entry::Vacant(free) = self.from.entry(name) {
            free.insert(from);
            self.order.push(name);
        }
    }

    /// The methods that lead to this one, the nearest to the action first.
    pub(crate) fn way(&self, to: &str) -> Vec<&'p str> {
        let mut way = Vec::new();
        let mut at = to;
        while let Some(before) = self.from.get(at).filter(|before| **before != at) {
            way.push(*before);
            at = before;
        }
        way.reverse();
        way
    }
}

impl Program {
    pub(crate) fn new(jars: &Jars, table: &Table) -> Program {
        let classes: Vec<Class> = jars.names().filter_map(|name| jars.class(name)?.ok()).collect();
        let family = Family::new(&classes, table);
        let mut methods = BTreeMap::new();
        for class in &classes {
            for method in &class.methods {
                let (mut calls, mut starts) = (BTreeSet::new(), BTreeSet::new());
                let runs = !table.leaves_out(&class.name);
                for call in method.calls.iter().chain(&method.functions).filter(|_| runs) {
                    calls.extend(family.inherited(&call.class, &call.key));
                    calls.extend(family.overriding(call));
                    // The class is set up when it is first used.
                    calls.extend(family.own(&call.class, "<clinit>()"));
                    if call.method == "<init>" {
                        // Perhaps it is a thread, or the task of one.
                        starts.extend(TASKS.iter().filter_map(|task| family.inherited(&call.class, task)));
                    }
                }
                let is_thread = method.key == "run()" && family.is_or_inherits(&class.name, THREAD);
                let (class_name, name) = (class.name.clone(), method.name.clone());
                let (code, parents) = (method.code.clone(), format!("{:?}", class.parents));
                let body = Body { class: class_name, name, code, parents, calls, starts, is_thread };
                methods.insert(full_name(class, method), body);
            }
        }
        let backwards = |of: fn(&Body) -> &BTreeSet<String>| {
            let mut backwards: BTreeMap<String, Vec<String>> = BTreeMap::new();
            for (name, body) in &methods {
                for next in of(body) {
                    backwards.entry(next.clone()).or_default().push(name.clone());
                }
            }
            backwards
        };
        let callers = backwards(|body| &body.calls);
        let makers = backwards(|body| &body.starts);
        Program { methods, callers, makers }
    }

    /// All methods that may run in a step of this action.
    pub(crate) fn of_action(&self, action: &str, table: &Table) -> Reached<'_> {
        let (own, others): (Vec<_>, Vec<_>) =
            table.points.iter().partition(|point| point.actions().any(|other| other == action));
        let begin: Vec<&str> = self.with_points(&own).collect();
        let above = above(begin, |name| {
            let ends = self.methods.get(name).is_some_and(|body| body.is_thread);
            if ends { &[] } else { self.callers.get(name).map_or(&[][..], Vec::as_slice) }
        });
        self.below(above, &others)
    }

    /// All methods that may run while a node starts, and in the threads that it starts then, up to the points of the table.
    pub(crate) fn of_start(&self, table: &Table) -> Reached<'_> {
        let all: Vec<&Point> = table.points.iter().collect();
        let begin: Vec<&str> = self.with_points(&all).collect();
        let actions = above(begin, |name| self.callers.get(name).map_or(&[][..], Vec::as_slice));
        let made = actions.order.iter().flat_map(|name| self.makers.get(*name).into_iter().flatten());
        let above = above(made.map(String::as_str).collect(), |name| {
            let (callers, makers) = (self.callers.get(name), self.makers.get(name));
            callers.or(makers).map_or(&[][..], Vec::as_slice)
        });
        self.below(above, &[])
    }

    /// The methods in which these points lie.
    fn with_points(&self, points: &[&Point]) -> impl Iterator<Item = &str> {
        let has_point = |body: &Body| points.iter().any(|point| is_in(body, &point.method));
        self.methods.iter().filter(move |(_, body)| has_point(body)).map(|(name, _)| name.as_str())
    }

    /// These methods, and all that they may run before another action begins.
    fn below<'p>(&'p self, mut reached: Reached<'p>, others: &[&Point]) -> Reached<'p> {
        // Another action begins here, or with this call, so the step has ended before.
        let begins_another = |body: &Body| {
            others.iter().any(|point| {
                point.action.is_some()
                    && point.call.is_none()
                    && point.at.is_none()
                    && is_in(body, &point.method)
            })
        };
        let is_cut = |from: &Body, to: &Body| {
            begins_another(to)
                || others.iter().any(|point| {
                    let call = point.action.as_ref().and(point.call.as_ref());
                    let name = call.and_then(|call| call.rsplit('.').next());
                    name == Some(to.name.as_str()) && is_in(from, &point.method)
                })
        };
        let mut n_seen = 0;
        while let Some(name) = reached.order.get(n_seen).copied() {
            n_seen += 1;
            let Some(body) = self.methods.get(name) else { continue };
            for called in body.calls.iter().chain(&body.starts) {
                let Some((called, to)) = self.methods.get_key_value(called) else { continue };
                if !is_cut(body, to) {
                    reached.add(called, name);
                }
            }
        }
        reached
    }
}

/// These methods, and all that come before them.
fn above<'p>(begin: Vec<&'p str>, before: impl Fn(&str) -> &'p [String]) -> Reached<'p> {
    let mut reached = Reached::default();
    for name in begin {
        reached.add(name, name);
    }
    let mut n_seen = 0;
    while let Some(name) = reached.order.get(n_seen).copied() {
        for next in before(name) {
            reached.add(next, name);
        }
        n_seen += 1;
    }
    reached
}

/// Whether this is the method that a table names.
fn is_in(body: &Body, text: &str) -> bool {
    let path = text.split('(').next().unwrap_or_default();
    path.rsplit_once('.').is_some_and(|(class, name)| body.class == class && body.name == name)
}

/// Which classes inherit from which.
struct Family<'c> {
    classes: BTreeMap<&'c str, &'c Class>,
    /// For each class, all that it inherits from, the nearest first.
    above: BTreeMap<&'c str, Vec<&'c str>>,
    /// For each class, all that inherit from it.
    below: BTreeMap<&'c str, Vec<&'c str>>,
    /// Classes that nobody calls as the system is tested.
    unused: BTreeSet<&'c str>,
}

impl<'c> Family<'c> {
    fn new(classes: &'c [Class], table: &Table) -> Family<'c> {
        let classes: BTreeMap<&str, &Class> =
            classes.iter().map(|class| (class.name.as_str(), class)).collect();
        let mut above: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        let mut below: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for (name, class) in &classes {
            let mut all: Vec<&str> = class.parents.iter().map(String::as_str).collect();
            let mut n_known = 0;
            while let Some(parent) = all.get(n_known) {
                let more = classes.get(parent).into_iter().flat_map(|parent| &parent.parents);
                let more: Vec<&str> = more.map(String::as_str).filter(|more| !all.contains(more)).collect();
                all.extend(more);
                n_known += 1;
            }
            for parent in &all {
                below.entry(parent).or_default().push(name);
            }
            above.insert(name, all);
        }
        let unused = classes.keys().copied().filter(|class| table.leaves_out(class)).collect();
        Family { classes, above, below, unused }
    }

    fn is_or_inherits(&self, below: &str, above: &str) -> bool {
        below == above || self.above.get(below).is_some_and(|all| all.contains(&above))
    }

    /// A method that a class has itself.
    fn own(&self, class: &str, key: &str) -> Option<String> {
        let class = self.classes.get(class).filter(|class| !self.unused.contains(class.name.as_str()))?;
        let method = class.methods.iter().find(|method| method.key == key)?;
        Some(full_name(class, method))
    }

    /// The method that a class has, or inherits.
    fn inherited(&self, class: &str, key: &str) -> Option<String> {
        let above = self.above.get(class).into_iter().flatten().copied();
        std::iter::once(class).chain(above).find_map(|class| self.own(class, key))
    }

    /// The methods that override the one that a call names.
    fn overriding(&self, call: &Call) -> Vec<String> {
        if call.is_exact {
            return Vec::new();
        }
        let is_of_thread = self.is_or_inherits(&call.class, THREAD);
        let below = self.below.get(call.class.as_str()).into_iter().flatten();
        let below =
            below.filter(|class| call.key != "run()" || is_of_thread || !self.is_or_inherits(class, THREAD));
        below.filter_map(|class| self.own(class, &call.key)).collect()
    }
}

fn full_name(class: &Class, method: &Method) -> String {
    format!("{}.{}", class.name, method.text())
}
