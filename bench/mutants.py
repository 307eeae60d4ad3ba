#!/usr/bin/env python3
"""Checks that selection is safe, with small mistakes in Raft's code. What a full suite finds, the suite that `kilter diff` selects must find too.

    bench/mutants.py [--kilter FILE] [--work DIR] [--mapping NAME,…] [--only NUMBER,…] [--count]

--kilter    a `kilter` that has `diff` [default: target/release/kilter]
--work      where sources, binary and suites are put [default: target/mutants]
--mapping   scenarios of systems/raft [default: replication,compaction]
--only      mistakes by number
--program   a program of an earlier run with all mistakes in it, instead of building one
--ran       also select by what ran without a mistake, and count how many of the selected cases find it both ways
--release   build the program with the profile of a release
--count     only print how many mistakes there are

A mistake negates a condition, leaves out a statement, exchanges arguments, replaces a 1 by a 0, or a minimum by a maximum. All mistakes are
compiled into one program, each behind a switch in the environment (`MUTANT=17`). For `kilter diff`, each mistake is written out in the source.
The nodes run in process.
"""

import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
SOURCE = ROOT / "systems" / "raft" / "src"
FILES = ["consensus.rs", "consensus/election.rs", "consensus/replication.rs", "consensus/compaction.rs", "consensus/stored.rs", "consensus/role.rs"]
UNTOUCHED = ["consensus/message.rs", "machine.rs", "bug.rs", "mapping.rs"]

# Arguments and fields of the same type that can be exchanged: the right text, and the wrong one.
SWAPS = [
    ("consensus/election.rs", "(self.stored.last_term(), self.stored.last_index());\n            self.send", "(self.stored.last_index(), self.stored.last_term());\n            self.send"),
    ("consensus/election.rs", "last >= (self.stored.last_term(), self.stored.last_index())", "last >= (self.stored.last_index(), self.stored.last_term())"),
    ("consensus/election.rs", "vote: Some(self.id.clone())", "vote: None"),
    ("consensus/election.rs", "vote: Some(from.clone())", "vote: Some(self.id.clone())"),
    ("consensus/replication.rs", "(self.stored.term, self.stored.commit)", "(self.stored.commit, self.stored.term)"),
    ("consensus.rs", "(last_term, last_index)", "(last_index, last_term)"),
    ("consensus.rs", "Snapshot { index: last_index, term: last_term, machine }", "Snapshot { index: last_term, term: last_index, machine }"),
    ("consensus.rs", "Batch { prev_index, prev_term, entries, commit }", "Batch { prev_index: prev_term, prev_term: prev_index, entries, commit }"),
    ("consensus.rs", "Write::Term { term, vote: None });\n            self.follow", "Write::Term { term, vote: Some(self.id.clone()) });\n            self.follow"),
]


class Site:
    """A place for a mistake: the file, the range, the text with the mistake, and the text with a switch between both."""

    def __init__(self, file, start, end, kind, plain, switched):
        self.file, self.start, self.end, self.kind, self.plain, self.switched, self.number = file, start, end, kind, plain, switched, 0


def conditions(file, text):
    """Negates the conditions of `if` without `let`, and the guards of match arms."""
    for found in re.finditer(r"\bif (?!let\b)([^{}\n;]+?)(?= \{| =>)", text):
        condition = found[1]
        if " let " in condition or "self.bug" in condition or "bug ==" in condition:
            continue
        yield Site(file, found.start(1), found.end(1), "negated condition", f"!({condition})", f"crate::mutant::flip({{n}}, {condition})")


def bindings(file, text):
    """Negates booleans that are bound to a name."""
    for found in re.finditer(r"let (?:free|up_to_date|granted|stale|follows|has_entries) = ([^;]+);", text):
        yield Site(file, found.start(1), found.end(1), "negated condition", f"!({found[1]})", f"crate::mutant::flip({{n}}, {found[1]})")


def closures(file, text):
    """Negates the results of closures that are predicates."""
    for found in re.finditer(r"\|(?:peer|progress|index|vote)\| ((?:[^()|;{},]|\([^()]*(?:\([^()]*\))?[^()]*\))*(?:==|!=|>=|contains|is_majority)(?:[^()|;{},]|\([^()]*(?:\([^()]*\))?[^()]*\))*)(?=\))", text):
        yield Site(file, found.start(1), found.end(1), "negated condition", f"!({found[1]})", f"crate::mutant::flip({{n}}, {found[1]})")


def statements(file, text):
    """Leaves out statements that assign, write or send."""
    for found in re.finditer(r"^ +((?:self|progress|own|votes|steps)\.[^;{}=]+(?: (?:=|\+=) [^;{}]+)?(?:\{[^;{}]*\}[^;{}]*)?;)$", text, re.M):
        yield Site(file, found.start(1), found.end(1), "dropped statement", "", f"if !crate::mutant::is({{n}}) {{{{ {braced(found[1])} }}}}")


def numbers(file, text):
    """Replaces a 1 that is added or subtracted by a 0."""
    for found in re.finditer(r"(?<=[+-] )1\b(?!\.\.)", text):
        yield Site(file, found.start(), found.end(), "off by one", "0", "crate::mutant::pick({n}, 1, 0)")


def extremes(file, text):
    """Replaces a minimum by a maximum, and the other way round."""
    for found in re.finditer(r"\.(min|max)\(([^()]*(?:\([^()]*\)[^()]*)*)\)", text):
        other = {"min": "max", "max": "min"}[found[1]]
        yield Site(file, found.start(), found.end(), "minimum for maximum", f".{other}({found[2]})", f".{found[1]}_or_{other}({braced(found[2])}, {{n}})")


def truths(file, text):
    """Negates boolean literals."""
    for found in re.finditer(r"(?<=[(, ])(true|false)(?=[,);])", text):
        wrong = {"true": "false", "false": "true"}[found[1]]
        yield Site(file, found.start(), found.end(), "exchanged argument", wrong, f"crate::mutant::flip({{n}}, {found[1]})")


def swaps(file, text):
    for where, right, wrong in SWAPS:
        if where != file:
            continue
        at = text.index(right)
        yield Site(file, at, at + len(right), "exchanged arguments", wrong, None)


def braced(text):
    return text.replace("{", "{{").replace("}", "}}")


def comments(text):
    return [(found.start(), found.end()) for found in re.finditer(r"//[^\n]*", text)]


def sites():
    """All places, numbered, no two of them at the same position."""
    found = []
    for file in FILES:
        text = (SOURCE / file).read_text()
        taken = comments(text)
        for kind in (swaps, statements, conditions, bindings, closures, extremes, truths, numbers):
            for site in kind(file, text):
                if all(site.end <= start or end <= site.start for start, end in taken):
                    if kind is not numbers or "usize" not in text[site.end : site.end + 12]:
                        taken.append((site.start, site.end))
                        found.append(site)
    for number, site in enumerate(found, 1):
        site.number = number
        if site.switched is None:
            right = (SOURCE / site.file).read_text()[site.start : site.end]
            site.switched = switched_swap(right, site.plain, number)
        else:
            site.switched = site.switched.replace("{{", "\0").replace("}}", "\1").replace("{n}", str(number)).replace("\0", "{").replace("\1", "}")
    return found


def switched_swap(right, wrong, number):
    """Exchanges arguments behind a switch, field by field."""
    if right.startswith("(") or right.startswith("last >= "):
        first, second = re.search(r"\((.+?\)?), (.+?\)?)\)", right).groups()
        pair = f"crate::mutant::pick({number}, ({first}, {second}), ({second}, {first}))"
        return right.replace(f"({first}, {second})", pair, 1)
    if "vote: " in right:
        ours, theirs = (re.search(r"vote: (None|Some\([\w.()]+?\)\)?)(?=$| \}|,)", it)[1] for it in (right, wrong))
        return right.replace(f"vote: {ours}", f"vote: crate::mutant::pick({number}, {ours}, {theirs})", 1)
    if right.startswith("Snapshot { index: last_index") and "clone" not in right:
        return f"Snapshot {{ index: crate::mutant::pick({number}, last_index, last_term), term: crate::mutant::pick({number}, last_term, last_index), machine }}"
    return f"Batch {{ prev_index: crate::mutant::pick({number}, prev_index, prev_term), prev_term: crate::mutant::pick({number}, prev_term, prev_index), entries, commit }}"


def changed(file, all_sites, of):
    """A file with a replacement at each site."""
    text = (SOURCE / file).read_text()
    for site in sorted((site for site in all_sites if site.file == file), key=lambda site: -site.start):
        text = text[: site.start] + of(site) + text[site.end :]
    return text


MANIFEST = """[package]
name = "kilter-mutants"
version = "0.1.0"
edition = "2024"
publish = false

[workspace]

[dependencies]
kilter = {{ path = "{root}/crates/kilter", features = ["program"] }}
kilter-probe = {{ path = "{root}/libs/probe", features = ["controlled"] }}
kilter-testbed = {{ path = "{root}/crates/testbed" }}
serde = {{ version = "1", features = ["derive"] }}
serde_json = "1"
thiserror = "2"

[profile.dev]
opt-level = 1
debug = "line-tables-only"

[profile.release]
debug = false
lto = "off"
codegen-units = 16
"""


def build(options, all_sites):
    """Builds the program with all mistakes in it."""
    package = options.work / "package"
    (package / "src" / "consensus").mkdir(parents=True, exist_ok=True)
    put(package / "Cargo.toml", MANIFEST.format(root=options.root))
    shutil.copy(options.root / "Cargo.lock", package / "Cargo.lock")
    for template in (ROOT / "bench" / "mutants").glob("*.rs"):
        put(package / "src" / template.name, template.read_text())
    for file in FILES + UNTOUCHED:
        text = changed(file, all_sites, lambda site: site.switched)
        imports = "use crate::mutant::Confused as _;\n" if "_or_m" in text else ""
        put(package / "src" / file, text.replace("\nuse ", f"\n{imports}use ", 1).replace("#[cfg(test)]\nmod tests;\n", ""))
    environment = dict(os.environ)
    environment.setdefault("CARGO_TARGET_DIR", str(options.work / "target"))
    subprocess.run(["cargo", "build", "--quiet", *(["--release"] if options.release else [])], cwd=package, env=environment, check=True)
    return pathlib.Path(environment["CARGO_TARGET_DIR"]) / ("release" if options.release else "debug") / "kilter-mutants"


def put(path, text):
    """Writes a file only if its content differs, so that cargo does not build it again."""
    if not path.is_file() or path.read_text() != text:
        path.write_text(text)


def mapping_in_process(options, name, folder, source):
    """Writes the mapping of a scenario for nodes in process, with the given sources."""
    text = (ROOT / "systems" / "raft" / f"{name}.toml").read_text()
    text = re.sub(r"^command = .*$", 'world = "raft-mutants"', text, flags=re.M)
    text = text.replace("../../specs", str(ROOT / "specs"))
    folder.mkdir(parents=True, exist_ok=True)
    mapping = folder / f"{name}.toml"
    mapping.write_text(re.sub(r'^source = .*$', f'source = ["{source}"]', text, flags=re.M))
    return mapping


def call(command, number=0):
    """Runs a command. Returns its answer as JSON, and how long it took."""
    began = time.monotonic()
    environment = dict(os.environ, MUTANT=str(number))
    done = subprocess.run([str(word) for word in command], env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode not in (0, 1):
        sys.exit(f"{' '.join(map(str, command))} ended with {done.returncode}: {done.stderr[-800:]}")
    return json.loads(done.stdout), time.monotonic() - began


def sources_of(options, site):
    """Writes Raft's sources with one mistake in them."""
    folder = options.work / "sources" / str(site.number if site else 0)
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(SOURCE, folder)
    if site:
        (folder / site.file).write_text(changed(site.file, [site], lambda site: site.plain))
    return folder


def test(program, mapping, report, number, *more):
    command = [program, "test", mapping, "--json", "--jobs", "2", "--report", report, *more]
    return call(command, number)


def lines_of(trace, all_sites, to):
    """Makes lines of the source of the switches that were reached."""
    places = {site.number: (site.file, (SOURCE / site.file).read_text().count("\n", 0, site.start) + 1) for site in all_sites}
    with to.open("w") as file:
        print(json.dumps({"counts": [""]}), file=file)
        for line in map(json.loads, trace.read_text().splitlines()):
            ran = {}
            for name, number in (places[number] for number in line["ran"]):
                ran.setdefault(name, []).append(number)
            print(json.dumps(dict(line, ran=ran)), file=file)


def share(program, options, name, site, old, new, ran, full):
    """How many cases are selected by what ran, and how many of the selected find the mistake, without and with that."""
    work, cells = options.work / name, []
    for known in ([], [ran]):
        suite = work / "shared.jsonl"
        command = [options.kilter, "diff", "--old", old, *known, "--new", new, "--out", suite, "--cache", options.work / "graphs", "--no-full", "--json"]
        selection, _ = call(command)
        finding = set()
        if selection["tests"]:
            found, _ = test(program, old, work / "shared", site.number, "--suite", suite)
            finding = {finding["case"] for finding in found["findings"]}
        cells.append((selection["tests"], len(finding)))
    return cells


def one(options, program, name, site, old):
    """Runs the full and the selected suite against one mistake. Returns a row, and whether nothing was missed."""
    work = options.work / name
    new = mapping_in_process(options, name, work / "new", sources_of(options, site))
    suite = work / "selected.jsonl"
    selection, _ = call([options.kilter, "diff", "--old", old, "--new", new, "--out", suite, "--cache", options.work / "graphs", "--no-full", "--json"])
    full, full_s = test(program, old, work / "full", site.number, "--max-findings", "1")
    selected = {"findings": [], "cases": 0}
    if selection["tests"]:
        selected, _ = test(program, old, work / "part", site.number, "--suite", suite, "--max-findings", "1")
    found, still_found = bool(full["findings"]), bool(selected["findings"])
    verdict = "MISSED" if found and not still_found else "found" if found else "found by the selection only" if still_found else "not found"
    line = (SOURCE / site.file).read_text().count("\n", 0, site.start) + 1
    told = ""
    if options.ran:
        (n_wide, by_wide), (n_narrow, by_narrow) = share(program, options, name, site, old, new, work / "lines.ran", full)
        if found and not by_narrow:
            verdict = "MISSED by what ran"
        told = f" {by_wide} | {n_narrow} | {by_narrow} |"
        if found:
            options.shares.append((by_wide / max(1, n_wide), by_narrow / max(1, n_narrow), n_wide, n_narrow))
    print(f"| {site.number} | {name} | {site.file}:{line} | {site.kind} | {selection['tests']} |{told} {verdict} |", flush=True)
    return verdict, selection["tests"], full_s


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kilter", type=pathlib.Path, default=ROOT / "target" / "release" / "kilter")
    parser.add_argument("--work", type=pathlib.Path, default=ROOT / "target" / "mutants")
    parser.add_argument("--root", type=pathlib.Path, default=ROOT, help="the checkout whose kilter is linked")
    parser.add_argument("--mapping", default="replication,compaction")
    parser.add_argument("--only", default="")
    parser.add_argument("--program", type=pathlib.Path, help="a program of an earlier run, with all mistakes in it")
    parser.add_argument("--ran", action="store_true")
    parser.add_argument("--release", action="store_true")
    parser.add_argument("--count", action="store_true")
    options = parser.parse_args()
    options.work, options.root, options.kilter = options.work.resolve(), options.root.resolve(), options.kilter.resolve()
    all_sites = sites()
    if options.count:
        return print(len(all_sites))
    program = options.program.resolve() if options.program else build(options, all_sites)
    wanted = {int(number) for number in options.only.split(",") if number}
    more = " find it | selected by what ran | find it |" if options.ran else ""
    print(f"| mistake | scenario | place | kind | cases selected |{more} |\n| ---: | --- | --- | --- | ---: | --- |{' ---: |' * 3 * options.ran}", flush=True)
    tally, options.shares = {}, []
    for name in options.mapping.split(","):
        old = mapping_in_process(options, name, options.work / name / "old", sources_of(options, None))
        trace = options.work / name / "switches.ran"
        trace.unlink(missing_ok=True)
        if options.ran:
            os.environ["RAN"] = str(trace)
        clean, _ = test(program, old, options.work / name / "full", 0)
        if options.ran:
            del os.environ["RAN"]
            lines_of(trace, all_sites, options.work / name / "lines.ran")
        if clean["findings"]:
            sys.exit(f"{name}: without a mistake something is found: {clean['findings'][0]}")
        for site in all_sites:
            if not wanted or site.number in wanted:
                verdict, _, _ = one(options, program, name, site, old)
                tally[verdict] = tally.get(verdict, 0) + 1
    print("\n" + ", ".join(f"{count} {verdict}" for verdict, count in sorted(tally.items())))
    if options.shares:
        wide, narrow, n_wide, n_narrow = (sum(column) for column in zip(*options.shares))
        n = len(options.shares)
        print(f"of the selected cases, {100 * wide / n:.1f} % find the mistake on average, by what ran {100 * narrow / n:.1f} %; {n_wide} cases, by what ran {n_narrow}")
    sys.exit(1 if any(verdict.startswith("MISSED") for verdict in tally) else 0)


if __name__ == "__main__":
    main()
