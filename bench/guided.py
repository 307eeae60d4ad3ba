#!/usr/bin/env python3
"""Asks how many schedules it takes until a kind of resynchronisation is seen, with --guided and at random.

    bench/guided.py [--kilter FILE] [--config FILE] [--kind NAME] [--seeds N] [--sample N] [--jobs N]

--kilter   the program [default: target/debug/kilter]
--config   which store and model [default: systems/converge/toystore-seen.toml]
--kind     the kind of resynchronisation, as [seen] names it [default: trunc-again]
--seeds    how many seeds, from 1 [default: 20]
--sample   how many schedules each sample has [default: 300]
--jobs     clusters side by side [default: 2]

Prints a table for bench/results: for each seed the first schedule that shows the kind. A sample ends there. One that does not show the kind counts as one
more than it has schedules.
"""

import argparse
import json
import pathlib
import signal
import statistics
import subprocess
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent


def first(record, kind):
    """The place of the first schedule that shows the kind, and the number of schedules that have ended. Schedules are recorded in the order in which they were chosen."""
    lines = [json.loads(line) for line in record.read_text().splitlines(True) if line.endswith("\n")] if record.exists() else []
    cases = [line for line in lines if line.get("event") == "case"]
    shows = [case.get("counters", {}).get("distinct", {}).get("resynchronisations", [""])[0] for case in cases]
    places = [place for place, shown in enumerate(shows, 1) if kind in shown.replace(", ", "+").split("+")]
    return places[0] if places else None, len(cases)


def play(args, seed, more):
    """Returns the place of the first schedule that shows the kind."""
    with tempfile.TemporaryDirectory() as report:
        command = [args.kilter, "converge", args.config, "--sample", str(args.sample), "--seed", str(seed), "--jobs", args.jobs, "--shrink", "0"]
        ran = subprocess.Popen([*command, "--report", report, "--json", "--quiet", *more], cwd=ROOT, stdout=subprocess.DEVNULL)
        record = pathlib.Path(report) / "record.jsonl"
        while ran.poll() is None and first(record, args.kind)[0] is None:
            time.sleep(0.2)
        ran.send_signal(signal.SIGINT)
        ran.wait()
        place, n_cases = first(record, args.kind)
    if place is None and n_cases < args.sample:
        raise SystemExit(f"{n_cases} of {args.sample} schedules were run")
    return place or args.sample + 1


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kilter", default=str(ROOT / "target/debug/kilter"))
    parser.add_argument("--config", default="systems/converge/toystore-seen.toml")
    parser.add_argument("--kind", default="trunc-again")
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--sample", type=int, default=300)
    parser.add_argument("--jobs", default="2")
    args = parser.parse_args()
    print(f"| seed | first `{args.kind}`, guided | at random |\n| ---: | ---: | ---: |")
    rows = []
    for seed in range(1, args.seeds + 1):
        rows.append((play(args, seed, ["--guided"]), play(args, seed, [])))
        print(f"| {seed} | {rows[-1][0]} | {rows[-1][1]} |", flush=True)
    for name, mean in [("mean", statistics.mean), ("median", statistics.median)]:
        print(f"| {name} | " + " | ".join(f"{mean(column):.1f}" for column in zip(*rows)) + " |")


if __name__ == "__main__":
    main()
