//! The words in braces of a command or of a variable of the environment. A testbed fills in the values of a node for them.

/// The words that a testbed knows.
pub const PLACES: [&str; 7] = ["node", "address", "port", "peers", "data", "dir", "agent"];

/// The words in braces of a text. Braces that contain more than a single word are not places, because JSON has braces
/// too.
pub fn places(text: &str) -> impl Iterator<Item = &str> {
    let ends = text.split('{').skip(1).filter_map(|rest| rest.split_once('}')).map(|(place, _)| place);
    ends.filter(|place| {
        !place.is_empty() && place.chars().all(|letter| letter.is_alphanumeric() || letter == '_')
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_single_words() {
        let found: Vec<&str> = places("--id={node} {\"a\": {nod}} {} {two words} {peers").collect();
        assert_eq!(found, ["node", "nod"]);
    }
}
