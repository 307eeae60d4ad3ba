//! The line that does it again.

use std::path::Path;

use crate::args::{CheckArgs, InputArgs, SimulateArgs};

/// `kilter check …`, with what decides about the result.
pub fn check(args: &CheckArgs) -> String {
    let mut words = input("check", &args.input);
    words.extend(args.no_deadlock.then(|| "--no-deadlock".to_owned()));
    words.extend((args.seed != 0).then(|| format!("--seed {}", args.seed)));
    words.extend(args.limits.depth_max.map(|depth| format!("--depth-max {depth}")));
    words.join(" ")
}

/// `kilter simulate …`
pub fn simulate(args: &SimulateArgs) -> String {
    let mut words = input("simulate", &args.input);
    words.extend(args.no_deadlock.then(|| "--no-deadlock".to_owned()));
    words.push(format!("--behaviors {} --depth {} --seed {}", args.behaviors, args.depth, args.seed));
    words.join(" ")
}

fn input(verb: &str, args: &InputArgs) -> Vec<String> {
    let mut words = vec![format!("kilter {verb} {}", quoted(&args.spec))];
    words.extend(args.config.iter().map(|config| format!("--config {}", quoted(config))));
    words.extend(args.library.iter().map(|folder| format!("--library {}", quoted(folder))));
    words.extend(args.io.allow_io.then(|| "--allow-io".to_owned()));
    words
}

/// A path as a shell reads it back.
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
