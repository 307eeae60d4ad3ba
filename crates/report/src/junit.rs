//! A record for continuous integration: JUnit's XML, one testcase a case, findings as failures.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use kilter_base::xml::escape;
use kilter_run::Finding;

use crate::record::Record;
use crate::style::unstyled;
use crate::summary::Summary;
use crate::text;

/// The whole document.
pub fn junit(record: &Record, summary: &Summary<'_>) -> String {
    let mut by_case: BTreeMap<&str, Vec<&Finding>> = BTreeMap::new();
    for finding in &record.findings {
        by_case.entry(&finding.case).or_default().push(finding);
    }
    let mut cases = String::new();
    let (mut n_tests, mut n_failed) = (0, 0);
    let mut add = |id: &str, ms: Option<f64>, passed: bool, findings: &[&Finding]| {
        n_tests += 1;
        n_failed += usize::from(!passed || !findings.is_empty());
        write_case(&mut cases, &record.header.spec, id, ms, passed, findings);
    };
    for case in &record.cases {
        let findings = by_case.remove(case.id.as_str()).unwrap_or_default();
        add(&case.id, Some(case.ms), case.passed, &findings);
    }
    // A run that was killed may have written a finding, and not yet that its case has ended.
    for (id, findings) in by_case {
        add(id, None, false, &findings);
    }
    let counts =
        format!(r#"tests="{n_tests}" failures="{n_failed}" errors="0" time="{:.3}""#, summary.seconds);
    let name = escape(&record.header.config);
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"kilter\" {counts}>\n  \
         <testsuite name=\"{name}\" {counts} skipped=\"0\">\n{cases}  </testsuite>\n</testsuites>\n"
    )
}

fn write_case(out: &mut String, spec: &str, id: &str, ms: Option<f64>, passed: bool, findings: &[&Finding]) {
    let seconds = ms.filter(|ms| ms.is_finite()).unwrap_or(0.0) / 1000.0;
    _ = write!(
        out,
        r#"    <testcase classname="{}" name="{}" time="{seconds:.6}""#,
        escape(spec),
        escape(id)
    );
    if passed && findings.is_empty() {
        out.push_str("/>\n");
        return;
    }
    out.push_str(">\n");
    for finding in findings {
        _ = writeln!(
            out,
            r#"      <failure type="{}" message="{}">{}</failure>"#,
            finding.kind.name(),
            escape(&finding.summary),
            escape(&unstyled(&text::finding(finding))).replace("&#10;", "\n")
        );
    }
    if findings.is_empty() {
        out.push_str("      <failure type=\"failed\" message=\"the record does not say why\"/>\n");
    }
    out.push_str("    </testcase>\n");
}
