#!/usr/bin/env python3
"""Explores real Java systems, unchanged: how many sequences each search tries, how fast, and whether seeded bugs are found.

    bench/java_explore.py [--kilter FILE] [--time TIME] [--only TEXT] [--bugs | --sequences]

--kilter    the program [default: target/release/kilter]
--time      limit for each line of the tables [default: 40s]
--only      only lines with this text
--bugs      only the seeded bugs
--sequences only the numbers of sequences

Needs default-jdk-headless, libasm-java, npm, and the jars:

    bench/old/cassandra 2.1.0 systems/cassandra/jars
    bench/old/zookeeper 3.4.14 systems/zookeeper/jars/3.4.14

Prints tables for bench/results. The exit code is 1 if a system without a seeded bug has findings.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
GMS = "org.apache.cassandra.gms"
QUORUM = "org.apache.zookeeper.server.quorum"
FLE = f"{QUORUM}.FastLeaderElection"

# What is explored: name, configuration, options.
SUBJECTS = [
    ("GS, two nodes, one fault", "cassandra/explore.toml", ["--faults", "1"]),
    ("GS, two whole nodes", "cassandra/daemon.toml", []),
    ("GS, two whole nodes, one fault", "cassandra/daemon.toml", ["--faults", "1"]),
    ("GS, three nodes", "cassandra/explore3.toml", []),
    ("GS, three nodes, one fault, depth 30", "cassandra/explore3.toml", ["--depth", "30", "--faults", "1"]),
    ("GS, two nodes, one crash anywhere, restart", "cassandra/restart.toml", []),
    ("ZLE, three servers", "zookeeper/explore-3.4.14-fast.toml", []),
    ("ZLE, three servers, one fault", "zookeeper/explore-3.4.14-crash.toml", []),
    ("ZAB, three servers, one write", "zookeeper/explore-3.4.14-zab.toml", []),
    ("ZLE, five servers", "zookeeper/explore-3.4.14-five.toml", []),
]
# PRP is the paper's rule.
SEARCHES = [("DFS", ["--search", "dfs"]), ("PRP", ["--search", "dfs", "--peers=claimed"]), ("DPOR", ["--search", "dpor"])]


def left_out(method, call, nth=None):
    return {"in": method, "do": "leave-out", "call": call, **({"nth": nth} if nth else {})}


def returned(method, value):
    return {"in": method, "do": "return", "value": value}


RANDOM = ["--search", "random", "--seed", "1"]
# Seeded bugs: what is wrong, configuration, mutation, and how to search if not by DPOR.
BUGS = [
    ("ignores the states in an Ack2", "cassandra/explore.toml", left_out(f"{GMS}.GossipDigestAck2VerbHandler.doVerb", "Gossiper.applyStateLocally")),
    ("ignores the states in an Ack", "cassandra/explore.toml", left_out(f"{GMS}.GossipDigestAckVerbHandler.doVerb", "Gossiper.applyStateLocally")),
    ("does not ask for nodes that it does not know", "cassandra/explore.toml", left_out(f"{GMS}.Gossiper.examineGossiper", "Gossiper.requestAll", 2)),
    ("does not store the state of a new node", "cassandra/explore.toml", left_out(f"{GMS}.Gossiper.applyStateLocally", "Gossiper.handleMajorStateChange", 2)),
    ("does not ask whether a new node is there", "cassandra/alive.toml", left_out(f"{GMS}.Gossiper.markAlive", "MessagingService.sendRR")),
    ("ignores a new generation", "cassandra/explore.toml", left_out(f"{GMS}.Gossiper.applyStateLocally", "Gossiper.handleMajorStateChange", 1)),
    ("ignores a new generation", "cassandra/restart.toml", left_out(f"{GMS}.Gossiper.applyStateLocally", "Gossiper.handleMajorStateChange", 1)),
    ("ignores the states in an Ack2", "cassandra/daemon.toml", left_out(f"{GMS}.GossipDigestAck2VerbHandler.doVerb", "Gossiper.applyStateLocally")),
    ("does not store the state of a new node", "cassandra/daemon.toml", left_out(f"{GMS}.Gossiper.applyStateLocally", "Gossiper.handleMajorStateChange", 2)),
    ("no vote is better than another", "zookeeper/explore-3.4.14-fast.toml", returned(f"{FLE}.totalOrderPredicate", False)),
    ("every vote is better", "zookeeper/explore-3.4.14-fast.toml", returned(f"{FLE}.totalOrderPredicate", True)),
    ("does not tell that it has heard of a better server", "zookeeper/explore-3.4.14-fast.toml", left_out(f"{FLE}.lookForLeader", "FastLeaderElection.sendNotifications", 4)),
    ("a better vote that comes late is thrown away", "zookeeper/explore-3.4.14-fast.toml", left_out(f"{FLE}.lookForLeader", "LinkedBlockingQueue.put"), RANDOM),
    ("one vote is a quorum", "zookeeper/explore-3.4.14-leader.toml", returned(f"{FLE}.termPredicate", True)),
    ("the leader does not commit", "zookeeper/explore-3.4.14-zab.toml", left_out(f"{QUORUM}.Leader.processAck", "Leader.commit")),
    ("acknowledgements are not counted", "zookeeper/explore-3.4.14-zab.toml", left_out(f"{QUORUM}.Leader.processAck", "HashSet.add")),
    ("a follower ignores commits", "zookeeper/explore-3.4.14-zab.toml", left_out(f"{QUORUM}.Follower.processPacket", "FollowerZooKeeperServer.commit")),
]


def explore(args, config, options):
    """Runs kilter, and gives what it says. The record goes where nobody looks for another."""
    with tempfile.TemporaryDirectory() as report:
        command = [args.kilter, "explore", config, *options, "--time-max", args.time, "--report", report, "--json", "--quiet"]
        done = subprocess.run(list(map(str, command)), stdout=subprocess.PIPE, text=True)
    if done.returncode not in (0, 1):
        sys.exit(f"kilter ended with {done.returncode}: {done.stdout}")
    return json.loads(done.stdout)


def with_bug(config, mutation):
    """Copies of the configuration and its table, beside them because they name files from there."""
    lines = config.read_text().splitlines()
    table = next(line for line in lines if line.startswith("java = ")).split('"')[1]
    bug = "\n[[mutations]]\n" + "".join(f"{key} = {json.dumps(value)}\n" for key, value in mutation.items())
    new_table, new_config = (config.with_name(f"seeded-{os.getpid()}{end}.toml") for end in ("-agent", ""))
    new_table.write_text((config.parent / table).read_text() + bug)
    new_config.write_text(config.read_text().replace(f'"{table}"', f'"{new_table.name}"'))
    return new_table, new_config


def sequences(args):
    failed = False
    print("\n| protocol | search | depth | sequences | failing | late | states | events/s | sequences/s |")
    print("| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
    for what, config, options in SUBJECTS:
        for name, search in SEARCHES:
            if args.only in f"{what} {name}":
                said = explore(args, ROOT / "systems" / config, [*options, *search])
                failed |= said["failing_sequences"] > 0
                n, seconds = said["sequences"], said["seconds"]
                more = "" if said["complete"] else "+"
                print(f"| {what} | {name} | {said['depth']} | {n}{more} | {said['failing_sequences']} | {said['late']} | {said['states']} "
                      f"| {said['events'] / seconds:.0f} | {n / seconds:.1f} |", flush=True)  # fmt: skip
    return failed


def bugs(args):
    print("\n| bug | configuration | found |")
    print("| --- | --- | --- |")
    for what, config, mutation, *search in BUGS:
        if args.only in f"{what} {config}":
            files = with_bug(ROOT / "systems" / config, mutation)
            try:
                said = explore(args, files[1], ["--max-findings", "1", *sum(search, [])])
            finally:
                for file in files:
                    file.unlink()
            first = said["findings"][0] if said["findings"] else None
            how = f"{first['kind']}: {first['what']}, by `{first['schedule']}`, in sequence {said['sequences']}" if first else (
                f"no, in {said['sequences']} sequences{'' if said['complete'] else ', not all'}")  # fmt: skip
            how += ", at random" if search else ""
            print(f"| {what} | `{config}` | {how} ({said['seconds']:.0f} s) |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kilter", default=ROOT / "target/release/kilter")
    parser.add_argument("--time", default="40s")
    parser.add_argument("--only", default="")
    parser.add_argument("--bugs", action="store_true")
    parser.add_argument("--sequences", action="store_true")
    args = parser.parse_args()
    subprocess.run([ROOT / "probes/java/build"], check=True)
    failed = False if args.bugs else sequences(args)
    if not args.sequences:
        bugs(args)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
