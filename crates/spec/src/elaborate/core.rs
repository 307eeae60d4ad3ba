//! The operators that the language itself has.

use crate::ir::Core;

/// The built-in operator with this symbol, and the number of its operands.
pub(crate) fn core_operator(symbol: &str) -> Option<(Core, usize)> {
    Some(match symbol {
        "/\\" => (Core::And, 2),
        "\\/" => (Core::Or, 2),
        "~" => (Core::Not, 1),
        "=>" => (Core::Implies, 2),
        "<=>" => (Core::Equiv, 2),
        "=" => (Core::Eq, 2),
        "#" => (Core::NotEq, 2),
        "\\in" => (Core::In, 2),
        "\\notin" => (Core::NotIn, 2),
        "\\cup" => (Core::Cup, 2),
        "\\cap" => (Core::Cap, 2),
        "\\" => (Core::Minus, 2),
        "\\subseteq" => (Core::SubsetEq, 2),
        "SUBSET" => (Core::Powerset, 1),
        "UNION" => (Core::BigUnion, 1),
        "DOMAIN" => (Core::Domain, 1),
        "'" => (Core::Prime, 1),
        "UNCHANGED" => (Core::Unchanged, 1),
        "ENABLED" => (Core::Enabled, 1),
        "\\cdot" => (Core::Compose, 2),
        "[]" => (Core::Always, 1),
        "<>" => (Core::Eventually, 1),
        "~>" => (Core::LeadsTo, 2),
        "-+->" => (Core::Guarantees, 2),
        _ => return None,
    })
}

/// Whether no module can define this name.
pub(crate) fn is_core(name: &str) -> bool {
    core_operator(name).is_some() || matches!(name, "TRUE" | "FALSE" | "BOOLEAN" | "STRING" | "\\X")
}
