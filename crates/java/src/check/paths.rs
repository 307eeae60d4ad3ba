//! Follows the paths of expressions through objects, as far as the jars tell.

use super::code::did_you_mean;
use super::{Around, Checker};
use crate::class::{Class, Type};
use crate::expression::{self, Expression, Path, Step};

/// The methods of Java's `Object`, and of enumerations.
const OF_EVERY_OBJECT: [&str; 5] = ["toString", "hashCode", "getClass", "name", "ordinal"];

impl Checker<'_> {
    pub(super) fn expression(&mut self, text: &str, around: Around<'_>) {
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
