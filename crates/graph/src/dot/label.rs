//! Parses the texts of nodes and edges.

use kilter_value::{Store, Value};

use crate::text::{Reader, TextError};

/// Parses the variables of a state with their values: `/\ x = 1` for each, or `x = 1` for the only one.
pub(super) fn parse_state(store: &Store, text: &str) -> Result<Vec<(String, Value)>, TextError> {
    let mut reader = Reader::new(store, text);
    let mut variables = Vec::new();
    while !reader.is_at_end() {
        if !reader.eat("/\\") && !variables.is_empty() {
            reader.expect("/\\")?;
        }
        let Some(name) = reader.word() else {
            reader.expect("a variable")?;
            continue;
        };
        reader.expect("=")?;
        variables.push((name.to_owned(), reader.value()?));
    }
    Ok(variables)
}

/// Parses an action with its arguments: `Name` or `Name(v1,v2)`.
pub(super) fn parse_action<'t>(store: &Store, text: &'t str) -> Result<(&'t str, Vec<Value>), TextError> {
    let Some(open) = text.find('(') else { return Ok((text.trim(), Vec::new())) };
    let (name, args) = text.split_at(open);
    let mut reader = Reader::new(store, args);
    reader.expect("(")?;
    let args = reader.list(")")?;
    reader.end()?;
    Ok((name.trim(), args))
}

/// Parses a basic block of our own DOT: `3@Raft.tla:12:5`.
pub(super) fn parse_block(text: &str) -> Option<(&str, u32, u32)> {
    let (_, place) = text.split_once('@')?;
    let mut fields = place.rsplitn(3, ':');
    let column = fields.next()?.parse().ok()?;
    let line = fields.next()?.parse().ok()?;
    Some((fields.next()?, line, column))
}

/// Parses exchanged model values of our own DOT: `n1:n2;n2:n1`. Each value must be on both sides, once.
pub(super) fn parse_exchange(text: &str) -> Option<Vec<(String, String)>> {
    let pairs = text.split(';').filter(|pair| !pair.is_empty());
    let pairs: Option<Vec<(String, String)>> =
        pairs.map(|pair| pair.split_once(':').map(|(from, to)| (from.to_owned(), to.to_owned()))).collect();
    pairs.filter(|pairs| crate::check::is_exchange(pairs))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_with_one_variable_have_no_conjunction() {
        let store = Store::with_capacity_bytes(1 << 20);
        let state = parse_state(&store, "x = 0").expect("a state");
        assert_eq!(state, [("x".to_owned(), store.int(0))]);
    }

    #[test]
    fn wrapped_values_and_several_variables() {
        let store = Store::with_capacity_bytes(1 << 20);
        let state = parse_state(&store, "/\\ a = {1,\n        2}\n/\\ b = \"/\\\\ c = 3\"").expect("a state");
        let names: Vec<&str> = state.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["a", "b"]);
        assert_eq!(store.show(state[1].1), "\"/\\\\ c = 3\"");
    }

    #[test]
    fn actions_with_and_without_arguments() {
        let store = Store::with_capacity_bytes(1 << 20);
        assert_eq!(parse_action(&store, "I!Step"), Ok(("I!Step", vec![])));
        let (name, args) = parse_action(&store, "Send(a,\"req\",<<1, (b :> 2)>>)").expect("an action");
        let args: Vec<String> = args.into_iter().map(|arg| store.show(arg)).collect();
        assert_eq!((name, args.join(" ; ").as_str()), ("Send", "a ; \"req\" ; <<1, (b :> 2)>>"));
    }

    #[test]
    fn text_after_a_state_is_an_error() {
        let store = Store::with_capacity_bytes(1 << 20);
        let error = parse_state(&store, "/\\ a = 1 b = 2").expect_err("no conjunction");
        assert_eq!(error.to_string(), "`/\\` was expected, and `b = 2` was found");
    }
}
