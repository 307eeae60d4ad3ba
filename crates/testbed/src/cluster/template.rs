//! Fills in the places of the command that starts a node.

use std::collections::BTreeMap;

/// Replaces `{word}` by its value. Unknown words in braces stay as they are, because JSON has braces too.
pub fn fill(text: &str, values: &BTreeMap<&str, String>) -> String {
    let mut filled = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('{') {
        filled.push_str(before);
        let place = after.split_once('}').and_then(|(word, tail)| Some((values.get(word)?, tail)));
        rest = match place {
            Some((value, tail)) => {
                filled.push_str(value);
                tail
            }
            None => {
                filled.push('{');
                after
            }
        };
    }
    filled.push_str(rest);
    filled
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &str) {
        let values = BTreeMap::from([("node", "n1".to_owned()), ("port", "4001".to_owned())]);
        assert_eq!(fill(text, &values), expected);
    }

    #[test]
    fn places_are_filled_and_the_rest_stays() {
        check("--id={node}", "--id=n1");
        check("{node}:{port}{node}", "n1:4001n1");
        check("{\"id\": \"{node}\"}", "{\"id\": \"n1\"}");
        check("{unknown} { {node", "{unknown} { {node");
        check("", "");
    }
}
