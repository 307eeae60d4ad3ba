#!/usr/bin/env python3
"""Follows the sample log of etcd's raft by etcd's own specification, and compares the time with that of TLC with etcd's trace specification.

    bench/follow_etcd.py --tla DIR --bin target/release [--tlc CLASSPATH] [--lines 4888] [--rounds 3]

DIR is the folder `tla` of a checkout of etcd-io/raft. CLASSPATH has TLC and the CommunityModules with what they need. The mapping is bench/etcd.
"""

import argparse
import json
import os
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

MAPPING = Path(__file__).resolve().parent / "etcd"

# Names of mistakes: which line has it, and what is changed in its event.
MISTAKES = {
    "commit index": (lambda event: event["name"] == "Commit", lambda event: add(event["state"], "commit", 1)),
    "number of entries": (lambda event: is_message(event, "ReceiveAppendEntriesRequest", "MsgApp"), lambda event: add(event["msg"], "entries", 1)),
    "term of an entry": (lambda event: is_message(event, "SendAppendEntriesRequest", "MsgApp"), lambda event: add(event["msg"], "logTerm", -1)),
    "answer": (lambda event: is_message(event, "ReceiveAppendEntriesResponse", "MsgAppResp"), lambda event: event["msg"].update(reject=True)),
}


def is_message(event, name, kind):
    return event["name"] == name and event["msg"]["type"] == kind


def add(place, field, number):
    place[field] += number


def timed(command, **more):
    begin = time.monotonic()
    done = subprocess.run(command, capture_output=True, text=True, check=False, **more)
    return time.monotonic() - begin, done


def spoil(lines, begin, is_it, change):
    """The lines with one mistake after `begin`, and its number."""
    for index in range(begin, len(lines)):
        line = json.loads(lines[index])
        if is_it(line["event"]):
            change(line["event"])
            return lines[:index] + [json.dumps(line)] + lines[index + 1:], index + 1
    raise SystemExit("no line can be spoilt")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tla", required=True, type=Path)
    parser.add_argument("--bin", required=True, type=Path, help="the folder of kilter")
    parser.add_argument("--tlc", metavar="CLASSPATH")
    parser.add_argument("--lines", type=int, help="only the first lines of the log")
    parser.add_argument("--rounds", type=int, default=1)
    options = parser.parse_args()
    tla, kilter = options.tla.resolve(), options.bin.resolve() / "kilter"
    lines = (tla / "example.ndjson").read_text().splitlines()[: options.lines]
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        for file in MAPPING.iterdir():
            shutil.copy(file, folder)
        for file in ["etcdraft.tla", "Traceetcdraft.tla", "Traceetcdraft.cfg"]:
            (folder / file).symlink_to(tla / file)
        log = folder / "sample.ndjson"
        log.write_text("\n".join(lines) + "\n")
        for round_ in range(1, options.rounds + 1):
            own, done = timed([kilter, "follow", "kilter.toml", log, "--json"], cwd=folder)
            said = json.loads(done.stdout)
            print(f"round {round_}: kilter {said['verdict']}, {said['lines']} lines, {said['states']} state at most, {own:.1f} s", flush=True)
            if options.tlc:
                command = ["java", "-XX:+UseParallelGC", "-cp", options.tlc, "tlc2.TLC", "-config", "Traceetcdraft.cfg", "Traceetcdraft.tla",
                           "-lncheck", "final", "-metadir", folder / "states", "-fpmem", "0.9"]
                other, done = timed(command, cwd=folder, env={**os.environ, "JSON": str(log)})
                verdict = "accepted" if "No error has been found" in done.stdout else "not accepted"
                print(f"round {round_}: TLC    {verdict}, {other:.1f} s, {other / own:.1f} times as long", flush=True)
        for name, (is_it, change) in MISTAKES.items():
            spoilt, number = spoil(lines, len(lines) // 2, is_it, change)
            log.write_text("\n".join(spoilt) + "\n")
            _, done = timed([kilter, "follow", "kilter.toml", log, "--json"], cwd=folder)
            said = json.loads(done.stdout)
            reason = said["reasons"][0] if said["reasons"] else {}
            why = reason.get("differences") or [reason.get("formula"), reason.get("values")]
            print(f"{name} changed in line {number}: {said['verdict']} at line {said.get('rejected_at', {}).get('line')}: {why}")


if __name__ == "__main__":
    main()
