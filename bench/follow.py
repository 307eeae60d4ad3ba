#!/usr/bin/env python3
"""Runs a Raft cluster that nobody controls, under load and with random crashes; its nodes write traces, and `kilter follow` says whether they are
behaviors of the specification.

    bench/follow.py --bin target/release [--lines 100000] [--bug NAME] [--seed N] [--keep DIR]
"""

import argparse
import json
import os
import random
import shutil
import socket
import subprocess
import tempfile
import threading
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
NODES = ["n1", "n2", "n3"]


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Cluster:
    """Three nodes, started again whenever they are killed."""

    def __init__(self, programs, folder, bug, seed):
        self.programs, self.folder, self.bug, self.seed = programs, folder, bug, seed
        self.addresses = {node: f"127.0.0.1:{free_port()}" for node in NODES}
        self.processes = {}
        self.n_started = 0

    def start(self, node):
        peers = ",".join(f"{name}={address}" for name, address in self.addresses.items())
        self.n_started += 1
        command = [self.programs / "raft-node", "--id", node, "--listen", self.addresses[node], "--peers", peers,
                   "--data", self.folder / node, "--no-sync", "--snapshot-after", "200", "--heartbeat-ms", "10",
                   "--election-ms", "60", "--name-senders", "--seed", str(self.seed * 1000 + self.n_started)]
        environment = {**os.environ, "KILTER_TRACE": str(self.folder / f"{node}.log"), "KILTER_NODE": node,
                       "RAFT_BUG": self.bug or ""}
        (self.folder / node).mkdir(exist_ok=True)
        self.processes[node] = subprocess.Popen(command, env=environment, stderr=subprocess.DEVNULL)

    def kill(self, node):
        self.processes[node].kill()
        self.processes[node].wait()

    def ask(self, node, number):
        """One write at one node. Nobody minds if it fails."""
        host, port = self.addresses[node].split(":")
        request = {"client": {"command": {"request": number, "command": {"put": {"key": str(number % 10), "value": "v"}}}}}
        try:
            with socket.create_connection((host, int(port)), timeout=0.3) as connection:
                connection.settimeout(0.3)
                connection.sendall(json.dumps(request).encode() + b"\n")
                return connection.recv(1000)
        except OSError:
            return b""

    def n_lines(self):
        return sum(path.read_bytes().count(b"\n") for path in self.folder.glob("*.log"))


def run(options, folder):
    cluster = Cluster(options.bin, folder, options.bug, options.seed)
    chance = random.Random(options.seed)
    for node in NODES:
        cluster.start(node)
    stop = threading.Event()

    def load():
        number, node = 0, NODES[0]
        while not stop.is_set():
            number += 1
            if b"lsewhere" in cluster.ask(node, number) or chance.random() < 0.01:
                node = chance.choice(NODES)
            time.sleep(options.pause)

    client = threading.Thread(target=load)
    client.start()
    try:
        started = time.time()
        while cluster.n_lines() < options.lines and time.time() - started < options.seconds:
            time.sleep(chance.uniform(0.3, 1.5))
            if options.crashes:
                node = chance.choice(NODES)
                cluster.kill(node)
                time.sleep(chance.uniform(0, 0.3))
                cluster.start(node)
    finally:
        stop.set()
        client.join()
        for node in NODES:
            cluster.kill(node)
    logs = [folder / f"{node}.log" for node in NODES]
    command = [options.bin / "kilter", "follow", ROOT / "systems/raft/follow.toml", *logs]
    print(f"{cluster.n_lines()} lines, {cluster.n_started - 3} crashes, bug: {options.bug or 'none'}", flush=True)
    return subprocess.run(command, check=False).returncode


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", type=Path, default=ROOT / "target/release")
    parser.add_argument("--lines", type=int, default=100_000)
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--pause", type=float, default=0.002)
    parser.add_argument("--bug")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--no-crashes", dest="crashes", action="store_false")
    parser.add_argument("--keep", type=Path)
    options = parser.parse_args()
    options.bin = options.bin.resolve()
    if options.keep:
        shutil.rmtree(options.keep, ignore_errors=True)
        options.keep.mkdir(parents=True)
        return run(options, options.keep)
    with tempfile.TemporaryDirectory() as folder:
        return run(options, Path(folder))


if __name__ == "__main__":
    raise SystemExit(main())
