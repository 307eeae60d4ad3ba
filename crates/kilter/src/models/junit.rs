//! Writes the results of many models as JUnit XML. Each model is a testcase.

use std::fmt::Write as _;

use kilter_base::xml::escape;

use super::{Checked, NOT_RUN};
use crate::verdict::BOUNDED;

/// Writes the whole document.
pub fn junit(all: &[Checked], seconds: f64) -> String {
    let n_failed = all.iter().filter(|model| has_failed(model)).count();
    let n_skipped = all.iter().filter(|model| is_skipped(model)).count();
    let mut cases = String::new();
    for model in all {
        _ = write!(
            cases,
            r#"    <testcase classname="{}" name="{}" time="{:.3}""#,
            escape(&model.spec.display().to_string()),
            escape(&model.name),
            // A result that was reused took no time.
            if model.reused { 0.0 } else { model.seconds }
        );
        let message = escape(&model.message);
        let mut inside = String::new();
        if has_failed(model) {
            let kind = escape(&model.verdict);
            _ = writeln!(inside, "      <failure type=\"{kind}\" message=\"{message}\"/>");
        } else if is_skipped(model) {
            _ = writeln!(inside, "      <skipped message=\"{message}\"/>");
        }
        if !model.warnings.is_empty() {
            let lines: Vec<String> =
                model.warnings.iter().map(|warning| format!("warning: {}", escape(warning))).collect();
            _ = writeln!(inside, "      <system-out>{}</system-out>", lines.join("\n"));
        }
        match inside.as_str() {
            "" => cases.push_str("/>\n"),
            inside => _ = writeln!(cases, ">\n{inside}    </testcase>"),
        }
    }
    let counts = format!(r#"tests="{}" failures="{n_failed}" errors="0" time="{seconds:.3}""#, all.len());
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"kilter\" {counts}>\n  \
         <testsuite name=\"kilter check\" {counts} skipped=\"{n_skipped}\">\n{cases}  </testsuite>\n</testsuites>\n"
    )
}

fn has_failed(model: &Checked) -> bool {
    model.exit_code != 0 && !is_skipped(model)
}

/// Whether nothing is known of the model, or not of all its states.
fn is_skipped(model: &Checked) -> bool {
    model.verdict == NOT_RUN || (model.verdict == BOUNDED && model.exit_code == 0)
}
