//! Random input: nothing may panic, and printed text parses to the same tree. Seeds are fixed.

use kilter_base::{FileId, Name, Sources, Span};
use kilter_syntax::ast::{
    Bound, Expr, ExprKind, Fixity, Ident, Junction, OpPath, Pattern, Quantifier, Update, UpdateStep,
};
use kilter_syntax::{parse_config, parse_expr, parse_module, print_expr, print_module, sexpr};
use proptest::prelude::*;
use proptest::test_runner::{Config, RngSeed};

fn config(cases: u32) -> Config {
    Config { cases, rng_seed: RngSeed::Fixed(20_261_115), failure_persistence: None, ..Config::default() }
}

/// Pieces of text that lead to many different decisions of the parser.
const PIECES: &[&str] = &[
    "a",
    "b",
    "F",
    "x",
    "1",
    "2.5",
    "\"s\"",
    "@",
    "(",
    ")",
    "[",
    "]",
    "]_",
    "{",
    "}",
    "<<",
    ">>",
    ">>_",
    ",",
    ":",
    "::",
    ".",
    "_",
    "!",
    "==",
    "->",
    "<-",
    "|->",
    "/\\",
    "\\/",
    "=",
    "+",
    "-",
    "-.",
    "*",
    "'",
    "^+",
    "~",
    "[]",
    "<>",
    "\\in",
    "\\X",
    "\\A",
    "\\E",
    "\\EE",
    "IF",
    "THEN",
    "ELSE",
    "CASE",
    "OTHER",
    "LET",
    "IN",
    "CHOOSE",
    "EXCEPT",
    "LAMBDA",
    "DOMAIN",
    "UNCHANGED",
    "WF_",
    "SF_x",
    "INSTANCE",
    "WITH",
    "LOCAL",
    "RECURSIVE",
    "CONSTANT",
    "VARIABLES",
    "ASSUME",
    "THEOREM",
    "PROVE",
    "NEW",
    "PROOF",
    "BY",
    "DEF",
    "OBVIOUS",
    "QED",
    "<1>1.",
    "<*>",
    "PICK",
    "TAKE",
    "DEFINE",
    "USE",
    "----",
    "====",
    "---- MODULE M ----",
    "EXTENDS",
    "\n",
    "\n  ",
    "\n    ",
    "\t",
    "(*",
    "*)",
    "\\*",
    "\"",
    "?",
    "ä",
    "≜",
    "∧",
    "A ==",
    "\nB == ",
    "f[x \\in S] ==",
    "INIT",
    "CHECK_DEADLOCK",
];

fn soup() -> impl Strategy<Value = String> {
    prop::collection::vec(prop::sample::select(PIECES), 0..60).prop_map(|pieces| pieces.join(" "))
}

proptest! {
    #![proptest_config(config(3000))]

    #[test]
    fn token_soup_never_panics(text in soup()) {
        let mut sources = Sources::default();
        let module = sources.add("module", format!("---- MODULE M ----\n{text}\n===="));
        let (tree, diagnostics) = parse_module(&sources, module);
        for diagnostic in &diagnostics {
            prop_assert!(diagnostic.span.is_some_and(|span| span.start <= span.end));
        }
        if let Some(tree) = tree {
            let printed = print_module(&tree);
            if diagnostics.is_empty() {
                let again = sources.add("printed", printed);
                prop_assert!(parse_module(&sources, again).1.is_empty());
            }
        }
        let file = sources.add("text", text);
        parse_module(&sources, file);
        parse_config(&sources, file);
        let (expr, diagnostics) = parse_expr(&sources, file);
        if diagnostics.is_empty() {
            let again = sources.add("printed", print_expr(&expr));
            prop_assert_eq!(sexpr(&parse_expr(&sources, again).0), sexpr(&expr));
        }
    }

    #[test]
    fn any_text_never_panics(text in "\\PC{0,80}") {
        let mut sources = Sources::default();
        let file = sources.add("text", format!("---- MODULE M ----\n{text}"));
        parse_module(&sources, file);
        parse_config(&sources, file);
        parse_expr(&sources, file);
    }
}

proptest! {
    #![proptest_config(config(2000))]

    #[test]
    fn printed_expressions_parse_to_the_same_tree(expr in expression()) {
        let printed = print_expr(&expr);
        let mut sources = Sources::default();
        let file = sources.add("printed", printed.clone());
        let (reparsed, diagnostics) = parse_expr(&sources, file);
        prop_assert!(diagnostics.is_empty(), "{}\n{:?}", printed, diagnostics);
        prop_assert_eq!(sexpr(&reparsed), sexpr(&expr), "{}", printed);
    }
}

fn span() -> Span {
    Span { file: FileId(0), start: 0, end: 0 }
}

fn ident(name: &str) -> Ident {
    Ident { name: Name::from(name), span: span() }
}

fn node(kind: ExprKind) -> Expr {
    Expr { kind: Box::new(kind), span: span() }
}

fn apply(name: &str, fixity: Fixity, args: Vec<Expr>) -> Expr {
    node(ExprKind::Apply { op: OpPath { prefix: Vec::new(), name: ident(name) }, fixity, args })
}

/// Makes an expression that can stand beside operators. Puts parentheses around everything that would reach further,
/// but not around lists.
fn guarded(expr: Expr) -> Expr {
    let open = match &*expr.kind {
        ExprKind::Apply { fixity, .. } => *fixity != Fixity::Nonfix,
        ExprKind::Quantifier { .. } | ExprKind::If { .. } | ExprKind::Case { .. } | ExprKind::Product(_) => {
            true
        }
        _ => false,
    };
    if open { node(ExprKind::Paren(expr)) } else { expr }
}

fn bound(set: Expr) -> Bound {
    Bound { pattern: Pattern::Names(vec![ident("x"), ident("y")]), set }
}

fn expression() -> impl Strategy<Value = Expr> {
    let leaf = prop_oneof![
        prop::sample::select(vec!["a", "b", "TRUE"]).prop_map(|name| apply(name, Fixity::Nonfix, Vec::new())),
        (0..9_u8).prop_map(|digit| node(ExprKind::Number(digit.to_string().into()))),
        "[a-z\"\\\\\n∧ ]{0,4}".prop_map(|text| node(ExprKind::String(text))),
    ];
    leaf.prop_recursive(6, 60, 4, |inner| {
        let some = prop::collection::vec(inner.clone(), 1..4);
        let infix = prop::sample::select(vec!["/\\", "\\/", "=>", "=", "+", "-", "\\in", "\\cup", "..", "\\circ", "@@"]);
        let prefix = prop::sample::select(vec!["~", "-.", "[]", "SUBSET", "UNCHANGED"]);
        prop_oneof![
            3 => (infix, inner.clone(), inner.clone())
                .prop_map(|(name, left, right)| apply(name, Fixity::Infix, vec![guarded(left), guarded(right)])),
            1 => (prefix, inner.clone()).prop_map(|(name, arg)| apply(name, Fixity::Prefix, vec![guarded(arg)])),
            1 => inner.clone().prop_map(|arg| apply("'", Fixity::Postfix, vec![guarded(arg)])),
            1 => some.clone().prop_map(|args| apply("F", Fixity::Nonfix, args)),
            3 => (some.clone(), prop::bool::ANY).prop_map(|(items, and)| {
                node(ExprKind::Junction { kind: if and { Junction::And } else { Junction::Or }, items })
            }),
            1 => (inner.clone(), inner.clone()).prop_map(|(set, body)| {
                node(ExprKind::Quantifier { kind: Quantifier::All, bounds: vec![bound(set)], body })
            }),
            1 => (inner.clone(), inner.clone(), inner.clone())
                .prop_map(|(condition, then, otherwise)| node(ExprKind::If { condition, then, otherwise })),
            1 => (inner.clone(), inner.clone(), inner.clone()).prop_map(|(guard, value, other)| {
                node(ExprKind::Case { arms: vec![(guard, guarded_case(value))], other: Some(other) })
            }),
            1 => some.clone().prop_map(|items| node(ExprKind::Tuple(items))),
            1 => some.clone().prop_map(|items| node(ExprKind::SetEnum(items))),
            1 => prop::collection::vec(inner.clone(), 2..4)
                .prop_map(|factors| node(ExprKind::Product(factors.into_iter().map(guarded).collect()))),
            1 => (inner.clone(), inner.clone())
                .prop_map(|(set, body)| node(ExprKind::Function { bounds: vec![bound(set)], body })),
            1 => (inner.clone(), some).prop_map(|(function, args)| {
                node(ExprKind::Index { function: guarded(function), args })
            }),
            1 => inner.clone().prop_map(|record| node(ExprKind::Field { record: guarded(record), field: ident("f") })),
            1 => (inner.clone(), inner.clone(), inner).prop_map(|(function, arg, value)| {
                let path = vec![UpdateStep::Index(vec![arg]), UpdateStep::Field(ident("f"))];
                node(ExprKind::Except { function, updates: vec![Update { path, value }] })
            }),
        ]
    })
}

/// Makes the value of an arm before the last. Without parentheses, a CASE at its end would take the following arms.
fn guarded_case(expr: Expr) -> Expr {
    match &*expr.kind {
        ExprKind::Junction { .. } => expr,
        _ => node(ExprKind::Paren(expr)),
    }
}
