//! Text in, text out: a specification and its configuration become a summary of what was resolved, or of what is wrong.

mod show;

use std::fmt::Write;

use expect_test::Expect;
use kilter_base::{Diagnostics, Severity, Sources};
use kilter_spec::{load, resolve};
use kilter_syntax::parse_config;
use kilter_value::Store;

/// Resolves the modules in `text`, the first being the root and the others standing behind it; with no configuration if
/// its text is empty.
#[allow(clippy::needless_pass_by_value, reason = "as in expect-test's own examples")]
pub fn check(text: &str, config: &str, expect: Expect) {
    expect.assert_eq(&summary(text, config));
}

fn summary(text: &str, config: &str) -> String {
    let mut sources = Sources::default();
    let root = sources.add("spec", text);
    let (modules, mut diagnostics) = load(&mut sources, root, &mut |_| None);
    let config_file = sources.add("cfg", config);
    let has_config = !config.is_empty();
    let (config, config_diagnostics) = parse_config(&sources, config_file);
    if diagnostics.has_errors() || config_diagnostics.has_errors() {
        diagnostics.extend(config_diagnostics);
        return render("", &sources, &diagnostics);
    }
    let store = Store::with_capacity_bytes(1 << 20);
    let resolution = resolve(&modules, Some(&config).filter(|_| has_config), &sources, &store);
    let errors = render("", &sources, &resolution.diagnostics)
        + &render("config ", &sources, &resolution.config_diagnostics);
    if resolution.diagnostics.has_errors() || resolution.config_diagnostics.has_errors() {
        return errors;
    }
    errors + &show::spec(&resolution.spec, &store)
}

fn render(prefix: &str, sources: &Sources, diagnostics: &Diagnostics) -> String {
    let mut out = String::new();
    for diagnostic in diagnostics {
        let severity = match diagnostic.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
        };
        let place = diagnostic.span.map(|span| format!("{}: ", sources.place(span))).unwrap_or_default();
        let _ = writeln!(out, "{prefix}{severity}: {place}{}", diagnostic.message);
        for (span, label) in &diagnostic.related {
            let _ = writeln!(out, "  {}: {label}", sources.place(*span));
        }
        if let Some(help) = &diagnostic.help {
            let _ = writeln!(out, "  help: {help}");
        }
    }
    out
}
