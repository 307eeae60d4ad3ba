#!/usr/bin/env python3
"""Change scenarios: how much of a full run does `kilter diff` save, and does it still find what was fixed?

    cargo build --release
    python3 bench/changes.py            # what is selected
    python3 bench/changes.py --run      # and how long both suites take, and which selected cases show the bug in the old code

Prints what Table 3 of the paper prints. Each scenario is a patch in bench/changes, from what is in the repository now to how it was before
the change (or, for what is not in the repository, to how it will be). Bugs of our systems can be switched on, so the old code of a fixed bug is run
by switching it on.
"""

import argparse
import dataclasses
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
PATCHES = ROOT / "bench/changes"


@dataclasses.dataclass
class Scenario:
    name: str
    about: str
    mapping: str | None = None
    old: str | None = None  # a patch that undoes the change
    new: str | None = None  # a patch that makes it
    bug: dict = dataclasses.field(default_factory=dict)  # the environment that switches it on
    old_spec: tuple = ()  # module and configuration of the old specification, if other than the mapping's
    new_spec: tuple = ()


SCENARIOS = [
    Scenario("raft#1", "feature: snapshots at any time", "systems/raft/compaction.toml", old="manual-snapshots"),
    Scenario(
        "raft#2", "refinement: pre-vote", new="pre-vote",
        old_spec=("Raft.tla", "UpdateTerm.cfg"), new_spec=("Raft.tla", "UpdateTerm.cfg"),
    ),
    Scenario("raft#3", "fix: answers count, not voters", "systems/raft/election.toml", old="vote-count", bug={"RAFT_BUG": "vote-count"}),
    Scenario("raft#4", "fix: vote not stored", "systems/raft/election5.toml", old="vote-not-persisted", bug={"RAFT_BUG": "vote-not-persisted"}),
    Scenario("raft#5", "fix: no-op taken for freshness", "systems/raft/election5.toml", old="noop-freshness", bug={"RAFT_BUG": "noop-freshness"}),
    Scenario("raft#6", "fix: answers of newer terms ignored", "systems/raft/election.toml", old="response-term", bug={"RAFT_BUG": "response-term"}),
    Scenario("raft#7", "fix: commit index from the snapshot", "systems/raft/compaction.toml", old="snapshot-commit", bug={"RAFT_BUG": "snapshot-commit"}),
    Scenario("cache#1", "fix: a number is not larger than itself", "systems/cache/kilter.toml", old="cache-strict", bug={"CACHE_BUG": "strict"}),
    Scenario(
        "raft-spec#1", "specification fix: UpdateTerm as an action",
        old_spec=("UpdateTerm.tla", "UpdateTerm.cfg"), new_spec=("Raft.tla", "UpdateTerm.cfg"),
    ),
    Scenario(
        "raft-spec#2", "specification fix: no answer to AppendEntries",
        old_spec=("MissingReply.tla", "MissingReply.cfg"), new_spec=("Raft.tla", "MissingReply.cfg"),
    ),
]


def version(scenario, which, folder, args):
    """A copy of specifications and systems as they were before or after the change; what to compare in it."""
    shutil.copytree(ROOT / "specs", folder / "specs")
    shutil.copytree(ROOT / "systems", folder / "systems", ignore=shutil.ignore_patterns(".kilter", "python", "__pycache__"))
    patch = getattr(scenario, which)
    if patch:
        text = (PATCHES / f"{patch}.patch").read_text()
        subprocess.run(["patch", "--quiet", "-p1"], input=text, cwd=folder, text=True, check=True)
    spec = getattr(scenario, f"{which}_spec")
    if spec:
        module, config = (folder / "specs/Raft" / name for name in spec)
        if module.name == "Raft.tla":
            # The corrected specification has neither the broken formula nor the switch.
            config.write_text(config.read_text().replace("BrokenSpec", "Spec").replace("CandidateAnswersAtOnce <- No", ""))
        return [module, config]
    mapping = folder / scenario.mapping
    mapping.write_text(mapping.read_text().replace("../../target/release/", f"{pathlib.Path(args.kilter).resolve().parent}/"))
    return [mapping]


def kilter(args, command, **env):
    """The JSON that a command answers, whatever it has found."""
    path = str(pathlib.Path(args.kilter).resolve().parent) + os.pathsep + os.environ["PATH"]
    started = time.monotonic()
    done = subprocess.run([args.kilter, *map(str, command), "--json"], capture_output=True, text=True, env={**os.environ, "PATH": path, **env})
    if done.returncode not in (0, 1):
        sys.exit(f"kilter {' '.join(map(str, command))}\n{done.stderr}")
    return json.loads(done.stdout), time.monotonic() - started


def touches(suite, changed):
    """Whether the selected cases take every action whose code was changed and which the model takes."""
    taken = {step["action"] for line in suite.read_text().splitlines()[1:] for step in json.loads(line)["steps"]}
    return changed <= taken


def measure(scenario, args, folder):
    old, new = (version(scenario, which, folder / which, args) for which in ["old", "new"])
    cache, suite = folder / "cache", folder / "selected.suite"
    cache.mkdir()
    told, _ = kilter(args, ["diff", "--old", *old, "--new", *new, "--cache", cache, "--out", suite, *args.option])
    graph = max(cache.glob("graph-*.kilter"), key=lambda path: path.stat().st_mtime)
    dfs, _ = kilter(args, ["suite", graph, "--algorithm", "dfs"])
    info, _ = kilter(args, ["graph", "info", graph])
    code = {change["name"] for change in told["changes"] if change["kind"] == "code" and info["actions"].get(change["name"])}
    row = {
        "scenario": scenario.name, "about": scenario.about, "dfs": dfs["tests"], "full": told["full_tests"], "full_steps": told["full_steps"],
        "selected": told["tests"], "steps": told["steps"], "reduction": 100 * told["reduction"], "seconds": told["seconds"],
        "unattributed": len(told["unattributed"]), "actions": sorted(code), "covered": touches(suite, code) if code else None,
    }
    if args.run and scenario.bug:
        test = ["test", *new, "--report", cache, "--jobs", args.jobs]
        found, _ = kilter(args, [*test, "--suite", suite], **scenario.bug)
        row["triggered"] = len({finding["case"] for finding in found["findings"]})
        row["ran"] = found["cases"]
        fixed, selected_s = kilter(args, [*test, "--suite", suite])
        row["selected_s"], row["passes"] = selected_s, not fixed["findings"]
        if args.full:
            _, row["full_s"] = kilter(args, test)
    return row


def show(rows):
    print("| scenario | change | Mocket's traversal | full | selected | fewer tests | steps full | steps selected | code covered | bug triggered by | time full | time selected |")
    print("| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | --- | ---: | ---: | ---: |")
    for row in rows:
        covered = {None: "–", True: "yes", False: "NO"}[row["covered"]]
        triggered = f"{row['triggered']:,} of {row['ran']:,} cases" if "triggered" in row else "–"
        seconds = [f"{row[key]:.1f} s" if key in row else "–" for key in ["full_s", "selected_s"]]
        print(
            f"| {row['scenario']} | {row['about']} | {row['dfs']:,} | {row['full']:,} | {row['selected']:,} | {row['reduction']:.2f} % "
            f"| {row['full_steps']:,} | {row['steps']:,} | {covered} | {triggered} | {seconds[0]} | {seconds[1]} |"
        )
    average = sum(row["reduction"] for row in rows) / len(rows)
    against = sum(100 * (1 - row["selected"] / row["dfs"]) for row in rows) / len(rows)
    print(f"\n{len(rows)} scenarios: {average:.2f} % fewer tests on average than the full suite, {against:.2f} % fewer than Mocket's traversal")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kilter", default=str(ROOT / "target/release/kilter"))
    parser.add_argument("--only", nargs="*", help="names of scenarios")
    parser.add_argument("--run", action="store_true", help="run the selected cases, with the bug and without")
    parser.add_argument("--full", action="store_true", help="with --run: run all cases as well")
    parser.add_argument("--jobs", default="2")
    parser.add_argument("--option", action="append", default=[], help="another option of kilter diff")
    args = parser.parse_args()
    rows = []
    for scenario in SCENARIOS:
        if args.only and scenario.name not in args.only:
            continue
        with tempfile.TemporaryDirectory() as folder:
            rows.append(measure(scenario, args, pathlib.Path(folder)))
        print(json.dumps(rows[-1]), file=sys.stderr, flush=True)
    show(rows)
    bad = [row["scenario"] for row in rows if row["covered"] is False or row.get("triggered") == 0 or row.get("passes") is False]
    if bad:
        print("not as it should be: " + ", ".join(bad))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
