#!/usr/bin/env python3
"""What does `kilter explore` find in libraries of consensus, and in the lock service, without a specification, and does it find a seeded bug?

    bench/explorations.py [--system NAME]… [--limit SECONDS]

--system  one of those of the table below; can be given again [default: all]
--limit   how long each exploration may take [default: 60]

`kilter` and `raft-rs-node` must be in the PATH, and what the README of each system asks for must be installed. It fails if an exploration finds
what it should not. A bug that is not found in the time that there is, is told and is no failure, since random sequences may miss it.
"""

import argparse
import dataclasses
import json
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent


@dataclasses.dataclass
class Exploration:
    system: str
    file: str
    bug: dict  # what builds or switches the bug in, in the environment; empty if there is none
    program: str = "kilter"
    build: str = ""  # a command, if `kilter explore` does not build the system itself
    more: tuple = ()
    known: tuple = ()  # words of what is found without a bug, too
    env: dict = dataclasses.field(default_factory=dict)


EXPLORATIONS = [
    Exploration("etcd-raft", "explore.toml", {}),
    Exploration("etcd-raft", "explore-safety.toml", {"ETCD_RAFT_BUG": "forgotten-vote"}),
    Exploration("hashicorp-raft", "explore.toml", {"HASHICORP_RAFT_BUG": "two-votes"}),
    Exploration("hashicorp-raft", "explore-safety.toml", {"HASHICORP_RAFT_BUG": "two-votes"}),
    Exploration("hashicorp-raft", "explore-stored.toml", {"HASHICORP_RAFT_BUG": "told-again"}),
    Exploration("libraft", "explore.toml", {"BUG": "votes_twice"}, build="systems/libraft/build"),
    Exploration("libraft", "explore-safety.toml", {"BUG": "forgets_term"}, build="systems/libraft/build"),
    Exploration("raft-rs", "explore.toml", {}),
    Exploration("pysyncobj", "explore.toml", {"PYSYNCOBJ": "0.3.11"}, env={"PYSYNCOBJ": "0.3.17"}, build="systems/pysyncobj/setup", more=("--jobs", "2")),
    Exploration("lock", "explore.toml", {"LOCK_BUG": "1"}, build="systems/lock/build"),
    Exploration("openraft", "explore.toml", {"OPENRAFT_BUG": "smaller-votes"}, "systems/openraft/kilter-openraft", "systems/openraft/build"),
    Exploration("async-raft", "explore.toml", {"ASYNC_RAFT_BUG": "no-check"}, "systems/async-raft/kilter-async-raft", "systems/async-raft/build",
                known=("what is applied", "what is committed")),
]


def run(command, env):
    return subprocess.run(command, cwd=ROOT, env={**os.environ, **env}, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def explore(exploration, env, limit_s):
    """Builds and explores. Returns the answer."""
    if exploration.build:
        built = run([exploration.build], env)
        if built.returncode:
            sys.exit(f"{exploration.build} ended with {built.returncode}: {built.stderr[-800:]}")
    with tempfile.TemporaryDirectory() as report:
        config = f"systems/{exploration.system}/{exploration.file}"
        command = [exploration.program, "explore", config, "--time-max", f"{limit_s}s", "--report", report, "--json", "--quiet", *exploration.more]
        done = run(command, env)
    if done.returncode not in (0, 1):
        sys.exit(f"{' '.join(command)} ended with {done.returncode}: {done.stderr[-800:]}")
    return json.loads(done.stdout)


def told(said):
    found = sorted({finding["summary"] for finding in said["findings"]})
    failing = sum(group["findings"] for group in said["groups"])
    return f"{'; '.join(found)} ({failing})" if found else "nothing"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--system", action="append", choices=sorted({one.system for one in EXPLORATIONS}), default=[])
    parser.add_argument("--limit", type=int, default=60)
    options = parser.parse_args()
    wrong = []
    print("| exploration | sequences | events | found | with the bug | sequences | found |")
    print("| --- | ---: | ---: | --- | --- | ---: | --- |", flush=True)
    for one in EXPLORATIONS:
        if options.system and one.system not in options.system:
            continue
        name = f"{one.system}/{one.file}"
        said = explore(one, one.env, options.limit)
        row = [f"`{name}`", f"{said['sequences']:,}", f"{said['events']:,}", told(said)]
        surprises = [finding["summary"] for finding in said["findings"] if not any(word in finding["summary"] for word in one.known)]
        wrong += [f"{name} finds what it should not: {text}" for text in sorted(set(surprises))]
        if one.bug:
            found = explore(one, {**one.env, **one.bug}, options.limit)
            row += [f"`{' '.join(one.bug.values())}`", f"{found['sequences']:,}", told(found)]
        else:
            row += ["–", "–", "–"]
        print("| " + " | ".join(row) + " |", flush=True)
        if one.build and one.bug:
            run([one.build], one.env)  # so that no bug is left in
    print("\n" + ("\n".join(wrong) or "All is as expected."))
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
