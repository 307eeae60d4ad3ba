//! What changed between two sets of jars, and which actions of a table that touches.
//!
//! A step begins at a point and ends when its thread rests again. So it may run what its method calls, and what the callers of its
//! method do when that returns, but not what lies behind another point. A call of a method may be one of any class that inherits
//! it or overrides it. Code is compared as instructions: debug information and the numbers of constants do not count.

use std::collections::{BTreeMap, BTreeSet};

use crate::class::{Class, Method};
use crate::jars::Jars;
use crate::table::{Point, Table};

/// The changes between two sets of jars.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Changed {
    /// The actions whose code changed, with the methods that did.
    pub actions: BTreeMap<String, Vec<String>>,
    /// Changed methods that belong to no action.
    pub elsewhere: Vec<String>,
}

/// Compares two sets of jars. Actions are those that nodes offer.
pub fn changed(old: &Jars, new: &Jars, table: &Table) -> Changed {
    let (old, new) = (Program::new(old), Program::new(new));
    let differ = differences(&old, &new);
    let mut touched: BTreeMap<String, BTreeSet<&str>> = BTreeMap::new();
    let mut known: BTreeSet<&str> = BTreeSet::new();
    for program in [&old, &new] {
        for action in table.points.iter().flat_map(Point::actions) {
            let reached = program.runs(action, table);
            let methods = differ.iter().filter(|name| reached.contains(name.as_str())).map(String::as_str);
            let methods: Vec<&str> = methods.collect();
            known.extend(&methods);
            touched.entry(action.to_owned()).or_default().extend(methods);
        }
    }
    let actions = touched.into_iter().filter(|(_, methods)| !methods.is_empty());
    Changed {
        actions: actions
            .map(|(action, all)| (action, all.into_iter().map(str::to_owned).collect()))
            .collect(),
        elsewhere: differ.iter().filter(|name| !known.contains(name.as_str())).cloned().collect(),
    }
}

/// The methods that are not the same in both, as `Class.method(types)`.
fn differences(old: &Program, new: &Program) -> BTreeSet<String> {
    let names: BTreeSet<&String> = old.methods.keys().chain(new.methods.keys()).collect();
    let differs = |name: &&String| match (old.methods.get(*name), new.methods.get(*name)) {
        (Some(old), Some(new)) => old.code != new.code || old.fields != new.fields,
        _ => true,
    };
    names.into_iter().filter(differs).cloned().collect()
}

/// A method, with what it may run.
struct Body {
    class: String,
    name: String,
    code: String,
    /// The class's fields and parents: if they change, all its methods do.
    fields: String,
    /// Methods that it may call.
    calls: BTreeSet<String>,
    /// Methods that run in a thread of their own from here on.
    starts: BTreeSet<String>,
}

struct Program {
    methods: BTreeMap<String, Body>,
    /// For each method, those that may call it.
    callers: BTreeMap<String, Vec<String>>,
}

impl Program {
    fn new(jars: &Jars) -> Program {
        let classes: Vec<Class> = jars.names().filter_map(|name| jars.class(name)?.ok()).collect();
        let family = Family::new(&classes);
        let mut by_name: BTreeMap<&str, Vec<(&str, String)>> = BTreeMap::new();
        for class in &classes {
            for method in &class.methods {
                by_name.entry(&method.name).or_default().push((&class.name, full_name(class, method)));
            }
        }
        let named = |name: &str, is_meant: &dyn Fn(&str) -> bool| -> BTreeSet<String> {
            let all = by_name.get(name).into_iter().flatten();
            all.filter(|(class, _)| is_meant(class)).map(|(_, full)| full.clone()).collect()
        };
        let mut methods = BTreeMap::new();
        for class in &classes {
            let fields = format!("{:?} {:?}", class.parents, class.fields);
            for method in &class.methods {
                let (mut calls, mut starts) = (BTreeSet::new(), BTreeSet::new());
                for call in &method.calls {
                    calls.extend(named(&call.method, &|class| family.related(&call.class, class)));
                    if call.method == "<init>" {
                        // Perhaps it is a thread, or the task of one.
                        let is_its_own = |class: &str| family.is_or_inherits(&call.class, class);
                        starts.extend(named("run", &is_its_own));
                        starts.extend(named("call", &is_its_own));
                    }
                }
                if method.makes_lambdas {
                    let own = class.methods.iter().filter(|other| other.name.starts_with("lambda$"));
                    calls.extend(own.map(|other| full_name(class, other)));
                }
                let body = Body {
                    class: class.name.clone(),
                    name: method.name.clone(),
                    code: method.code.clone(),
                    fields: fields.clone(),
                    calls,
                    starts,
                };
                methods.insert(full_name(class, method), body);
            }
        }
        let mut callers: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for (name, body) in &methods {
            let body: &Body = body;
            for called in &body.calls {
                callers.entry(called.clone()).or_default().push(name.clone());
            }
        }
        Program { methods, callers }
    }

    /// All methods that may run in a step of this action.
    fn runs(&self, action: &str, table: &Table) -> BTreeSet<&str> {
        let (own, others): (Vec<_>, Vec<_>) =
            table.points.iter().partition(|point| point.actions().any(|other| other == action));
        let is_in = |body: &Body, text: &str| {
            let path = text.split('(').next().unwrap_or_default();
            path.rsplit_once('.').is_some_and(|(class, name)| body.class == class && body.name == name)
        };
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
        let mut reached: BTreeSet<&str> = BTreeSet::new();
        let begin =
            self.methods.iter().filter(|(_, body)| own.iter().any(|point| is_in(body, &point.method)));
        let mut rest: Vec<&str> = begin.map(|(name, _)| name.as_str()).collect();
        while let Some(name) = rest.pop() {
            if reached.insert(name) {
                rest.extend(self.callers.get(name).into_iter().flatten().map(String::as_str));
            }
        }
        let mut rest: Vec<&str> = reached.iter().copied().collect();
        while let Some(name) = rest.pop() {
            let Some(body) = self.methods.get(name) else { continue };
            for called in body.calls.iter().chain(&body.starts) {
                let Some(to) = self.methods.get(called) else { continue };
                if !is_cut(body, to) && reached.insert(called) {
                    rest.push(called);
                }
            }
        }
        reached
    }
}

/// Which classes inherit from which.
struct Family<'c> {
    above: BTreeMap<&'c str, BTreeSet<&'c str>>,
}

impl<'c> Family<'c> {
    fn new(classes: &'c [Class]) -> Family<'c> {
        let parents: BTreeMap<&str, &Vec<String>> =
            classes.iter().map(|class| (class.name.as_str(), &class.parents)).collect();
        let mut above = BTreeMap::new();
        for class in classes {
            let mut all: BTreeSet<&str> = BTreeSet::new();
            let mut rest: Vec<&str> = class.parents.iter().map(String::as_str).collect();
            while let Some(name) = rest.pop() {
                if all.insert(name) {
                    rest.extend(
                        parents.get(name).into_iter().flat_map(|more| more.iter()).map(String::as_str),
                    );
                }
            }
            above.insert(class.name.as_str(), all);
        }
        Family { above }
    }

    fn is_or_inherits(&self, below: &str, above: &str) -> bool {
        below == above || self.above.get(below).is_some_and(|all| all.contains(above))
    }

    /// Whether a method of one of the classes may be meant where the other one is named.
    fn related(&self, one: &str, other: &str) -> bool {
        self.is_or_inherits(one, other) || self.is_or_inherits(other, one)
    }
}

fn full_name(class: &Class, method: &Method) -> String {
    format!("{}.{}", class.name, method.text())
}
