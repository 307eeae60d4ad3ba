#!/usr/bin/env python3
"""Tests ZooKeeper's leader election, unchanged and with mutations: how many cases a second, and which mutations are found.

    bench/zookeeper.py [--kilter FILE] [--jobs N] [--shard K/N] [--only TEXT] [--config FILE]

--kilter the program [default: target/release/kilter]
--jobs   clusters side by side [default: 2]
--shard  the part of the suite that is run against each [default: 1/15]
--only   only mutations with this text
--config which scenario [default: systems/zookeeper/election.toml]

Needs Debian's packages zookeeper, default-jdk-headless and libasm-java. The mutations were chosen before the suite was run for the first time. Prints a table for bench/results.
The exit code is 1 if ZooKeeper as it is has findings.
"""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDER = ROOT / "systems/zookeeper"
ELECTION = "org.apache.zookeeper.server.quorum.FastLeaderElection"
RECEIVER = f"{ELECTION}$Messenger$WorkerReceiver"


def left_out(method, call, nth=None):
    return {"in": method, "do": "leave-out", "call": call, **({"nth": nth} if nth else {})}


LOOK = f"{ELECTION}.lookForLeader"
SEND = "FastLeaderElection.sendNotifications"
PROPOSE = "FastLeaderElection.updateProposal"
OFFER = "LinkedBlockingQueue.offer"
MUTATIONS = [
    ("does not tell anybody that it looks for a leader", left_out(LOOK, SEND, 1)),
    ("does not tell that it has come to a newer round", left_out(LOOK, SEND, 3)),
    ("does not tell that it has heard of a better server", left_out(LOOK, SEND, 4)),
    ("does not take over a better proposal", left_out(LOOK, PROPOSE, 4)),
    ("does not propose itself", left_out(LOOK, PROPOSE, 1)),
    ("does not begin a new round", left_out(LOOK, "AtomicLong.incrementAndGet")),
    ("no proposal is better than another", {"in": f"{ELECTION}.totalOrderPredicate", "do": "return", "value": False}),
    ("every proposal is better", {"in": f"{ELECTION}.totalOrderPredicate", "do": "return", "value": True}),
    ("a quorum is always there", {"in": "org.apache.zookeeper.server.quorum.SyncedLearnerTracker.hasAllQuorums", "do": "return", "value": True}),
    ("does not answer a server that is behind", left_out(f"{RECEIVER}.run", OFFER, 3)),
    ("does not tell a server that looks who leads", left_out(f"{RECEIVER}.run", OFFER, 4)),
    ("keeps what it has received after it has decided", left_out(f"{ELECTION}.leaveInstance", "LinkedBlockingQueue.clear")),
]


def toml(value):
    return json.dumps(value)


def configuration(folder, config, mutation):
    """Copies of the scenario and its table, with the mutation in the table."""
    above = str(ROOT)
    table = (FOLDER / "agent.toml").read_text().replace("../..", above)
    if mutation:
        table += "\n[[mutations]]\n" + "".join(f"{key} = {toml(value)}\n" for key, value in mutation.items())
    (folder / "agent.toml").write_text(table)
    mapping = config.read_text().replace("../..", above).replace("{dir}/node", str(FOLDER / "node"))
    (folder / config.name).write_text(mapping)
    return folder / config.name


def run(args, mutation):
    with tempfile.TemporaryDirectory() as folder:
        config = configuration(pathlib.Path(folder), ROOT / args.config, mutation)
        command = [args.kilter, "test", config, "--jobs", args.jobs, "--shard", args.shard, "--json", "--quiet"]
        done = subprocess.run([*map(str, command), *(["--max-findings", "1"] if mutation else [])], capture_output=True, text=True)
        if done.returncode not in (0, 1):
            sys.exit(f"kilter ended with {done.returncode}: {done.stdout}{done.stderr}")
        return json.loads(done.stdout)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kilter", default=ROOT / "target/release/kilter")
    parser.add_argument("--jobs", default=2, type=int)
    parser.add_argument("--shard", default="1/15")
    parser.add_argument("--only", default="")
    parser.add_argument("--config", default="systems/zookeeper/election.toml")
    args = parser.parse_args()
    subprocess.run([ROOT / "probes/java/build"], check=True)
    found = run(args, None)
    print(f"as it is: {found['cases']} cases, {found['passed']} passed, {found['steps']} steps, {found['cases_per_second']:.2f} cases a second", flush=True)
    print("\n| mutation | found by |\n| --- | --- |")
    for what, mutation in MUTATIONS:
        if args.only in what:
            answer = run(args, mutation)
            finding = answer["findings"][0] if answer["findings"] else None
            how = f"case {answer['cases']}, step {finding['step']}: {finding['kind']} {finding.get('action') or ''}" if finding else f"not found in {answer['cases']} cases"
            print(f"| {what} | {how} |", flush=True)
    sys.exit(1 if found["findings"] else 0)


if __name__ == "__main__":
    main()
