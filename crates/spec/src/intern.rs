//! Interns strings in the order in which TLC meets them, because that is TLC's order of strings.

use kilter_base::Sources;
use kilter_syntax::ast::{Config, ConfigValue, ConstantValue};
use kilter_syntax::{identifiers_in_order, operators, string_literals_in_order};
use kilter_value::Store;

use crate::load::Modules;
use crate::refs::references;

/// The words and strings of TLC's own modules, whose text is not ours.
const ORDER: &str = include_str!("intern_order.tsv");

/// Words that TLC knows before it reads a module.
const BUILTIN: &[&str] =
    &["STRING", "FALSE", "TRUE", "BOOLEAN", "SUBSET", "UNION", "DOMAIN", "ENABLED", "UNCHANGED"];

/// Interns the configuration's model values and strings, the modules' words in order of parsing, then the modules'
/// strings in order of semantic analysis.
pub(crate) fn intern(modules: &Modules, config: Option<&Config>, sources: &Sources, store: &Store) {
    for entry in config.into_iter().flat_map(|config| &config.constants) {
        match &entry.value {
            ConstantValue::Literal(value) | ConstantValue::LiteralIn { value, .. } => {
                config_value(value, store);
            }
            ConstantValue::Applied { args, value } => {
                for value in args.iter().chain([value]) {
                    config_value(value, store);
                }
            }
            ConstantValue::Replace(_) | ConstantValue::ReplaceIn { .. } => {}
        }
    }
    for word in BUILTIN.iter().copied().chain(operators::OPERATORS.iter().map(|operator| operator.name)) {
        store.string(word);
    }
    for module in modules.iter() {
        if let Some((words, _)) = recorded(&module.name).filter(|_| module.builtin) {
            for word in words.split(' ') {
                store.string(word);
            }
        }
        for name in identifiers_in_order(sources, module.file) {
            store.string(&name);
        }
    }
    for module in modules.in_semantic_order() {
        if let Some((_, strings)) = recorded(&module.name).filter(|_| module.builtin) {
            for text in strings.split(' ').filter(|text| !text.is_empty()) {
                store.string(text);
            }
        }
        for text in references(&module.tree).strings {
            store.string(text);
        }
        // Those in proofs are in no tree.
        for text in string_literals_in_order(sources, module.file) {
            store.string(&text);
        }
    }
}

fn config_value(value: &ConfigValue, store: &Store) {
    match value {
        ConfigValue::String(text, _) => {
            store.string(text);
        }
        ConfigValue::ModelValue(name) => {
            store.string(&name.name);
        }
        ConfigValue::Set(items, _) => {
            for item in items {
                config_value(item, store);
            }
        }
        ConfigValue::Number(..) | ConfigValue::Boolean(..) => {}
    }
}

/// The words and the strings of one of TLC's modules.
fn recorded(module: &str) -> Option<(&'static str, &'static str)> {
    let line = ORDER.lines().find_map(|line| line.strip_prefix(module)?.strip_prefix('\t'))?;
    Some(line.split_once("\t|\t").unwrap_or((line, "")))
}
