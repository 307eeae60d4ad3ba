"""Lets three real ZooKeeper servers elect a leader, step by step: python3 probes/java/test/zookeeper_election.py [SEED].

Needs Debian's packages zookeeper and libasm-java. ZooKeeper is as released; only the table beside this file knows of Kilter.
"""

import json
import random
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from testbed import JAVA, Node

JARS = ["zookeeper", "zookeeper-jute", "slf4j-api", "slf4j-simple", "commons-cli", "commons-lang3", "metrics-core", "snappy-java", "netty-all",
        "jackson-core", "jackson-databind", "jackson-annotations"]
SERVERS = (1, 2, 3)
TIMERS = ("NotificationTimeout", "Decide")
ENDS = ("Lead", "Follow")
STEPS_MAX = 300


def main():
    seed = int(sys.argv[1]) if len(sys.argv) > 1 else 1
    subprocess.run([JAVA / "build"], check=True)
    nodes = {}
    with tempfile.TemporaryDirectory(prefix="kilter-zookeeper-") as folder:
        try:
            start(Path(folder), nodes)
            elect(nodes, random.Random(seed))
        finally:
            for node in nodes.values():
                node.end()


def start(folder, nodes):
    table = json.loads((JAVA / "test/zookeeper-election.json").read_text())
    ports = free_ports(3 * len(SERVERS))
    servers = "".join(f"server.{i}=127.0.0.1:{ports.pop()}:{ports.pop()}\n" for i in SERVERS)
    for i in SERVERS:
        data = folder / f"data{i}"
        data.mkdir()
        (data / "myid").write_text(str(i))
        config = folder / f"{i}.cfg"
        config.write_text(f"tickTime=2000\ninitLimit=10\nsyncLimit=5\nadmin.enableServer=false\ndataDir={data}\nclientPort={ports.pop()}\n{servers}")
        options = ["-Dzookeeper.jmx.log4j.disable=true", "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn"]
        nodes[f"n{i}"] = Node(folder, "org.apache.zookeeper.server.quorum.QuorumPeerMain", table, [str(config)], f"n{i}",
                              ":".join(f"/usr/share/java/{jar}.jar" for jar in JARS), options)
    for node in nodes.values():
        node.connect()


def free_ports(count):
    sockets = [socket.socket() for _ in range(count)]
    for each in sockets:
        each.bind(("127.0.0.1", 0))
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports


def elect(nodes, rng):
    n_sent, in_flight, begin = dict.fromkeys(nodes, 0), [], time.monotonic()
    for step in range(1, STEPS_MAX):
        for name, node in nodes.items():
            node.until(lambda: node.received >= n_sent[name], f"{n_sent[name]} messages at {name}")
        choices = [(name, action) for name, node in sorted(nodes.items()) for action in node.actions() if action not in ENDS]
        # A timer ends only if nothing else can happen.
        choices = [choice for choice in choices if choice[1] not in TIMERS] or choices
        if not choices:
            break
        name, action = rng.choice(choices)
        node = nodes[name]
        offer = node.offer(action)
        node.go(action)
        for sent in node.sent:
            n_sent[sent["to"]] += 1
            in_flight.append(sent["message"])
        if "message" in offer:
            assert offer["message"] in in_flight, f"nobody has sent {offer['message']}"
            in_flight.remove(offer["message"])
        what = offer.get("message") or offer.get("args", "")
        print(f"{step:3} {name} {action:20} {what}\n      -> {node.variables}, sent {len(node.sent)}", flush=True)
    seconds = time.monotonic() - begin
    ends = {name: node.actions() for name, node in nodes.items()}
    print(f"{step} steps in {seconds:.2f} s: {ends}; sent {n_sent}, received { {name: node.received for name, node in nodes.items()} }")
    for name, node in nodes.items():
        for note in node.notes:
            print(f"note of {name}: {note}")
    leaders = {node.variables["decided"] for node in nodes.values()}
    assert sorted(action for actions in ends.values() for action in actions if action in ENDS) == ["Follow", "Follow", "Lead"], ends
    assert len(leaders) == 1, leaders


if __name__ == "__main__":
    main()
