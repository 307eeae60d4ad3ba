//! Keys of configurations: one spelling in all of them, and what to say of those that had another name.

/// Keys that had another name, and the name that they have now.
const KEYS: [(&str, &str); 3] = [("breaks", "fault-kinds"), ("failures", "faults"), ("store", "system")];
/// Values that had another name, and the name that they have now.
const VALUES: [(&str, &str); 2] = [("omit", "drop"), ("suspend", "pause")];

/// What is wrong with a configuration, by the words of the reader; with the new name of a key or a value that had another one.
pub fn explain(message: &str) -> String {
    let key = between(message, "unknown field `").and_then(key_today);
    let today =
        key.or_else(|| between(message, "unknown variant `").and_then(value_today).map(str::to_owned));
    match today {
        Some(today) => format!("{}; it is called `{today}` now", message.trim_end()),
        None => message.to_owned(),
    }
}

fn between<'m>(message: &'m str, begin: &str) -> Option<&'m str> {
    message.split_once(begin)?.1.split('`').next()
}

fn find(names: &[(&str, &'static str)], old: &str) -> Option<&'static str> {
    names.iter().find(|(name, _)| *name == old).map(|(_, today)| *today)
}

/// What a key is called today. Its words are joined by hyphens.
fn key_today(key: &str) -> Option<String> {
    let renamed = find(&KEYS, key).map(str::to_owned);
    renamed.or_else(|| key.contains('_').then(|| key.replace('_', "-")))
}

/// What a value, such as a fault or a model, is called today.
pub fn value_today(value: &str) -> Option<&'static str> {
    find(&VALUES, value)
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
        assert!(said("omit").ends_with("`command`"));
        assert!(said("colour").ends_with("`command`"));
        assert_eq!(explain("invalid type"), "invalid type");
    }
}
