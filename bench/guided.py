#!/usr/bin/env python3
"""Asks how many schedules it takes until a kind of resynchronisation is seen, with --guided and at random.

    bench/guided.py [--kilter FILE] [--config FILE] [--kind NAME] [--seeds N] [--sample N] [--jobs N]

--kilter   the program [default: target/debug/kilter]
--config   which store and model [default: systems/converge/toystore-seen.toml]
--kind     the kind of resynchronisation, as [seen] names it [default: trunc-again]
--seeds    how many seeds, from 1 [default: 20]
--sample   how many schedules each sample has [default: 200]
--jobs     clusters side by side [default: 2]

Prints a table for bench/results: for each seed the first schedule that shows the kind, and how many combinations of resynchronisations the whole sample
shows. A sample that does not show the kind counts as one more than it has schedules.
"""

import argparse
import json
import pathlib
import statistics
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent


def play(args, seed, more):
    """Returns the place of the first schedule that shows the kind, and the number of combinations."""
    with tempfile.TemporaryDirectory() as report:
        command = [args.kilter, "converge", args.config, "--sample", str(args.sample), "--seed", str(seed), "--jobs", args.jobs, "--shrink", "0"]
        ran = subprocess.run([*command, "--report", report, "--json", "--quiet", *more], cwd=ROOT, capture_output=True, text=True)
        answer = json.loads(ran.stdout)
        if answer["run"] != args.sample:
            raise SystemExit(f"{answer['run']} of {args.sample} schedules were run: {ran.stderr}")
        lines = (json.loads(line) for line in (pathlib.Path(report) / "record.jsonl").open())
        cases = [line for line in lines if line.get("event") == "case"]
    shows = [case.get("counters", {}).get("distinct", {}).get("resynchronisations", [""])[0] for case in cases]
    places = [place for place, shown in enumerate(shows, 1) if args.kind in shown.replace(", ", "+").split("+")]
    return (places or [args.sample + 1])[0], len(places), answer["distinct_resynchronisations"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kilter", default=str(ROOT / "target/debug/kilter"))
    parser.add_argument("--config", default="systems/converge/toystore-seen.toml")
    parser.add_argument("--kind", default="trunc-again")
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--sample", type=int, default=200)
    parser.add_argument("--jobs", default="2")
    args = parser.parse_args()
    print(f"| seed | first `{args.kind}`, guided | at random | schedules with it, guided | at random | combinations, guided | at random |")
    print("| ---: " * 7 + "|")
    columns = [[] for _ in range(6)]
    for seed in range(1, args.seeds + 1):
        guided, random = play(args, seed, ["--guided"]), play(args, seed, [])
        row = [number for pair in zip(guided, random) for number in pair]
        for column, number in zip(columns, row):
            column.append(number)
        print(f"| {seed} | " + " | ".join(map(str, row)) + " |", flush=True)
    for name, mean in [("mean", statistics.mean), ("median", statistics.median)]:
        print(f"| {name} | " + " | ".join(f"{mean(column):.1f}" for column in columns) + " |")


if __name__ == "__main__":
    main()
