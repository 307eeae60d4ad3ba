//! Reads printed values.

use crate::common;

use common::{any_term, small_store};
use kilter_graph::text::parse_value;
use proptest::prelude::*;

/// Reads a value from `text`, and checks what it prints as, or the error.
fn check(text: &str, expected: &str) {
    let store = small_store();
    let found = match parse_value(&store, text) {
        Ok(value) => store.show(value),
        Err(error) => format!("{}: {error}", error.offset),
    };
    assert_eq!(found, expected, "{text}");
}

#[test]
fn atoms() {
    check(" TRUE ", "TRUE");
    check("-12", "-12");
    check("-2147483648", "-2147483648");
    check("n1", "n1");
    check(r#""say \"hi\" \\ there""#, r#""say \"hi\" \\ there""#);
}

#[test]
fn collections() {
    check("{}", "{}");
    check("{3, 1,2}", "{1, 2, 3}");
    check("1..3", "{1, 2, 3}");
    check("-5 .. 100", "-5..100");
    check("<<>>", "<<>>");
    check("<<1, <<2>>,\n  {b, a}>>", "<<1, <<2>>, {b, a}>>");
    check("[term |-> 0, ok |-> FALSE]", "[term |-> 0, ok |-> FALSE]");
}

#[test]
fn functions() {
    check("(a :> 1 @@ b :> 2)", "(a :> 1 @@ b :> 2)");
    check("(2 :> b @@ 1 :> a)", "<<a, b>>");
    check("(1 :> a @@ 1 :> b)", "<<a>>");
    check("(\"x\" :> 1)", "[x |-> 1]");
    check("(<<a, 1>> :> {} @@ <<a, 0>> :> {1})", "(<<a, 0>> :> {1} @@ <<a, 1>> :> {})");
}

#[test]
fn errors_say_where_and_what() {
    check("", "0: a value was expected, and the end was found");
    check("{1, ", "4: a value was expected, and the end was found");
    check("[a -> b]", "3: `|->` was expected, and `-> b]` was found");
    check("{1} 2", "4: the end was expected, and `2` was found");
    check("\"abc\\", "0: a string has no end");
    check("2147483648", "0: `2147483648` is not an integer of 32 bits");
    check("SUBSET {1}", "6: `SUBSET` is a set that is not enumerated, which no state can hold");
    check(&"<<".repeat(100_000), "800: the value is nested more than 400 deep");
}

#[test]
fn values_that_cannot_be_compared_are_an_error() {
    let store = small_store();
    assert!(parse_value(&store, "{1, \"a\"}").is_err());
    assert!(parse_value(&store, "(1 :> 2 @@ \"a\" :> 3)").is_err());
}

proptest! {
    #[test]
    fn printed_values_are_read_back(term in any_term()) {
        let store = small_store();
        let value = term.make(&store);
        prop_assert_eq!(parse_value(&store, &store.show(value)), Ok(value));
    }

    #[test]
    fn garbage_never_panics(text: String) {
        let _ = parse_value(&small_store(), &text);
    }

    #[test]
    fn nearly_good_text_never_panics(text in "(<<|>>|\\{|\\}|\\[|\\]|\\(|\\)|,| |a|b|\"|1|2|-|\\.\\.|:>|@@|\\|->|TRUE|\\\\){0,24}") {
        let _ = parse_value(&small_store(), &text);
    }
}
