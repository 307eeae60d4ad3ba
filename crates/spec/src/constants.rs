//! Gives constants their values from the configuration, and replaces definitions by others.

use std::collections::BTreeMap;

use kilter_base::{Name, Span};
use kilter_syntax::ast::{Config, ConfigValue, ConstantEntry, ConstantValue, Ident};
use kilter_value::Value;

use crate::elaborate::{Elaborator, node};
use crate::ir::{Arg, Core, DefBody, DefId, Expr, ExprKind, Level, LocalId};
use crate::report::Report;
use crate::scope::{Item, ItemId, ItemKind, LinkedId, Symbol};
use crate::{errors, override_scope, suggest};

/// The changes that are made once all definitions exist.
#[derive(Default)]
pub(crate) struct Plan {
    changes: Vec<(DefId, Change)>,
    /// The cases of operator constants, such as `F(1, a) = 2`.
    tables: BTreeMap<DefId, Vec<(Vec<Value>, Value, Span)>>,
    /// Declared constants without arguments that definitions replace.
    constants: Vec<(Name, DefId, Span)>,
    /// For each `Op <- [M] Other`, the operator's name and the module that it is written in.
    in_modules: Vec<(Name, Name, Change)>,
}

#[derive(Clone, Copy)]
enum Change {
    Value(Value, Span),
    Replace(DefId, Span),
}

/// Reads the CONSTANT entries and looks up the names in them.
pub(crate) fn plan(
    el: &mut Elaborator<'_>,
    root: LinkedId,
    config: Option<&Config>,
    report: &mut Report,
) -> Plan {
    let mut plan = Plan::default();
    let Some(config) = config else { return plan };
    let counts = last_settings(config);
    for entry in &config.constants {
        match counts.get(&entry.name.name) {
            Some(last) if sets_whole(entry) && !std::ptr::eq(*last, entry) => {
                report.push(errors::config_assigned_twice(entry.name.span, &entry.name.name, last.name.span));
            }
            _ => plan_entry(el, root, config, entry, &mut plan, report),
        }
    }
    let given = |name: &str| config.constants.iter().any(|entry| entry.name.name == name);
    for name in &el.linked[root].order {
        let declared = &el.linked[root].names[name];
        if let Symbol::Item(item) = declared.symbol
            && matches!(el.items[item].kind, ItemKind::Constant)
            && !given(name)
        {
            report.push(errors::constant_without_value(
                declared.span,
                name,
                el.items[item].params.len() as u32,
            ));
        }
    }
    plan
}

/// For each name that is set as a whole, the entry that counts. As in TLC, the last entry counts, and `<-` counts
/// before `=`.
fn last_settings(config: &Config) -> BTreeMap<&Name, &ConstantEntry> {
    let is_replaced = |entry: &ConstantEntry| matches!(entry.value, ConstantValue::Replace(_));
    let mut last: BTreeMap<&Name, &ConstantEntry> = BTreeMap::new();
    for entry in config.constants.iter().filter(|entry| sets_whole(entry)) {
        let known = last.entry(&entry.name.name).or_insert(entry);
        if is_replaced(entry) || !is_replaced(known) {
            *known = entry;
        }
    }
    last
}

fn sets_whole(entry: &ConstantEntry) -> bool {
    matches!(entry.value, ConstantValue::Literal(_) | ConstantValue::Replace(_))
}

fn plan_entry(
    el: &mut Elaborator<'_>,
    root: LinkedId,
    config: &Config,
    entry: &ConstantEntry,
    plan: &mut Plan,
    report: &mut Report,
) {
    let name = &entry.name;
    match &entry.value {
        ConstantValue::ReplaceIn { module, with } => {
            if let Some(item) = replacement(el, root, config, with, report) {
                let arity = el.items[item].params.len();
                let change = Change::Replace(el.def_of(item), with.span);
                plan_in_module(el, name, module, arity, change, plan, report);
            }
            return;
        }
        ConstantValue::LiteralIn { module, value } => {
            if let Some(value) = config_value(el, value, report) {
                plan_in_module(el, name, module, 0, Change::Value(value, name.span), plan, report);
            }
            return;
        }
        _ => {}
    }
    let Some(item) = el.root_item(root, &name.name) else {
        let known = el.linked[root].names.keys().map(Name::as_str);
        let closest = suggest::closest(&name.name, known);
        // Many people write `a = a` beside `S = {a}` to declare a model value.
        if matches!(&entry.value, ConstantValue::Literal(ConfigValue::ModelValue(value)) if value.name == name.name)
        {
            return;
        }
        report.push(match &entry.value {
            // TLC ignores values for unknown names silently.
            ConstantValue::Literal(_) | ConstantValue::Applied { .. } => {
                errors::config_unused_constant(name.span, &name.name, closest)
            }
            _ => errors::config_unknown(name.span, "replaced definition", &name.name, closest),
        });
        return;
    };
    let arity = el.items[item].params.len();
    let def = el.def_of(item);
    match &entry.value {
        ConstantValue::Literal(value) => {
            if arity == 0 {
                let change = config_value(el, value, report).map(|value| Change::Value(value, name.span));
                plan.changes.extend(change.map(|change| (def, change)));
            } else {
                report.push(errors::config_operator_value(name.span, &name.name, arity));
            }
        }
        ConstantValue::Applied { args, value } => {
            if args.len() != arity {
                report.push(errors::wrong_arity(name.span, &name.name, arity, args.len()));
                return;
            }
            let args: Option<Vec<Value>> = args.iter().map(|arg| config_value(el, arg, report)).collect();
            if let Some((args, value)) = args.zip(config_value(el, value, report)) {
                plan.tables.entry(def).or_default().push((args, value, name.span));
            }
        }
        ConstantValue::Replace(with) => {
            if let Some(value) = predefined(el, &with.name) {
                plan.changes.push((def, Change::Value(value, with.span)));
                return;
            }
            let Some(by) = replacement(el, root, config, with, report) else { return };
            let given = el.items[by].params.len();
            if given != arity {
                report.push(errors::config_replacement_arity(with.span, &name.name, arity, given));
                return;
            }
            let by = el.def_of(by);
            if arity == 0 && matches!(el.items[item].kind, ItemKind::Constant) {
                plan.constants.push((name.name.clone(), by, with.span));
            }
            plan.changes.push((def, Change::Replace(by, with.span)));
        }
        ConstantValue::LiteralIn { .. } | ConstantValue::ReplaceIn { .. } => {}
    }
}

/// A name that `<-` accepts without a definition. TLC does not check parameters there: `Send <- FALSE` switches an
/// action off.
fn predefined(el: &Elaborator<'_>, name: &str) -> Option<Value> {
    match name {
        "FALSE" => Some(Value::FALSE),
        "TRUE" => Some(Value::TRUE),
        "BOOLEAN" => el.store.set(&mut vec![Value::FALSE, Value::TRUE]).ok(),
        "STRING" => Some(Value::STRING),
        _ => None,
    }
}

fn replacement(
    el: &mut Elaborator<'_>,
    root: LinkedId,
    config: &Config,
    with: &Ident,
    report: &mut Report,
) -> Option<ItemId> {
    let chained = config
        .constants
        .iter()
        .any(|entry| entry.name.name == with.name && matches!(entry.value, ConstantValue::Replace(_)));
    if chained {
        report.push(errors::config_replacement_chain(with.span, &with.name));
        return None;
    }
    let found = el.root_item(root, &with.name);
    if found.is_none() {
        let closest = suggest::closest(&with.name, el.linked[root].names.keys().map(Name::as_str));
        report.push(errors::config_unknown(with.span, "replacement", &with.name, closest));
    }
    found
}

fn plan_in_module(
    el: &Elaborator<'_>,
    name: &Ident,
    module: &Ident,
    given: usize,
    change: Change,
    plan: &mut Plan,
    report: &mut Report,
) {
    let linked = el.linked.iter().find(|linked| linked.tree.name.name == module.name);
    let Some(linked) = linked else {
        let names = el.linked.iter().map(|linked| linked.tree.name.name.as_str());
        let closest = suggest::closest(&module.name, names);
        report.push(errors::config_unknown_module(module.span, &module.name, closest));
        return;
    };
    let Some(entry) = linked.names.get(&name.name) else {
        let closest = suggest::closest(&name.name, linked.names.keys().map(Name::as_str));
        report.push(errors::config_unknown(name.span, "replaced definition", &name.name, closest));
        return;
    };
    if let Symbol::Item(item) = entry.symbol {
        let wanted = el.items[item].params.len();
        if wanted != given {
            report.push(errors::config_replacement_arity(name.span, &name.name, wanted, given));
            return;
        }
    }
    plan.in_modules.push((name.name.clone(), entry.origin.clone(), change));
}

/// Converts a value of the configuration. Mentioning a model value creates it.
fn config_value(el: &Elaborator<'_>, value: &ConfigValue, report: &mut Report) -> Option<Value> {
    match value {
        ConfigValue::Number(text, span) => {
            let number = text.parse::<i32>().ok();
            if number.is_none() {
                report.push(errors::number_too_large(*span, text));
            }
            number.map(|number| el.store.int(number))
        }
        ConfigValue::String(text, _) => Some(el.store.string(text)),
        ConfigValue::Boolean(value, _) => Some(Value::bool(*value)),
        ConfigValue::Set(items, span) => {
            let mut values =
                items.iter().map(|item| config_value(el, item, report)).collect::<Option<Vec<_>>>()?;
            let set = el.store.set(&mut values);
            if set.is_err() {
                report.push(errors::config_set_mismatch(*span));
            }
            set.ok()
        }
        ConfigValue::ModelValue(name) => Some(el.store.model_value(&name.name)),
    }
}

/// Changes the definitions. Returns the definitions that stand for declared constants.
pub(crate) fn bind(el: &mut Elaborator<'_>, plan: Plan) -> Vec<(Name, DefId, Span)> {
    for (def, _) in &plan.changes {
        override_scope::separate(el, *def);
    }
    for (def, change) in plan.changes {
        apply(el, def, change);
    }
    for (def, cases) in plan.tables {
        let body = table(el, def, cases);
        el.spec.defs[def].body = DefBody::Expr(body);
    }
    for (name, module, change) in plan.in_modules {
        let is_target = |item: &Item<'_>| item.short == name && item.module == module && !item.in_let;
        let targets: Vec<DefId> =
            el.item_of.iter().filter(|(_, item)| is_target(&el.items[**item])).map(|(def, _)| *def).collect();
        for def in targets {
            apply(el, def, change);
        }
    }
    plan.constants
}

fn apply(el: &mut Elaborator<'_>, def: DefId, change: Change) {
    let body = match change {
        Change::Value(value, span) => node(span, ExprKind::Value(value)),
        Change::Replace(with, _) if with == def => return,
        Change::Replace(with, span) => call_with_params(el, def, with, span),
    };
    el.spec.defs[def].body = DefBody::Expr(body);
}

/// Makes the call `with(p, q)` for a definition with parameters p and q. Parameters of instances are left out.
fn call_with_params(el: &Elaborator<'_>, def: DefId, with: DefId, span: Span) -> Expr {
    let arity = el.spec.defs[with].params.len();
    let params = &el.spec.defs[def].params;
    let own = &params[params.len().saturating_sub(arity)..];
    let args = own.iter().map(|local| el.local_arg(*local, span)).collect();
    node(span, ExprKind::Call { def: with, args })
}

/// Makes `CASE p = 1 /\ q = a -> 2 [] …` from the cases of an operator constant.
fn table(el: &Elaborator<'_>, def: DefId, cases: Vec<(Vec<Value>, Value, Span)>) -> Expr {
    let params: Vec<LocalId> = el.spec.defs[def].params.clone();
    let span = cases.first().map_or(el.spec.defs[def].span, |(_, _, span)| *span);
    let arms = cases
        .into_iter()
        .map(|(args, value, span)| {
            let equal = |(local, value): (&LocalId, Value)| {
                let left = match el.local_arg(*local, span) {
                    Arg::Expr(expr) => expr,
                    Arg::Op(_) => node(span, ExprKind::Value(Value::FALSE)),
                };
                node(
                    span,
                    ExprKind::Core { op: Core::Eq, args: vec![left, node(span, ExprKind::Value(value))] },
                )
            };
            let tests = params.iter().zip(args).map(equal).collect();
            let test = node(span, ExprKind::Core { op: Core::And, args: tests });
            (Expr { level: Level::Constant, ..test }, node(span, ExprKind::Value(value)))
        })
        .collect();
    node(span, ExprKind::Case { arms, other: None })
}
