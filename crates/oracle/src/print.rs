//! Prints a model as the text of its modules and of its configuration.

use std::fmt::Write;

use crate::model::{
    Abstraction, Behaviors, Binary, Bound, Constant, Def, Expr, Fairness, Model, Property, Step, Temporal,
    Unary,
};

/// The files of a model: the root module, the configuration, and the abstract module if there is one.
pub struct Files {
    /// The root module's text.
    pub module: String,
    /// The configuration's text.
    pub config: String,
    /// The abstract module's name and text, if there is one.
    pub second: Option<(String, String)>,
}

/// Prints the files of a model.
pub fn files(model: &Model) -> Files {
    let second = model.abstraction.as_ref().map(|second| (second_name(model), second_module(model, second)));
    Files { module: root_module(model), config: config(model), second }
}

fn second_name(model: &Model) -> String {
    format!("{}Abstract", model.name)
}

fn root_module(model: &Model) -> String {
    let mut text = header(&model.name, model, &model.behaviors);
    for def in model.defs.iter().skip(1) {
        let _ = writeln!(text, "{}", definition(def));
    }
    for assume in &model.assumes {
        let _ = writeln!(text, "ASSUME {}", expr(assume));
    }
    text += &behaviors(&model.behaviors);
    let named = model.constraints.iter().chain(&model.action_constraints).chain(&model.invariants);
    for (name, pred) in named {
        let _ = writeln!(text, "{name} == {}", expr(pred));
    }
    if let Some(view) = &model.view {
        let _ = writeln!(text, "View == {}", expr(view));
    }
    if !model.symmetry.is_empty() {
        let sets: Vec<String> = model.symmetry.iter().map(|name| format!("Permutations({name})")).collect();
        let _ = writeln!(text, "Symmetry == {}", sets.join(" \\cup "));
    }
    if let Some(second) = &model.abstraction {
        let mapping: Vec<String> =
            second.mapping.iter().map(|(name, stands)| format!("{name} <- {}", expr(stands))).collect();
        let _ = writeln!(text, "Abs == INSTANCE {} WITH {}", second_name(model), mapping.join(", "));
    }
    for (name, property) in &model.properties {
        let _ = writeln!(text, "{name} == {}", property_text(property, model));
    }
    text + "====\n"
}

fn second_module(model: &Model, second: &Abstraction) -> String {
    header(&second_name(model), model, &second.behaviors) + &behaviors(&second.behaviors) + "====\n"
}

/// The beginning of a module. It uses all fields and strings, so that the order of their first use is known. It also
/// has the first definition, because both modules use it.
fn header(name: &str, model: &Model, of: &Behaviors) -> String {
    let mut text = format!("---- MODULE {name} ----\nEXTENDS Integers, Sequences, FiniteSets, TLC\n");
    let fields: Vec<String> = model.fields.iter().map(|field| format!("{field} |-> 0")).collect();
    let _ = writeln!(text, "FieldOrder == [{}]", fields.join(", "));
    let strings: Vec<String> = model.strings.iter().map(|text| format!("\"{text}\"")).collect();
    let _ = writeln!(text, "StringOrder == <<{}>>", strings.join(", "));
    if !model.constants.is_empty() {
        let names: Vec<&str> = model.constants.iter().map(|(name, _)| name.as_str()).collect();
        let _ = writeln!(text, "CONSTANTS {}", names.join(", "));
    }
    let variables = of.variables.join(", ");
    let _ = writeln!(text, "VARIABLES {variables}\nvars == <<{variables}>>");
    for def in model.defs.iter().take(1) {
        let _ = writeln!(text, "{}", definition(def));
    }
    text
}

fn behaviors(of: &Behaviors) -> String {
    let mut text = format!("Init == {}\n", junction(&of.init, 8));
    for action in &of.actions {
        let params: Vec<&str> = action.params.iter().map(|(name, _)| name.as_str()).collect();
        let head = format!("{}{}", action.name, in_parentheses(&params));
        let _ = writeln!(text, "{head} == {}", junction(&action.body, head.len() + 4));
    }
    let _ = writeln!(text, "Next ==");
    for number in 0..of.actions.len() {
        let _ = writeln!(text, "  \\/ {}", way(of, number));
    }
    let _ = write!(text, "Spec == Init /\\ [][Next]_vars");
    for condition in &of.fairness {
        let _ = write!(text, " /\\ {}", fairness(condition, of));
    }
    text + "\n"
}

/// The disjunct of `Next` for an action. The parameters are bound by `\E`.
fn way(of: &Behaviors, number: usize) -> String {
    let action = &of.actions[number];
    let params: Vec<&str> = action.params.iter().map(|(name, _)| name.as_str()).collect();
    let call = format!("{}{}", action.name, in_parentheses(&params));
    if params.is_empty() { call } else { format!("\\E {} : {call}", bounds(&action.params)) }
}

fn in_parentheses(items: &[&str]) -> String {
    if items.is_empty() { String::new() } else { format!("({})", items.join(", ")) }
}

fn fairness(condition: &Fairness, of: &Behaviors) -> String {
    let word = if condition.strong { "SF_vars" } else { "WF_vars" };
    match condition.action {
        None => format!("{word}(Next)"),
        Some(number) => {
            let action = &of.actions[number];
            let params: Vec<&str> = action.params.iter().map(|(name, _)| name.as_str()).collect();
            if condition.each && !params.is_empty() {
                let call = format!("{}{}", action.name, in_parentheses(&params));
                format!("(\\A {} : {word}({call}))", bounds(&action.params))
            } else {
                format!("{word}({})", way(of, number))
            }
        }
    }
}

fn property_text(property: &Property, model: &Model) -> String {
    match property {
        Property::Init(pred) => expr(pred),
        Property::Always(pred) => format!("[]({})", expr(pred)),
        Property::Steps(action, names) => format!("[][{}]_<<{}>>", expr(action), names.join(", ")),
        Property::Temporal(formula) => temporal(formula, &model.behaviors),
        Property::Refines => "Abs!Spec".to_owned(),
    }
}

fn temporal(formula: &Temporal, of: &Behaviors) -> String {
    let inner = |formula: &Temporal| temporal(formula, of);
    match formula {
        Temporal::State(pred) => expr(pred),
        Temporal::Always(f) => format!("[]({})", inner(f)),
        Temporal::Eventually(f) => format!("<>({})", inner(f)),
        Temporal::LeadsTo(f, g) => format!("(({}) ~> ({}))", inner(f), inner(g)),
        Temporal::Not(f) => format!("~({})", inner(f)),
        Temporal::And(f, g) => format!("(({}) /\\ ({}))", inner(f), inner(g)),
        Temporal::Or(f, g) => format!("(({}) \\/ ({}))", inner(f), inner(g)),
        Temporal::Implies(f, g) => format!("(({}) => ({}))", inner(f), inner(g)),
        Temporal::OftenStep(action) => format!("[]<><<{}>>_vars", expr(action)),
        Temporal::AtLastSteps(action) => format!("<>[][{}]_vars", expr(action)),
        Temporal::Fair(condition) => fairness(condition, of),
    }
}

fn config(model: &Model) -> String {
    let mut text = String::new();
    for (name, constant) in &model.constants {
        let value = match constant {
            Constant::Int(number) => number.to_string(),
            Constant::Str(string) => format!("\"{string}\""),
            Constant::Model => name.clone(),
            Constant::Ints(numbers) => {
                format!("{{{}}}", numbers.iter().map(ToString::to_string).collect::<Vec<_>>().join(", "))
            }
            Constant::Models(names) => format!("{{{}}}", names.join(", ")),
        };
        let _ = writeln!(text, "CONSTANT {name} = {value}");
    }
    // Both ways to give the behaviors are used, so that both are tested.
    if model.behaviors.fairness.is_empty() && model.behaviors.actions.len().is_multiple_of(2) {
        text += "INIT Init\nNEXT Next\n";
    } else {
        text += "SPECIFICATION Spec\n";
    }
    let mut list = |word: &str, names: Vec<&str>| {
        for name in names {
            let _ = writeln!(text, "{word} {name}");
        }
    };
    let names = |items: &'_ [(String, Expr)]| items.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>();
    list("CONSTRAINT", names(&model.constraints).iter().map(String::as_str).collect());
    list("ACTION_CONSTRAINT", names(&model.action_constraints).iter().map(String::as_str).collect());
    list("VIEW", model.view.iter().map(|_| "View").collect());
    list("SYMMETRY", model.symmetry.first().iter().map(|_| "Symmetry").collect());
    list("INVARIANT", names(&model.invariants).iter().map(String::as_str).collect());
    list("PROPERTY", model.properties.iter().map(|(name, _)| name.as_str()).collect());
    let _ = writeln!(text, "CHECK_DEADLOCK {}", if model.deadlock { "TRUE" } else { "FALSE" });
    text
}

/// A definition of a module or of a LET.
fn definition(def: &Def) -> String {
    let head = match &def.function {
        Some((name, set)) => format!("{}[{name} \\in {}]", def.name, expr(set)),
        None => {
            let params: Vec<String> = def
                .params
                .iter()
                .map(|(name, arity)| format!("{name}{}", in_parentheses(&vec!["_"; *arity])))
                .collect();
            let params: Vec<&str> = params.iter().map(String::as_str).collect();
            format!("{}{}", def.name, in_parentheses(&params))
        }
    };
    let declared = if def.recursive { format!("RECURSIVE {}(_)\n", def.name) } else { String::new() };
    format!("{declared}{head} == {}", expr(&def.body))
}

/// A predicate that begins in this column. Its conjuncts or disjuncts are on separate lines.
fn junction(pred: &Expr, column: usize) -> String {
    let (bullet, items) = match pred {
        Expr::And(items) if items.len() > 1 => ("/\\", items),
        Expr::Or(items) if items.len() > 1 => ("\\/", items),
        _ => return expr(pred),
    };
    let lines: Vec<String> =
        items.iter().map(|item| format!("{bullet} {}", junction(item, column + 3))).collect();
    lines.join(&format!("\n{}", " ".repeat(column)))
}

fn bounds(bounds: &[Bound]) -> String {
    let each: Vec<String> = bounds.iter().map(|(name, set)| format!("{name} \\in {}", expr(set))).collect();
    each.join(", ")
}

fn list(items: &[Expr]) -> String {
    items.iter().map(expr).collect::<Vec<_>>().join(", ")
}

/// An expression, with parentheses wherever they could matter.
pub fn expr(of: &Expr) -> String {
    match of {
        Expr::Bool(truth) => (if *truth { "TRUE" } else { "FALSE" }).to_owned(),
        Expr::Int(number) if *number < 0 => format!("({number})"),
        Expr::Int(number) => number.to_string(),
        Expr::Str(text) => format!("\"{text}\""),
        Expr::Name(name) | Expr::Var(name) => name.clone(),
        Expr::Primed(name) => format!("{name}'"),
        Expr::At => "@".to_owned(),
        Expr::Unary(op, of) => format!("({} {})", unary(*op), expr(of)),
        Expr::Binary(op, left, right) => format!("({} {} {})", expr(left), binary(*op), expr(right)),
        Expr::And(items) if items.is_empty() => "TRUE".to_owned(),
        Expr::Or(items) if items.is_empty() => "FALSE".to_owned(),
        Expr::And(items) => format!("({})", items.iter().map(expr).collect::<Vec<_>>().join(" /\\ ")),
        Expr::Or(items) => format!("({})", items.iter().map(expr).collect::<Vec<_>>().join(" \\/ ")),
        Expr::If(test, yes, no) => format!("(IF {} THEN {} ELSE {})", expr(test), expr(yes), expr(no)),
        Expr::Case(arms, other) => {
            let mut all: Vec<String> =
                arms.iter().map(|(guard, value)| format!("{} -> {}", expr(guard), expr(value))).collect();
            all.extend(other.iter().map(|value| format!("OTHER -> {}", expr(value))));
            format!("(CASE {})", all.join(" [] "))
        }
        Expr::Let(defs, body) => {
            let defs: Vec<String> = defs.iter().map(definition).collect();
            format!("(LET {} IN {})", defs.join(" "), expr(body))
        }
        Expr::Quant(all, names, body) => {
            format!("({} {} : {})", if *all { "\\A" } else { "\\E" }, bounds(names), expr(body))
        }
        Expr::Choose(bound, body) => format!("(CHOOSE {} \\in {} : {})", bound.0, expr(&bound.1), expr(body)),
        Expr::Set(items) => format!("{{{}}}", list(items)),
        Expr::Filter(bound, body) => format!("{{{} \\in {} : {}}}", bound.0, expr(&bound.1), expr(body)),
        Expr::Map(body, names) => format!("{{{} : {}}}", expr(body), bounds(names)),
        Expr::Fun(names, body) => format!("[{} |-> {}]", bounds(names), expr(body)),
        Expr::FunSet(from, to) => format!("[{} -> {}]", expr(from), expr(to)),
        Expr::Rec(fields) => format!("[{}]", fields_text(fields, "|->")),
        Expr::RecSet(fields) => format!("[{}]", fields_text(fields, ":")),
        Expr::Tuple(items) => format!("<<{}>>", list(items)),
        Expr::Product(left, right) => format!("({} \\X {})", expr(left), expr(right)),
        Expr::Apply(function, argument) => format!("{}[{}]", expr(function), expr(argument)),
        Expr::Field(record, name) => format!("{}.{name}", expr(record)),
        Expr::Except(function, changes) => {
            let changes: Vec<String> = changes
                .iter()
                .map(|(path, new)| {
                    let steps: Vec<String> = path
                        .iter()
                        .map(|step| match step {
                            Step::Index(index) => format!("[{}]", expr(index)),
                            Step::Field(name) => format!(".{name}"),
                        })
                        .collect();
                    format!("!{} = {}", steps.concat(), expr(new))
                })
                .collect();
            format!("[{} EXCEPT {}]", expr(function), changes.join(", "))
        }
        Expr::Call(name, args) if args.is_empty() => name.clone(),
        Expr::Call(name, args) => format!("{name}({})", list(args)),
        Expr::Lambda(params, body) => format!("LAMBDA {} : {}", params.join(", "), expr(body)),
        Expr::Unchanged(names) => match names.as_slice() {
            [name] => format!("(UNCHANGED {name})"),
            _ => format!("(UNCHANGED <<{}>>)", names.join(", ")),
        },
        Expr::Enabled(action) => format!("(ENABLED {})", expr(action)),
    }
}

fn fields_text(fields: &[(String, Expr)], sign: &str) -> String {
    fields.iter().map(|(name, of)| format!("{name} {sign} {}", expr(of))).collect::<Vec<_>>().join(", ")
}

fn unary(op: Unary) -> &'static str {
    match op {
        Unary::Not => "~",
        Unary::Minus => "-",
        Unary::Subset => "SUBSET",
        Unary::Union => "UNION",
        Unary::Domain => "DOMAIN",
    }
}

fn binary(op: Binary) -> &'static str {
    match op {
        Binary::Eq => "=",
        Binary::Ne => "#",
        Binary::Lt => "<",
        Binary::Le => "<=",
        Binary::Add => "+",
        Binary::Sub => "-",
        Binary::Mul => "*",
        Binary::Div => "\\div",
        Binary::Mod => "%",
        Binary::Range => "..",
        Binary::In => "\\in",
        Binary::NotIn => "\\notin",
        Binary::SubsetEq => "\\subseteq",
        Binary::Cup => "\\cup",
        Binary::Cap => "\\cap",
        Binary::Diff => "\\",
        Binary::Implies => "=>",
        Binary::Equiv => "<=>",
        Binary::Concat => "\\o",
        Binary::Single => ":>",
        Binary::Merge => "@@",
    }
}
