//! Programs in which something is cut out, doubled or exchanged. Nothing panics, a change is seen from both sides, and
//! no change is lost. Seeds are fixed. `fuzz` tries more.

use crate::common;

use common::{directory, mapping};
use kilter_source::{Tree, compare};

/// A small generator of numbers, so that a seed means the same everywhere.
struct Chance(u64);

impl Chance {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % n.max(1)
    }
}

/// Programs of this repository, one in each language that it has.
fn programs() -> Vec<(String, Vec<u8>)> {
    let files = [
        ("systems/raft/src", "consensus/replication.rs"),
        ("systems/cache/src", "main.rs"),
        ("probes/python", "kilter_probe.py"),
    ];
    let read = |(folder, file): (&str, &str)| {
        let tree = Tree::from_directory(&directory(folder)).ok()?;
        tree.files.get(file).map(|content| (file.to_owned(), content.clone()))
    };
    let mut programs: Vec<(String, Vec<u8>)> = files.into_iter().filter_map(read).collect();
    let java = "class Node { @Action(\"Request\") void request() { count += 1; } int count; }";
    let go = "package main\n\nfunc request() { probe.Action(\"Request\"); count++ }\n\nvar count int\n";
    programs.push(("Node.java".to_owned(), java.into()));
    programs.push(("main.go".to_owned(), go.into()));
    programs
}

/// Cuts out a part, repeats it, moves it, or changes a byte.
fn mutated(content: &[u8], chance: &mut Chance) -> Vec<u8> {
    let from = chance.below(content.len());
    let to = (from + 1 + chance.below(40)).min(content.len());
    let (part, mut mutated) = (content[from..to].to_vec(), content.to_vec());
    match chance.below(4) {
        0 => drop(mutated.drain(from..to)),
        1 => drop(mutated.splice(from..from, part)),
        2 => {
            mutated.drain(from..to);
            let at = chance.below(mutated.len());
            mutated.splice(at..at, part);
        }
        _ => mutated[from] = b"{}()\"';=<.:x0 \n"[chance.below(15)],
    }
    mutated
}

#[test]
fn any_mutation_is_seen_from_both_sides() {
    let mapping = mapping("Request Respond HandleAppendEntriesRequest start:Restart", "cache log");
    let mut n_changed = 0;
    let programs = programs();
    assert!(programs.len() > 3, "programs to mutate");
    for seed in 0..400u64 {
        let mut chance = Chance(seed);
        let (file, content) = &programs[seed as usize % programs.len()];
        let tree = |content: Vec<u8>| Tree { files: [(file.clone(), content)].into() };
        let (old, new) = (tree(content.clone()), tree(mutated(content, &mut chance)));
        let there = compare(&old, &new, &mapping);
        let back = compare(&new, &old, &mapping);
        assert_eq!(there.is_none(), back.is_none(), "seed {seed}: {there:?} {back:?}");
        n_changed += usize::from(!there.is_none());
    }
    // Some mutations are in comments and are no change.
    assert!((200..400).contains(&n_changed), "{n_changed}");
}
