//! Follows the paths of expressions through objects, as far as the jars tell.

use kilter_base::suggest::closest;

use super::code::did_you_mean;
use super::{Around, Checker};
use crate::class::{Class, Field, Method, Type};
use crate::expression::{self, Expression, Path, Step};

/// The methods of Java's `Object`, and of enumerations.
const OF_EVERY_OBJECT: [&str; 5] = ["toString", "hashCode", "getClass", "name", "ordinal"];

/// Interfaces of Java that add no method that a class does not declare itself.
const WITHOUT_METHODS: [&str; 7] = [
    "java.lang.Runnable",
    "java.lang.Comparable",
    "java.lang.Cloneable",
    "java.lang.AutoCloseable",
    "java.io.Closeable",
    "java.io.Serializable",
    "java.util.concurrent.Callable",
];

/// A class with all that it inherits from, as far as that is in the jars.
struct Family {
    classes: Vec<Class>,
    above: Above,
    /// Whether it may have methods that the jars don't tell.
    has_foreign_methods: bool,
}

/// Whether the classes that a class extends are all known.
#[derive(Clone, Copy)]
enum Above {
    /// They are in the jars, apart from Java's `Object`.
    Known,
    /// One of them is Java's own, such as `Thread`.
    Java,
    /// One of them is in some other jar.
    Foreign,
}

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
            Expression::Path(path) => {
                self.path(path, text, around);
            }
            Expression::Compared(sides) => match &**sides {
                [Expression::Path(path), Expression::Literal(word)]
                | [Expression::Literal(word), Expression::Path(path)] => {
                    if let Some(Type::Object(class)) = self.path(path, text, around) {
                        self.constant_of(&class, word, text);
                    }
                }
                both => both.iter().for_each(|part| self.paths(part, text, around)),
            },
        }
    }

    /// Whether a value of an enumeration can ever be this word.
    fn constant_of(&mut self, class: &str, word: &str, text: &str) {
        let Some(Ok(found)) = self.jars.and_then(|jars| jars.class(class)) else { return };
        if found.parents.first().is_none_or(|parent| parent != "java.lang.Enum") || word == "null" {
            return;
        }
        let is_constant = |field: &&Field| field.is_static && field.kind.text() == found.name;
        let constants = || found.fields.iter().filter(is_constant).map(|field| field.name.as_str());
        if !constants().any(|name| name == word) {
            let help = did_you_mean(word, constants(), "its constants are");
            self.wrong(text, format!("`{class}` has no constant `{word}`"), help);
        }
    }

    /// Follows a path as far as the jars tell. The type of its end, if they tell that.
    fn path(&mut self, path: &Path, text: &str, around: Around<'_>) -> Option<Type> {
        let (kind, n_used) = self.root(&path.names, text, around)?;
        let fields = path.names[n_used..].iter().map(|name| Step::Field(name.clone()));
        let mut kind = Some(kind);
        for step in fields.chain(path.steps.iter().cloned()) {
            // What is declared as an object may have any class.
            let Some(Type::Object(class)) = kind.filter(|kind| kind.text() != "java.lang.Object") else {
                return None;
            };
            kind = self.step(&class, &step, text);
        }
        kind
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
                let is_it = |field: &&Field| field.name == *name;
                let fields = || family.classes.iter().flat_map(|class| &class.fields);
                if let Some(field) = fields().find(is_it) {
                    return Some(field.kind.clone());
                }
                // Java's own classes have fields, too, but hardly one whose name is nearly that of a field here.
                let names = || fields().map(|field| field.name.as_str());
                let is_known = match family.above {
                    Above::Known => true,
                    Above::Java => closest(name, names()).is_some(),
                    Above::Foreign => false,
                };
                if is_known
                    && !self.heirs(class).iter().any(|heir| heir.fields.iter().any(|field| is_it(&field)))
                {
                    let help = did_you_mean(name, names(), "its fields are");
                    self.wrong(text, format!("the class `{class}` has no field `{name}`"), help);
                }
                None
            }
            Step::Method(name, arguments) => {
                let n = arguments.len();
                let is_it = |method: &&Method| method.name == *name && method.parameters.len() == n;
                let methods = || family.classes.iter().flat_map(|class| &class.methods);
                if let Some(method) = methods().find(is_it) {
                    return method.result.clone();
                }
                let inherits = family.has_foreign_methods || OF_EVERY_OBJECT.contains(&name.as_str());
                if !inherits
                    && !self.heirs(class).iter().any(|heir| heir.methods.iter().any(|method| is_it(&method)))
                {
                    let help =
                        did_you_mean(name, methods().map(|method| method.name.as_str()), "its methods are");
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

    /// A class with all that it inherits from. `None` if it is not in the jars.
    fn family(&self, class: &str) -> Option<Family> {
        let jars = self.jars?;
        let mut family = Family {
            classes: vec![jars.class(class)?.ok()?],
            above: Above::Known,
            has_foreign_methods: false,
        };
        let mut n_seen = 0;
        while let Some(class) = family.classes.get(n_seen) {
            n_seen += 1;
            // The class that it extends comes first. Interfaces have no fields.
            for (i, parent) in class.parents.clone().iter().enumerate() {
                if parent == "java.lang.Object" || family.classes.iter().any(|class| class.name == *parent) {
                    continue;
                }
                if let Some(Ok(parent)) = jars.class(parent) {
                    family.classes.push(parent);
                    continue;
                }
                family.has_foreign_methods |= !WITHOUT_METHODS.contains(&parent.as_str());
                if i == 0 {
                    family.above = if parent.starts_with("java.") { Above::Java } else { Above::Foreign };
                }
            }
        }
        Some(family)
    }

    /// The classes of the jars that inherit from a class. The object at hand may be one of these.
    fn heirs(&self, class: &str) -> Vec<Class> {
        let Some(jars) = self.jars else { return Vec::new() };
        let all: Vec<Class> = jars.names().filter_map(|name| jars.class(name)?.ok()).collect();
        let mut names = vec![class.to_owned()];
        let mut heirs: Vec<Class> = Vec::new();
        while let Some(name) = names.pop() {
            for heir in all.iter().filter(|other| other.parents.contains(&name)) {
                if !heirs.iter().any(|known| known.name == heir.name) {
                    names.push(heir.name.clone());
                    heirs.push(heir.clone());
                }
            }
        }
        heirs
    }
}
