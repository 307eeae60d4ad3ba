//! Finds the formulas that the configuration names.

use kilter_base::{Name, Span};
use kilter_syntax::ast::{Config, Ident};
use kilter_syntax::closest_keyword;

use crate::behavior::Behavior;
use crate::elaborate::{Elaborator, node};
use crate::ir::{DefId, ExprKind, Formula, Level, Spec};
use crate::level::Levels;
use crate::report::Report;
use crate::scope::LinkedId;
use crate::{errors, recursion, suggest};

/// The sections of a configuration that name formulas.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Section {
    Specification,
    Init,
    Next,
    Invariant,
    Property,
    Constraint,
    ActionConstraint,
    Symmetry,
    View,
    Alias,
    Postcondition,
}

impl Section {
    fn what(self) -> &'static str {
        match self {
            Section::Specification => "specification",
            Section::Init => "initial predicate",
            Section::Next => "next-state action",
            Section::Invariant => "invariant",
            Section::Property => "property",
            Section::Constraint => "constraint",
            Section::ActionConstraint => "action constraint",
            Section::Symmetry => "symmetry set",
            Section::View => "view",
            Section::Alias => "alias",
            Section::Postcondition => "postcondition",
        }
    }

    fn level_max(self) -> Level {
        match self {
            Section::Symmetry => Level::Constant,
            Section::Init | Section::Invariant | Section::Constraint | Section::View => Level::State,
            Section::Next | Section::ActionConstraint | Section::Alias | Section::Postcondition => {
                Level::Action
            }
            Section::Specification | Section::Property => Level::Temporal,
        }
    }
}

/// The formulas that were found, before their levels are known.
#[derive(Default)]
pub(crate) struct Picked {
    formulas: Vec<(Section, Ident, Formula)>,
    /// The definitions that stand for declared constants.
    pub(crate) constants: Vec<(Name, DefId, Span)>,
}

/// Looks up all names in the sections of the configuration.
pub(crate) fn pick(
    el: &mut Elaborator<'_>,
    root: LinkedId,
    config: Option<&Config>,
    report: &mut Report,
) -> Picked {
    let mut picked = Picked::default();
    let Some(config) = config else { return picked };
    let single = [
        (Section::Specification, &config.specification),
        (Section::Init, &config.init),
        (Section::Next, &config.next),
        (Section::View, &config.view),
        (Section::Alias, &config.alias),
    ];
    let lists = [
        (Section::Invariant, &config.invariants),
        (Section::Property, &config.properties),
        (Section::Constraint, &config.constraints),
        (Section::ActionConstraint, &config.action_constraints),
        (Section::Symmetry, &config.symmetry),
        (Section::Postcondition, &config.postconditions),
    ];
    let single = single.into_iter().filter_map(|(section, name)| Some((section, name.as_ref()?)));
    let lists = lists.into_iter().flat_map(|(section, names)| names.iter().map(move |name| (section, name)));
    for (section, name) in single.chain(lists) {
        if let Some(formula) = pick_one(el, root, section, name, report) {
            picked.formulas.push((section, name.clone(), formula));
        }
    }
    if let (Some(spec), true) = (&config.specification, config.init.is_some() || config.next.is_some()) {
        report.push(errors::config_spec_and_init(spec.span));
    }
    picked
}

fn pick_one(
    el: &mut Elaborator<'_>,
    root: LinkedId,
    section: Section,
    name: &Ident,
    report: &mut Report,
) -> Option<Formula> {
    let Some(item) = el.root_item(root, &name.name) else {
        let error = if el.linked[root].names.contains_key(&name.name) {
            errors::config_not_a_definition(name.span, section.what(), &name.name)
        } else {
            let closest = suggest::closest(&name.name, el.linked[root].names.keys().map(Name::as_str));
            match section {
                // Only traces use it, and their states can be shown without it.
                Section::Alias => errors::config_unknown_alias(name.span, &name.name, closest),
                _ => match closest_keyword(&name.name) {
                    Some(keyword) => {
                        errors::config_misspelt_keyword(name.span, section.what(), &name.name, keyword)
                    }
                    None => errors::config_unknown(name.span, section.what(), &name.name, closest),
                },
            }
        };
        report.push(error);
        return None;
    };
    let arity = el.items[item].params.len() + el.items[item].frame.params.len();
    if arity > 0 {
        report.push(errors::config_takes_arguments(name.span, section.what(), &name.name, arity));
        return None;
    }
    let def = el.def_of(item);
    Some(Formula { name: name.name.clone(), expr: node(name.span, ExprKind::Call { def, args: Vec::new() }) })
}

/// Checks levels and puts the formulas into the specification.
pub(crate) fn finish(spec: &mut Spec, picked: Picked, config: Option<&Config>, report: &mut Report) {
    // The levels are computed again, because the configuration can replace a constant by an expression of any level.
    let groups = recursion::mark(&mut spec.defs);
    let mut levels = Levels::compute(&mut spec.defs, &groups);
    for assumption in &mut spec.assumptions {
        levels.formula(&mut assumption.expr);
    }
    for (name, def, span) in picked.constants {
        let level = levels.of_def(def);
        if level > Level::Constant {
            report.push(errors::config_level(
                span,
                "replacement of the constant",
                &name,
                level,
                Level::Constant,
            ));
        }
    }
    let Some(config) = config else { return };
    spec.check_deadlock = config.check_deadlock.unwrap_or(true);
    for (section, name, mut formula) in picked.formulas {
        let level = levels.formula(&mut formula.expr);
        let max = section.level_max();
        if level > max {
            report.push(errors::config_level(name.span, section.what(), &name.name, level, max));
            continue;
        }
        if section == Section::Property && level == Level::Action {
            report.push(errors::config_action_property(name.span, &name.name));
            continue;
        }
        let behavior = matches!(section, Section::Specification | Section::Init | Section::Next);
        if behavior && level == Level::Constant {
            report.push(errors::config_constant(name.span, section.what(), &name.name));
            continue;
        }
        match section {
            Section::Specification => Behavior::split(spec, &formula, &mut levels, report),
            Section::Init => spec.init = Some(formula),
            Section::Next => spec.next = Some(formula),
            Section::View => spec.view = Some(formula),
            Section::Alias => spec.alias = Some(formula),
            Section::Invariant => spec.invariants.push(formula),
            Section::Property => spec.properties.push(formula),
            Section::Constraint => spec.constraints.push(formula),
            Section::ActionConstraint => spec.action_constraints.push(formula),
            Section::Symmetry => spec.symmetry.push(formula),
            Section::Postcondition => spec.postconditions.push(formula),
        }
    }
    if !report.has_errors() {
        check_complete(spec, report);
    }
}

/// Checks TLC's rule that a specification without behaviors may only have assumptions.
fn check_complete(spec: &Spec, report: &mut Report) {
    let checks = !spec.invariants.is_empty() || !spec.properties.is_empty();
    if spec.init.is_none() && (checks || !spec.variables.is_empty()) {
        report.push(errors::config_missing("initial predicate"));
    } else if spec.next.is_none() && (checks || spec.init.is_some()) {
        report.push(errors::config_missing("next-state action"));
    }
}
