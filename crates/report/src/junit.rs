//! Writes a record as JUnit XML for continuous integration. Each case is a testcase, and findings are failures.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use kilter_base::xml::escape;
use kilter_run::{Finding, Verb};

use crate::record::Record;
use crate::style::unstyled;
use crate::summary::Summary;
use crate::text;

/// Writes the whole document.
pub fn junit(record: &Record, summary: &Summary<'_>) -> String {
    let mut by_case: BTreeMap<&str, Vec<&Finding>> = BTreeMap::new();
    for finding in &record.findings {
        by_case.entry(&finding.case).or_default().push(finding);
    }
    let mut cases = String::new();
    let (mut n_tests, mut n_failed, mut n_errors, mut n_skipped) = (0, 0, 0, 0);
    let mut add = |id: &str, ms: Option<f64>, end: &End<'_>| {
        n_tests += 1;
        match end {
            End::Passed => {}
            End::Failed(_) => n_failed += 1,
            End::NotRun(_) => n_errors += 1,
            End::NotEnded(_) => n_skipped += 1,
        }
        write_case(&mut cases, &record.header.spec, id, ms, end);
    };
    let is_search = record.header.verb == Verb::Explore;
    for case in &record.cases {
        let findings = by_case.remove(case.id.as_str()).unwrap_or_default();
        let end = match &case.not_run {
            _ if !findings.is_empty() => End::Failed(findings),
            Some(why) => End::NotRun(why),
            // In a part of a search, sequences fail. Each of them is a case of its own here.
            None if case.passed || is_search => End::Passed,
            None => End::Failed(findings),
        };
        add(&case.id, Some(case.ms), &end);
    }
    for part in record.planned.iter().flatten().filter(|_| is_search) {
        if record.cases.iter().all(|case| case.id != *part) {
            add(part, None, &End::NotEnded(record.stopped.as_deref().unwrap_or("the run was killed")));
        }
    }
    if let Some(why) = record.stopped.as_deref().filter(|_| record.is_error) {
        add("the run", None, &End::NotRun(why));
    }
    for what in &record.missing {
        add("the run", None, &End::NotRun(what));
    }
    // These are sequences of a search. Also, a run that was killed may have recorded a finding, but not yet the end of
    // its case.
    for (id, findings) in by_case {
        add(id, None, &End::Failed(findings));
    }
    let counts = format!(
        r#"tests="{n_tests}" failures="{n_failed}" errors="{n_errors}" time="{:.3}""#,
        summary.seconds
    );
    let name = escape(&record.header.config);
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"kilter\" {counts}>\n  \
         <testsuite name=\"{name}\" {counts} skipped=\"{n_skipped}\">\n{cases}  </testsuite>\n</testsuites>\n"
    )
}

/// How a case ended.
enum End<'r> {
    Passed,
    Failed(Vec<&'r Finding>),
    /// The system could not be driven along it. The text says why.
    NotRun(&'r str),
    /// It has not ended. The text says why.
    NotEnded(&'r str),
}

fn write_case(out: &mut String, spec: &str, id: &str, ms: Option<f64>, end: &End<'_>) {
    let seconds = ms.filter(|ms| ms.is_finite()).unwrap_or(0.0) / 1000.0;
    _ = write!(
        out,
        r#"    <testcase classname="{}" name="{}" time="{seconds:.6}""#,
        escape(spec),
        escape(id)
    );
    if matches!(end, End::Passed) {
        out.push_str("/>\n");
        return;
    }
    out.push_str(">\n");
    match end {
        End::Passed => {}
        End::Failed(findings) if findings.is_empty() => {
            out.push_str("      <failure type=\"failed\" message=\"the record does not say why\"/>\n");
        }
        End::Failed(findings) => findings.iter().for_each(|finding| write_failure(out, finding)),
        End::NotRun(why) => {
            _ = writeln!(out, r#"      <error type="not-run" message="{}"/>"#, escape(why));
        }
        End::NotEnded(why) => {
            _ = writeln!(out, r#"      <skipped message="{}"/>"#, escape(why));
        }
    }
    out.push_str("    </testcase>\n");
}

fn write_failure(out: &mut String, finding: &Finding) {
    _ = writeln!(
        out,
        r#"      <failure type="{}" message="{}">{}</failure>"#,
        finding.kind.name(),
        escape(&finding.summary),
        escape(&unstyled(&text::finding(finding))).replace("&#10;", "\n")
    );
}
