#!/usr/bin/env python3
"""Follows logs of a public project by its own specification, and compares the time with that of TLC with the project's trace specification.

    bench/follow_public.py etcd --tla DIR --bin target/release [--tlc CLASSPATH] [--lines 4888] [--rounds 3]
    bench/follow_public.py ccf --tla DIR --bin target/release [--tlc CLASSPATH] LOG...

DIR has the specification: `tla` in a checkout of etcd-io/raft, which also has the log, and `tla/consensus` in one of microsoft/CCF, whose logs are written by its
tests/raft_scenarios_runner.py and raft_driver, built with CCF_RAFT_TRACING=ON. CLASSPATH has TLC and the CommunityModules with what they need. The mappings are
bench/etcd and bench/ccf. Mistakes are made in the longest log.
"""

import argparse
import dataclasses
import json
import shutil
import tempfile
from pathlib import Path

import harness

TIMEOUT_S = 3600


@dataclasses.dataclass
class Project:
    modules: list  # what its specification and its trace specification consist of
    trace: str  # the trace specification
    variable: str  # of the environment, in which the trace specification looks for the log
    java: list  # options of the JVM and of TLC as the project sets them
    tlc: list
    event: str  # the field of a line that the mistakes are made in
    mistakes: dict  # names of mistakes: which line has it, and what is changed in its event


def is_message(name, kind):
    return lambda event: event["name"] == name and event["msg"]["type"] == kind


def is_call(name, role=None):
    return lambda event: event["function"] == name and role in (None, event["state"]["leadership_state"])


def add(*path, number):
    def change(event):
        for field in path[:-1]:
            event = event[field]
        event[path[-1]] += number

    return change


def flip(place, field):
    return lambda event: event[place].update({field: not event[place][field]})


PROJECTS = {
    "etcd": Project(
        modules=["etcdraft.tla", "Traceetcdraft.tla", "Traceetcdraft.cfg"],
        trace="Traceetcdraft",
        variable="JSON",
        java=[],
        tlc=["-lncheck", "final", "-fpmem", "0.9"],
        event="event",
        mistakes={
            "commit index": (lambda event: event["name"] == "Commit", add("state", "commit", number=1)),
            "number of entries": (is_message("ReceiveAppendEntriesRequest", "MsgApp"), add("msg", "entries", number=1)),
            "term of an entry": (is_message("SendAppendEntriesRequest", "MsgApp"), add("msg", "logTerm", number=-1)),
            "answer": (is_message("ReceiveAppendEntriesResponse", "MsgAppResp"), flip("msg", "reject")),
        },
    ),
    "ccf": Project(
        modules=["ccfraft.tla", "Network.tla", "abs.tla", "MCAliases.tla", "Traceccfraft.tla", "Traceccfraft.cfg"],
        trace="Traceccfraft",
        variable="CCF_RAFT_TRACE",
        java=["-Dtlc2.tool.impl.Tool.cdot=true", "-Dtlc2.tool.queue.IStateQueue=StateDeque"],
        tlc=["-workers", "1", "-checkpoint", "0", "-lncheck", "final"],
        event="msg",
        mistakes={
            "commit index": (is_call("commit", "Leader"), add("args", "idx", number=-1)),
            "number of entries": (is_call("recv_append_entries"), add("packet", "idx", number=1)),
            "vote": (is_call("recv_request_vote_response"), flip("packet", "vote_granted")),
            "term of a candidate": (is_call("become_candidate"), add("state", "current_view", number=1)),
            "last index of a follower": (is_call("send_append_entries_response"), add("state", "last_idx", number=-1)),
        },
    ),
}


def spoil(lines, field, is_it, change):
    """The lines with one mistake in their second half, or else in the last line that can have it, and its number."""
    events = [json.loads(line) for line in lines]
    places = [index for index, line in enumerate(events) if is_it(line[field])]
    if not places:
        raise SystemExit("no line can be spoilt")
    index = next((place for place in places if place >= len(lines) // 2), places[-1])
    change(events[index][field])
    return lines[:index] + [json.dumps(events[index])] + lines[index + 1:], index + 1


def kilter(binary, folder, log):
    done = harness.run([str(binary), "follow", "kilter.toml", str(log), "--json"], folder, TIMEOUT_S)
    return done, json.loads(done.stdout)


def tlc(project, classpath, folder, log):
    command = ["env", f"{project.variable}={log}", "java", "-XX:+UseParallelGC", *project.java, "-cp", classpath, "tlc2.TLC", "-config", f"{project.trace}.cfg", f"{project.trace}.tla",
               *project.tlc, "-metadir", str(folder / "states")]
    done = harness.run(command, folder, TIMEOUT_S)
    return done, "accepted" if "No error has been found" in done.stdout else "not accepted"


def follow(project, options, folder, name, lines):
    log = folder / "log.ndjson"
    log.write_text("\n".join(lines) + "\n")
    for round_ in range(1, options.rounds + 1):
        own, said = kilter(options.kilter, folder, log)
        print(f"{name}, round {round_}: kilter {said['verdict']}, {said['lines']} lines, {said['states']} states at most, {own.wall_s:.1f} s, {own.cpu_s:.1f} s of CPU time", flush=True)
        if options.tlc:
            other, verdict = tlc(project, options.tlc, folder, log)
            print(f"{name}, round {round_}: TLC    {verdict}, {other.wall_s:.1f} s, {other.cpu_s:.1f} s of CPU time", flush=True)


def show_mistakes(project, options, folder, name, lines):
    log = folder / "log.ndjson"
    for mistake, (is_it, change) in project.mistakes.items():
        spoilt, number = spoil(lines, project.event, is_it, change)
        log.write_text("\n".join(spoilt) + "\n")
        _, said = kilter(options.kilter, folder, log)
        reason = said["reasons"][0] if said.get("reasons") else {}
        why = reason.get("differences") or [reason.get("formula"), reason.get("values")]
        print(f"{name}, {mistake} changed in line {number}: {said['verdict']} at line {(said.get('rejected_at') or {}).get('line')}: {why}", flush=True)
        if options.tlc:
            print(f"{name}, {mistake} changed in line {number}: TLC {tlc(project, options.tlc, folder, log)[1]}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("project", choices=PROJECTS)
    parser.add_argument("logs", nargs="*", type=Path, metavar="LOG")
    parser.add_argument("--tla", required=True, type=Path)
    parser.add_argument("--bin", required=True, type=Path, help="the folder of kilter")
    parser.add_argument("--tlc", metavar="CLASSPATH")
    parser.add_argument("--lines", type=int, help="only the first lines of each log")
    parser.add_argument("--rounds", type=int, default=1)
    options = parser.parse_intermixed_args()
    project, tla = PROJECTS[options.project], options.tla.resolve()
    options.kilter = options.bin.resolve() / "kilter"
    files = options.logs or [tla / "example.ndjson"]
    logs = {file.stem: file.read_text().splitlines()[: options.lines] for file in files}
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        for file in (Path(__file__).resolve().parent / options.project).iterdir():
            shutil.copy(file, folder)
        for file in project.modules:
            (folder / file).symlink_to(tla / file)
        for name, lines in logs.items():
            follow(project, options, folder, name, lines)
        show_mistakes(project, options, folder, *max(logs.items(), key=lambda log: len(log[1])))


if __name__ == "__main__":
    main()
