#!/usr/bin/env python3
"""Plays campaigns with three brokers and three workers in network namespaces of their own, kills workers and a broker at random moments, and compares the verdicts with those of one process.

    bench/campaign.py [--bin DIR] [--mapping NAME]… [--kills N] [--seed N] [--apart] [--overhead] [--enqueue N]

--bin       where `kilter` and `raft-node` are [default: target/release]
--mapping   configurations of systems/raft, without `.toml` [default: election, replication, conflict, compaction]
--kills     kills for each configuration: three of four strike a worker, the others a broker [default: 5]
--seed      for the moments and the victims [default: 1]
--apart     workers in network namespaces, which needs root and `ip`
--overhead  measures what a case costs beside `kilter test`: one broker, one worker, one job, nobody is killed
--enqueue   puts so many cases into a queue, and says how long that takes

Needs nats-server.
"""

import argparse
import contextlib
import json
import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
RAFT = os.path.join(ROOT, "systems", "raft")
BRIDGE = "kilter0"
NET = "10.77.0"
LOST_AFTER_S = 5


def sh(*words):
    subprocess.run(words, check=True)


class Namespaces:
    """Network namespaces with a bridge to the brokers, or nothing if workers share the network."""

    def __init__(self, n, is_apart):
        self.names = [f"kilter-w{number}" for number in range(n)] if is_apart else []

    def __enter__(self):
        if self.names:
            sh("ip", "link", "add", BRIDGE, "type", "bridge")
            sh("ip", "addr", "add", f"{NET}.1/24", "dev", BRIDGE)
            sh("ip", "link", "set", BRIDGE, "up")
        for number, name in enumerate(self.names):
            sh("ip", "netns", "add", name)
            sh("ip", "link", "add", f"kv{number}", "type", "veth", "peer", "name", "eth0", "netns", name)
            sh("ip", "link", "set", f"kv{number}", "master", BRIDGE, "up")
            sh("ip", "-n", name, "addr", "add", f"{NET}.{number + 10}/24", "dev", "eth0")
            sh("ip", "-n", name, "link", "set", "eth0", "up")
            sh("ip", "-n", name, "link", "set", "lo", "up")
        return self

    def __exit__(self, *_):
        for name in self.names:
            subprocess.run(["ip", "netns", "del", name], check=False)
        if self.names:
            subprocess.run(["ip", "link", "del", BRIDGE], check=False)

    def into(self, number):
        return ["ip", "netns", "exec", self.names[number]] if self.names else []

    def host(self):
        return f"{NET}.1" if self.names else "127.0.0.1"


def free_ports(n, host):
    sockets = [socket.socket() for _ in range(n)]
    for one in sockets:
        one.bind((host, 0))
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


class Brokers:
    def __init__(self, n, host, folder):
        ports = free_ports(2 * n, host)
        self.host, self.folder, self.ports, self.between = host, folder, ports[:n], ports[n:]
        self.running = [None] * n
        for number in range(n):
            self.start(number)

    def start(self, number):
        routes = [f"nats://{self.host}:{port}" for port in self.between]
        words = ["nats-server", "-js", "-a", self.host, "-p", str(self.ports[number]), "-n", f"broker-{number}"]
        words += ["-sd", os.path.join(self.folder, str(number))]
        if len(self.ports) > 1:
            words += ["--cluster_name", "kilter", "--cluster", routes[number], "--routes", ",".join(routes)]
        log = open(os.path.join(self.folder, f"{number}.log"), "ab")
        self.running[number] = subprocess.Popen(words, stdout=log, stderr=log)

    def kill(self, number):
        self.running[number].send_signal(signal.SIGKILL)
        self.running[number].wait()

    def end(self):
        for number in range(len(self.running)):
            self.kill(number)

    def url(self):
        return ",".join(f"nats://{self.host}:{port}" for port in self.ports)


def kilter(options, words, cwd, **more):
    environment = dict(os.environ, PATH=options.bin + os.pathsep + os.environ["PATH"])
    return subprocess.Popen(["kilter", *words], cwd=cwd, env=environment, **more)


def answer(options, words, cwd):
    child = kilter(options, words, cwd, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    out, error = child.communicate()
    return (json.loads(out) if out.strip().startswith("{") else None), child.returncode, error


def start(options, mapping, url, more=()):
    """Starts a campaign. A cluster takes some seconds until it has a leader."""
    for _ in range(60):
        words = ["campaign", "start", f"{mapping}.toml", "--nats", url, "--lost-after", f"{LOST_AFTER_S}s", "--json", *more]
        said, code, error = answer(options, words, RAFT)
        if code == 0:
            return said
        if "leader" not in error and "answer" not in error:
            break
        time.sleep(1)
    sys.exit(f"no campaign could be started: {error}")


def verdicts(said):
    names = ["case", "kind", "step", "action", "variables"]
    return sorted(json.dumps([finding[name] for name in names]) for finding in said["findings"])


def worker(options, space, number, url, folder, jobs):
    home = os.path.join(folder, f"w{number}")
    os.makedirs(home, exist_ok=True)
    environment = dict(os.environ, PATH=options.bin + os.pathsep + os.environ["PATH"])
    words = [*space.into(number), "kilter", "campaign", "work", "--nats", url, "--jobs", str(jobs), "--quiet"]
    log = open(os.path.join(folder, f"w{number}.log"), "ab")
    return subprocess.Popen(words, cwd=home, env=environment, stdout=log, stderr=log, start_new_session=True)


def kill_worker(child):
    """Kills the worker and nobody else: its nodes notice that themselves."""
    child.send_signal(signal.SIGKILL)
    child.wait()


def campaign(options, space, mapping, rng):
    began = time.monotonic()
    alone, _, _ = answer(options, ["test", f"{mapping}.toml", "--jobs", "2", "--json", "--quiet"], RAFT)
    alone_s = time.monotonic() - began
    with tempfile.TemporaryDirectory() as folder:
        brokers = Brokers(3, space.host(), folder)
        workers = []
        try:
            url = brokers.url()
            started = start(options, mapping, url)
            began = time.monotonic()
            workers = [worker(options, space, number, url, folder, 1) for number in range(3)]
            kills = {"worker": 0, "broker": 0}
            down = None
            while any(one.poll() is None for one in workers):
                time.sleep(rng.uniform(0.5, 4.0))
                if down is not None:
                    brokers.start(down)
                    down = None
                elif sum(kills.values()) < options.kills:
                    if rng.random() < 0.75:
                        number = rng.randrange(3)
                        if workers[number].poll() is None:
                            kill_worker(workers[number])
                            kills["worker"] += 1
                    else:
                        down = rng.randrange(3)
                        brokers.kill(down)
                        kills["broker"] += 1
                for number, one in enumerate(workers):
                    if one.poll() not in (None, 0, 1):
                        workers[number] = worker(options, space, number, url, folder, 1)
            took_s = time.monotonic() - began
            said, _, error = answer(options, ["campaign", "report", "--nats", url, "--json"], folder)
            if said is None:
                sys.exit(error)
        finally:
            for one in workers:
                if one.poll() is None:
                    kill_worker(one)
            brokers.end()
    same = verdicts(said) == verdicts(alone) and all(said[name] == alone[name] for name in ["cases", "passed", "planned", "steps"])
    print(
        f"| {mapping} | {said['cases']:,} of {started['cases']:,} | {kills['worker']} | {kills['broker']} | {said['redelivered']} "
        f"| {len(said['findings'])} | {alone_s:.0f} | {took_s:.0f} | {'yes' if same else '**no**'} |",
        flush=True,
    )
    return same


def overhead(options, mapping):
    """What a case costs more in a campaign than in `kilter test`, one job each, nobody else at work."""
    with tempfile.TemporaryDirectory() as folder:
        for n_brokers in [1, 3]:
            home = os.path.join(folder, str(n_brokers))
            os.makedirs(home)
            brokers = Brokers(n_brokers, "127.0.0.1", home)
            try:
                url = brokers.url()
                start(options, mapping, url)
                began = time.monotonic()
                answer(options, ["campaign", "work", "--nats", url, "--json", "--quiet"], home)
                together_s = time.monotonic() - began
                began = time.monotonic()
                alone, _, _ = answer(options, ["test", f"{mapping}.toml", "--json", "--quiet", "--report", os.path.join(home, "r")], RAFT)
                alone_s = time.monotonic() - began
            finally:
                brokers.end()
            cases = alone["cases"]
            more_ms = (together_s - alone_s) / cases * 1000
            print(f"| {mapping}, {n_brokers} broker(s) | {cases:,} | {alone_s:.1f} | {together_s:.1f} | {more_ms:.2f} |", flush=True)


def enqueue(options, n):
    """Puts so many schedules of a store into a queue. Nobody plays them."""
    config = """model = "quorum"
replicas = 3
ops = 6
[system]
kind = "line"
command = ["/bin/true"]
"""
    for n_brokers in [1, 3]:
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "many")
            with open(f"{path}.toml", "w") as file:
                file.write(config)
            brokers = Brokers(n_brokers, "127.0.0.1", folder)
            try:
                began = time.monotonic()
                said = start(options, path, brokers.url(), ["--verb", "converge", "--sample", str(n)])
                took_s = time.monotonic() - began
            finally:
                brokers.end()
        print(f"| {n_brokers} | {said['cases']:,} | {said['enqueue_seconds']:.1f} | {took_s:.1f} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", default=os.path.join(ROOT, "target", "release"))
    parser.add_argument("--mapping", action="append")
    parser.add_argument("--kills", type=int, default=5)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--apart", action="store_true")
    parser.add_argument("--overhead", action="store_true")
    parser.add_argument("--enqueue", type=int)
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    options.bin = os.path.abspath(options.bin)
    for program in ["nats-server"]:
        if shutil.which(program) is None:
            sys.exit(f"{program} is missing")
    if options.enqueue:
        print("| brokers | cases | into the queue, s | the whole start, s |\n| ---: | ---: | ---: | ---: |")
        return enqueue(options, options.enqueue)
    if options.overhead:
        print("| | cases | `kilter test`, s | campaign, s | more a case, ms |\n| --- | ---: | ---: | ---: | ---: |")
        for mapping in options.mapping or ["election"]:
            overhead(options, mapping)
        return None
    rng = random.Random(options.seed)
    print("| configuration | cases | workers killed | brokers killed | given again | findings | one process, s | campaign, s | same verdicts |")
    print("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | --- |")
    with Namespaces(3, options.apart) as space:
        with contextlib.suppress(KeyboardInterrupt):
            same = [campaign(options, space, mapping, rng) for mapping in options.mapping or ["election", "replication", "conflict", "compaction"]]
            sys.exit(0 if all(same) else 1)


if __name__ == "__main__":
    main()
