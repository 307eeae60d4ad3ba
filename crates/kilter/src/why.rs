//! `--why Action@7`: why an action is not enabled in a state of the trace.

use std::str::FromStr;

use kilter_base::{Name, suggest};
use kilter_check::{Trace, why_not};
use kilter_eval::Program;
use kilter_eval::reason::{Obstacle, Reason};
use kilter_graph::text::parse_value;
use kilter_value::{Store, Value};

/// An action with its arguments by name.
pub type Action = (Name, Vec<(Name, Value)>);

/// A question, such as `Send(r1)@7`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Question {
    /// The question without its state.
    pub asked: String,
    name: String,
    /// The first arguments, as they were typed.
    args: Vec<String>,
    /// The number of the state, from 1.
    pub state: usize,
}

/// An answer. Either there are steps, or there is something in the way of each.
#[derive(Debug)]
pub struct Answer {
    /// The action that was asked about.
    pub asked: String,
    /// The number of the state, from 1.
    pub state: usize,
    /// The steps of the action in this state.
    pub steps: Vec<Action>,
    /// What is in the way, if there are no steps.
    pub ways: Vec<Ways>,
}

/// Ways through an action that end at the same formula.
#[derive(Debug)]
pub struct Ways {
    /// The action with its arguments, each once. Empty for what is in the way before it.
    pub actions: Vec<Action>,
    /// The number of ways.
    pub n: u64,
    /// Why the formula is false on the first of them.
    pub reasons: Vec<Reason>,
}

impl FromStr for Question {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let expected = || {
            "an action and the number of a state are expected, such as Send@7 or 'Send(n1, n2)@7'".to_owned()
        };
        let (asked, state) = text.rsplit_once('@').ok_or_else(expected)?;
        let state = state.trim().parse().ok().filter(|state| *state > 0).ok_or_else(expected)?;
        let (name, args) = match asked.trim().split_once('(') {
            None => (asked.trim(), Vec::new()),
            Some((name, args)) => (name.trim(), arguments(args.strip_suffix(')').ok_or_else(expected)?)),
        };
        if name.is_empty() {
            return Err(expected());
        }
        Ok(Question { asked: asked.trim().to_owned(), name: name.to_owned(), args, state })
    }
}

/// Splits arguments at commas that are in no brackets and no string. Takes the names off that traces show: `to = n1` is `n1`.
fn arguments(text: &str) -> Vec<String> {
    let (mut args, mut depth, mut rest) = (vec![String::new()], 0_i32, text);
    while !rest.is_empty() {
        let (token, after) = rest.split_at(token_length(rest));
        depth += match token {
            "(" | "[" | "{" | "<<" => 1,
            ")" | "]" | "}" | ">>" => -1,
            _ => 0,
        };
        match args.last_mut() {
            Some(last) if token != "," || depth != 0 => last.push_str(token),
            _ => args.push(String::new()),
        }
        rest = after;
    }
    let unnamed = |arg: String| match arg.split_once('=') {
        Some((name, value)) if name.trim().chars().all(|c| c.is_alphanumeric() || c == '_') => {
            value.to_owned()
        }
        _ => arg,
    };
    args.into_iter().map(unnamed).map(|arg| arg.trim().to_owned()).collect()
}

/// The length of a string, of a bracket of two characters, or of one character.
fn token_length(text: &str) -> usize {
    if text.starts_with('"') {
        let mut is_escaped = true; // the first quote does not end the string
        let end = text.find(|c| {
            let ends = c == '"' && !is_escaped;
            is_escaped = c == '\\' && !is_escaped;
            ends
        });
        return end.map_or(text.len(), |end| end + 1);
    }
    if text.starts_with("<<") || text.starts_with(">>") {
        2
    } else {
        text.chars().next().map_or(0, char::len_utf8)
    }
}

impl Question {
    /// Finds the answer. The error is a sentence.
    pub fn answer(&self, program: &Program, store: &Store, trace: Option<&Trace>) -> Result<Answer, String> {
        let names = || program.actions.iter().map(|action| &action.name);
        let Some(name) = names().find(|name| name.as_str() == self.name) else {
            let closest = suggest::closest(&self.name, names().map(Name::as_str));
            let hint = closest.map(|name| format!("; there is {name}")).unwrap_or_default();
            return Err(format!("the specification has no action named {}{hint}", self.name));
        };
        let Some(trace) = trace else {
            return Err("there is no trace, so --why has no state to look at".to_owned());
        };
        let n_states = trace.steps.len();
        if self.state > n_states {
            return Err(format!("the trace has {n_states} states, so there is no state {}", self.state));
        }
        let params =
            program.actions.iter().filter(|action| action.name == *name).map(|action| action.args.len());
        if let Some(most) = params.max().filter(|most| self.args.len() > *most) {
            let has = match most {
                0 => "no arguments".to_owned(),
                1 => "1 argument".to_owned(),
                n => format!("{n} arguments"),
            };
            return Err(format!("{name} has {has}, and the question has {}", self.args.len()));
        }
        let found = why_not(program, store, trace, self.state - 1, name).map_err(|error| {
            format!("{name} could not be evaluated in state {}: {}", self.state, error.message)
        })?;
        let inside = found.obstacles.iter().filter_map(|one| one.action.as_ref()).map(|(_, args)| args);
        let mut tried = found.steps.iter().chain(inside).peekable();
        if tried.peek().is_some() && !tried.any(|args| self.is_about(args, store)) {
            return Err(format!(
                "{name} is tried with other arguments in state {}; those of the question are no choice there, or a \
                 condition on them alone is false",
                self.state
            ));
        }
        let steps = found.steps.into_iter().filter(|args| self.is_about(args, store));
        let steps: Vec<Action> = steps.map(|args| (name.clone(), args)).collect();
        let ways = if steps.is_empty() { self.ways(name, found.obstacles, store) } else { Vec::new() };
        Ok(Answer { asked: self.asked.clone(), state: self.state, steps, ways })
    }

    fn is_about(&self, args: &[(Name, Value)], store: &Store) -> bool {
        // A shell takes quotes off easily: r1 may be the text "r1".
        let is_same = |wanted: &str, value: Value| {
            parse_value(store, wanted) == Ok(value) || wanted == store.show(value).trim_matches('"')
        };
        self.args.len() <= args.len()
            && self.args.iter().zip(args).all(|(wanted, (_, value))| is_same(wanted, *value))
    }

    /// Groups obstacles by the formula that is false. What is in the way before the action counts only if nothing else is.
    fn ways(&self, name: &Name, obstacles: Vec<Obstacle>, store: &Store) -> Vec<Ways> {
        let (inside, before): (Vec<_>, Vec<_>) = obstacles.into_iter().partition(|one| one.action.is_some());
        let mut ways: Vec<Ways> = Vec::new();
        let about = inside
            .into_iter()
            .filter(|one| one.action.as_ref().is_some_and(|(_, args)| self.is_about(args, store)));
        let mut about = about.peekable();
        let chosen: Vec<Obstacle> = if about.peek().is_some() { about.collect() } else { before };
        for Obstacle { action, reasons } in chosen {
            let action = action.map(|(_, args)| (name.clone(), args));
            let span = |reasons: &[Reason]| reasons.iter().map(|reason| reason.span).collect::<Vec<_>>();
            match ways.iter_mut().find(|other| span(&other.reasons) == span(&reasons)) {
                Some(other) => {
                    other.n += 1;
                    other.actions.extend(action.filter(|action| !other.actions.contains(action)));
                }
                None => ways.push(Ways { actions: action.into_iter().collect(), n: 1, reasons }),
            }
        }
        ways
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn question(text: &str) -> (String, Vec<String>, usize) {
        let question = Question::from_str(text).expect("it is a question");
        (question.name, question.args, question.state)
    }

    #[test]
    fn questions_have_an_action_and_a_state() {
        assert_eq!(question("Send@7"), ("Send".to_owned(), vec![], 7));
        let args = vec!["n1".to_owned(), "<<1, 2>>".to_owned(), "[a |-> 1, b |-> 2]".to_owned()];
        assert_eq!(question("Send(n1, <<1, 2>>, m = [a |-> 1, b |-> 2])@12"), ("Send".to_owned(), args, 12));
        let args = [r#""a,\"(b""#, "(1 :> 2 @@ 3 :> 4)", "{}"].map(str::to_owned).to_vec();
        assert_eq!(question(r#"Send("a,\"(b", (1 :> 2 @@ 3 :> 4), {})@12"#), ("Send".to_owned(), args, 12));
        for wrong in ["Send", "Send@", "@3", "Send@0", "Send(n1@3", "Send@x"] {
            assert!(Question::from_str(wrong).is_err(), "{wrong}");
        }
    }
}
