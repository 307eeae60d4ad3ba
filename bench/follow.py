#!/usr/bin/env python3
"""Runs a system that nobody controls, under load and with random crashes; its nodes write traces, and `kilter follow` says whether they are
behaviors of the specification.

    bench/follow.py --bin target/release [--system raft|raft-rs|pysyncobj|cache] [--events 100000] [--seed N] [--keep DIR]
    bench/follow.py --bin target/release --bug NAME [--nodes 5] [--storm]   # a seeded bug of systems/raft; with doubled and late messages
    bench/follow.py --bin target/release --cost ROUNDS                      # what tracing costs the Raft cluster

Build the programs first: cargo build --release -p kilter-cli -p kilter-raft -p kilter-raft-rs -p kilter-cache; systems/pysyncobj/setup 0.3.17
"""

import argparse
import heapq
import json
import os
import random
import re
import shutil
import socket
import statistics
import subprocess
import tempfile
import threading
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Storm:
    """Stands before a node of systems/raft: confirms each message at once, brings it later, and some of them twice. Votes are late most often."""

    def __init__(self, target, seed):
        self.target, self.chance = target, random.Random(seed)
        self.waiting, self.bell = [], threading.Condition()
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.address = f"127.0.0.1:{self.listener.getsockname()[1]}"
        threading.Thread(target=self.accept, daemon=True).start()
        threading.Thread(target=self.bring, daemon=True).start()

    def accept(self):
        while True:
            connection, _ = self.listener.accept()
            threading.Thread(target=self.take, args=(connection,), daemon=True).start()

    def take(self, connection):
        try:
            with connection, connection.makefile("rb") as lines:
                for line in lines:
                    connection.sendall(b".")
                    for _ in range(2 if self.chance.random() < 0.3 else 1):
                        self.put(line)
        except OSError:
            pass  # the sender was killed

    def put(self, line):
        late = self.chance.random() < (0.7 if b"RequestVote" in line else 0.1)
        due = time.monotonic() + self.chance.uniform(0, 0.4 if late else 0.01)
        with self.bell:
            heapq.heappush(self.waiting, (due, self.chance.random(), line))
            self.bell.notify()

    def bring(self):
        connection = None
        while True:
            with self.bell:
                while not self.waiting or self.waiting[0][0] > time.monotonic():
                    self.bell.wait(self.waiting[0][0] - time.monotonic() if self.waiting else None)
                line = heapq.heappop(self.waiting)[-1]
            try:
                connection = connection or socket.create_connection(address(self.target))
                connection.sendall(line)
                if not connection.recv(1):
                    connection = None
            except OSError:
                connection = None  # the node is down, and the message lost


def address(text):
    host, _, port = text.rpartition(":")
    return host, int(port)


class Cluster:
    """Nodes that are started again whenever they are killed."""

    def __init__(self, options, folder, traced=True):
        self.options, self.folder, self.traced = options, folder, traced
        self.nodes = [f"n{number + 1}" for number in range(options.nodes)]
        self.addresses = {node: f"127.0.0.1:{free_port()}" for node in self.nodes}
        self.peers = self.addresses
        if options.storm:
            self.peers = {node: Storm(at, options.seed).address for node, at in self.addresses.items()}
        self.processes, self.n_started = {}, 0

    def start(self, node):
        self.n_started += 1
        peers = ",".join(f"{name}={at}" for name, at in {**self.peers, node: self.addresses[node]}.items())
        seed = str(self.options.seed * 1000 + self.n_started)
        command = [str(part) for part in self.command(node, peers, self.folder / node, seed)]
        trace = {"KILTER_TRACE": str(self.folder / f"{node}.log")} if self.traced else {}
        environment = {**os.environ, **trace, "KILTER_NODE": node, "RAFT_BUG": self.options.bug or ""}
        (self.folder / node).mkdir(exist_ok=True)
        with open(self.folder / f"{node}.err", "ab") as errors:
            self.processes[node] = subprocess.Popen(command, env=environment, stderr=errors)

    def kill(self, node):
        self.processes[node].kill()
        self.processes[node].wait()

    def end(self):
        for node in self.nodes:
            self.kill(node)

    def logs(self):
        return [self.folder / f"{node}.log" for node in self.nodes]

    def load(self, stop):
        """Nothing: the nodes make requests of their own."""


class RaftRs(Cluster):
    name = "raft-rs"

    def command(self, node, peers, data, seed):
        return [self.options.bin / "raft-rs-node", "--node", node, "--peers", peers, "--data", data, "--seed", seed,
                "--election-ms", "100", "--heartbeat-ms", "8", "--request-ms", "300"]


class PySyncObj(Cluster):
    name = "pysyncobj"

    def command(self, node, peers, data, seed):
        system = ROOT / "systems/pysyncobj"
        return [system / "python", system / "node.py", "--node", node, "--listen", self.addresses[node], "--peers", peers, "--data", data,
                "--heartbeat-ms", "15", "--request-ms", "4000"]


class Raft(Cluster):
    name = "raft"

    def command(self, node, peers, data, seed):
        return [self.options.bin / "raft-node", "--id", node, "--listen", self.addresses[node], "--peers", peers, "--data", data, "--no-sync",
                "--snapshot-after", self.options.snapshot_after, "--heartbeat-ms", "10", "--election-ms", "60", "--name-senders", "--seed", seed]

    def load(self, stop):
        """Writes one after the other, at whoever leads. Nobody minds if one fails. Returns how many were carried out."""
        chance, number, n_done, node = random.Random(self.options.seed), 0, 0, self.nodes[0]
        while not stop.is_set():
            number += 1
            answer = self.ask(node, number)
            n_done += b"one" in answer
            if b"lsewhere" in answer or not answer or chance.random() < 0.01:
                node = chance.choice(self.nodes)
            time.sleep(self.options.pause)
        return n_done

    def ask(self, node, number):
        request = {"client": {"command": {"request": number, "command": {"put": {"key": str(number % 10), "value": "v"}}}}}
        try:
            with socket.create_connection(address(self.addresses[node]), timeout=0.3) as connection:
                connection.settimeout(0.3)
                connection.sendall(json.dumps(request).encode() + b"\n")
                return connection.recv(1000)
        except OSError:
            return b""


class Cache(Cluster):
    """A server and its client, which nobody kills: the specification knows no crash."""

    name = "cache"

    def __init__(self, options, folder):
        super().__init__(options, folder)
        self.nodes, self.server = ["server", "client"], f"127.0.0.1:{free_port()}"
        options.crashes = False

    def start(self, node):
        environment = {**os.environ, "KILTER_TRACE": str(self.folder / f"{node}.log"), "KILTER_NODE": node}
        self.n_started += 1
        self.processes[node] = subprocess.Popen([self.options.bin / "cache", node, f"server={self.server}"], env=environment,
                                                stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)
        time.sleep(0.3)

    def load(self, stop):
        chance, numbers = random.Random(self.options.seed), self.processes["client"].stdin
        for _ in range(self.options.events // 3 + 1):
            numbers.write(b"%d\n" % chance.randrange(self.options.numbers))
        numbers.close()
        self.processes["client"].wait()


SYSTEMS = {system.name: system for system in (Raft, RaftRs, PySyncObj, Cache)}


def n_lines(paths):
    return sum(path.read_bytes().count(b"\n") for path in paths if path.exists())


def run(options, folder):
    cluster = SYSTEMS[options.system](options, folder)
    chance = random.Random(options.seed)
    for node in cluster.nodes:
        cluster.start(node)
    stop = threading.Event()
    client = threading.Thread(target=cluster.load, args=(stop,))
    client.start()
    n_crashes = 0
    try:
        started = time.time()
        # An event has two lines.
        while n_lines(cluster.logs()) < 2 * options.events and time.time() - started < options.seconds:
            time.sleep(chance.uniform(0.3, 1.5) * options.calm)
            if options.crashes:
                node = chance.choice(cluster.nodes)
                cluster.kill(node)
                n_crashes += 1
                time.sleep(chance.uniform(0, 0.3))
                cluster.start(node)
    finally:
        stop.set()
        client.join()
        cluster.end()
    print(f"{options.system}: {n_lines(cluster.logs())} lines in {time.time() - started:.0f} s, {n_crashes} crashes, "
          f"bug: {options.bug or 'none'}", flush=True)
    return subprocess.run([options.bin / "kilter", "follow", mapping(options, folder), *cluster.logs()], check=False).returncode


def mapping(options, folder):
    """The mapping of the system; of Raft, rewritten for another number of nodes, and for a network that may bring any message again."""
    path = ROOT / "systems" / options.system / "follow.toml"
    if options.nodes == 3 and not options.storm:
        return path
    names = [f"n{number + 1}" for number in range(options.nodes)]
    module = ROOT / "specs/Raft/Follow.tla"
    config = folder / "Follow.cfg"
    text = module.with_suffix(".cfg").read_text().replace("{n1, n2, n3}", "{" + ", ".join(names) + "}")
    text = text.replace("MaxAsked = 2", f"MaxAsked = {options.nodes - 1}")
    config.write_text(text.replace("INVARIANTS", "    Take <- Left\nINVARIANTS") if options.storm else text)
    text = re.sub(r"nodes = .*", f"nodes = {json.dumps(names)}", path.read_text())
    text = re.sub(r'file = ".*"', f'file = "{module}"\nconfig = "{config}"', text)
    (folder / "follow.toml").write_text(text)
    return folder / "follow.toml"


def cost(options):
    """Writes a second of a Raft cluster that writes traces, and of one that does not, by turns."""
    rates = {True: [], False: []}
    for number in range(options.cost):
        for traced in (True, False) if number % 2 else (False, True):
            with tempfile.TemporaryDirectory() as folder:
                cluster = Raft(options, Path(folder), traced)
                for node in cluster.nodes:
                    cluster.start(node)
                time.sleep(1)
                n_done, stop = [], threading.Event()
                clients = [threading.Thread(target=lambda: n_done.append(cluster.load(stop))) for _ in range(options.clients)]
                for client in clients:
                    client.start()
                time.sleep(options.seconds)
                stop.set()
                for client in clients:
                    client.join()
                cluster.end()
                rates[traced].append(sum(n_done) / options.seconds)
                print(f"round {number + 1}, {'with' if traced else 'without'} a trace: {rates[traced][-1]:.0f} writes a second", flush=True)
    with_trace, without = statistics.median(rates[True]), statistics.median(rates[False])
    print(f"median of {options.cost}: {with_trace:.0f} with, {without:.0f} without: {100 * (1 - with_trace / without):.0f} % less")
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", type=Path, default=ROOT / "target/release")
    parser.add_argument("--system", choices=SYSTEMS, default="raft")
    parser.add_argument("--events", type=int, default=100_000)
    parser.add_argument("--seconds", type=float, default=900, help="at most; of a round of --cost")
    parser.add_argument("--pause", type=float, default=0.002, help="seconds between two writes of a client")
    parser.add_argument("--calm", type=float, default=1, help="crashes are this many times rarer")
    parser.add_argument("--numbers", type=int, default=20, help="the client of cache sends numbers below this")
    parser.add_argument("--bug")
    parser.add_argument("--nodes", type=int, default=3)
    parser.add_argument("--storm", action="store_true", help="double and delay messages of raft at random")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--no-crashes", dest="crashes", action="store_false")
    parser.add_argument("--snapshot-after", type=int, default=200, help="entries after which a node of raft compacts its log")
    parser.add_argument("--cost", type=int)
    parser.add_argument("--clients", type=int, default=4)
    parser.add_argument("--keep", type=Path)
    options = parser.parse_args()
    options.bin = options.bin.resolve()
    if options.cost:
        return cost(options)
    if options.keep:
        shutil.rmtree(options.keep, ignore_errors=True)
        options.keep.mkdir(parents=True)
        return run(options, options.keep.resolve())
    with tempfile.TemporaryDirectory() as folder:
        return run(options, Path(folder))


if __name__ == "__main__":
    raise SystemExit(main())
