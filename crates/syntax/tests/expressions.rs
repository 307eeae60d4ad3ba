//! Single expressions: those that would be hard to read in the corpus, and those that must not break however deep or
//! long they are.

use std::fmt::Write as _;

use expect_test::{Expect, expect};
use kilter_base::Sources;
use kilter_syntax::{parse_expr, print_expr, sexpr};

#[allow(clippy::needless_pass_by_value)] // `expect!` makes a value
fn check(text: &str, expected: Expect) {
    let mut sources = Sources::default();
    let file = sources.add("expr", text);
    let (expr, diagnostics) = parse_expr(&sources, file);
    let mut actual = sexpr(&expr);
    for diagnostic in &diagnostics {
        let span = diagnostic.span.expect("a place");
        let _ = write!(actual, "\n{}: {}", sources.place(span), diagnostic.message);
    }
    expected.assert_eq(&actual);
}

fn round_trip(text: &str) {
    let mut sources = Sources::default();
    let file = sources.add("expr", text);
    let (expr, diagnostics) = parse_expr(&sources, file);
    assert!(diagnostics.is_empty(), "{:?}", diagnostics.iter().next());
    let again = sources.add("printed", print_expr(&expr));
    let (reparsed, diagnostics) = parse_expr(&sources, again);
    assert!(diagnostics.is_empty(), "{:?}", diagnostics.iter().next());
    assert_eq!(sexpr(&expr), sexpr(&reparsed));
}

fn has_error(text: &str, message: &str) {
    let mut sources = Sources::default();
    let file = sources.add("expr", text);
    let (_, diagnostics) = parse_expr(&sources, file);
    let messages: Vec<_> = diagnostics.iter().map(|diagnostic| &diagnostic.message).collect();
    assert!(messages.iter().any(|told| told.starts_with(message)), "{text:.20}: {messages:?}");
}

#[test]
fn dedent_ends_a_junction_list() {
    check("  /\\ a\n => b", expect![["(=> (and a) b)"]]);
}

#[test]
fn operator_right_of_the_bullet_belongs_to_the_item() {
    check("/\\ a\n => b", expect![["(and (=> a b))"]]);
}

#[test]
fn bullet_of_the_other_kind_is_an_operator_after_the_list() {
    check("/\\ a\n\\/ b", expect![[r"(\/ (and a) b)"]]);
}

#[test]
fn list_at_the_left_edge_can_be_continued_one_column_in() {
    check(" /\\ a\n /\\ b\n\\/ c", expect![[r"(\/ (and a b) c)"]]);
}

#[test]
fn brackets_do_not_hide_the_bullet_column() {
    check(
        "/\\ f[\n1]",
        expect![[r"
        (and (index f ERROR))
        expr:2:1: `1` is too far left: expected an expression inside this list item"]],
    );
}

#[test]
fn three_levels_of_lists() {
    check("\\/ /\\ a\n   /\\ \\/ b\n      \\/ c\n   /\\ d\n\\/ e", expect![["(or (and a (or b c) d) e)"]]);
}

#[test]
fn chains_need_parentheses() {
    check(
        "a => b => c",
        expect![[r"
        (=> (=> a b) c)
        expr:1:8: `=>` cannot be chained"]],
    );
    check(
        "a \\/ b /\\ c",
        expect![[r"
        (/\ (\/ a b) c)
        expr:1:8: `\/` and `/\` have conflicting precedences"]],
    );
}

#[test]
fn product_is_one_node() {
    check("a \\X b \\X (c \\X d)", expect![["(product a b (paren (product c d)))"]]);
}

#[test]
fn spans_cover_the_text() {
    let mut sources = Sources::default();
    let file = sources.add("expr", " a + (b)[1].c ");
    let (expr, _) = parse_expr(&sources, file);
    assert_eq!(sources.text(expr.span), "a + (b)[1].c");
}

#[test]
fn long_chains_work() {
    for operator in [" \\/ ", " + ", " \\X ", ", "] {
        let chain = vec!["a"; 3000].join(operator);
        round_trip(&format!("<<{chain}>>"));
    }
    round_trip(&format!("f{}", "[1]".repeat(2000)));
    round_trip(&format!("f{}", ".a".repeat(2000)));
    round_trip(&vec!["/\\ a"; 2000].join("\n"));
}

#[test]
fn very_long_chains_work() {
    // The tree is as high as the chain is long, and dropping it needs a stack as deep.
    kilter_base::memory::with_stack(1 << 30, |_| {
        for more in ["'", "[1]", ".a", " + a", " /\\ a", " \\cup a"] {
            let mut sources = Sources::default();
            let file = sources.add("expr", format!("a{}", more.repeat(99_999)));
            let (_, diagnostics) = parse_expr(&sources, file);
            assert!(!diagnostics.has_errors(), "{more}");
        }
    });
}

#[test]
fn a_long_chain_without_parentheses_is_not_told_about_again_and_again() {
    let mut sources = Sources::default();
    let file = sources.add("expr", vec!["a"; 5000].join(" => "));
    let (_, diagnostics) = parse_expr(&sources, file);
    assert_eq!(diagnostics.iter().count(), 20);
}

#[test]
fn nesting_below_the_limit_works() {
    // The printer recurses as deep as the nesting.
    kilter_base::memory::with_stack(64 << 20, |_| {
        round_trip(&format!("{}a{}", "(".repeat(1500), ")".repeat(1500)));
        round_trip(&format!("{}a{}", "{".repeat(1500), "}".repeat(1500)));
        round_trip(&format!("{}a", "~".repeat(1500)));
        round_trip(&format!("{}a", "/\\ ".repeat(1500)));
        round_trip(&format!("{}a", "\\A x : ".repeat(1500)));
    });
}

#[test]
fn nesting_above_the_limit_is_an_error() {
    let deep = "expression nested too deeply";
    for open in [
        "(", "{", "[", "<<", "~", "- ", "/\\ ", "\\/ ", "\\A x : ", "IF ", "f[", "F(", "a = ~", "[a]_",
        "l :: ",
    ] {
        has_error(&open.repeat(20_000), deep);
    }
    for open in
        ["LET x == ", "CASE ", "CHOOSE x : ", "{x \\in ", "[f EXCEPT ![", "WF_(", "F(LAMBDA x : ", "I!("]
    {
        let mut sources = Sources::default();
        let file = sources.add("expr", open.repeat(20_000));
        assert!(parse_expr(&sources, file).1.has_errors(), "{open}");
    }
    for more in ["'", "[1]", ".a", " + a", " /\\ a"] {
        has_error(&format!("a{}", more.repeat(200_000)), deep);
    }
}
