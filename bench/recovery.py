#!/usr/bin/env python3
"""Runs the scenarios of ZooKeeper's recovery: how many cases a second, and which known bugs are found.

    bench/recovery.py [--kilter FILE] [--jobs N] [--time TIME] [--new DIR] [--only TEXT]

--kilter the program [default: target/release/kilter]
--jobs   clusters side by side [default: 2]
--time   for each scenario [default: 3m]
--new    a folder with the jars of 3.9.5 (bench/old/zookeeper 3.9.5 DIR); without it, only Debian's 3.8.0 is tested
--only   only rows with this text, such as "3.8.0 Diff"

Needs Debian's packages zookeeper, default-jdk-headless and libasm-java. Prints a table for bench/results.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
# Each known bug is found by a scenario with the bugs before it in the specification.
OLD = [
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
]
NEW = [("Diff", ""), ("Crash", ""), ("Trunc", ""), ("Snap", ""), ("Loss", ""), ("Broadcast", ""), ("Older", ""), ("OlderSnap", ""), ("Join", ""),
       ("Join", "3023")]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kilter", default=str(ROOT / "target/release/kilter"))
    parser.add_argument("--jobs", default="2")
    parser.add_argument("--time", default="3m")
    parser.add_argument("--new")
    parser.add_argument("--only", default="")
    args = parser.parse_args()
    subprocess.run([ROOT / "probes/java/build"], check=True)
    print("| release | scenario | known | cases | passed | steps | edges confirmed | cases a second | found |")
    print("| --- | --- | --- | ---: | ---: | ---: | ---: | ---: | --- |")
    rows = [("3.8.0", None, *row) for row in OLD] + [("3.9.5", args.new, *row) for row in NEW if args.new]
    for release, jars, name, known in rows:
        if args.only in f"{release} {name} {known}":
            print(row(args, release, jars, name, known), flush=True)


def row(args, release, jars, name, known):
    environment = {**os.environ, "KILTER": args.kilter}
    with tempfile.TemporaryDirectory(prefix="kilter-recovery-") as folder:
        words = [ROOT / "systems/zookeeper/scenario", name, *(["--known", known] if known else []), *(["--release", release, jars] if jars else []), "--jobs", args.jobs, "--time-max", args.time,
                 "--report", folder, "--quiet", "--json"]
        done = subprocess.run(words, env=environment, capture_output=True, text=True)
    if done.returncode not in (0, 1):
        sys.exit(f"{name} {known}: {done.stderr}")
    told = json.loads(done.stdout)
    found = ", ".join(sorted(group["group"] for group in told["groups"]))
    return (f"| {release} | {name} | {known.replace(',', ', ') or '–'} | {told['cases']:,} of {told['planned']:,} | {told['passed']:,} | {told['steps']:,} "
            f"| {told['confirmed_edges']:,} of {told['edges']:,} | {told['cases_per_second']:.1f} | {found} |")


if __name__ == "__main__":
    main()
