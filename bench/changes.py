#!/usr/bin/env python3
"""The change scenarios in systems/changes: how much `kilter diff` saves, and whether what it selects still finds what the change fixed.

    bench/changes.py [--bin DIR] [--work DIR] [--jobs N] [--only NUMBER,…]

--bin    where `kilter` is [default: target/release]
--work   where trees, binaries and reports are put [default: target/changes]
--jobs   systems side by side [default: 2]
--only   scenarios by number, such as 03,07

Each scenario is a patch that applies to this repository, forwards or backwards: the system and the specification before and after a
change. Prints the columns of iMocket's Table 3. Times are those of the test runs, without checking and selecting; "triggered" is how many of the
selected cases find something in the code before the change.
"""

import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tomllib

ROOT = pathlib.Path(__file__).resolve().parent.parent
CHANGES = ROOT / "systems" / "changes"


def run(command, **more):
    """Runs a command that must not fail but by findings."""
    done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, text=True, **more)
    if done.returncode not in (0, 1):
        sys.exit(f"{' '.join(map(str, command))} ended with {done.returncode}")
    return done.stdout


def tracked():
    """All files of the repository, as they are now."""
    listed = run(["git", "ls-files", "-co", "--exclude-standard", "-z"], cwd=ROOT).split("\0")
    return [name for name in listed if name and (ROOT / name).is_file()]


def copy(names, to):
    """Puts files where they are not yet, or have changed; what is unchanged keeps its time, so that cargo does not build it again."""
    for name in names:
        source, target = ROOT / name, to / name
        if target.is_file() and target.read_bytes() == source.read_bytes():
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(source, target)
        os.utime(target)


class Scenario:
    """A change: its trees before and after, and the binaries of both."""

    def __init__(self, folder, options):
        self.folder, self.options, self.name = folder, options, folder.name
        self.about = tomllib.loads((folder / "scenario.toml").read_text())
        self.patch = folder / "change.patch"
        self.mapping = pathlib.Path(self.about["mapping"])
        self.work = options.work / self.name

    def patched_side(self):
        return "before" if self.about["base"] == "after" else "after"

    def apply(self, to, undo=False):
        backwards = (self.patched_side() == "before") != undo
        run(["patch", "--quiet", "-p1", *(["-R"] if backwards else []), "-i", self.patch], cwd=to)

    def tree(self, side):
        """The specification and the system on one side, with what the scenario says about its code."""
        tree = self.work / side
        shutil.rmtree(tree, ignore_errors=True)
        copy([name for name in self.options.files if name.startswith(("specs/", "systems/"))], tree)
        if side == self.patched_side():
            self.apply(tree)
        mapping = tree / self.mapping
        text = mapping.read_text()
        if "[diff]" not in text:
            events = json.dumps(self.about.get("events", []))
            mapping.write_text(f'{text}\n[diff]\nsource = ["src"]\nevents = {events}\n')
        return mapping

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
        target = self.options.work / "target"
        environment = dict(os.environ, CARGO_TARGET_DIR=str(target), CARGO_PROFILE_RELEASE_LTO="off")
        command = ["cargo", "build", "--quiet", "--release", "-p", self.about["build"], "--bin", self.about["binary"]]
        run(command, cwd=build, env=environment)
        shutil.copy2(target / "release" / self.about["binary"], folder / self.about["binary"])
        if is_patched:
            self.apply(build, undo=True)
        self.options.built.add(folder / self.about["binary"])
        return folder

    def test(self, mapping, binaries, report, *more):
        environment = dict(os.environ, PATH=os.pathsep.join([str(binaries), str(self.options.bin), os.environ["PATH"]]))
        command = ["kilter", "test", mapping, "--jobs", self.options.jobs, "--report", self.work / report, "--json", *more]
        return json.loads(run(command, env=environment, cwd=mapping.parent))

    def measure(self):
        """All figures of a row."""
        before, after = self.tree("before"), self.tree("after")
        bins = {side: self.binary(side) for side in ("before", "after")}
        suite = self.work / "selected.jsonl"
        command = [self.options.bin / "kilter", "diff", "--old", before, "--new", after, "--out", suite]
        row = {"diff": json.loads(run([*command, "--cache", self.options.work / "graphs", "--json"], cwd=self.work))}
        row["full"] = self.test(after, bins["after"], "full")
        if row["diff"]["tests"]:
            row["selected"] = self.test(after, bins["after"], "selected", "--suite", suite)
            if "finding" in self.about:
                row["old"] = self.test(after, bins["before"], "old", "--suite", suite)
        return row


def is_expected(finding, about):
    return all(finding[key] == value for key, value in about["finding"].items())


def line(scenario, row):
    """A row of the table, and whether all is well with it."""
    full, selected = row["full"], row.get("selected", {"cases": 0, "passed": 0, "seconds": 0.0})
    saved = 100 * (1 - selected["cases"] / full["cases"])
    saved_time = 100 * (1 - selected["seconds"] / full["seconds"])
    fine = full["passed"] == full["cases"] and selected["passed"] == selected["cases"]
    covered = row["diff"].get("covered_edges", row["diff"].get("affected_edges")) == row["diff"].get("affected_edges")
    triggered, share = "–", "–"
    if "finding" in scenario.about:
        findings = row.get("old", {"findings": []})["findings"]
        is_triggered = any(is_expected(finding, scenario.about) for finding in findings)
        n_cases = len({finding["case"] for finding in findings})
        triggered, share = ("yes" if is_triggered else "NO"), f"{100 * n_cases / max(1, selected['cases']):.1f} %"
        fine &= is_triggered
    cells = [
        scenario.name, scenario.about["paper"], f"{full['cases']:,}", f"{selected['cases']:,}", f"{saved:.2f} %", f"{full['seconds']:.1f} s",
        f"{selected['seconds']:.1f} s", f"{saved_time:.2f} %", "yes" if covered else "NO", triggered, share, "" if fine else "!",
    ]
    print("| " + " | ".join(cells) + " |", flush=True)
    return fine and covered, saved


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", type=pathlib.Path, default=ROOT / "target" / "release")
    parser.add_argument("--work", type=pathlib.Path, default=ROOT / "target" / "changes")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    options.bin, options.work, options.files = options.bin.resolve(), options.work.resolve(), tracked()
    options.built = set()
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
