#!/usr/bin/env python3
"""Runs the change scenarios of systems/changes: how much does `kilter diff` save, and do the tests that it selects find what the change fixed?

    bench/changes.py [--bin DIR] [--work DIR] [--jobs N] [--only NUMBER,…] [--sample N]

--bin    where `kilter` is [default: target/release]
--work   where trees, binaries and reports are put [default: target/changes]
--jobs   systems side by side [default: 2]
--only   scenarios by number, such as 03,07
--sample run only each Nth case of full suites, and multiply the time by N; 0 runs none of them

Each scenario is a patch that applies to this repository, forwards or backwards. It gives the system and the specification before and after a
change. The script prints the columns of iMocket's Table 3. Times are those of the test runs, without checking and selecting. "related code covered"
is how many of the functions that the change touches run in the selected cases, in the code after the change. "by" is how many of the selected cases
find something in the code before it.
"""

import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tomllib

import covered

ROOT = pathlib.Path(__file__).resolve().parent.parent
CHANGES = ROOT / "systems" / "changes"
# The scenarios of a system that has several. Together they are its tests.
SCENARIOS = {"systems/raft": ["election", "replication", "conflict", "compaction", "election5"]}


def run(command, **more):
    """Runs a command. Any failure but findings is an error."""
    done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, text=True, **more)
    if done.returncode not in (0, 1):
        sys.exit(f"{' '.join(map(str, command))} ended with {done.returncode}")
    return done.stdout


def tracked():
    """All tracked files of the repository, with their present content."""
    listed = run(["git", "ls-files", "-co", "--exclude-standard", "-z"], cwd=ROOT).split("\0")
    return [name for name in listed if name and (ROOT / name).is_file()]


def copy(names, to):
    """Copies files that are new or have changed. Unchanged files keep their time, so that cargo does not build them again."""
    for name in names:
        source, target = ROOT / name, to / name
        if target.is_file() and target.read_bytes() == source.read_bytes():
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(source, target)
        os.utime(target)


class Scenario:
    """A change, with its trees before and after it and the binaries of both."""

    def __init__(self, folder, options):
        self.folder, self.options, self.name = folder, options, folder.name
        self.about = tomllib.loads((folder / "scenario.toml").read_text())
        self.patch = folder / "change.patch"
        where = self.about["mappings"]
        names = [f"{where}/{name}.toml" for name in SCENARIOS[where]] if where in SCENARIOS else [where]
        self.mappings = [pathlib.Path(name) for name in names]
        self.work = options.work / self.name

    def patched_side(self):
        return "before" if self.about["base"] == "after" else "after"

    def apply(self, to, undo=False):
        backwards = (self.patched_side() == "before") != undo
        run(["patch", "--quiet", "--no-backup-if-mismatch", "-p1", *(["-R"] if backwards else []), "-i", self.patch], cwd=to)

    def tree(self, side):
        """The tree with specification and system on one side. Its mappings say where the scenario's code is."""
        tree = self.work / side
        shutil.rmtree(tree, ignore_errors=True)
        copy([name for name in self.options.files if name.startswith(("specs/", "systems/"))], tree)
        if side == self.patched_side():
            self.apply(tree)
        for mapping in self.mappings:
            text = (tree / mapping).read_text()
            if "[diff]" not in text:
                events = json.dumps(self.about.get("events", []))
                text += f'\n[diff]\nsource = ["src"]\nevents = {events}\n'
            (tree / mapping).write_text(self.with_sequences(text, side, (tree / mapping).parent))
        return tree

    def with_sequences(self, text, side, folder):
        """A mapping with the sequences that the tester names, instead of the code that Kilter would compare."""
        named = {key: self.about[key] for key in ("allow", "forbid") if key in self.about}
        if not named:
            return text
        (folder / "nothing").mkdir(exist_ok=True)
        said = "".join(f"{key} = {json.dumps(value)}\n" for key, value in named.items() if side == "after")
        return re.sub(r"\[diff\]\nsource = .*\n", lambda _: f'[diff]\nsource = ["nothing"]\n{said}', text)

    def binary(self, side):
        """The folder with the system's binary on one side."""
        is_patched = side == self.patched_side()
        folder = self.work / "bin" if is_patched else self.options.work / "bin"
        folder.mkdir(parents=True, exist_ok=True)
        if folder / self.about["binary"] in self.options.built:
            return folder
        build = self.options.work / "build"
        copy(self.options.files, build)
        if is_patched:
            self.apply(build)
        unmarked = covered.mark(build / self.about["source"])
        target = self.options.work / "target"
        environment = dict(os.environ, CARGO_TARGET_DIR=str(target), CARGO_PROFILE_RELEASE_LTO="off")
        command = ["cargo", "build", "--quiet", "--release", "-p", self.about["build"], "--bin", self.about["binary"]]
        run(command, cwd=build, env=environment)
        shutil.copy2(target / "release" / self.about["binary"], folder / self.about["binary"])
        for path, text in unmarked.items():
            path.write_text(text)
        if is_patched:
            self.apply(build, undo=True)
        self.options.built.add(folder / self.about["binary"])
        return folder

    def test(self, mapping, binaries, report, *more, noting=None):
        environment = dict(os.environ, PATH=os.pathsep.join([str(binaries), str(self.options.bin), os.environ["PATH"]]))
        if noting:
            environment["COVERED"] = str(noting)
        command = ["kilter", "test", mapping, "--jobs", self.options.jobs, "--report", self.work / report, "--json", *more]
        return json.loads(run(command, env=environment, cwd=mapping.parent))

    def full(self, mapping, tree, binaries, n_cases):
        """Runs all tests after the change. The unpatched side is the same in all scenarios, and is run only once."""
        if self.patched_side() == "before" and mapping in self.options.full:
            return self.options.full[mapping]
        sample = self.options.sample
        found = {"cases": n_cases, "passed": n_cases, "seconds": 0}
        if sample:
            found = self.test(tree / mapping, binaries, f"full-{mapping.stem}", "--shard", f"1/{sample}")
            found["seconds"] *= sample
            found["passed"] += n_cases - found["cases"]
            found["cases"] = n_cases
        if self.patched_side() == "before":
            self.options.full[mapping] = found
        return found

    def one(self, mapping, before, after, bins):
        """Measures one mapping."""
        suite = self.work / f"{mapping.stem}.jsonl"
        command = [self.options.bin / "kilter", "diff", "--old", before / mapping, "--new", after / mapping, "--out", suite]
        row = {"diff": json.loads(run([*command, "--cache", self.options.work / "graphs", "--json"], cwd=self.work))}
        row["full"] = self.full(mapping, after, bins["after"], row["diff"]["full_tests"])
        if row["diff"]["tests"]:
            notes = self.work / "covered"
            row["selected"] = self.test(after / mapping, bins["after"], f"selected-{mapping.stem}", "--suite", suite, noting=notes)
            if "finding" in self.about:
                row["old"] = self.test(after / mapping, bins["before"], f"old-{mapping.stem}", "--suite", suite)
        return row

    def measure(self):
        """Measures all mappings, one by one."""
        before, after = self.tree("before"), self.tree("after")
        bins = {side: self.binary(side) for side in ("before", "after")}
        (self.work / "covered").unlink(missing_ok=True)
        return [self.one(mapping, before, after, bins) for mapping in self.mappings]

    def related(self):
        """The functions that the change touches, and those of them that ran."""
        before, after = (covered.functions(self.work / side / self.about["source"]) for side in ("before", "after"))
        touched = {name for name, text in after.items() if before.get(name) != text}
        notes = self.work / "covered"
        ran = set(notes.read_text().splitlines()) if notes.is_file() else set()
        return touched, touched & ran


def is_expected(finding, about):
    return all(finding[key] == value for key, value in about["finding"].items())


def total(rows, part, key):
    return sum(row[part][key] for row in rows if part in row)


def line(scenario, rows):
    """Returns a row of the table, and whether its results are as expected."""
    n_full, n_selected = total(rows, "full", "cases"), total(rows, "selected", "cases")
    full_s, selected_s = total(rows, "full", "seconds"), total(rows, "selected", "seconds")
    saved = 100 * (1 - n_selected / n_full)
    saved_time = f"{100 * (1 - selected_s / full_s):.2f} %" if full_s else "–"
    fine = total(rows, "full", "passed") == n_full and total(rows, "selected", "passed") == n_selected
    touched, ran = scenario.related()
    related = f"{len(ran)} of {len(touched)}" if touched else "–"
    if touched - ran:
        print(f"{scenario.name}: these did not run: {', '.join(sorted(touched - ran))}", file=sys.stderr)
    triggered, share = "–", "–"
    if "finding" in scenario.about:
        findings = [(number, finding) for number, row in enumerate(rows) if "old" in row for finding in row["old"]["findings"]]
        is_triggered = any(is_expected(finding, scenario.about) for _, finding in findings)
        n_cases = len({(number, finding["case"]) for number, finding in findings})
        triggered, share = ("yes" if is_triggered else "NO"), f"{100 * n_cases / max(1, n_selected):.1f} %"
        fine &= is_triggered
    cells = [
        scenario.name, scenario.about["paper"], f"{n_full:,}", f"{n_selected:,}", f"{saved:.2f} %", f"{full_s:.1f} s", f"{selected_s:.1f} s",
        saved_time, related, triggered, share, "" if fine else "!",
    ]
    print("| " + " | ".join(cells) + " |", flush=True)
    return fine, saved


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", type=pathlib.Path, default=ROOT / "target" / "release")
    parser.add_argument("--work", type=pathlib.Path, default=ROOT / "target" / "changes")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--only", default="")
    parser.add_argument("--sample", type=int, default=1)
    options = parser.parse_args()
    options.bin, options.work, options.files = options.bin.resolve(), options.work.resolve(), tracked()
    options.built, options.full = set(), {}
    wanted = options.only.split(",") if options.only else []
    print("| scenario | paper | cases, full | selected | fewer | time, full | selected | less | related code covered | bug triggered | by | |")
    print("| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | --- | --- | ---: | --- |", flush=True)
    all_fine, all_saved = True, []
    for folder in sorted(CHANGES.iterdir()):
        if not (folder / "scenario.toml").is_file() or (wanted and folder.name.split("-")[0] not in wanted):
            continue
        scenario = Scenario(folder, options)
        fine, saved = line(scenario, scenario.measure())
        all_fine &= fine
        all_saved.append(saved)
    print(f"\n{sum(all_saved) / max(1, len(all_saved)):.2f} % fewer cases on average; the paper has 74.83 %.")
    sys.exit(0 if all_fine else 1)


if __name__ == "__main__":
    main()
