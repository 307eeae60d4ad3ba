//! Whether a table fits the classes that it is about: every class, method, call and field that it names.
//!
//! - `code`  finds classes, methods and calls
//! - `paths` follows paths through objects
//! - `points` is about what a point says, beside its names

mod code;
mod paths;
mod points;

use kilter_base::suggest::closest;

use crate::class::{Class, Constant, Method};
use crate::jars::Jars;
use crate::table::{Mutation, Table, expressions};

/// Something that is wrong with a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mistake {
    /// The text in the table that is wrong.
    pub text: String,
    /// What is wrong with it.
    pub message: String,
    /// What to write instead, or what there is.
    pub help: Option<String>,
    /// Which mutation of the table it is in, from 0. The same text may stand elsewhere.
    pub mutation: Option<usize>,
}

/// What a mutation can do.
const CHANGES: [&str; 4] = ["leave-out", "return", "constant", "swap"];

/// How many constants of a method a help lists.
const CONSTANTS_MAX: usize = 12;

/// What a value of the table is in the code. `None` if it is nothing that a mutation changes.
fn constant_of(value: &toml::Value) -> Option<Constant> {
    match value {
        toml::Value::Integer(number) => Some(Constant::Number(*number)),
        toml::Value::Boolean(is_true) => Some(Constant::Number(i64::from(*is_true))),
        toml::Value::String(text) => Some(Constant::Text(text.clone())),
        _ => None,
    }
}

fn shown(constant: &Constant) -> String {
    match constant {
        Constant::Number(number) => number.to_string(),
        Constant::Text(text) => format!("{text:?}"),
    }
}

/// All mistakes of a table. Without jars, only those that show in the table itself.
pub fn check(table: &Table, jars: Option<&Jars>) -> Vec<Mistake> {
    let mut checker = Checker { table, jars, mistakes: Vec::new(), mutation: None };
    checker.table();
    checker.mistakes
}

struct Checker<'c> {
    table: &'c Table,
    jars: Option<&'c Jars>,
    mistakes: Vec<Mistake>,
    /// The mutation that is looked at.
    mutation: Option<usize>,
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
        self.points();
        for (number, mutation) in table.mutations.iter().enumerate() {
            self.mutation = Some(number);
            self.mutation(mutation);
        }
        self.mutation = None;
    }

    fn wrong(&mut self, text: &str, message: impl Into<String>, help: Option<String>) {
        let mistake =
            Mistake { text: text.to_owned(), message: message.into(), help, mutation: self.mutation };
        if !self.mistakes.contains(&mistake) {
            self.mistakes.push(mistake);
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
            match mutation.change.as_str() {
                "constant" => self.constant(mutation, &methods),
                "swap" => self.swap(mutation, &methods),
                _ => {}
            }
        }
    }

    /// Whether the method has the constant that is to be changed, and may have the other one in its place.
    fn constant(&mut self, mutation: &Mutation, methods: &[Method]) {
        let (Some(from), Some(to)) = (&mutation.from, &mutation.to) else { return };
        let name = methods.first().map(|method| method.name.as_str()).unwrap_or_default();
        let Some(wanted) = constant_of(from) else {
            self.wrong(&from.to_string(), format!("{from} is no integer, no text and no truth value"), None);
            return;
        };
        let all: Vec<&Constant> = methods.iter().flat_map(|method| &method.constants).collect();
        let n_found = all.iter().filter(|constant| ***constant == wanted).count();
        if n_found == 0 {
            let mut there: Vec<String> = all.iter().map(|constant| shown(constant)).collect();
            there.sort_unstable();
            there.dedup();
            there.truncate(CONSTANTS_MAX);
            let help = if there.is_empty() {
                "it has no integers and no texts".to_owned()
            } else {
                format!("the constants in it are {}", there.join(", "))
            };
            self.wrong(&from.to_string(), format!("`{name}` has no constant {from}"), Some(help));
        } else if mutation.nth.is_some_and(|nth| nth as usize > n_found) {
            let times = if n_found == 1 { "once".to_owned() } else { format!("{n_found} times") };
            self.wrong(&from.to_string(), format!("`{name}` has the constant {from} {times}"), None);
        }
        if constant_of(to).is_none_or(|to| std::mem::discriminant(&to) != std::mem::discriminant(&wanted)) {
            self.wrong(&to.to_string(), format!("{from} can't become {to}"), None);
        }
    }

    /// Whether two calls can take each other's place.
    fn swap(&mut self, mutation: &Mutation, methods: &[Method]) {
        let (Some(call), Some(with)) = (&mutation.call, &mutation.with) else { return };
        let nth = mutation.nth.map_or(0, |nth| (nth as usize).saturating_sub(1));
        let find = |text: &str| {
            let calls = methods.iter().flat_map(|method| &method.calls);
            calls.filter(|call| code::is_call(call, text)).nth(nth)
        };
        let (Some(first), Some(second)) = (find(call), find(with)) else { return };
        if first.descriptor != second.descriptor || first.is_static != second.is_static {
            let message = format!("`{call}` and `{with}` take or give different things");
            let help = format!("they are {} and {}", first.signature(), second.signature());
            self.wrong(with, message, Some(help));
        } else if !first.is_static && first.class != second.class {
            let help = format!("they are {} and {}", first.class, second.class);
            self.wrong(with, "the two methods belong to different classes", Some(help));
        }
    }
}
