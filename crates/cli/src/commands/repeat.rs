//! The line that does it again.

use std::path::Path;

use crate::args::{CheckArgs, InputArgs, SimulateArgs};

/// `kilter check …`, with what decides about the result.
pub fn check(args: &CheckArgs) -> String {
    let mut words = input("check", &args.input);
    words.extend(args.no_deadlock.then(|| "--no-deadlock".to_owned()));
    words.extend((args.seed != 0).then(|| format!("--seed {}", args.seed)));
    // Temporal properties are checked on what was found when a limit was reached. Nothing is found after the time is over.
    let limits = &args.limits;
    words.extend(limits.states_max.map(|states| format!("--states-max {states}")));
    words.extend(limits.depth_max.map(|depth| format!("--depth-max {depth}")));
    words.extend(limits.memory_max.map(|bytes| format!("--memory-max {bytes}")));
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
    use super::{check, quoted};
    use crate::args::{Args, Command};
    use clap::Parser as _;
    use std::path::Path;

    #[test]
    fn what_decides_about_the_verdict_is_repeated() {
        let repeated = |line: &str| {
            let Command::Check(args) = Args::parse_from(line.split(' ')).command else {
                panic!("{line} is no check")
            };
            check(&args)
        };
        let same = "kilter check M.tla --config N.cfg --no-deadlock --seed 3 --states-max 10 --depth-max 4 --memory-max 1000";
        assert_eq!(repeated(same), same);
        assert_eq!(
            repeated("kilter check M.tla --json --workers 2 --memory-max 1kB"),
            "kilter check M.tla --memory-max 1000"
        );
    }

    #[test]
    fn paths_survive_a_shell() {
        assert_eq!(quoted(Path::new("specs/Raft.tla")), "specs/Raft.tla");
        assert_eq!(quoted(Path::new("my specs/it's.tla")), r"'my specs/it'\''s.tla'");
    }
}
