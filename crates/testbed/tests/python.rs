//! Nodes in another language: the example of the Python probe, as a cluster.

mod support;

use std::path::Path;

use kilter_testbed::{Command, Fault, Setup, Waited, World};
use serde_json::json;
use support::{LONG, ask, copies, count, does, find, go, started};

fn example() -> Setup {
    let script = "probes/python/example_node.py";
    let command = [
        "python3",
        &format!("{{dir}}/{script}"),
        "--node",
        "{node}",
        "--listen",
        "{address}",
        "--peers",
        "{peers}",
    ];
    Setup {
        dir: Path::new(env!("CARGO_MANIFEST_DIR")).join("../.."),
        env: vec![("PYTHONDONTWRITEBYTECODE".to_owned(), "1".to_owned())],
        patience: LONG,
        start_patience: LONG,
        ..Setup::new(["n1", "n2"], command)
    }
}

#[test]
fn python_nodes_are_held_and_let_go() {
    let mut cluster = started(example());
    go(&mut cluster, "n1", "Tick");
    assert_eq!((count(&cluster, "n1"), count(&cluster, "n2"), copies(&cluster)), (1, 0, 1));
    cluster
        .perform(&Command::on_message(Fault::Duplicate, find(&cluster, "n2", "Take")))
        .expect("it is doubled");
    go(&mut cluster, "n2", "Take");
    assert_eq!((count(&cluster, "n2"), copies(&cluster)), (1, 1));
    cluster.perform(&Command::on_message(Fault::Drop, find(&cluster, "n2", "Take"))).expect("it is lost");
    assert_eq!(copies(&cluster), 0);

    // A message on its way to a node that crashes is given to it again. The node's count is gone.
    go(&mut cluster, "n1", "Tick");
    cluster.perform(&Command::on_node(Fault::Crash, "n2")).expect("it crashes");
    cluster.perform(&Command::on_node(Fault::Start, "n2")).expect("it starts again");
    assert_eq!(count(&cluster, "n2"), 0);
    go(&mut cluster, "n2", "Take");
    assert_eq!((count(&cluster, "n2"), copies(&cluster)), (2, 0));

    ask(&mut cluster, "n2", "Set", &[json!(3)]).expect("it is set");
    assert!(!does(&cluster, "n2", "Tick"));
    assert_eq!(cluster.wait(), Ok(Waited::Still));
    assert!(cluster.waited().is_zero(), "they say when they wait");
}
