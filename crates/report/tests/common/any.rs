//! Records with anything in them, for properties.

use kilter_report::Record;
use kilter_report::record::EdgeActions;
use kilter_run::{
    Branch, Carried, Case, Counters, Detail, Difference, Finding, FindingKind, Further, Header, Offered,
    Shown, Step, Verb,
};
use proptest::collection::{btree_map, vec};
use proptest::option;
use proptest::prelude::*;

/// Text of all kinds, among it what HTML, XML and JSON give a meaning to.
pub fn words() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => "[a-z]{0,6}",
        2 => any::<String>(),
        2 => "[<>&\"'/!{}\\[\\]%;=\u{0}-\u{1f}\u{2028}\u{fffe}-]{0,12}",
        1 => Just("</script><script>alert(1)</script>".to_owned()),
        1 => Just("]]><!-- {{ 7 * 7 }} {% raw %}".to_owned()),
    ]
}

fn pairs() -> impl Strategy<Value = Vec<(String, String)>> {
    vec((words(), words()), 0..3)
}

fn carried() -> impl Strategy<Value = Carried> {
    let fate = prop_oneof![
        Just("sent".to_owned()),
        Just("taken".to_owned()),
        Just("dropped".to_owned()),
        Just("duplicated".to_owned()),
        words()
    ];
    (fate, option::of(words()), words(), words(), any::<bool>())
        .prop_map(|(fate, from, to, text, unexpected)| Carried { fate, from, to, text, unexpected })
}

fn step() -> impl Strategy<Value = Step> {
    (words(), pairs(), option::of(words()), vec(carried(), 0..3), vec(carried(), 0..2), pairs()).prop_map(
        |(action, args, node, messages, expected, changes)| Step {
            action,
            args,
            node,
            messages,
            expected,
            changes,
        },
    )
}

fn difference() -> impl Strategy<Value = Difference> {
    (words(), words(), words(), words()).prop_map(|(variable, place, expected, observed)| Difference {
        variable,
        place,
        expected,
        observed,
    })
}

fn kind() -> impl Strategy<Value = FindingKind> {
    prop::sample::select(FindingKind::ALL.to_vec())
}

fn detail() -> impl Strategy<Value = Detail> {
    (words(), words()).prop_map(|(title, text)| Detail { title, text })
}

fn counters() -> impl Strategy<Value = Counters> {
    let some = || btree_map(words(), any::<u64>(), 0..3);
    let distinct = btree_map(words(), prop::collection::btree_set(words(), 1..3), 0..2);
    (some(), some(), distinct).prop_map(|(sums, peaks, distinct)| Counters { sums, peaks, distinct })
}

prop_compose! {
    fn finding()(
        kind in kind(), case in words(), step_failed in 0_u32..6, action in words(), variables in vec(words(), 0..3),
        summary in words(), differences in vec(difference(), 0..3), offers in vec((words(), words()), 0..2), initial in pairs(),
        path in vec(step(), 0..5), stable in any::<Option<bool>>(), shortest in option::of(words()),
    )(
        group in words(), hints in vec(words(), 0..2), repeat in words(), logs in option::of(words()), details in vec(detail(), 0..2),
        kind in Just(kind), case in Just(case), step in Just(step_failed), action in Just(action), variables in Just(variables),
        summary in Just(summary), differences in Just(differences), offers in Just(offers), initial in Just(initial),
        path in Just(path), stable in Just(stable), shortest in Just(shortest),
    ) -> Finding {
        let offers = offers.into_iter().map(|(node, action)| Offered { node, action }).collect();
        Finding {
            kind, case, step, edge: step.checked_sub(1), action, variables, summary, differences, offers, details, initial, path, given: None, stable, shortest, stands_for: None, group, hints, repeat, logs,
            more: serde_json::Map::new(),
        }
    }
}

fn header() -> impl Strategy<Value = Header> {
    let verb = prop::sample::select(vec![Verb::Test, Verb::Explore, Verb::Converge, Verb::Follow]);
    let edges = btree_map(words(), any::<u64>(), 0..4);
    let chosen = (any::<u64>(), option::of(words()));
    (verb, words(), words(), edges, vec(words(), 0..4), chosen, any::<u64>()).prop_map(
        |(verb, config, spec, edges, nodes, (cases, only), started_s)| Header {
            format: kilter_run::FORMAT.to_owned(),
            version: kilter_run::VERSION,
            verb,
            config,
            spec,
            edges,
            nodes,
            cases,
            only,
            started_s,
            ..Header::default()
        },
    )
}

fn case() -> impl Strategy<Value = Case> {
    let edges = vec(0_u32..9, 0..4);
    let ends = (option::of(words()), option::of(words()));
    (words(), any::<bool>(), any::<u32>(), edges, any::<f64>(), any::<f64>(), ends, counters()).prop_map(
        |(id, passed, steps, edges, ms, waited_ms, (not_run, logs), counters)| Case {
            id,
            passed,
            steps: steps.into(),
            edges,
            ms,
            waited_ms,
            not_run,
            logs,
            counters,
        },
    )
}

/// Any record.
pub fn record() -> impl Strategy<Value = Record> {
    let actions = option::of((vec(words(), 0..4), vec(0_u32..5, 0..9)));
    let notes = vec((option::of(words()), words()), 0..2);
    let branch = (words(), any::<u32>(), any::<u32>(), words(), any::<u64>());
    let branch =
        branch.prop_map(|(file, line, column, text, steps)| Branch { file, line, column, text, steps });
    let shown = (
        words(),
        btree_map(words(), any::<u64>(), 0..4),
        vec(branch, 0..4),
        any::<Option<u64>>(),
        pairs(),
        vec(step(), 0..3),
    );
    let shown = shown.prop_map(|(case, actions, branches, outside, initial, path)| Shown {
        case,
        actions,
        branches,
        outside,
        initial,
        path,
    });
    let further = (words(), vec(0_u32..9, 0..4)).prop_map(|(id, edges)| Further { id, edges });
    let planned = (vec(further, 0..3), vec(0_u32..9, 0..4), vec(shown, 0..3));
    let stopped = option::of((words(), any::<bool>()));
    let ending = (any::<Option<f64>>(), any::<bool>(), counters(), planned, stopped);
    (header(), actions, vec(case(), 0..5), vec(finding(), 0..4), notes, ending).prop_map(
        |(header, actions, cases, findings, notes, ending)| {
            let (seconds, is_cut, under_way, (further, behind, shown), stopped) = ending;
            Record {
                missing: Vec::new(),
                warnings: Vec::new(),
                header,
                sources: std::collections::BTreeSet::new(),
                actions: actions.map(|(names, of_edges)| EdgeActions { names, of_edges }),
                cases,
                findings,
                groups: Vec::new(),
                shown,
                planned: None,
                further,
                behind,
                under_way,
                notes,
                is_finished: seconds.is_some(),
                is_error: stopped.as_ref().is_some_and(|(_, is_error)| *is_error),
                stopped: stopped.map(|(why, _)| why),
                seconds,
                is_cut,
            }
        },
    )
}
