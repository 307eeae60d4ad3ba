//! Whether a table fits the classes that it is about: every class, method, call and field that it names.

use kilter_base::suggest::closest;

use crate::class::{Call, Class, Method, Type};
use crate::expression::{self, Expression, Path, Step};
use crate::jars::Jars;
use crate::table::{Mutation, Point, Table, expressions};

/// Something that is wrong with a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mistake {
    /// The text in the table that is wrong.
    pub text: String,
    /// What is wrong with it.
    pub message: String,
    /// What to write instead, or what there is.
    pub help: Option<String>,
}

/// What a mutation can do.
const CHANGES: [&str; 4] = ["leave-out", "return", "constant", "swap"];
/// How many names a help lists.
const NAMES_MAX: usize = 12;

/// All mistakes of a table. Without jars, only those that show in the table itself.
pub fn check(table: &Table, jars: Option<&Jars>) -> Vec<Mistake> {
    let mut checker = Checker { table, jars, mistakes: Vec::new() };
    checker.table();
    checker.mistakes
}

struct Checker<'c> {
    table: &'c Table,
    jars: Option<&'c Jars>,
    mistakes: Vec<Mistake>,
}

/// The code around an expression.
#[derive(Clone, Copy, Default)]
struct Around<'a> {
    /// The class and the method whose `this` and arguments are meant.
    method: Option<(&'a Class, &'a Method)>,
    is_call: bool,
    /// The class of what is taken from a queue, if the code tells.
    element: Option<&'a str>,
}

impl Checker<'_> {
    fn table(&mut self) {
        let table = self.table;
        if table.threads.is_empty() && !table.points.is_empty() {
            self.wrong(
                "threads",
                "no threads are named",
                Some("`threads` has patterns for the names of those that act".to_owned()),
            );
        }
        if let Some(jars) = self.jars {
            for pattern in table.scan.iter().chain(&table.unused) {
                let begin = pattern.split('*').next().unwrap_or_default();
                if !jars.names().any(|class| class.starts_with(begin)) {
                    self.wrong(pattern, format!("no class of the jars fits `{pattern}`"), None);
                }
            }
        }
        for class in table.objects.values() {
            self.class(class, class);
        }
        for text in table.variables.values().flat_map(expressions) {
            self.expression(text, Around::default());
        }
        for request in table.requests.values() {
            self.expression(request, Around { is_call: true, ..Around::default() });
        }
        for point in &table.points {
            self.point(point);
        }
        for mutation in &table.mutations {
            self.mutation(mutation);
        }
    }

    fn wrong(&mut self, text: &str, message: impl Into<String>, help: Option<String>) {
        let mistake = Mistake { text: text.to_owned(), message: message.into(), help };
        if !self.mistakes.contains(&mistake) {
            self.mistakes.push(mistake);
        }
    }

    fn point(&mut self, point: &Point) {
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
        if point.sends.is_some() && point.to.is_none() {
            self.wrong(
                &point.method,
                "nothing says to whom the message is sent",
                Some("add to = \"…\", the name of a node".to_owned()),
            );
        }
        let found = self.method(&point.method);
        let mut element = None;
        if let (Some((_, methods)), Some(call)) = (&found, &point.call) {
            element = self.call(call, point.nth, methods);
        }
        let around = found.as_ref().and_then(|(class, methods)| Some((class, methods.first()?)));
        let around = Around { method: around, is_call: point.call.is_some(), element: element.as_deref() };
        for text in point.expressions() {
            self.expression(text, around);
        }
    }

    fn mutation(&mut self, mutation: &Mutation) {
        if !CHANGES.contains(&mutation.change.as_str()) {
            let help = closest(&mutation.change, CHANGES).map(|word| format!("did you mean `{word}`?"));
            self.wrong(
                &mutation.change,
                format!("`{}` is no mutation", mutation.change),
                help.or_else(|| Some(CHANGES.join(", "))),
            );
        }
        let needs = match mutation.change.as_str() {
            "leave-out" => mutation.call.is_none().then_some("call"),
            "swap" if mutation.call.is_none() => Some("call"),
            "swap" => mutation.with.is_none().then_some("with"),
            "constant" if mutation.from.is_none() => Some("from"),
            "constant" => mutation.to.is_none().then_some("to"),
            _ => None,
        };
        if let Some(key) = needs {
            self.wrong(&mutation.method, format!("`{}` needs the key `{key}`", mutation.change), None);
        }
        if mutation.result.is_some() && (mutation.value.is_some() || mutation.change != "return") {
            let message = "`result` is for `return`, in place of `value`";
            self.wrong(&mutation.method, message, None);
        }
        if let Some((class, methods)) = self.method(&mutation.method) {
            if let Some(result) = &mutation.result {
                let method = methods.first().map(|method| (&class, method));
                self.expression(result, Around { method, ..Around::default() });
            }
            if let Some(call) = &mutation.call {
                self.call(call, mutation.nth, &methods);
            }
            if let Some(with) = &mutation.with {
                self.call(with, None, &methods);
            }
        }
    }

    /// A class of the jars. `None` if it can't be looked at.
    fn class(&mut self, name: &str, text: &str) -> Option<Class> {
        let jars = self.jars?;
        match jars.class(name) {
            Some(Ok(class)) => Some(class),
            Some(Err(message)) => {
                self.wrong(text, message, None);
                None
            }
            None => {
                let short = short(name);
                let same = jars.names().find(|other| self::short(other) == short);
                let similar = same.or_else(|| closest(name, jars.names()));
                let help = similar.map(|name| format!("did you mean `{name}`?"));
                self.wrong(text, format!("there is no class `{name}` in the jars"), help);
                None
            }
        }
    }

    /// The methods that `in` names.
    fn method(&mut self, text: &str) -> Option<(Class, Vec<Method>)> {
        let (path, parameters) = match text.split_once('(') {
            Some((path, rest)) => (path, Some(rest.trim_end_matches(')'))),
            None => (text, None),
        };
        let Some((class, name)) = path.trim().rsplit_once('.') else {
            self.wrong(
                text,
                format!("`{text}` is no method of a class"),
                Some("write org.example.Class.method".to_owned()),
            );
            return None;
        };
        let class = self.class(class, text)?;
        let wanted = parameters
            .map(|all| all.split(',').map(str::trim).filter(|one| !one.is_empty()).collect::<Vec<_>>());
        let fits = |method: &&Method| {
            method.name == name
                && wanted.as_ref().is_none_or(|wanted| {
                    wanted.len() == method.parameters.len()
                        && wanted.iter().zip(&method.parameters).all(|(wanted, kind)| is_called(kind, wanted))
                })
        };
        let methods: Vec<Method> = class.methods.iter().filter(fits).cloned().collect();
        if !methods.is_empty() {
            return Some((class, methods));
        }
        let of_name: Vec<String> =
            class.methods.iter().filter(|method| method.name == name).map(Method::text).collect();
        if of_name.is_empty() {
            let names = || class.methods.iter().map(|method| method.name.as_str());
            let help = did_you_mean(name, names(), "its methods are");
            self.wrong(text, format!("the class `{}` has no method `{name}`", class.name), help);
        } else {
            self.wrong(
                text,
                format!("no method `{name}` has these parameters"),
                Some(format!("there is {}", of_name.join(", "))),
            );
        }
        None
    }

    /// A call, as `Queue.poll`, in one of these methods; the `nth` of several. Returns the class that its result is cast to; `None` where
    /// several calls are meant whose results have several classes.
    fn call(&mut self, text: &str, nth: Option<u32>, methods: &[Method]) -> Option<String> {
        let calls = || methods.iter().flat_map(|method| &method.calls);
        let Some((class, name)) = text.rsplit_once('.') else {
            self.wrong(
                text,
                format!("`{text}` is no method of a class"),
                Some("write Class.method".to_owned()),
            );
            return None;
        };
        let is_it = |owner: &str| owner == class || short(owner) == short(class);
        let mut found: Vec<&Call> =
            calls().filter(|call| call.method == name && is_it(&call.class)).collect();
        let n_found = found.len();
        let method = methods.first().map(|method| method.name.as_str()).unwrap_or_default();
        if n_found > 0 {
            if let Some(nth) = nth.filter(|nth| *nth as usize > n_found) {
                let times = if n_found == 1 { "once".to_owned() } else { format!("{n_found} times") };
                let message = format!("`{method}` calls `{text}` {times}, so there is no call {nth}");
                self.wrong(text, message, Some("nth counts from 1, in the order of the code".to_owned()));
            }
            if let Some(nth) = nth {
                found = found.into_iter().skip((nth as usize).saturating_sub(1)).take(1).collect();
            }
            let class = found.first()?.cast.clone();
            return class.filter(|class| found.iter().all(|call| call.cast.as_ref() == Some(class)));
        }
        let all: Vec<String> =
            calls().map(|call| format!("{}.{}", short(&call.class), call.method)).collect();
        let help = did_you_mean(text, all.iter().map(String::as_str), "the calls in it are");
        self.wrong(text, format!("`{method}` does not call `{text}`"), help);
        None
    }

    fn expression(&mut self, text: &str, around: Around<'_>) {
        match expression::read(text) {
            Ok(expression) => self.paths(&expression, text, around),
            Err(message) => self.wrong(text, message, None),
        }
    }

    fn paths(&mut self, expression: &Expression, text: &str, around: Around<'_>) {
        match expression {
            Expression::Literal(_) => {}
            Expression::Several(parts) => parts.iter().for_each(|part| self.paths(part, text, around)),
            Expression::Path(path) => self.path(path, text, around),
        }
    }

    /// Follows a path as far as the jars tell.
    fn path(&mut self, path: &Path, text: &str, around: Around<'_>) {
        let Some((kind, n_used)) = self.root(&path.names, text, around) else { return };
        let fields = path.names[n_used..].iter().map(|name| Step::Field(name.clone()));
        let mut kind = Some(kind);
        for step in fields.chain(path.steps.iter().cloned()) {
            // What is declared as an object may have any class.
            let Some(Type::Object(class)) = kind.filter(|kind| kind.text() != "java.lang.Object") else {
                return;
            };
            kind = self.step(&class, &step, text);
        }
    }

    /// The type of what a path begins with, and how many of its names that takes. `None` if it is not known.
    fn root(&mut self, names: &[String], text: &str, around: Around<'_>) -> Option<(Type, usize)> {
        let first = names.first()?.as_str();
        let is_argument =
            first.strip_prefix('$').is_some_and(|rest| rest.chars().all(|c| c.is_ascii_digit()));
        match first {
            "this" => return Some((Type::Object(around.method?.0.name.clone()), 1)),
            "it" => return Some((Type::Object(around.element?.to_owned()), 1)),
            "local" | "$target" | "$result" => return None,
            _ if is_argument && around.is_call => return None,
            _ if is_argument => {
                let (_, method) = around.method?;
                let number: usize = first[1..].parse().ok()?;
                let kind = number.checked_sub(1).and_then(|index| method.parameters.get(index));
                if kind.is_none() {
                    let n = method.parameters.len();
                    self.wrong(
                        text,
                        format!("`{}` has no argument {first}", method.name),
                        Some(format!("it has {n}")),
                    );
                }
                return Some((kind?.clone(), 1));
            }
            _ => {}
        }
        if let Some(class) = self.table.objects.get(first) {
            return Some((Type::Object(class.clone()), 1));
        }
        let jars = self.jars?;
        // A class of the jars, and one of its static fields.
        for n in (1..=names.len()).rev() {
            let name = names[..n].join(".");
            if jars.names().any(|class| class == name) {
                return Some((Type::Object(name), n));
            }
        }
        // Perhaps a class of Java itself.
        if matches!(first, "java" | "javax" | "jdk" | "sun") {
            return None;
        }
        let known = ["this", "it", "local", "$1", "$target", "$result"];
        let objects = self.table.objects.keys().map(String::as_str);
        let help = did_you_mean(first, known.into_iter().chain(objects), "a path begins with");
        self.wrong(text, format!("nothing is known that `{first}` could stand for"), help);
        None
    }

    /// The type of what a step leads to. `None` if the jars don't tell.
    fn step(&mut self, class: &str, step: &Step, text: &str) -> Option<Type> {
        let family = self.family(class)?;
        match step {
            Step::Field(name) => {
                let fields = || family.iter().flat_map(|class| &class.fields);
                if let Some(field) = fields().find(|field| field.name == *name) {
                    return Some(field.kind.clone());
                }
                let help = did_you_mean(name, fields().map(|field| field.name.as_str()), "its fields are");
                self.wrong(text, format!("the class `{class}` has no field `{name}`"), help);
                None
            }
            Step::Method(name, arguments) => {
                let methods = || family.iter().flat_map(|class| &class.methods);
                let fitting = methods()
                    .find(|method| method.name == *name && method.parameters.len() == arguments.len());
                if let Some(method) = fitting {
                    return method.result.clone();
                }
                if !OF_EVERY_OBJECT.contains(&name.as_str()) {
                    let help =
                        did_you_mean(name, methods().map(|method| method.name.as_str()), "its methods are");
                    let n = arguments.len();
                    self.wrong(
                        text,
                        format!("the class `{class}` has no method `{name}` of {n} arguments"),
                        help,
                    );
                }
                None
            }
            Step::Element(_) => None,
        }
    }

    /// A class with all that it inherits from. `None` if a part of that is not in the jars, apart from Java's own `Object`.
    fn family(&self, class: &str) -> Option<Vec<Class>> {
        let jars = self.jars?;
        let mut family: Vec<Class> = Vec::new();
        let mut names = vec![class.to_owned()];
        while let Some(name) = names.pop() {
            if name == "java.lang.Object" || family.iter().any(|class| class.name == name) {
                continue;
            }
            let class = jars.class(&name)?.ok()?;
            names.extend(class.parents.iter().cloned());
            family.push(class);
        }
        Some(family)
    }
}

/// The methods of Java's `Object`, and of enumerations.
const OF_EVERY_OBJECT: [&str; 5] = ["toString", "hashCode", "getClass", "name", "ordinal"];

fn short(class: &str) -> &str {
    class.rsplit(['.', '$']).next().unwrap_or(class)
}

/// Whether a type is written so, with its whole name or the last part of it.
fn is_called(kind: &Type, name: &str) -> bool {
    let text = kind.text();
    text == name || text.rsplit('.').next() == Some(name)
}

fn did_you_mean<'n>(name: &str, names: impl Iterator<Item = &'n str>, otherwise: &str) -> Option<String> {
    let mut names: Vec<&str> =
        names.filter(|name| !name.contains(['<', '$']) || name.starts_with('$')).collect();
    names.sort_unstable();
    names.dedup();
    if let Some(similar) = closest(name, names.iter().copied()) {
        return Some(format!("did you mean `{similar}`?"));
    }
    let more = if names.len() > NAMES_MAX { ", …" } else { "" };
    names.truncate(NAMES_MAX);
    (!names.is_empty()).then(|| format!("{otherwise} {}{more}", names.join(", ")))
}
