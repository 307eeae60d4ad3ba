//! Interns strings in the order in which TLC first sees them, because TLC orders strings by that.

use kilter_base::Sources;
use kilter_syntax::ast::{Config, ConfigValue, ConstantValue};
use kilter_syntax::{string_literals_in_order, words_in_order};
use kilter_value::Store;

use crate::load::Modules;
use crate::refs::references;

/// The strings that TLC knows before it reads a module, and the words and strings of TLC's own modules, whose text
/// differs from ours.
const ORDER: &str = include_str!("intern_order.tsv");

/// The number of tokens in the first module that come before the names of the grammar: `---- MODULE`, its name, `----`.
const HEADER: usize = 3;

/// Interns, in this order: the configuration's model values and strings; the strings that TLC knows before any module;
/// the modules' words in the order of parsing; the modules' strings in the order of semantic analysis.
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
    add(recorded("before"), store);
    for (index, module) in modules.iter().filter(|module| !module.only_ours).enumerate() {
        let words = recorded(&format!("words\t{}", module.name));
        if module.builtin && !words.is_empty() {
            add(words, store);
            continue;
        }
        for (position, word) in words_in_order(sources, module.file).iter().enumerate() {
            if index == 0 && position == HEADER {
                add(recorded("grammar"), store);
            }
            store.string(word);
        }
    }
    add(recorded("analysis"), store);
    for module in modules.in_semantic_order().filter(|module| !module.only_ours) {
        if module.builtin && !recorded(&format!("words\t{}", module.name)).is_empty() {
            add(recorded(&format!("strings\t{}", module.name)), store);
            continue;
        }
        for text in references(&module.tree).strings {
            store.string(text);
        }
        // Strings in proofs are not in the tree.
        for text in string_literals_in_order(sources, module.file) {
            store.string(&text);
        }
    }
    add(recorded("after"), store);
}

fn add(words: &str, store: &Store) {
    for word in words.split('\t').filter(|word| !word.is_empty()) {
        store.string(word);
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

/// The line of the table that begins with `what`. Empty if there is none.
fn recorded(what: &str) -> &'static str {
    ORDER.lines().find_map(|line| line.strip_prefix(what)?.strip_prefix('\t')).unwrap_or_default()
}
