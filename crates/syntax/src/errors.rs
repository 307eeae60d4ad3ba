//! All diagnostics of this crate, with one constructor for each, so that the wording is in one place.

use kilter_base::{Diagnostic, Span};

use crate::operators::Operator;

// Characters.

pub(crate) fn unknown_character(span: Span, character: char) -> Diagnostic {
    Diagnostic::error(span, format!("`{character}` starts no TLA+ symbol"))
        .help("identifiers consist of the letters a-z and A-Z, digits and `_`")
}

pub(crate) fn unterminated_comment(span: Span) -> Diagnostic {
    Diagnostic::error(span, "this comment is never closed")
        .help("comments nest: each `(*` needs its own `*)`")
}

pub(crate) fn unterminated_string(span: Span) -> Diagnostic {
    Diagnostic::error(span, "this string does not end on its line")
        .help("close it with `\"`; write a line break as `\\n`")
}

pub(crate) fn unknown_escape(span: Span, character: char) -> Diagnostic {
    Diagnostic::error(span, format!("`\\{character}` is no escape sequence"))
        .help("strings know `\\\"`, `\\\\`, `\\n`, `\\t`, `\\r` and `\\f`; write `\\\\` for a backslash")
}

// Something that was expected is missing.

pub(crate) fn expected(span: Span, what: &str, found: &str) -> Diagnostic {
    Diagnostic::error(span, format!("expected {what}, found {found}"))
}

pub(crate) fn define_in_expression(span: Span, what: &str) -> Diagnostic {
    Diagnostic::error(span, format!("expected {what}, found `==`")).help("`==` defines; write `=` to compare")
}

pub(crate) fn definition_starts(span: Span, what: &str, name: &str) -> Diagnostic {
    Diagnostic::error(span, format!("expected {what}, but the definition of `{name}` starts here"))
        .help("finish what stands before it; to compare, write `=` instead of `==`")
}

pub(crate) fn not_indented(span: Span, what: &str, found: &str, bullet: Span) -> Diagnostic {
    Diagnostic::error(span, format!("{found} is too far left: expected {what} inside this list item"))
        .related(bullet, "the item starts here")
        .help("indent it further than the bullet")
}

/// Points to the opening bracket as well.
pub(crate) fn unclosed(expected: Diagnostic, open: Span) -> Diagnostic {
    expected.related(open, "to close this")
}

// Expressions.

pub(crate) fn precedence_conflict(
    span: Span,
    left: &Operator,
    left_span: Span,
    right: &Operator,
) -> Diagnostic {
    let message = if left.name == right.name {
        format!("`{}` cannot be chained", spelled(left))
    } else {
        format!("`{}` and `{}` have conflicting precedences", spelled(left), spelled(right))
    };
    Diagnostic::error(span, message).related(left_span, "the other operator").help("add parentheses")
}

fn spelled(operator: &Operator) -> &'static str {
    if operator.name == "-." { "-" } else { operator.name }
}

pub(crate) fn too_deep(span: Span, max: u32) -> Diagnostic {
    Diagnostic::error(span, format!("expression nested too deeply: more than {max} levels"))
        .help("move a part of it to a definition of its own")
}

pub(crate) fn not_a_label(span: Span) -> Diagnostic {
    Diagnostic::error(span, "`::` does not follow a label")
        .help("a label is a name, or a name with names as arguments: `lab(x, y) :: e`")
}

pub(crate) fn label_changes_parse(span: Span) -> Diagnostic {
    Diagnostic::error(span, "without this label the expression would be read differently")
        .help("put the labelled expression in parentheses")
}

pub(crate) fn lambda_outside_argument(span: Span) -> Diagnostic {
    Diagnostic::error(span, "LAMBDA stands where no operator can stand")
        .help("LAMBDA is allowed as an operator's argument and after `<-`")
}

pub(crate) fn step_outside_proof(span: Span) -> Diagnostic {
    Diagnostic::error(span, "a proof step's name stands outside a proof")
        .help("to compare, put blanks around `<` and `>`")
}

pub(crate) fn product_as_operator(span: Span) -> Diagnostic {
    Diagnostic::error(span, "`\\X` cannot be used as an operator's name")
}

pub(crate) fn fairness_without_action(span: Span) -> Diagnostic {
    Diagnostic::error(span, "this fairness condition has no action").help("write `WF_vars(Action)`")
}

pub(crate) fn filter_binds_several(span: Span) -> Diagnostic {
    Diagnostic::error(span, "a set filter binds one name or one tuple of names")
        .help("write `{<<x, y>> \\in S \\X T : p}`, or `{x \\in S : \\E y \\in T : p}`")
}

pub(crate) fn bracket_needs_function(span: Span) -> Diagnostic {
    Diagnostic::error(span, "nothing stands before `[` that could be applied")
        .help("`[` starts `[x \\in S |-> e]`, `[S -> T]`, `[a |-> e]`, `[a : S]`, `[f EXCEPT …]` or `[A]_v`")
}

pub(crate) fn angle_action_with_commas(span: Span) -> Diagnostic {
    Diagnostic::error(span, "`<<A>>_v` takes one action").help("remove the comma or the subscript")
}

// Modules.

pub(crate) fn no_module(span: Span) -> Diagnostic {
    Diagnostic::error(span, "there is no module in this file")
        .help("a module starts with `---- MODULE Name ----`")
}

pub(crate) fn module_not_closed(span: Span, name: Span) -> Diagnostic {
    Diagnostic::error(span, "the module is never closed")
        .related(name, "this module")
        .help("end it with `====`")
}

pub(crate) fn extends_not_first(span: Span) -> Diagnostic {
    Diagnostic::error(span, "EXTENDS stands after the module's first unit")
        .help("one EXTENDS with all modules comes right after the module's name")
}

pub(crate) fn not_a_unit(span: Span, found: &str) -> Diagnostic {
    Diagnostic::error(span, format!("expected a definition or a declaration, found {found}"))
        .help("a definition is `Name == expression`, with `==` and not `=`")
}

// Configuration files.

pub(crate) fn config_expected(span: Span, what: &str, found: &str) -> Diagnostic {
    Diagnostic::error(span, format!("expected {what}, found {found}"))
}

pub(crate) fn config_twice(span: Span, keyword: &str) -> Diagnostic {
    Diagnostic::error(span, format!("{keyword} stands twice in this configuration")).help("keep one of them")
}

pub(crate) fn config_unknown_section(span: Span, found: &str, closest: Option<&str>) -> Diagnostic {
    let message = format!("expected a keyword such as CONSTANT, INIT or INVARIANT, found {found}");
    let diagnostic = Diagnostic::error(span, message);
    match closest {
        Some(keyword) => diagnostic.help(format!("there is a keyword with a similar name: `{keyword}`")),
        None => diagnostic,
    }
}

pub(crate) fn config_ignored(span: Span, keyword: &str) -> Diagnostic {
    Diagnostic::warning(span, format!("{keyword} is not supported and is ignored"))
}

// PlusCal.

pub(crate) fn untranslated(span: Span, name: &str) -> Diagnostic {
    Diagnostic::warning(span, format!("the PlusCal algorithm {name} has no translation, so Kilter does not check it"))
        .help("Kilter reads the translation: make it with `java -cp tla2tools.jar pcal.trans FILE.tla`, or in your editor")
}

pub(crate) fn translation_changed(span: Span, name: &str) -> Diagnostic {
    Diagnostic::warning(span, format!("the translation of the PlusCal algorithm {name} was changed after it was made"))
        .help("Kilter checks the translation as it is: translate again, or write `chksum(tla) \\in STRING` if you want it so")
}

pub(crate) fn algorithm_lacks(span: Span, name: &str, word: &str) -> Diagnostic {
    let message = format!(
        "the PlusCal algorithm {name} was changed after it was translated: its translation still has `{word}`"
    );
    Diagnostic::warning(span, message)
        .help("Kilter checks the old translation: translate the algorithm again")
}

pub(crate) fn algorithm_changed(span: Span, name: &str, word: &str) -> Diagnostic {
    let message = format!(
        "the PlusCal algorithm {name} was changed after it was translated: `{word}` is not in its translation"
    );
    Diagnostic::warning(span, message)
        .help("Kilter checks the old translation: translate the algorithm again")
}
