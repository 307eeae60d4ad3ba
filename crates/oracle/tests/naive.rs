//! Compares answers for small models with TLC's.

use kilter_oracle::model::{Action, Behaviors, Binary, Constant, Expr, Fairness, Model, Property, Temporal};
use kilter_oracle::naive::{Answer, Verdict, check, check_within};
use kilter_oracle::{generate, print};

fn var(name: &str) -> Expr {
    Expr::Var(name.to_owned())
}

fn set_next(name: &str, value: Expr) -> Expr {
    Expr::binary(Binary::Eq, Expr::Primed(name.to_owned()), value)
}

fn eq(left: Expr, right: Expr) -> Expr {
    Expr::binary(Binary::Eq, left, right)
}

fn model(variables: &[&str], init: Expr, next: Expr) -> Model {
    let behaviors = Behaviors {
        variables: variables.iter().map(|name| (*name).to_owned()).collect(),
        init,
        actions: vec![Action { name: "Act".to_owned(), params: Vec::new(), body: next }],
        fairness: Vec::new(),
    };
    Model::of("Small".to_owned(), behaviors)
}

fn counts(answer: &Answer) -> [u64; 3] {
    [answer.generated, answer.distinct, answer.depth]
}

/// A model with `x' = (x + 1) % 3`, starting at 0.
fn clock() -> Model {
    let next = Expr::binary(Binary::Mod, Expr::binary(Binary::Add, var("x"), Expr::Int(1)), Expr::Int(3));
    model(&["x"], eq(var("x"), Expr::Int(0)), set_next("x", next))
}

#[test]
fn disjuncts_are_ways_of_their_own_until_all_variables_have_values() {
    let twice = || Expr::Or(vec![Expr::Bool(true), Expr::Bool(true)]);
    let step = || set_next("x", Expr::Int(1));
    let before = model(&["x"], eq(var("x"), Expr::Int(0)), Expr::And(vec![twice(), step()]));
    assert_eq!(counts(&check(&before)), [5, 2, 2]);
    let after = model(&["x"], eq(var("x"), Expr::Int(0)), Expr::And(vec![step(), twice()]));
    assert_eq!(counts(&check(&after)), [3, 2, 2]);
}

#[test]
fn a_function_applied_where_it_is_written_has_ways_of_its_own_in_steps_but_not_in_initial_states() {
    let twice = || {
        let bound = ("a".to_owned(), Expr::Set(vec![Expr::Int(1)]));
        let either = Expr::Or(vec![Expr::Bool(true), Expr::Bool(true)]);
        Expr::Apply(Box::new(Expr::Fun(vec![bound], Box::new(either))), Box::new(Expr::Int(1)))
    };
    let init = Expr::And(vec![twice(), eq(var("x"), Expr::Int(0))]);
    let next = Expr::And(vec![twice(), set_next("x", Expr::Int(1))]);
    assert_eq!(counts(&check(&model(&["x"], init, next))), [5, 2, 2]);
}

#[test]
fn a_model_is_too_large_if_the_effort_does_not_suffice() {
    let verdict = |effort| check_within(&clock(), effort).verdict;
    assert_eq!((verdict(5), verdict(1_000)), (Verdict::TooLarge, Verdict::Ok));
}

#[test]
fn a_state_that_a_constraint_cuts_off_is_generated_and_checked_but_not_distinct() {
    let mut model = clock();
    model.constraints.push(("Small".to_owned(), Expr::binary(Binary::Lt, var("x"), Expr::Int(2))));
    assert_eq!(counts(&check(&model)), [3, 2, 2]);
    model.invariants.push(("Inv".to_owned(), Expr::binary(Binary::Ne, var("x"), Expr::Int(2))));
    assert_eq!(check(&model).verdict, Verdict::Invariant("Inv".to_owned()));
    assert_eq!(check(&model).trace, Some(3));
}

#[test]
fn a_view_is_taken_of_the_smallest_of_all_symmetric_states() {
    let node = || Expr::name("Node");
    let least = Expr::Choose(Box::new(("n".to_owned(), node())), Box::new(Expr::Bool(true)));
    let init = Expr::And(vec![Expr::binary(Binary::In, var("x"), node()), eq(var("z"), least)]);
    let mut model = model(&["x", "z"], init, Expr::Unchanged(vec!["x".to_owned(), "z".to_owned()]));
    let names = ["nd1", "nd2", "nd3"].map(str::to_owned).into();
    model.constants.push(("Node".to_owned(), Constant::Models(names)));
    model.symmetry.push("Node".to_owned());
    model.view = Some(var("z"));
    assert_eq!(counts(&check(&model)), [5, 2, 1]);
}

#[test]
fn a_clock_may_stop_unless_it_is_fair() {
    let mut model = clock();
    let often = Temporal::Always(Box::new(Temporal::Eventually(Box::new(Temporal::State(eq(
        var("x"),
        Expr::Int(2),
    ))))));
    model.properties.push(("Often".to_owned(), Property::Temporal(often)));
    assert_eq!(check(&model).verdict, Verdict::Temporal(vec!["Often".to_owned()]));
    model.behaviors.fairness.push(Fairness { strong: false, action: None, each: false });
    assert_eq!(check(&model).verdict, Verdict::Ok);
}

#[test]
fn the_same_seed_gives_the_same_module() {
    let text = |seed| print::files(&generate::model(seed).0).module;
    assert_eq!(text(7), text(7));
    assert_ne!(text(7), text(8));
}
