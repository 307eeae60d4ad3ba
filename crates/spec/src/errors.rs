//! All diagnostics of this crate, with one constructor for each.

use kilter_base::{Diagnostic, Span};

use crate::ir::Level;

/// Says `n arguments` in words.
fn arguments(n: usize) -> String {
    match n {
        0 => "no arguments".into(),
        1 => "1 argument".into(),
        n => format!("{n} arguments"),
    }
}

fn similar(diagnostic: Diagnostic, what: &str, name: Option<&str>) -> Diagnostic {
    match name {
        Some(name) => diagnostic.help(format!("{what} with a similar name exists: `{name}`")),
        None => diagnostic,
    }
}

// Loading.

pub(crate) fn module_not_found(span: Span, name: &str, closest: Option<&str>) -> Diagnostic {
    let help = match closest {
        Some(closest) => format!("a module with a similar name exists: `{closest}`"),
        None => format!(
            "looked for `{name}.tla` beside the specification, in the --library folders, and among the built-in modules"
        ),
    };
    Diagnostic::error(span, format!("module `{name}` was not found")).help(help)
}

pub(crate) fn file_without_module(span: Span, name: &str, file: &str) -> Diagnostic {
    Diagnostic::error(span, format!("the file `{file}` contains no module `{name}`"))
}

pub(crate) fn module_name_differs(span: Span, file: &str, name: &str) -> Diagnostic {
    Diagnostic::error(span, format!("the file `{file}` contains a module with another name, `{name}`"))
        .help(format!("rename the module or the file: module `{name}` belongs into `{name}.tla`"))
}

pub(crate) fn module_cycle(span: Span, path: &str) -> Diagnostic {
    Diagnostic::error(span, format!("modules depend on each other in a circle: {path}"))
}

// Names.

pub(crate) fn undefined_name(
    span: Span,
    name: &str,
    closest: Option<&str>,
    module: Option<&str>,
) -> Diagnostic {
    let diagnostic = Diagnostic::error(span, format!("`{name}` is not defined"));
    match module {
        Some(module) => diagnostic.help(format!("module `{module}` defines it: add `EXTENDS {module}`")),
        None => similar(diagnostic, "a definition", closest),
    }
}

pub(crate) fn defined_later(span: Span, name: &str, later: Span) -> Diagnostic {
    Diagnostic::error(span, format!("`{name}` is used before it is defined"))
        .related(later, "defined here")
        .help(format!("move the definition up, or declare it before with `RECURSIVE {name}`"))
}

pub(crate) fn undefined_in_instance(
    span: Span,
    instance: &str,
    name: &str,
    closest: Option<&str>,
) -> Diagnostic {
    similar(Diagnostic::error(span, format!("`{instance}` defines no `{name}`")), "a definition", closest)
}

pub(crate) fn multiply_defined(span: Span, name: &str, first: Option<Span>) -> Diagnostic {
    let diagnostic = Diagnostic::error(span, format!("`{name}` is already defined or declared"));
    match first {
        Some(first) => diagnostic.related(first, "first here"),
        None => diagnostic,
    }
}

pub(crate) fn redeclared(span: Span, name: &str, first: Span) -> Diagnostic {
    Diagnostic::warning(span, format!("`{name}` is declared twice")).related(first, "first here")
}

pub(crate) fn builtin_redefined(span: Span, name: &str) -> Diagnostic {
    Diagnostic::error(span, format!("`{name}` belongs to the language and cannot be redefined"))
}

pub(crate) fn conflicting_import(span: Span, name: &str, first: Span) -> Diagnostic {
    Diagnostic::error(span, format!("the imported `{name}` conflicts with another one"))
        .related(first, "the other one")
}

pub(crate) fn duplicate_import(span: Span, name: &str, first: Span) -> Diagnostic {
    Diagnostic::warning(
        span,
        format!("`{name}` is defined twice by imported modules; the first definition is used"),
    )
    .related(first, "the first")
}

/// `module` has the other definition. `own` is the place of the definition that counts.
pub(crate) fn own_wins(span: Span, name: &str, module: &str, own: Span) -> Diagnostic {
    let message = format!(
        "`{name}` is also defined by module {module}, which comes along with another one; yours is used"
    );
    let diagnostic = Diagnostic::warning(span, message);
    if own == span { diagnostic } else { diagnostic.related(own, "yours") }
}

pub(crate) fn overruled(span: Span, module: &str, names: &[&str]) -> Diagnostic {
    let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    let (all, verb) = match &names[..] {
        [name] => (name.clone(), "is"),
        [before @ .., last] => (format!("{} and {last}", before.join(", ")), "are"),
        [] => (String::new(), "are"),
    };
    let they = if names.len() == 1 { "this definition is" } else { "these definitions are" };
    Diagnostic::warning(
        span,
        format!("{all} {verb} evaluated by built-in code, because a community module is called {module} too; {they} not used"),
    )
    .help("if they are your own, give the module another name; if this is a copy of the community module, it is not needed")
}

pub(crate) fn module_multiply_defined(span: Span, name: &str) -> Diagnostic {
    Diagnostic::error(span, format!("module `{name}` is already defined"))
}

pub(crate) fn recursive_without_definition(span: Span, name: &str) -> Diagnostic {
    Diagnostic::error(span, format!("`{name}` is declared RECURSIVE but not defined"))
}

pub(crate) fn recursive_arity(span: Span, name: &str, declared: usize, defined: usize) -> Diagnostic {
    Diagnostic::error(
        span,
        format!(
            "`{name}` is declared RECURSIVE with {} but defined with {}",
            arguments(declared),
            arguments(defined)
        ),
    )
}

// Application.

pub(crate) fn wrong_arity(span: Span, name: &str, wanted: usize, given: usize) -> Diagnostic {
    let diagnostic = Diagnostic::error(
        span,
        format!(
            "`{name}` takes {}, but {given} {} given",
            arguments(wanted),
            if given == 1 { "is" } else { "are" }
        ),
    );
    if wanted == 0 {
        diagnostic.help("a function is applied with square brackets: `f[x]`")
    } else {
        diagnostic
    }
}

pub(crate) fn operator_wanted(span: Span, arity: usize) -> Diagnostic {
    Diagnostic::error(span, format!("an operator that takes {} is expected here", arguments(arity)))
        .help("give the name of an operator, or a LAMBDA")
}

pub(crate) fn incomplete_name(span: Span, name: &str) -> Diagnostic {
    Diagnostic::error(span, format!("`{name}` is an instance, not a value"))
        .help(format!("name one of its definitions: `{name}!Op`"))
}

pub(crate) fn not_an_instance(span: Span, name: &str) -> Diagnostic {
    Diagnostic::error(span, format!("`{name}` is not an instance, so `{name}!…` means nothing"))
}

pub(crate) fn lambda_misplaced(span: Span) -> Diagnostic {
    Diagnostic::error(span, "LAMBDA can only stand for an operator argument")
}

pub(crate) fn at_misplaced(span: Span) -> Diagnostic {
    Diagnostic::error(span, "`@` has no meaning here").help("it stands for the old value inside EXCEPT")
}

pub(crate) fn partly_applied(span: Span) -> Diagnostic {
    Diagnostic::error(span, "the name of a subexpression has arguments in one place and none in another")
        .help("give arguments everywhere, or nowhere to name an operator")
}

pub(crate) fn unsupported(span: Span, what: &str) -> Diagnostic {
    Diagnostic::error(span, format!("{what} are not supported"))
}

pub(crate) fn bad_selector(span: Span, selector: &str) -> Diagnostic {
    Diagnostic::error(span, format!("`!{selector}` names no subexpression here"))
}

pub(crate) fn part_before_definition(span: Span, name: &str) -> Diagnostic {
    Diagnostic::error(span, format!("a part of `{name}` is named before the end of its definition"))
        .help("define the part by itself, and use that in both places")
}

pub(crate) fn whole_case_arm(span: Span) -> Diagnostic {
    Diagnostic::error(span, "an arm of a CASE is no expression")
        .help("name its condition by `!1`, its value by `!2`")
}

pub(crate) fn too_deep(span: Span) -> Diagnostic {
    Diagnostic::error(span, "the expression is nested too deeply").help("name parts of it by definitions")
}

// Literals.

pub(crate) fn number_too_large(span: Span, text: &str) -> Diagnostic {
    Diagnostic::error(span, format!("the number `{text}` is too large"))
        .help("numbers range from -2147483648 to 2147483647")
}

pub(crate) fn decimal(span: Span, text: &str) -> Diagnostic {
    Diagnostic::error(span, format!("the decimal number `{text}` cannot be evaluated; only integers can"))
}

// Instances.

pub(crate) fn missing_substitution(span: Span, symbol: &str, module: &str, declared: Span) -> Diagnostic {
    Diagnostic::error(span, format!("instance of `{module}` without a substitution for `{symbol}`"))
        .related(declared, "declared here")
        .help(format!("add `WITH {symbol} <- …`, or define or declare `{symbol}` before this line"))
}

pub(crate) fn no_such_parameter(span: Span, symbol: &str, module: &str, closest: Option<&str>) -> Diagnostic {
    similar(
        Diagnostic::error(span, format!("module `{module}` declares no constant or variable `{symbol}`")),
        "a parameter",
        closest,
    )
}

pub(crate) fn field_twice(span: Span, name: &str, first: Span) -> Diagnostic {
    Diagnostic::error(span, format!("the field `{name}` stands twice in this record"))
        .related(first, "first here")
}

pub(crate) fn substituted_twice(span: Span, symbol: &str) -> Diagnostic {
    Diagnostic::error(span, format!("`{symbol}` is substituted twice"))
}

pub(crate) fn substitution_arity(span: Span, symbol: &str, arity: usize) -> Diagnostic {
    let wanted = if arity == 0 {
        "an expression".into()
    } else {
        format!("an operator that takes {}", arguments(arity))
    };
    Diagnostic::error(span, format!("`{symbol}` must be substituted by {wanted}"))
}

// Levels.

fn level_name(level: Level) -> &'static str {
    match level {
        Level::Constant => "a constant",
        Level::State => "a state function",
        Level::Action => "an action",
        Level::Temporal => "a temporal formula",
    }
}

pub(crate) fn level_too_high(span: Span, what: &str, level: Level, max: Level) -> Diagnostic {
    Diagnostic::error(
        span,
        format!("{what} must be at most {}, but this is {}", level_name(max), level_name(level)),
    )
}

pub(crate) fn always_action(span: Span, op: &str, form: &str) -> Diagnostic {
    Diagnostic::error(span, format!("`{op}` is applied to an action that is not of the form `{form}`"))
}

pub(crate) fn action_in_leads_to(span: Span) -> Diagnostic {
    Diagnostic::error(span, "an action stands where only a temporal formula or a state predicate is allowed")
}

pub(crate) fn action_and_temporal(span: Span, op: &str) -> Diagnostic {
    Diagnostic::error(span, format!("`{op}` joins an action and a temporal formula"))
        .help("put the action into `[][…]_vars`")
}

pub(crate) fn action_bound(span: Span) -> Diagnostic {
    Diagnostic::error(span, "the set of a quantified temporal formula contains a prime")
}

// Configuration.

pub(crate) fn constant_without_value(span: Span, name: &str, arity: u32) -> Diagnostic {
    let entry = if arity == 0 { format!("CONSTANT {name} = …") } else { format!("CONSTANT {name} <- …") };
    Diagnostic::error(span, format!("constant `{name}` has no value in the configuration"))
        .help(format!("add a line `{entry}`"))
}

pub(crate) fn config_unknown(span: Span, what: &str, name: &str, closest: Option<&str>) -> Diagnostic {
    similar(Diagnostic::error(span, format!("the {what} `{name}` is not defined")), "a definition", closest)
}

/// For a misspelt keyword that was read as one more name of the section before it.
pub(crate) fn config_misspelt_keyword(span: Span, what: &str, name: &str, keyword: &str) -> Diagnostic {
    Diagnostic::error(span, format!("the {what} `{name}` is not defined"))
        .help(format!("there is a keyword with a similar name: `{keyword}`"))
}

pub(crate) fn config_unknown_alias(span: Span, name: &str, closest: Option<&str>) -> Diagnostic {
    similar(
        Diagnostic::warning(
            span,
            format!("the alias `{name}` is not defined; traces show the states as they are"),
        ),
        "a definition",
        closest,
    )
}

pub(crate) fn config_unused_constant(span: Span, name: &str, closest: Option<&str>) -> Diagnostic {
    similar(
        Diagnostic::warning(
            span,
            format!("the specification has no constant `{name}`; its value is not used"),
        ),
        "a constant",
        closest,
    )
}

pub(crate) fn config_takes_arguments(span: Span, what: &str, name: &str, arity: usize) -> Diagnostic {
    Diagnostic::error(
        span,
        format!("the {what} `{name}` takes {}, so it cannot stand here", arguments(arity)),
    )
    .help("name a definition without parameters")
}

pub(crate) fn config_not_a_definition(span: Span, what: &str, name: &str) -> Diagnostic {
    Diagnostic::error(span, format!("the {what} `{name}` is not a definition"))
}

pub(crate) fn config_level(span: Span, what: &str, name: &str, level: Level, max: Level) -> Diagnostic {
    Diagnostic::error(
        span,
        format!("the {what} `{name}` must be at most {}, but is {}", level_name(max), level_name(level)),
    )
}

pub(crate) fn config_action_property(span: Span, name: &str) -> Diagnostic {
    Diagnostic::error(span, format!("the property `{name}` is an action, not a temporal formula"))
        .help("a property of all steps is written [][A]_v, one of some step <><<A>>_v")
}

pub(crate) fn config_constant(span: Span, what: &str, name: &str) -> Diagnostic {
    Diagnostic::error(span, format!("the {what} `{name}` is a constant: it depends on no variable"))
}

pub(crate) fn config_replacement_arity(span: Span, name: &str, wanted: usize, given: usize) -> Diagnostic {
    Diagnostic::error(
        span,
        format!("`{name}` takes {}, but its replacement takes {}", arguments(wanted), arguments(given)),
    )
}

pub(crate) fn config_operator_value(span: Span, name: &str, arity: usize) -> Diagnostic {
    Diagnostic::error(span, format!("`{name}` takes {}, so it cannot be set to a value", arguments(arity)))
        .help(format!("define an operator in the specification and write `{name} <- Operator`"))
}

pub(crate) fn config_replacement_chain(span: Span, name: &str) -> Diagnostic {
    Diagnostic::error(span, format!("`{name}` replaces another definition and is replaced itself"))
}

pub(crate) fn config_assigned_twice(span: Span, name: &str, last: Span) -> Diagnostic {
    Diagnostic::warning(span, format!("`{name}` is set twice")).related(last, "this one counts")
}

pub(crate) fn config_unknown_module(span: Span, name: &str, closest: Option<&str>) -> Diagnostic {
    similar(
        Diagnostic::error(span, format!("the specification uses no module `{name}`")),
        "a module",
        closest,
    )
}

pub(crate) fn config_spec_and_init(span: Span) -> Diagnostic {
    Diagnostic::error(span, "the configuration gives both SPECIFICATION and INIT or NEXT")
        .help("keep SPECIFICATION, or keep INIT and NEXT")
}

pub(crate) fn config_missing(section: &str) -> Diagnostic {
    Diagnostic::global(format!("the configuration has no {section}"))
        .help("add `SPECIFICATION Spec`, or both `INIT Init` and `NEXT Next`")
}

pub(crate) fn config_set_mismatch(span: Span) -> Diagnostic {
    Diagnostic::error(span, "the elements of this set cannot be compared with each other")
}

// The specification formula.

pub(crate) fn several_next(span: Span, first: Span) -> Diagnostic {
    Diagnostic::error(span, "the specification has a second conjunct of the form `[][Next]_vars`")
        .related(first, "the first")
}

pub(crate) fn action_conjunct(span: Span) -> Diagnostic {
    Diagnostic::error(span, "a conjunct of the specification is an action")
        .help("a specification has the form `Init /\\ [][Next]_vars /\\ Fairness`")
}

pub(crate) fn temporal_quantifier(span: Span) -> Diagnostic {
    Diagnostic::error(span, "a specification with hidden variables (`\\EE` or `\\AA`) cannot be checked")
}

pub(crate) fn always_state(span: Span) -> Diagnostic {
    Diagnostic::error(span, "a conjunct of the specification has the form `[]P` with a state predicate P")
        .help("make P an INVARIANT, or a CONSTRAINT if behaviors that violate it are to be left out")
}
