//! Resolves parsed modules and a configuration to a specification, in all steps.

use kilter_base::memory::{self, DEEP_STACK_BYTES, StackEnd};
use kilter_base::{Diagnostics, Sources, Span};
use kilter_syntax::ast::Config;
use kilter_value::Store;

use crate::elaborate::Elaborator;
use crate::ir::{Level, Spec};
use crate::level::Levels;
use crate::load::{Loaded, Modules};
use crate::report::Report;
use crate::scope::LinkedId;
use crate::{constants, errors, intern, model, recursion};

/// A resolved specification and the diagnostics about it.
#[derive(Debug, Default)]
pub struct Resolution {
    /// The specification. It must not be used if either list of diagnostics has errors.
    pub spec: Spec,
    /// Diagnostics about the modules.
    pub diagnostics: Diagnostics,
    /// Diagnostics about the configuration and how it fits the modules.
    pub config_diagnostics: Diagnostics,
}

/// Links the modules, binds the constants, and picks the formulas that the configuration names.
///
/// Strings are interned in the store first, in TLC's order. So the store should be new.
pub fn resolve(modules: &Modules, config: Option<&Config>, sources: &Sources, store: &Store) -> Resolution {
    intern::intern(modules, config, sources, store);
    // Linking recurses over nested expressions, so it needs a stack that does not depend on the caller.
    memory::with_stack(DEEP_STACK_BYTES, |stack_bytes| {
        link(modules, config, sources, store, StackEnd::after(stack_bytes))
    })
}

fn link(
    modules: &Modules,
    config: Option<&Config>,
    sources: &Sources,
    store: &Store,
    stack_end: StackEnd,
) -> Resolution {
    let Some(root) = modules.root() else { return Resolution::default() };
    if let Some((span, path)) = modules.cycle() {
        let mut diagnostics = Diagnostics::default();
        diagnostics.push(errors::module_cycle(*span, path));
        return Resolution { diagnostics, ..Resolution::default() };
    }
    let mut elaborator = Elaborator::new(modules, sources, store, stack_end);
    let linked = elaborator.run(root);
    let mut report = std::mem::take(&mut elaborator.report);
    check_others(modules, sources, store, &elaborator, linked, &mut report);
    let mut config_report = Report::default();
    let (mut picked, mut bindings) = (model::Picked::default(), constants::Plan::default());
    if !report.has_errors() {
        let plan = constants::plan(&mut elaborator, linked, config, &mut config_report);
        picked = model::pick(&mut elaborator, linked, config, &mut config_report);
        elaborator.drain();
        report.extend(&std::mem::take(&mut elaborator.report).diagnostics);
        bindings = plan;
    }
    check_levels(&mut elaborator, &mut report);
    if !report.has_errors() && !config_report.has_errors() {
        picked.constants = constants::bind(&mut elaborator, bindings);
        model::finish(&mut elaborator.spec, picked, config, &mut config_report);
    }
    Resolution {
        spec: elaborator.spec,
        diagnostics: report.diagnostics,
        config_diagnostics: config_report.diagnostics,
    }
}

/// Reports mistakes in nested modules and in modules that are only instantiated.
fn check_others(
    modules: &Modules,
    sources: &Sources,
    store: &Store,
    main: &Elaborator<'_>,
    root: LinkedId,
    report: &mut Report,
) {
    let extended: Vec<Span> =
        main.extended(root).iter().map(|linked| main.linked[*linked].tree.span).collect();
    for module in modules.in_semantic_order().filter(|module| !module.builtin) {
        let done = extended.contains(&module.tree.span);
        if !done || !crate::refs::references(&module.tree).nested.is_empty() {
            check_alone(modules, sources, store, module, main.stack_end, report);
        }
    }
}

fn check_alone(
    modules: &Modules,
    sources: &Sources,
    store: &Store,
    module: &Loaded,
    stack_end: StackEnd,
    report: &mut Report,
) {
    let mut elaborator = Elaborator::new(modules, sources, store, stack_end);
    let linked = elaborator.run(module);
    elaborator.check_nested(linked);
    let mut own = std::mem::take(&mut elaborator.report);
    check_levels(&mut elaborator, &mut own);
    report.extend(&own.diagnostics);
}

/// Checks levels as SANY does, without the configuration: a declared constant has the level of a constant.
fn check_levels(elaborator: &mut Elaborator<'_>, report: &mut Report) {
    let spec = &mut elaborator.spec;
    let groups = recursion::mark(&mut spec.defs);
    let mut levels = Levels::compute(&mut spec.defs, &groups);
    for theorem in &mut elaborator.theorems {
        levels.formula(theorem);
    }
    for assumption in &mut spec.assumptions {
        let level = levels.formula(&mut assumption.expr);
        if level > Level::Constant {
            let error = errors::level_too_high(assumption.expr.span, "an assumption", level, Level::Constant);
            levels.report.push(error);
        }
    }
    for demand in &elaborator.demands {
        let level = demand.def.map_or(demand.level, |def| levels.of_def(def));
        if level > demand.max {
            let what = format!("what is substituted for `{}`", demand.name);
            levels.report.push(errors::level_too_high(demand.span, &what, level, demand.max));
        }
    }
    report.extend(&levels.report.diagnostics);
}
