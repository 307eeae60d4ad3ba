//! Finds classes, methods and calls that a table names.

use kilter_base::suggest::closest;

use super::Checker;
use crate::class::{Call, Class, Method, Type};

/// How many names a help lists.
const NAMES_MAX: usize = 12;

impl Checker<'_> {
    /// A class of the jars. `None` if it can't be looked at.
    pub(super) fn class(&mut self, name: &str, text: &str) -> Option<Class> {
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
    pub(super) fn method(&mut self, text: &str) -> Option<(Class, Vec<Method>)> {
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
                && method.has_code
                && wanted.as_ref().is_none_or(|wanted| {
                    wanted.len() == method.parameters.len()
                        && wanted.iter().zip(&method.parameters).all(|(wanted, kind)| is_called(kind, wanted))
                })
        };
        let methods: Vec<Method> = class.methods.iter().filter(fits).cloned().collect();
        if methods.len() > 1 {
            let all: Vec<String> = methods.iter().map(Method::text).collect();
            let message = format!("the class `{}` has several methods `{name}`", class.name);
            self.wrong(text, message, Some(format!("add the types of the parameters: {}", all.join(", "))));
        }
        if !methods.is_empty() {
            return Some((class, methods));
        }
        let named = || class.methods.iter().filter(|method| method.name == name);
        let of_name: Vec<String> = named().filter(|method| method.has_code).map(Method::text).collect();
        if of_name.is_empty() && named().next().is_some() {
            let message =
                format!("`{name}` of the class `{}` is abstract or native, and has no code", class.name);
            self.wrong(text, message, Some("name the class that implements it".to_owned()));
        } else if of_name.is_empty() {
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
    pub(super) fn call(&mut self, text: &str, nth: Option<u32>, methods: &[Method]) -> Option<String> {
        let calls = || methods.iter().flat_map(|method| &method.calls);
        let Some((class, name)) = text.rsplit_once('.') else {
            self.wrong(
                text,
                format!("`{text}` is no method of a class"),
                Some("write Class.method".to_owned()),
            );
            return None;
        };
        let mut found: Vec<&Call> = calls().filter(|call| is_call_of(call, class, name)).collect();
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
}

/// Whether the table means this call by `Class.method`.
pub(super) fn is_call(call: &Call, text: &str) -> bool {
    text.rsplit_once('.').is_some_and(|(class, name)| is_call_of(call, class, name))
}

fn is_call_of(call: &Call, class: &str, name: &str) -> bool {
    call.method == name && (call.class == class || short(&call.class) == short(class))
}

fn short(class: &str) -> &str {
    class.rsplit(['.', '$']).next().unwrap_or(class)
}

/// Whether a type is written so, with its whole name or the last part of it.
fn is_called(kind: &Type, name: &str) -> bool {
    let text = kind.text();
    text == name || text.rsplit('.').next() == Some(name)
}

pub(super) fn did_you_mean<'n>(
    name: &str,
    names: impl Iterator<Item = &'n str>,
    otherwise: &str,
) -> Option<String> {
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
