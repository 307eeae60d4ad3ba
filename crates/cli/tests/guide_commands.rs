//! Every command that the README and the guides show is run here, in a folder as the text describes it. A command that
//! is not known here is an error, and so is one that no document shows. What a document shows below a command must be
//! what the command prints.

use crate::common;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use common::root;

/// The documents whose commands are run.
const DOCUMENTS: [&str; 15] = [
    "README.md",
    "docs/guide/check.md",
    "docs/guide/converge.md",
    "docs/guide/diff.md",
    "docs/guide/explore.md",
    "docs/guide/follow.md",
    "docs/guide/from-tlc.md",
    "docs/guide/java.md",
    "docs/guide/machines.md",
    "docs/guide/probe.md",
    "docs/guide/report.md",
    "docs/guide/suite.md",
    "docs/guide/test.md",
    "docs/raft.md",
    "docs/raft-rs.md",
];

/// A command as a document shows it.
struct Shown {
    text: &'static str,
    /// The folder in the checkout in which it is run.
    folder: &'static str,
    /// What is put before it, such as a bug that the text switches on.
    env: &'static [(&'static str, &'static str)],
    /// What is added, so that it does not take minutes.
    more: &'static [&'static str],
    /// Its exit code.
    code: i32,
}

const fn shown(text: &'static str, folder: &'static str, code: i32) -> Shown {
    Shown { text, folder, env: &[], more: &[], code }
}

const BUG: &[(&str, &str)] = &[("RAFT_BUG", "vote-not-persisted")];
/// A four-hundredth of Raft's cases. `bench/raft.py` runs them all.
const SOME: &[&str] = &["--shard", "1/400"];

/// The commands, in an order in which later ones find what earlier ones have made.
const COMMANDS: &[Shown] = &[
    shown("kilter demo", "work", 0),
    shown("kilter test kilter.toml", "work/kilter-demo", 1),
    shown("kilter test kilter.toml --case 7444d620043096d5", "work/kilter-demo", 1),
    shown("kilter follow systems/lock systems/lock/logs/good.log", "", 0),
    shown("kilter follow systems/lock systems/lock/logs/two-holders.log --steps 1", "", 1),
    shown("kilter check specs/Lock/Lock.tla --graph lock.kilter", "", 0),
    shown("kilter follow systems/lock systems/lock/logs/good.log --graph lock.kilter --report good", "", 0),
    shown(
        "kilter follow systems/lock systems/lock/logs/two-holders.log --graph lock.kilter --report two-holders",
        "",
        1,
    ),
    shown("kilter report good two-holders", "", 1),
    shown("kilter check Spec.tla", "work/spec", 0),
    shown("kilter check Spec.tla --config Small.cfg", "work/spec", 0),
    shown("kilter check Spec.tla --workers 4", "work/spec", 0),
    shown("kilter check Spec.tla --disk states", "work/spec", 0),
    shown("kilter check Spec.tla --disk states --memory-max 2GiB", "work/spec", 0),
    Shown {
        // Something to go on from.
        more: &["--states-max", "1"],
        ..shown("kilter check Spec.tla --disk states", "work/spec", 0)
    },
    shown("kilter check Spec.tla --disk states --recover", "work/spec", 0),
    shown("kilter check models/", "work", 0),
    shown("kilter check Spec.cfg Small.cfg", "work/spec", 0),
    shown("kilter check Spec.tla --library ../lib", "work/spec", 0),
    shown("kilter check -workers auto -config Small.cfg Spec", "work/spec", 0),
    shown("kilter example --fixed", "work", 0),
    shown("kilter converge systems/converge/toystore.toml", "", 0),
    shown("kilter converge systems/converge/lonely.toml", "", 0),
    shown(
        "kilter converge systems/converge/toystore-seen.toml --sample 40 --guided --seed 1 --jobs 2",
        "",
        0,
    ),
    shown("kilter converge systems/converge/toystore-clients.toml", "", 0),
    shown(
        "kilter converge systems/converge/toystore.toml --ops 2 --schedule 'write=A0,B0,C1 up=AB up=C write=A0,B1,C1 up=ABC'",
        "",
        0,
    ),
    shown("kilter diff --old v1/Cache.tla --new v2/Cache.tla --out selected.suite", "work/diff", 0),
    shown("kilter test kilter.toml --suite selected.suite", "work/diff", 0),
    shown("kilter test --since main", "work/diff", 0),
    shown("kilter test kilter.toml --shard 1/3 --report parts/1", "work/diff", 0),
    shown("kilter test kilter.toml --shard 2/3 --report parts/2", "work/diff", 0),
    shown("kilter test kilter.toml --shard 3/3 --report parts/3", "work/diff", 0),
    shown(
        "kilter test kilter.toml --shard 1/3 --durations parts/1 --durations parts/2 --durations parts/3 --report again/1",
        "work/diff",
        0,
    ),
    shown("kilter report parts/1 parts/2 parts/3 --html report.html --junit junit.xml", "work/diff", 0),
    shown("kilter explore explore.toml", "work/kilter-demo", 1),
    shown("protocols explore gossip-bug.toml --case '0.0.0.0.2.0.0.3'", "systems/protocols", 1),
    shown("kilter explore systems/lease/explore.toml", "", 1),
    shown("kilter report RECORD", "work/diff", 0),
    shown("kilter report RECORD --json", "work/diff", 0),
    shown("kilter report RECORD --junit junit.xml", "work/diff", 0),
    shown("kilter report RECORD --html report.html", "work/diff", 0),
    shown("kilter check Raft.tla --config Election.cfg --graph raft.graph", "specs/Raft", 0),
    shown("kilter suite raft.graph --out raft.jsonl", "specs/Raft", 0),
    shown("kilter graph import --from tlc-dot raft.dot --out raft.graph", "specs/Raft", 0),
    shown("kilter graph info par.graph", "work/par", 0),
    shown("kilter init Raft.tla --config Election.cfg", "specs/Raft", 0),
    shown("kilter map election.toml", "systems/raft", 0),
    Shown { more: SOME, ..shown("kilter test election.toml --jobs 2", "systems/raft", 0) },
    Shown { env: BUG, ..shown("kilter test election.toml --case e9", "systems/raft", 1) },
    Shown { more: SOME, ..shown("kilter test systems/raft/election.toml --jobs 2", "", 0) },
    Shown { env: BUG, ..shown("kilter test systems/raft/election.toml --max-findings 1", "", 1) },
];

/// Commands that are not run here, and why.
const ELSEWHERE: [(&str, &str); 39] = [
    (
        "kilter campaign start kilter.toml --nats nats://broker-1:4222 --name nightly",
        "crates/cli/tests/campaign.rs",
    ),
    ("kilter campaign work --nats nats://broker-1:4222 --jobs 2", "crates/cli/tests/campaign.rs"),
    ("kilter campaign watch --nats nats://broker-1:4222", "crates/cli/tests/campaign.rs"),
    (
        "kilter campaign report --nats nats://broker-1:4222 --html report.html --junit junit.xml",
        "crates/cli/tests/campaign.rs",
    ),
    (
        "cargo install --path crates/cli --locked --features hosts",
        "nobody: it takes minutes; tests have the feature",
    ),
    ("kilter check Spec.tla --hosts hosts.txt --host 0", "crates/cli/tests/hosts.rs"),
    ("kilter check Spec.tla --hosts hosts.txt --host 1", "crates/cli/tests/hosts.rs"),
    (
        "kilter check Spec.tla --hosts hosts.txt --host 0 --disk states --checkpoint 10m",
        "crates/cli/tests/hosts.rs",
    ),
    ("kilter check Spec.tla --hosts hosts.txt --host 0 --disk states --recover", "crates/cli/tests/hosts.rs"),
    ("cargo install kilter-cli --features campaign", "nobody: it is not published yet"),
    (
        "kilter converge systems/converge/rqlite.toml --schedule 'write=A0,B0,C1 up=AB write=A0,B1 up=AC up=B' --keep kept",
        "nobody: rqlite is not in Debian; crates/kilter/tests/stores.rs plays this schedule on other stores",
    ),
    (
        "cargo run -p kilter --features program --example data_type -- converge crates/kilter/examples/data_type/tally.toml --sample 10000",
        "crates/kilter/tests/datatypes.rs",
    ),
    ("kilter diff --old kilter.toml v1 v1.ran --new kilter.toml v2", "crates/cli/tests/diff.rs"),
    (
        "kilter follow systems/lock systems/lock/logs/two-holders.log --case case.json",
        "crates/cli/tests/follow/mod.rs",
    ),
    ("kilter test systems/lock --behavior case.json", "crates/cli/tests/follow/mod.rs"),
    ("kilter follow systems/raft/follow.toml n1.log n2.log n3.log", "systems/raft/tests"),
    ("kilter follow kilter.toml --live n1.log n2.log", "crates/cli/tests/follow/live.rs"),
    ("cargo install --path crates/cli", "./test --release builds the same release"),
    ("pip install .", "./test --release makes the same wheel, and .ci/newcomer installs it"),
    ("docker build --tag kilter .", "nobody: tests run where there is no Docker"),
    ("./test", "it runs this"),
    ("cargo build -p toystore", "all programs are built before tests are run"),
    ("cargo build --release -p kilter-cli -p kilter-raft", "./test --release builds a release"),
    (
        "cargo run --release -p kilter-protocols --bin protocols -- explore systems/protocols/gossip-bug.toml",
        "systems/protocols/tests",
    ),
    ("cargo run --release -p kilter-raft-rs -- test systems/raft-rs/takeover.toml", "systems/raft-rs/tests"),
    ("kilter-probe = \"0.1\"", "it is no command"),
    ("kilter probe-check -- python3 probes/python/example_node.py", "tests/probe_check.rs"),
    ("kilter test systems/lock", "a part of it in systems/lock/rust/tests"),
    ("kilter map systems/mutex", "tests/java.rs"),
    ("kilter test systems/zookeeper/recovery.toml", "tests/java.rs, as the scenario Diff"),
    ("kilter map systems/mutex --coverage --time-max 5s", "tests/java.rs"),
    ("kilter test systems/mutex", "tests/java.rs"),
    ("kilter explore systems/mutex/explore.toml", "tests/java.rs"),
    ("kilter map systems/zookeeper/election.toml", "tests/java.rs"),
    ("kilter test systems/zookeeper/election.toml --jobs 2", "a part of it in tests/java.rs"),
    ("kilter explore systems/zookeeper/explore.toml", "a part of it in tests/java.rs"),
    (
        "kilter diff --old systems/zookeeper/election.toml old/zookeeper.jar --new systems/zookeeper/election.toml new/zookeeper.jar --out touched.jsonl",
        "tests/java.rs, with jars of its own",
    ),
    (
        "raft-node --id n1 --listen 127.0.0.1:4001 --peers n1=127.0.0.1:4001,n2=127.0.0.1:4002,n3=127.0.0.1:4003 --data n1",
        "systems/raft/tests/cluster.rs",
    ),
    ("raft-client --servers 127.0.0.1:4001,127.0.0.1:4002 put colour green", "systems/raft/tests/cluster.rs"),
];

/// The programs whose commands are looked for.
const PROGRAMS: [&str; 9] =
    ["kilter", "protocols", "kilter-probe", "cargo", "pip", "docker", "./test", "raft-node", "raft-client"];

/// A command in a document, and the lines that the document shows below it.
struct Example {
    command: String,
    output: Vec<String>,
}

/// The commands in the blocks of code of a document, without comments and variables of the environment. What is shown
/// below a command, in its block or in the next one, is its output. A command that is offered in an output
/// (`repeat with:`) has none of its own.
fn examples_in(text: &str) -> Vec<Example> {
    let mut examples: Vec<Example> = Vec::new();
    let (mut is_fenced, mut is_offered, mut is_below) = (false, false, false);
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            is_fenced = !is_fenced;
            // A block in another language is no output.
            is_below &= !is_fenced || matches!(line.trim(), "```text" | "```console");
            continue;
        }
        if !is_fenced && !line.starts_with("    ") {
            is_below &= line.trim().is_empty();
            continue;
        }
        match command_of(line) {
            Some(command) if is_offered => examples.push(Example { command, output: Vec::new() }),
            Some(command) => {
                examples.push(Example { command, output: Vec::new() });
                is_below = true;
            }
            None if line.trim().starts_with("cd ") || line.trim().starts_with("export ") => is_below = false,
            None => {
                if let Some(example) = examples.last_mut().filter(|_| is_below && !line.trim().is_empty()) {
                    example.output.push(line.trim().to_owned());
                }
            }
        }
        is_offered = line.trim() == "repeat with:";
    }
    examples
}

/// The command in a line of a block of code, if it is one of a program that is looked for.
fn command_of(line: &str) -> Option<String> {
    let line = line.trim().trim_start_matches("$ ");
    let line = line.split(" # ").next().unwrap_or_default().trim_end();
    let is_variable = |word: &&str| {
        word.split_once('=')
            .is_some_and(|(name, _)| name.bytes().all(|b| b.is_ascii_uppercase() || b == b'_'))
    };
    let line = line.split(' ').skip_while(is_variable).collect::<Vec<_>>().join(" ");
    line.split(' ').next().is_some_and(|word| PROGRAMS.contains(&word)).then_some(line)
}

/// The first line of those that a document shows that a command does not print, in this order. `…` stands for any lines.
fn missing<'o>(shown: &'o [String], said: &str) -> Option<&'o String> {
    let mut lines = said.lines().map(str::trim);
    shown.iter().filter(|line| *line != "…").find(|line| !lines.any(|printed| printed == *line))
}

/// A copy of what the commands need, so that nothing is written into the repository.
fn checkout() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let at = |path: &str| folder.path().join(path);
    for part in ["specs", "systems", "probes"] {
        copy(&root().join(part), &at(part));
    }
    let programs = Path::new(env!("CARGO_BIN_EXE_kilter")).parent().expect("it is in a folder");
    fs::create_dir(at("target")).expect("ours");
    for profile in ["debug", "release"] {
        std::os::unix::fs::symlink(programs, at("target").join(profile)).expect("ours");
    }
    let write = |path: &str, text: &str| {
        fs::create_dir_all(at(path).parent().expect("it has a folder")).expect("ours");
        fs::write(at(path), text).expect("ours");
    };
    write("work/lib/Limit.tla", "---- MODULE Limit ----\nEXTENDS Naturals\nMax == 3\n====\n");
    let spec = "---- MODULE Spec ----\nEXTENDS Naturals\nCONSTANT Top\nVARIABLE x\nInit == x = 0\nNext == x' = (x + 1) % Top\n====\n";
    write("work/spec/Spec.tla", spec);
    write("work/spec/Spec.cfg", "INIT Init\nNEXT Next\nCONSTANT Top = 5\n");
    write("work/spec/Small.cfg", "INIT Init\nNEXT Next\nCONSTANT Top = 2\n");
    let par = "---- MODULE Par ----\nEXTENDS Naturals\nVARIABLE x\nInit == x = 0\nA == x < 2 /\\ (x < 5 \\/ x < 6 \\/ x < 7) /\\ x' = x + 1\nNext == A\n====\n";
    write("work/par/Par.tla", par);
    write("work/par/Par.cfg", "INIT Init\nNEXT Next\n");
    write("work/models/Spec.tla", spec);
    write("work/models/Spec-small.cfg", "INIT Init\nNEXT Next\nCONSTANT Top = 3\n");
    let cache = |name: &str| fs::read_to_string(root().join("specs/Cache").join(name)).expect("it is there");
    for version in ["v1", "v2"] {
        write(&format!("work/diff/{version}/Cache.cfg"), &cache("Cache.cfg"));
        write(&format!("work/diff/{version}/Cache.tla"), &cache("Cache.tla"));
    }
    let largest = "IF m.number = Largest(cache')";
    let stricter = format!("{largest} /\\ m.number \\notin cache");
    assert!(cache("Cache.tla").contains(largest), "the old version has to be another one");
    write("work/diff/v1/Cache.tla", &cache("Cache.tla").replace(largest, &stricter));
    let mapping = fs::read_to_string(root().join("systems/cache/kilter.toml")).expect("it is there");
    write("work/diff/kilter.toml", &mapping.replace("../../specs/Cache/", "v2/"));
    folder
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("ours");
    for entry in fs::read_dir(from).expect("it can be read").map(|entry| entry.expect("it can be read")) {
        let (path, to) = (entry.path(), to.join(entry.file_name()));
        let is_ours = entry.file_name() != ".kilter" && entry.file_name() != "target";
        if path.is_dir() && is_ours {
            copy(&path, &to);
        } else if path.is_file() {
            fs::copy(&path, &to).expect("it can be copied");
        }
    }
}

/// Runs a line in a shell.
fn sh(checkout: &Path, folder: &str, line: &str, env: &[(&str, &str)]) -> (Option<i32>, String) {
    let programs: PathBuf = checkout.join("target/debug");
    let path = format!("{}:{}", programs.display(), std::env::var("PATH").expect("there is a PATH"));
    let mut command = Command::new("sh");
    command.args(["-c", line]).current_dir(checkout.join(folder)).env("PATH", path).envs(env.iter().copied());
    let output = command.output().expect("there is a shell");
    let said = [output.stdout, output.stderr].concat();
    (output.status.code(), String::from_utf8_lossy(&said).into_owned())
}

#[test]
fn every_command_of_the_documents_is_known_and_runs() {
    let mut in_documents: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for document in DOCUMENTS {
        let text = fs::read_to_string(root().join(document)).expect("it is there");
        for Example { command, output } in examples_in(&text) {
            let is_known = COMMANDS.iter().any(|known| known.text == command)
                || ELSEWHERE.iter().any(|(known, _)| *known == command);
            assert!(is_known, "{document} shows `{command}`, which is not tested: add it to COMMANDS");
            in_documents.entry(command).or_default().extend(output);
        }
    }
    let checkout = checkout();
    let run = |folder: &str, line: &str| sh(checkout.path(), folder, line, &[]);
    let prepare = |folder: &str, line: &str| {
        let (code, said) = run(folder, line);
        assert_eq!(code, Some(0), "{line}: {said}");
    };
    prepare(
        "specs/Raft",
        "kilter check Raft.tla --config Election.cfg --graph g && kilter graph export g --to dot --out raft.dot",
    );
    prepare("work/par", "kilter check Par.tla --no-deadlock --graph par.graph");
    prepare(
        "work/diff",
        "git init -q -b main && git add -A && git -c user.name=n -c user.email=e commit -q -m first",
    );
    let mut n_compared = 0;
    for command in COMMANDS {
        let Some(shown) = in_documents.get(command.text) else {
            panic!("no document shows `{}` any more", command.text);
        };
        let line = [&[command.text][..], command.more].concat().join(" ").replace("RECORD", ".kilter");
        let (code, said) = sh(checkout.path(), command.folder, &line, command.env);
        assert_eq!(code, Some(command.code), "{line}\n{said}");
        if let Some(missing) = missing(shown, &said) {
            panic!(
                "a document shows this below `{line}`, which does not print it:\n{missing}\nIt prints:\n{said}"
            );
        }
        n_compared += shown.len();
    }
    assert!(n_compared > 30, "{n_compared} lines of output were compared");
}

/// Below no command, for the reader is told to put the bug into the configuration.
#[test]
fn the_guides_finding_of_the_toy_store_is_the_one_that_is_printed() {
    let guide = fs::read_to_string(root().join("docs/guide/converge.md")).expect("it is there");
    let (_, shown) = guide.split_once("    1. differ  (3 findings)").expect("the guide shows it");
    let (shown, _) = shown.split_once("Each row is a step.").expect("it is explained");
    let shown: Vec<String> = shown.lines().skip(1).map(|line| line.trim().to_owned()).collect();
    let shown: Vec<String> = shown.into_iter().filter(|line| !line.is_empty()).collect();
    assert!(shown.len() > 10, "{shown:?}");
    let checkout = checkout();
    let config = checkout.path().join("systems/converge/toystore.toml");
    let usual = fs::read_to_string(&config).expect("it is there");
    fs::write(&config, usual + "options = [\"--bug\", \"wrong-file\"]\n").expect("ours");
    // This schedule alone: which of several is told depends on who leads, and so on time. That all of them find the bug is tested with the store.
    let repeat = shown.iter().find(|line| line.starts_with("kilter converge")).expect("the guide repeats it");
    let (code, said) = sh(checkout.path(), "", repeat, &[]);
    assert_eq!(code, Some(1), "{said}");
    let of_this: Vec<String> =
        shown.iter().filter(|line| !line.starts_with("out of kilter")).cloned().collect();
    assert_eq!(missing(&of_this, &said), None, "{said}");
}

#[test]
fn jobs_of_the_guide_play_their_parts_and_go_on_with_them() {
    let guide = fs::read_to_string(root().join("docs/guide/machines.md")).expect("it is there");
    let between = |from: &str, to: &str| {
        let rest = guide.split(from).nth(1).and_then(|rest| rest.split(to).next());
        rest.expect("the guide has it").to_owned()
    };
    let slurm = between("```sh\n", "```");
    let kubernetes = between("args:\n            - |\n", "volumeMounts").replace("/runs/", "pods/");
    let checkout = checkout();
    let run = |line: &str, env: &[(&str, &str)]| {
        let (code, said) = sh(checkout.path(), "work/diff", line, env);
        assert_eq!(code, Some(0), "{line}\n{said}");
        said
    };
    for task in ["0", "1"] {
        run(&slurm, &[("SLURM_ARRAY_TASK_ID", task), ("SLURM_ARRAY_TASK_COUNT", "2")]);
    }
    let whole = run("kilter test kilter.toml --report whole", &[]);
    let parts = run("kilter report runs/*", &[]);
    let counts = |text: &str| text.split(" edges confirmed").next().map(str::to_owned);
    assert!(parts.contains("edges confirmed") && counts(&parts) == counts(&whole), "{parts}\n{whole}");
    // A pod that is started again finds that there is nothing left to do.
    for _ in 0..2 {
        let said = run(&kubernetes, &[("JOB_COMPLETION_INDEX", "3")]);
        assert!(said.contains("1 of 1 case run"), "{said}");
    }
    let too_many = [("JOB_COMPLETION_INDEX", "99")];
    let (code, said) = sh(checkout.path(), "work/diff", &kubernetes, &too_many);
    assert!(code == Some(1) && said.contains("there are 20 machines"), "{said}");
}

#[test]
fn the_guides_python_is_that_of_the_example() {
    let guide = fs::read_to_string(root().join("docs/guide/probe.md")).expect("it is there");
    let example = fs::read_to_string(root().join("probes/python/example_node.py")).expect("it is there");
    let (_, block) = guide.split_once("```python\n").expect("the guide shows Python");
    let (block, _) = block.split_once("```").expect("the block ends");
    let lines: Vec<&str> = block.lines().filter(|line| !line.is_empty()).collect();
    assert!(lines.len() > 20);
    for line in lines {
        assert!(example.lines().any(|other| other == line), "not in example_node.py: {line}");
    }
}
