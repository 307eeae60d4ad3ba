//! Keys of configurations: one spelling in all of them, and what to say of those that had another name.

/// Keys that had another name, and the name that they have now.
const RENAMED: [(&str, &str); 2] = [("breaks", "fault-kinds"), ("store", "system")];

/// What is wrong with a configuration, by the words of the reader; with the new name of a key that had another one.
pub fn explain(message: &str) -> String {
    match unknown_key(message).and_then(today) {
        Some(today) => format!("{message}; it is called `{today}` now"),
        None => message.to_owned(),
    }
}

fn unknown_key(message: &str) -> Option<&str> {
    message.split_once("unknown field `")?.1.split('`').next()
}

/// What a key is called today. Words are joined by hyphens.
fn today(key: &str) -> Option<String> {
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
        assert!(said("colour").ends_with("`command`"));
        assert_eq!(explain("invalid type"), "invalid type");
    }
}
