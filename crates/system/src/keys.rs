//! Keys of configurations: one spelling in all of them, and what to say of those that had another name.

/// Keys and words that had another name, and the name that they have now.
const RENAMED: [(&str, &str); 5] = [
    ("breaks", "fault-kinds"),
    ("failures", "faults"),
    ("omit", "drop"),
    ("store", "system"),
    ("suspend", "pause"),
];

/// What is wrong with a configuration, by the words of the reader; with the new name of a key or a word that had another one.
pub fn explain(message: &str) -> String {
    match unknown(message).and_then(today) {
        Some(today) => format!("{message}; it is called `{today}` now"),
        None => message.to_owned(),
    }
}

fn unknown(message: &str) -> Option<&str> {
    let (_, rest) =
        message.split_once("unknown field `").or_else(|| message.split_once("unknown variant `"))?;
    rest.split('`').next()
}

/// What a key or a word is called today. The words of a key are joined by hyphens.
pub fn today(key: &str) -> Option<String> {
    let renamed = RENAMED.iter().find(|(old, _)| *old == key).map(|(_, new)| (*new).to_owned());
    renamed.or_else(|| key.contains('_').then(|| key.replace('_', "-")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn old_keys_are_explained() {
        let said = |key: &str| explain(&format!("unknown field `{key}`, expected one of `nodes`, `command`"));
        assert!(said("patience_ms").ends_with("it is called `patience-ms` now"));
        assert!(said("breaks").ends_with("it is called `fault-kinds` now"));
        assert!(explain("unknown variant `suspend`, expected `pause`").ends_with("it is called `pause` now"));
        assert!(said("colour").ends_with("`command`"));
        assert_eq!(explain("invalid type"), "invalid type");
    }
}
