//! Verdicts on mutated logs, against an exhaustive search.

use std::fs;

use kilter_base::Rng;
use serde_json::{Value as Json, json};

use super::reference::{CLIENTS, Reference};
use super::{folder, joined, judge};

/// Changes a log in one place: a line is lost, two are swapped, or something in one is another.
fn mutate(lines: &mut Vec<Json>, rng: &mut Rng) {
    let at = rng.below(lines.len());
    match rng.below(4) {
        0 => drop(lines.remove(at)),
        1 if at > 0 => lines.swap(at - 1, at),
        2 => {
            let other = CLIENTS[rng.below(2)];
            for field in ["from", "to"] {
                if CLIENTS.iter().any(|client| lines[at]["message"][field] == **client) {
                    lines[at]["message"][field] = other.into();
                }
            }
        }
        _ => {
            if let Some(state) = lines[at].get_mut("state").and_then(Json::as_object_mut) {
                for value in state.values_mut() {
                    if let Some(b) = value.as_bool() {
                        *value = Json::Bool(!b);
                    } else if value.is_string() || value.is_null() {
                        *value = CLIENTS[rng.below(2)].into();
                    }
                }
            }
        }
    }
}

#[test]
fn mutated_logs_are_judged_as_by_an_exhaustive_search() {
    judge_mutated("");
}

#[test]
fn mutated_logs_are_judged_so_with_an_action_that_leaves_no_line() {
    judge_mutated("HandleGrant");
}

fn judge_mutated(silent: &'static str) {
    let follow = if silent.is_empty() { String::new() } else { format!("silent = [\"{silent}\"]") };
    let folder = folder(&follow, "");
    let config = "SPECIFICATION Spec\nCONSTANTS\nServer = n1\nClient = {n2, n3}\nNobody = Nobody\nCrowd = 2\nRounds = 2\nINVARIANT OneHolds\nCHECK_DEADLOCK FALSE\n";
    fs::write(folder.path().join("Lock.cfg"), config).expect("it can be written");
    let mapping = folder.path().join("kilter.toml");
    let text = fs::read_to_string(&mapping).expect("it is there").replace(", \"n4\", \"n5\"", "");
    fs::write(&mapping, text).expect("it can be written");
    let reference = Reference { silent, ..Reference::new(folder.path()) };
    let mut counts = [0, 0];
    // More on demand: KILTER_FOLLOW_LOGS=2000.
    let n_logs = std::env::var("KILTER_FOLLOW_LOGS").ok().and_then(|n| n.parse().ok()).unwrap_or(200);
    for seed in 0..n_logs {
        let mut rng = Rng::from_seed(seed);
        let mut state = reference.graph.initial().next().expect("there is one");
        let mut lines = Vec::new();
        let is_whole = rng.below(2) == 0;
        for _ in 0..4 + rng.below(10) {
            let edges: Vec<_> = reference.graph.outgoing(state).collect();
            if edges.is_empty() {
                break;
            }
            let edge = edges[rng.below(edges.len())];
            if reference.graph.action_of(edge).name != silent {
                lines.push(reference.line(edge, || is_whole || rng.below(2) == 0));
            }
            state = reference.graph.target(edge);
        }
        if lines.is_empty() {
            continue;
        }
        for _ in 0..rng.below(3) {
            if lines.len() > 1 {
                mutate(&mut lines, &mut rng);
            }
        }
        let explained = reference.explained(&lines);
        let text = joined(&lines);
        let verdict = judge(folder.path(), &[text]);
        let expected = if explained == lines.len() { json!("accepted") } else { json!("rejected") };
        assert_eq!(verdict["verdict"], expected, "seed {seed}: {lines:#?}");
        if explained < lines.len() {
            assert_eq!(verdict["rejected_at"]["line"], explained + 1, "seed {seed}");
            assert_ne!(verdict["reasons"], json!([]), "seed {seed}");
        }
        counts[usize::from(explained == lines.len())] += 1;
        // The same lines, each node's in a file of its own.
        let files: Vec<Vec<Json>> = ["n1", "n2", "n3"]
            .map(|node| lines.iter().filter(|line| line["node"] == node).cloned().collect())
            .into();
        let texts: Vec<String> = files.iter().map(|lines| joined(lines)).collect();
        let expected = if reference.is_behavior(&files) { json!("accepted") } else { json!("rejected") };
        assert_eq!(judge(folder.path(), &texts)["verdict"], expected, "seed {seed}: {files:#?}");
    }
    assert!(counts[0] > 50 && counts[1] > 50, "{counts:?}");
}
