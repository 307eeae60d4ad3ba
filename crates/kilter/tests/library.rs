//! Uses the library from a program that starts no thread.

use std::path::Path;
use std::sync::atomic::Ordering;

use kilter::follow::FollowOptions;
use kilter::predicate::Predicate;
use kilter::run::Ended;
use kilter::suite::Request;
use kilter::{Host, Options, Specification, Verdict};
use kilter_mapping::file::SuiteSection;

fn specification(text: &str, config: &str) -> (tempfile::TempDir, std::path::PathBuf) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("Spec.tla");
    std::fs::write(&path, text).expect("written");
    std::fs::write(path.with_extension("cfg"), config).expect("written");
    (folder, path)
}

const COUNTER: &str = "---- MODULE Spec ----\nEXTENDS Naturals\nVARIABLE x\nInit == x = 0\nUp == x < 3 /\\ x' = x + 1\nDown == x > 0 /\\ x' = x - 1\nNext == Up \\/ Down\nSmall == x < 3\n====\n";

#[test]
fn a_specification_is_checked_and_its_graph_walked() {
    let (_folder, path) = specification(COUNTER, "INIT Init\nNEXT Next\n");
    let specification = Specification::open(path).expect("it makes sense");
    let outcome = specification.check(&Options { graph: true, ..Options::default() });
    assert!(matches!(outcome.verdict, Verdict::Holds));
    let graph = specification.graph(&outcome).expect("it was asked for");
    let steps: Vec<_> = graph
        .edges()
        .map(|edge| (graph.source(edge).0, graph.action_of(edge).name.clone(), graph.target(edge).0))
        .collect();
    assert_eq!(steps.len(), 6);
    assert!(
        steps.contains(&(0, "Up".to_owned(), 1)) && steps.contains(&(3, "Down".to_owned(), 2)),
        "{steps:?}"
    );
    let large = Predicate::new(&graph, "x > 1").states().expect("a formula");
    assert_eq!(large, [false, false, true, true]);
    let wrong = Predicate::new(&graph, "y > 1").states().expect_err("there is no y");
    assert!(wrong.to_string().contains("`y`"), "{wrong}");
}

#[test]
fn a_violation_is_an_answer_and_a_mistake_is_a_refusal() {
    let (_folder, path) = specification(COUNTER, "INIT Init\nNEXT Next\nINVARIANT Small\n");
    let outcome = Specification::open(path).expect("it makes sense").check(&Options::default());
    let Verdict::Invariant { name, trace } = outcome.verdict else { panic!("{:?}", outcome.verdict) };
    assert_eq!((name.as_str(), trace.steps.len()), ("Small", 4));

    let (_folder, path) = specification(&COUNTER.replace("x = 0", "y = 0"), "INIT Init\nNEXT Next\n");
    let refusal = Specification::open(path).err().expect("there is no y");
    assert!(refusal.to_string().ends_with("Spec.tla:4:9: `y` is not defined"), "{refusal}");
    assert!(Specification::open(Path::new("Missing.tla")).is_err());
}

#[test]
fn deep_expressions_need_no_deep_stack_of_the_caller() {
    let nested = format!("{}0{}", "(".repeat(400), ")".repeat(400));
    let (_folder, path) =
        specification(&COUNTER.replace("x = 0", &format!("x = {nested}")), "INIT Init\nNEXT Next\n");
    let checked = std::thread::Builder::new()
        .stack_size(256 << 10)
        .spawn(move || Specification::open(path).map(|one| one.check(&Options::default()).counts.distinct))
        .expect("a thread")
        .join()
        .expect("it does not crash");
    assert_eq!(checked.expect("it makes sense"), 4);
}

#[test]
fn a_suite_is_made_of_a_graph() {
    let (_folder, path) = specification(COUNTER, "INIT Init\nNEXT Next\n");
    let specification = Specification::open(path).expect("it makes sense");
    let outcome = specification.check(&Options { graph: true, ..Options::default() });
    let graph = specification.graph(&outcome).expect("it was asked for");
    let made = Request::default().make(&graph).expect("there is something to cover");
    assert_eq!((made.suite.n_tests(), made.suite.n_steps(), made.suite.n_covered), (1, 6, 6));
    let ups = Request { actions: vec!["Up".to_owned()], ..Request::default() };
    assert_eq!(ups.make(&graph).expect("three edges").suite.n_covered, 3);
    let none = Request { only_when: Some("x > 7".to_owned()), ..Request::default() };
    assert!(none.make(&graph).is_err());
    let section = SuiteSection { cover: Some("edge".to_owned()), ..SuiteSection::default() };
    let error = Request::of_section(&section, None).expect_err("there is no such word");
    assert_eq!(error.to_string(), "[suite] cover = \"edge\": it should be edges, states, actions, pairs");
}

#[test]
fn a_live_log_is_never_over_by_itself() {
    let lock = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../systems/lock"));
    let mut options = FollowOptions::of([lock.join("kilter.toml"), lock.join("logs/good.log")]);
    options.live = true;
    let mut host = Host::default();
    // The signal is there before the first line is read.
    host.signals.flag().store(true, Ordering::SeqCst);
    let Ended::Said { text, .. } = kilter::follow::run(&options, &mut host).expect("the log can be read")
    else {
        panic!("it says something");
    };
    assert!(text.contains(" so far"), "{text}");
}
