#!/usr/bin/env python3
"""Tests Kilter's Raft against its specification: full suites of the correct system, then each bug until it is found, and its shortest case.

    bench/raft.py [--bin DIR] [--jobs N] [--only NAME,…]

--bin    where `kilter` and `raft-node` are [default: target/release]
--jobs   clusters side by side [default: 2]
--only   rows by name, such as election,vote-count
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SYSTEM = os.path.join(ROOT, "systems", "raft")

SCENARIOS = ["election", "replication", "conflict", "compaction", "election5"]

# Name, mapping, name in Table 2 of the paper, and the expected finding: kind, action, variable.
BUGS = [
    ("vote-count", "election", "Xraft 1", "inconsistent-state", "HandleRequestVoteResponse", "votesGranted"),
    ("vote-not-persisted", "election5", "Xraft 2", "inconsistent-state", "Restart", "votedFor"),
    ("noop-freshness", "election5", "Xraft 3", "unexpected-action", "HandleRequestVoteResponse", None),
    ("response-term", "election", "Raft-java 1", "missing-action", "HandleRequestVoteResponse", None),
    ("snapshot-commit", "compaction", "Raft-java 2", "inconsistent-state", "Restart", "log"),
    ("", "missing-reply", "Raft-spec 1", "inconsistent-state", "HandleAppendEntriesRequest", "messages"),
    ("", "update-term", "Raft-spec 2", "missing-action", "UpdateTerm", None),
]


def test(options, mapping, bug, *more):
    """Runs `kilter test`. Returns its answer, and the wall time of all of it: checking, making cases, running them."""
    environment = dict(os.environ, PATH=options.bin + os.pathsep + os.environ["PATH"], RAFT_BUG=bug)
    with tempfile.TemporaryDirectory() as report:
        command = ["kilter", "test", f"{mapping}.toml", "--jobs", str(options.jobs), "--report", report, "--json", *more]
        began = time.monotonic()
        done = subprocess.run(command, cwd=SYSTEM, env=environment, stdout=subprocess.PIPE, text=True)
        if done.returncode not in (0, 1):
            sys.exit(f"{' '.join(command)} ended with {done.returncode}")
        answer = json.loads(done.stdout)
        answer["wall_s"] = time.monotonic() - began
        return answer


def scenarios(options):
    print("| scenario | states | edges | cases | steps | passed | seconds | cases/s | waiting for timeouts, s |")
    print("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
    all_passed = True
    for name in SCENARIOS:
        if options.only and name not in options.only:
            continue
        found = test(options, name, "")
        all_passed &= found["passed"] == found["planned"] == found["cases"]
        print(
            f"| {name} | {found['states']:,} | {found['edges']:,} | {found['cases']:,} | {found['steps']:,} | {found['passed']:,} "
            f"| {found['seconds']:.1f} | {found['cases_per_second']:.0f} | {found['waited_seconds']:.1f} |",
            flush=True,
        )
    return all_passed


def is_expected(finding, kind, action, variable):
    return finding["kind"] == kind and finding["action"] == action and (variable is None or variable in finding["variables"])


def bugs(options):
    print("| bug | in the paper | found as | cases until then | seconds until then | found in a full run | actions in the shortest |")
    print("| --- | --- | --- | ---: | ---: | ---: | ---: |")
    all_found = True
    for bug, mapping, paper, *expected in BUGS:
        if options.only and (bug or mapping) not in options.only:
            continue
        first = test(options, mapping, bug, "--max-findings", "1")
        full = test(options, mapping, bug)
        findings = [finding for finding in full["findings"] if is_expected(finding, *expected)]
        named = first["findings"][:1] if any(is_expected(f, *expected) for f in first["findings"][:1]) else []
        all_found &= bool(findings and named)
        kind, action, variable = expected
        groups = {finding["group"] for finding in findings}
        steps = [group["steps"] for group in full["groups"] if group["group"] in groups]
        print(
            f"| {bug or mapping} ({mapping}) | {paper} | {kind} {variable or action}{'' if named else ': NOT FIRST'} "
            f"| {first['cases']:,} | {first['wall_s']:.1f} | {len(findings):,} of {full['cases']:,} cases "
            f"| {min(steps) if steps else 'NOT FOUND'} |",
            flush=True,
        )
    return all_found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", default=os.path.join(ROOT, "target", "release"))
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--only", type=lambda text: text.split(","), default=[])
    options = parser.parse_args()
    options.bin = os.path.abspath(options.bin)
    all_passed = scenarios(options)
    print()
    all_found = bugs(options)
    sys.exit(0 if all_passed and all_found else 1)


if __name__ == "__main__":
    main()
