//! Configuration files, and the order of names.

use expect_test::{Expect, expect};
use kilter_base::Sources;
use kilter_syntax::ast::{ConfigValue, ConstantValue, Ident};
use kilter_syntax::{
    config_identifiers_in_order, names_in_order, parse_config, string_literals_in_order, words_in_order,
};

#[allow(clippy::needless_pass_by_value)] // `expect!` makes a value
fn check(text: &str, expected: Expect) {
    let mut sources = Sources::default();
    let file = sources.add("MC.cfg", text);
    let (config, diagnostics) = parse_config(&sources, file);
    let mut lines = Vec::new();
    for entry in &config.constants {
        lines.push(format!("constant {}{}", entry.name.name, constant(&entry.value)));
    }
    for (keyword, name) in [
        ("specification", &config.specification),
        ("init", &config.init),
        ("next", &config.next),
        ("view", &config.view),
        ("alias", &config.alias),
    ] {
        lines.extend(name.iter().map(|ident| format!("{keyword} {}", ident.name)));
    }
    for (keyword, names) in [
        ("invariants", &config.invariants),
        ("properties", &config.properties),
        ("constraints", &config.constraints),
        ("action constraints", &config.action_constraints),
        ("symmetry", &config.symmetry),
        ("postconditions", &config.postconditions),
    ] {
        if !names.is_empty() {
            lines.push(format!("{keyword} {}", joined(names)));
        }
    }
    lines.extend(config.check_deadlock.map(|check| format!("check deadlock {check}")));
    for diagnostic in &diagnostics {
        let span = diagnostic.span.expect("a place");
        lines.push(format!("{}: {}", sources.place(span), diagnostic.message));
    }
    expected.assert_eq(&lines.join("\n"));
}

fn joined(names: &[Ident]) -> String {
    names.iter().map(|ident| ident.name.to_string()).collect::<Vec<_>>().join(" ")
}

fn constant(value: &ConstantValue) -> String {
    match value {
        ConstantValue::Literal(literal) => format!(" = {}", shown(literal)),
        ConstantValue::Applied { args, value } => {
            format!("({}) = {}", args.iter().map(shown).collect::<Vec<_>>().join(", "), shown(value))
        }
        ConstantValue::LiteralIn { module, value } => format!(" = [{}] {}", module.name, shown(value)),
        ConstantValue::Replace(with) => format!(" <- {}", with.name),
        ConstantValue::ReplaceIn { module, with } => format!(" <- [{}] {}", module.name, with.name),
    }
}

fn shown(value: &ConfigValue) -> String {
    match value {
        ConfigValue::Number(text, _) => text.to_string(),
        ConfigValue::String(text, _) => format!("{text:?}"),
        ConfigValue::Boolean(value, _) => value.to_string(),
        ConfigValue::Set(items, _) => {
            format!("{{{}}}", items.iter().map(shown).collect::<Vec<_>>().join(", "))
        }
        ConfigValue::ModelValue(ident) => format!("model {}", ident.name),
    }
}

#[test]
fn constants() {
    check(
        "CONSTANTS\n N = 3\n M = -3 a = a\n S = {a, {1, \"x\"}, {}}\n T = TRUE\nCONSTANT F(1, a) = 2\n G <- MyG  H <- [Mod] MyH\n I = [Mod] 4 J!K <- L + <- Plus",
        expect![[r#"
            constant N = 3
            constant M = -3
            constant a = model a
            constant S = {model a, {1, "x"}, {}}
            constant T = true
            constant F(1, model a) = 2
            constant G <- MyG
            constant H <- [Mod] MyH
            constant I = [Mod] 4
            constant J!K <- L
            constant + <- Plus"#]],
    );
}

#[test]
fn sections() {
    check(
        "\\* comment\nINIT Init NEXT Next (* block\n comment *) INVARIANTS A B I!C INVARIANT D\nPROPERTY P PROPERTIES Q R\nCONSTRAINT C ACTION_CONSTRAINTS X\nSYMMETRY Sym VIEW V ALIAS Al POSTCONDITION Post CHECK_DEADLOCK FALSE",
        expect![[r"
            init Init
            next Next
            view V
            alias Al
            invariants A B I!C D
            properties P Q R
            constraints C
            action constraints X
            symmetry Sym
            postconditions Post
            check deadlock false"]],
    );
    check("SPECIFICATION Spec\r\n", expect!["specification Spec"]);
    check("", expect![""]);
}

#[test]
fn errors() {
    check(
        "HELLO x\nINIT A\nINIT B\nNEXT\nCONSTANT N 3\nCONSTANT M = \nCHECK_DEADLOCK maybe\nCONSTANT S = {1, 2\nINVARIANT 5",
        expect![[r"
            init B
            MC.cfg:1:1: expected a keyword such as CONSTANT, INIT or INVARIANT, found `HELLO`
            MC.cfg:3:1: INIT stands twice in this configuration
            MC.cfg:5:1: expected a name, found `CONSTANT`
            MC.cfg:5:12: expected `=` or `<-`, found `3`
            MC.cfg:7:1: expected a value: a number, a string, a set or a model value, found `CHECK_DEADLOCK`
            MC.cfg:7:16: expected `TRUE` or `FALSE`, found `maybe`
            MC.cfg:9:1: expected `}`, found `INVARIANT`
            MC.cfg:9:11: expected a name or a keyword, found `5`"]],
    );
}

#[test]
fn obsolete_sections_are_skipped_with_a_warning() {
    check(
        "TYPE T\nINIT I",
        expect![[r"
        init I
        MC.cfg:1:1: TYPE is not supported and is ignored"]],
    );
}

#[test]
fn deeply_nested_sets_are_an_error() {
    let mut sources = Sources::default();
    let file = sources.add("MC.cfg", format!("CONSTANT S = {}", "{".repeat(100_000)));
    assert!(parse_config(&sources, file).1.has_errors());
}

#[test]
fn names_in_order_of_appearance() {
    let mut sources = Sources::default();
    let text = "ignored ---- MODULE M ----\nB == [c |-> \"s\", a |-> B] \\* comment\nD == \"c\" \\o \"s\"\n==== ignored";
    let file = sources.add("M.tla", text);
    let list =
        |names: Vec<kilter_base::Name>| names.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ");
    expect![[r"---- MODULE M ---- B == [ c |-> , a ] D \o ===="]]
        .assert_eq(&list(words_in_order(&sources, file)));
    expect!["s c"].assert_eq(&list(string_literals_in_order(&sources, file)));
    expect!["M B c s a D"].assert_eq(&list(names_in_order(&sources, file)));
    let file = sources.add("MC.cfg", "CONSTANT b = {a2, a1, \"t\"}");
    expect!["b a2 a1 t"].assert_eq(&list(config_identifiers_in_order(&sources, file)));
}
