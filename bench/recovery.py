#!/usr/bin/env python3
"""Runs the scenarios of ZooKeeper's election and recovery: how many cases a second, and which known bugs are found.

    bench/recovery.py [--kilter FILE] [--jobs N] [--time TIME] [--release RELEASE DIR]… [--only TEXT]… [--by-turns]

--kilter   the program [default: target/release/kilter]
--jobs     clusters side by side [default: 2]
--time     for each scenario [default: 3m]
--release  a release and the folder of its jars (bench/old/zookeeper RELEASE DIR) [default: Debian's 3.8.0]
--only     only rows with one of these texts, such as "3.8.0 Diff"
--by-turns each row a second time, with crashes that kill processes

Needs Debian's packages zookeeper, default-jdk-headless and libasm-java. Prints a table for bench/results.
"""

import argparse
import json
import os
import pathlib
import resource
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
# Each known bug is found by a scenario with the bugs before it in the specification.
OLD = [
    ("Two", ""),
    ("Diff", ""),
    ("Diff", "4643"),
    ("Diff", "4643,4646"),
    ("Crash", "4643,4646,4685,3023"),
    ("Join", "4643,4646,4685,3023,4712"),
    ("OlderSnap", ""),
    ("Diff", "all"),
    ("Crash", "all"),
    ("Loss", "all"),
    ("Trunc", ""),
    ("Snap", ""),
    ("Broadcast", "all"),
    ("Older", "all"),
    ("Disconnect", "all"),
    ("Join", "all"),
]
# Before 3.6.2, a follower writes its log later still (-3911).
OLDEST = [("Two", ""), ("Diff", ""), ("Diff", "4643,4646"), ("Diff", "4643,4646,3911"), ("Diff", "4643,4646,3911,3023"), ("Crash", "4643,4646,3911,3023")]
# Before 3.5, a leader saves nothing when it begins to lead. The last row is with a bug that is put back.
FIRST = [("Two", ""), ("Diff", ""), ("Diff", "2355"), ("Diff", "4643"), ("Diff", "4643,4646"), ("Diff", "4643,4646,3911"), ("Snap", ""), ("Trunc", ""), ("Diff", "all"),
         ("Crash", "all"), ("Broadcast", "all"), ("Older", "all"), ("OlderSnap", "all"), ("Loss", "all"), ("OlderSnap", "all", "--mutation", "1653")]
# From 3.9.3 on, most of them are mended.
NEW = [("Two", ""), ("Diff", ""), ("Crash", ""), ("Trunc", ""), ("Snap", ""), ("Loss", ""), ("Broadcast", ""), ("Older", ""), ("OlderSnap", ""),
       ("Disconnect", ""), ("Join", ""), ("Join", "3023")]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kilter", default=str(ROOT / "target/release/kilter"))
    parser.add_argument("--jobs", default="2")
    parser.add_argument("--time", default="3m")
    parser.add_argument("--release", action="append", nargs=2, default=[])
    parser.add_argument("--only", action="append", default=[])
    parser.add_argument("--by-turns", action="store_true")
    args = parser.parse_args()
    subprocess.run([ROOT / "probes/java/build"], check=True)
    print("| release | scenario | known | cases | passed | steps | edges confirmed | cases a second | processor seconds a case | found |")
    print("| --- | --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | --- |")
    for release, jars in args.release or [("3.8.0", None)]:
        numbers = [int(part) for part in release.split(".")]
        for name, known, *more in rows_of(numbers):
            text = f"{release} {name} {known or 'design'} {' '.join(more)}"
            if not args.only or any(only in text for only in args.only):
                for kill in [[], ["--kill"]] if args.by_turns else [[]]:
                    print(row(args, release, jars, name, known, [*more, *kill]), flush=True)


def rows_of(numbers):
    for before, rows in [([3, 5], FIRST), ([3, 6, 2], OLDEST), ([3, 9, 3], OLD)]:
        if numbers < before:
            return rows
    return NEW


def row(args, release, jars, name, known, more):
    environment = {**os.environ, "KILTER": args.kilter}
    with tempfile.TemporaryDirectory(prefix="kilter-recovery-") as folder:
        chosen = [*(["--known", known] if known else []), *(["--release", release, jars] if jars else []), *more]
        words = [ROOT / "systems/zookeeper/scenario", name, *chosen, "--jobs", args.jobs, "--time-max", args.time, "--report", folder, "--quiet", "--json"]
        before = processor_seconds()
        done = subprocess.run(words, env=environment, capture_output=True, text=True)
        seconds = processor_seconds() - before
    if done.returncode not in (0, 1):
        return f"| {release} | {' '.join([name, *more])} | {known} | {done.stderr.strip().splitlines()[-1:]} |"
    told = json.loads(done.stdout)
    # Findings are looked at again, which are cases, too.
    seconds_a_case = "" if told['groups'] else f"{seconds / told['cases']:.2f}"
    found = ", ".join(sorted(group["group"] for group in told["groups"]))
    return (f"| {release} | {' '.join([name, *more])} | {known.replace(',', ', ') or '–'} | {told['cases']:,} of {told['planned']:,} | {told['passed']:,} | {told['steps']:,} "
            f"| {told['confirmed_edges']:,} of {told['edges']:,} | {told['cases_per_second']:.1f} | {seconds_a_case} | {found} |")


def processor_seconds():
    """Of everything that was started and has ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    main()
