//! Quotes words for command lines.

use std::path::Path;

/// A path, quoted so that a shell reads it back.
pub fn quoted(path: &Path) -> String {
    let text = path.display().to_string();
    let plain = |c: char| c.is_alphanumeric() || "/._-+:@%,".contains(c);
    if !text.is_empty() && text.chars().all(plain) {
        text
    } else {
        format!("'{}'", text.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::quoted;
    use std::path::Path;

    #[test]
    fn paths_survive_a_shell() {
        assert_eq!(quoted(Path::new("specs/Raft.tla")), "specs/Raft.tla");
        assert_eq!(quoted(Path::new("my specs/it's.tla")), r"'my specs/it'\''s.tla'");
    }
}
