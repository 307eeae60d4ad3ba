//! Tests the page in a real browser.

use crate::common;

use common::browser::{DESK, NIGHT, PHONE, Window, browse_page};
use common::{BROADCAST, ELECTION, TOYSTORE, any, record};
use kilter_report::{Record, page, summarize};
use kilter_run::{Case, Place};
use proptest::strategy::{Strategy as _, ValueTree as _};
use proptest::test_runner::TestRunner;

/// Opens a record's page in a browser and runs a script in it. Returns what the script passes to `say`.
fn browse(record: &Record, window: Window, script: &str) -> String {
    browse_page(&page::page(record, &summarize(record)), window, script)
}

#[track_caller]
fn check(record: &Record, window: Window, script: &str, expected: &str) {
    let expected: Vec<&str> = expected.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    assert_eq!(browse(record, window, script), expected.join("\n"));
}

#[test]
fn a_finding_opens_at_the_step_that_failed_with_the_difference_marked() {
    let script = "
        const first = document.querySelector('details.finding');
        say(first.open);
        say(first.querySelector('.panel h4').textContent);
        say(first.querySelector('.panel tr.differs th').textContent);
        say([...first.querySelectorAll('.differences mark')].map((mark) => mark.textContent).join(' | '));
        say(first.querySelectorAll('.lanes .title').length + ' lanes');
        say(first.querySelectorAll('.lanes .dot').length + ' steps, ' + first.querySelectorAll('.lanes .dot.failed').length + ' failed');
        say([...first.querySelectorAll('.lanes .arrow')].map((arrow) => arrow.classList[1]).join(' '));
        say(first.querySelector('.repeat code').textContent);";
    check(
        &record(ELECTION),
        DESK,
        script,
        "true
        Step 7 of 7: HandleRequestVoteResponse
        votesGranted
        , n3 | {n1}
        3 lanes
        7 steps, 1 failed
        taken dropped taken flying
        kilter test systems/raft/election.toml --case c3",
    );
}

#[test]
fn keys_and_clicks_walk_through_the_steps() {
    let script = "
        const first = document.querySelector('details.finding'), steps = first.querySelector('.steps');
        const title = () => first.querySelector('.panel h4').textContent;
        const press = (key) => { document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true })); say(key + ': ' + title()); };
        steps.querySelectorAll('button')[2].click(); say('click: ' + title());
        press('ArrowUp'); press('k'); press('ArrowUp'); press('End'); press('ArrowDown'); press('Home'); press('j');
        say([...first.querySelectorAll('.panel tr.changed th')].map((name) => name.textContent).join(' '));
        say(steps.querySelectorAll('[aria-current=step]').length + ' current, ' + steps.querySelectorAll('[tabindex=\"0\"]').length + ' in the tab order');
        [...first.querySelectorAll('.move')].at(-1).click(); say('next: ' + title());
        first.querySelectorAll('.lanes .row')[0].dispatchEvent(new MouseEvent('click')); say('row: ' + title());
        const last = [...document.querySelectorAll('details.finding')].at(-1);
        last.open = true; last.dispatchEvent(new Event('toggle')); say(last.querySelectorAll('.lanes .dot').length);";
    check(
        &record(ELECTION),
        DESK,
        script,
        "click: Step 2 of 7: RequestVote
        ArrowUp: Step 1 of 7: Timeout
        k: Initial state
        ArrowUp: Initial state
        End: Step 7 of 7: HandleRequestVoteResponse
        ArrowDown: Step 7 of 7: HandleRequestVoteResponse
        Home: Initial state
        j: Step 1 of 7: Timeout
        currentTerm state votedFor votesGranted
        1 current, 1 in the tab order
        next: Step 2 of 7: RequestVote
        row: Initial state
        1",
    );
}

#[test]
fn labels_of_arrows_do_not_cover_each_other() {
    let script = "
        let n = 0;
        for (const details of document.querySelectorAll('details.finding')) {
            details.open = true; details.dispatchEvent(new Event('toggle'));
            for (const step of details.querySelectorAll('.steps button')) {
                step.click();
                const shown = [...details.querySelectorAll('.label')].filter((label) => label.getAttribute('visibility') === 'visible');
                const boxes = shown.map((label) => label.getBoundingClientRect());
                n = Math.max(n, boxes.length);
                boxes.forEach((a, i) => boxes.slice(i + 1).forEach((b) => {
                    if (a.left < b.right && b.left < a.right && a.top + 2 < b.bottom && b.top + 2 < a.bottom) say(step.textContent + ': one label covers another');
                }));
            }
        }
        say('at most ' + n + ' at once');";
    check(&record(ELECTION), DESK, script, "at most 3 at once");
    check(&record(BROADCAST), DESK, script, "at most 1 at once");
    // A node that sends eight messages to one other, and takes one in.
    let mut many = record(ELECTION);
    let path = &mut many.findings[0].path;
    let sent = path.iter().flat_map(|step| &step.messages).find(|message| message.fate == "sent");
    let sent = sent.expect("a message was sent").clone();
    path[5].messages.extend((0..8).map(|_| sent.clone()));
    check(&many, DESK, script, "at most 9 at once");
}

/// Checks for people who do not see the page, or who see it on a phone.
const SOUND: &str = "
    if (document.documentElement.scrollWidth > innerWidth) say('wider than the window: ' + document.documentElement.scrollWidth);
    let level = 0;
    for (const heading of document.querySelectorAll('h1, h2, h3, h4, h5')) {
        const next = Number(heading.tagName[1]);
        if (next > level + 1) say('heading skips a level: ' + heading.textContent);
        level = next;
    }
    const ids = [...document.querySelectorAll('[id]')].map((node) => node.id);
    if (new Set(ids).size !== ids.length) say('an id is there twice');
    for (const node of document.querySelectorAll('[aria-labelledby]')) if (!document.getElementById(node.getAttribute('aria-labelledby'))) say('a label is missing');
    for (const button of document.querySelectorAll('button')) if (!button.textContent.trim()) say('a button has no name');
    for (const table of document.querySelectorAll('main table')) if (!table.querySelector('th[scope]') && table.rows.length) say('a table has no headings');
    for (const node of document.querySelectorAll('[src], link, iframe, object, img')) say('an external resource: ' + node.outerHTML);
    for (const details of document.querySelectorAll('details')) if (!details.querySelector('summary').textContent.trim()) say('a summary is empty');";

#[test]
fn it_is_sound_on_a_desk_and_on_a_phone() {
    check(&record(ELECTION), DESK, SOUND, "");
    check(&record(ELECTION), PHONE, SOUND, "");
    check(&Record::default(), PHONE, SOUND, "");
    for text in [BROADCAST, TOYSTORE] {
        check(&record(text), DESK, SOUND, "");
        check(&record(text), PHONE, SOUND, "");
    }
}

/// Reads what the page of every method has: a drawing, the steps, and the line that repeats the finding.
const METHOD: &str = "
    say(document.querySelector('h1').textContent);
    say(document.querySelectorAll('.coverage').length + ' tables of coverage');
    const first = document.querySelector('details.finding');
    say([...first.querySelectorAll('h4')].map((title) => title.textContent).filter((title) => !title.startsWith('Step')).join(' | '));
    say(first.querySelector('.detail').textContent.trim().split('\\n')[0].replace(/ +/g, ' '));
    say(first.querySelectorAll('.lanes .title').length + ' lanes, ' + first.querySelectorAll('.lanes .dot').length + ' steps');
    say([...new Set([...first.querySelectorAll('.lanes .arrow')].map((arrow) => arrow.classList[1]))].join(' ') || 'no messages');
    say(first.querySelector('.repeat code').textContent);";

#[test]
fn a_search_has_a_page() {
    check(
        &record(BROADCAST),
        DESK,
        METHOD,
        "1 finding in 1,036 sequences
        0 tables of coverage
        what happens | Repeat it
        n1 n2 n3
        3 lanes, 63 steps
        taken
        kilter explore systems/protocols/broadcast-bug.toml --case '0.0.2'",
    );
}

#[test]
fn schedules_have_a_page() {
    check(
        &record(TOYSTORE),
        DESK,
        METHOD,
        "3 findings in 5 cases
        0 tables of coverage
        the replicas, step by step | Repeat it
        step A B C
        4 lanes, 5 steps
        no messages
        kilter converge systems/converge/toystore.toml --ops 2 --schedule 'write=A0,B0,C1 up=AB up=C write=A0,B1,C1 up=ABC'",
    );
}

#[test]
fn colours_can_be_told_apart() {
    // Contrast as the Web Content Accessibility Guidelines define it, for every text and its background.
    let script = "
        const parse = (colour) => (colour.match(/[\\d.]+/g) || []).map(Number);
        const light = ([r, g, b]) => { const f = (c) => { c /= 255; return c <= .03928 ? c / 12.92 : ((c + .055) / 1.055) ** 2.4; }; return .2126 * f(r) + .7152 * f(g) + .0722 * f(b); };
        const behind = (node) => { for (; node; node = node.parentElement) { const c = parse(getComputedStyle(node).backgroundColor); if (c.length === 3 || c[3] === 1) return c; } return [255, 255, 255]; };
        say(matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light');
        const poor = new Set();
        for (const node of document.querySelectorAll('body *')) {
            const own = [...node.childNodes].some((child) => child.nodeType === 3 && child.textContent.trim());
            if (!own || node.disabled || node.closest('svg, script, noscript') || !node.getClientRects().length) continue;
            const [a, b] = [light(parse(getComputedStyle(node).color)), light(behind(node))].sort((a, b) => b - a);
            if ((a + .05) / (b + .05) < 4.5) poor.add(node.tagName + '.' + node.className);
        }
        for (const name of poor) say('poor contrast: ' + name);";
    check(&record(ELECTION), DESK, script, "light");
    check(&record(ELECTION), NIGHT, script, "dark");
}

#[test]
fn whatever_a_system_writes_stays_text() {
    let mut runner = TestRunner::deterministic();
    for _ in 0..4 {
        let record = proptest::collection::vec(any::record(), 8)
            .new_tree(&mut runner)
            .expect("a record")
            .current()
            .into_iter()
            .reduce(|mut all, more| {
                all.findings.extend(more.findings);
                all.notes.extend(more.notes);
                all
            })
            .expect("eight records");
        let script = "
            window.alert = () => say('a script of the record has run');
            for (const details of document.querySelectorAll('details')) { details.open = true; details.dispatchEvent(new Event('toggle')); }
            for (const step of document.querySelectorAll('.steps button')) step.click();
            if (document.querySelectorAll('script').length !== 4) say('scripts: ' + document.querySelectorAll('script').length);
            if (document.querySelectorAll('details.finding .viewer:empty').length) say('a finding was not drawn');";
        check(&record, DESK, script, "");
    }
}

/// Cases of which every seventh fails.
fn many(n_cases: u64) -> Record {
    let mut record = record(ELECTION);
    let first = record.cases[0].clone();
    record.cases = (0..n_cases)
        .map(|number| Case {
            id: format!("{number:08x}"),
            passed: number % 7 != 0,
            #[expect(clippy::cast_precision_loss, reason = "small numbers")]
            ms: number as f64,
            edges: vec![(number % 20) as u32],
            logs: (number % 7 == 0).then(|| format!("kilter-logs/{number:08x}")),
            ..first.clone()
        })
        .collect();
    record
}

#[test]
fn ten_thousand_cases_are_searched_and_only_those_in_sight_are_drawn() {
    let script = "
        const rows = () => [...document.querySelectorAll('#rows tr:not(.gap)')];
        const first = () => rows()[0].querySelector('code').textContent;
        const set = (id, value) => { const field = document.getElementById(id); field.value = value; field.dispatchEvent(new Event('input')); };
        const found = () => document.getElementById('found').textContent;
        say(found() + ', drawn ' + (rows().length < 100) + ', timed ' + (Number(document.body.dataset.renderedMs) > 0));
        say(first() + ': ' + [...rows()[0].cells].slice(1).map((cell) => cell.textContent.trim()).join(' | '));
        say(rows()[0].querySelector('a').getAttribute('href'));
        const list = document.getElementById('list');
        list.scrollTop = 34 * 5000; list.dispatchEvent(new Event('scroll'));
        say('drawn ' + (rows().length < 100) + ', in sight ' + rows().some((row) => row.querySelector('code').textContent === '00001389'));
        set('verdict', 'failed'); say(found());
        set('search', 'beef'); say(found());
        set('verdict', ''); set('search', '0000270f'); say(found() + ', ' + first());
        set('search', 'dropmessage'); say(found());
        set('search', ''); set('order', 'slow'); say(first());
        set('search', 'nothing of the kind'); say(found() + ', ' + rows().length);";
    check(
        &many(10_000),
        DESK,
        script,
        "10000 in all, drawn true, timed true
        00000000: failed | 4 | 0.0 ms | logs
        ./kilter-logs/00000000/
        drawn true, in sight true
        1429 of 10000
        0 of 10000
        1 of 10000, 0000270f
        1500 of 10000
        0000270f
        0 of 10000, 0",
    );
    check(&many(10_000), PHONE, SOUND, "");
}

#[test]
fn coverage_is_a_picture() {
    let script = "
        const rows = [...document.querySelectorAll('.coverage tbody tr')].map((row) => [...row.cells].slice(0, 5).map((cell) => cell.textContent.trim()).join(' ')
            + ': ' + [...row.querySelectorAll('.bar span')].map((part) => part.className + ' ' + part.style.width).join(', '));
        rows.forEach(say);
        say(document.querySelector('.coverage a')?.getAttribute('href'));";
    let mut record = record(ELECTION);
    record.findings[0].edge = Some(19);
    let place = Place { file: "specs/Raft.tla".to_owned(), line: 7, path: Some("../Raft.tla".to_owned()) };
    record.header.places.insert("BecomeLeader".to_owned(), place);
    check(
        &record,
        DESK,
        script,
        "BecomeLeader Raft.tla:7 1 1 0 0: confirmed 100%, failed 0%
        DropMessage 3 2 1 0: confirmed 66.67%, failed 33.33%
        HandleRequestVoteRequest 5 3 0 2: confirmed 60%, failed 0%
        HandleRequestVoteResponse 4 2 0 2: confirmed 50%, failed 0%
        RequestVote 3 2 0 1: confirmed 66.67%, failed 0%
        Restart 1 1 0 0: confirmed 100%, failed 0%
        Timeout 3 3 0 0: confirmed 100%, failed 0%
        ./../Raft.tla",
    );
}
