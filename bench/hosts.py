#!/usr/bin/env python3
"""Searches by several processes on this machine: time and memory beside a search by one, and processes that are killed.

    bench/hosts.py speed [--bin KILTER] [--managers N | --side N [--whole]] [--processes N,N,…] [--rounds N]
    bench/hosts.py kills [--bin KILTER] [--managers N] [--processes N] [--rounds N] [--seed N]

--bin        the command [default: target/release/kilter]
--managers   how many resource managers specs/TwoPhase has [default: 8 for speed, 6 for kills]
--side       a model of four counters instead, which go so far: it has N ** 4 states and few values
--whole      the four counters are one function, so that each state is a value that no other state has
--processes  how many processes [default: 1,2,4 for speed, 3 for kills]
--rounds     how often each search is run, or how many searches are disturbed [default: 1 for speed, 20 for kills]

speed   prints one line for each search: counts, time, processor time of all processes, the most memory of the largest, and what of it are states and values at the end.
        The exit code is 1 if counts differ.
kills   kills a process of each search with SIGKILL at a random time. All others must end without an answer. Then all go on with --recover, and again, until one
        comes to its end. Counts, verdict and trace must be those of one process. Every second search has an invariant that is violated late.
"""

import argparse
import json
import os
import pathlib
import random
import resource
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

from disk import COUNTED, VARYING, counters, model

ROOT = pathlib.Path(__file__).resolve().parent.parent


COUNTERS = """---- MODULE Counters ----
EXTENDS Naturals
CONSTANT Side
VARIABLE a
Init == a = [i \\in 1 .. 4 |-> 0]
Next == \\E i \\in 1 .. 4 : a[i] < Side - 1 /\\ a' = [a EXCEPT ![i] = @ + 1]
TypeOK == a \\in [1 .. 4 -> 0 .. Side - 1]
====
"""


def free_ports(n):
    """Ports that nobody uses at the moment."""
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(n)]
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


class Process:
    """A child with what it used."""

    def __init__(self, words, folder):
        self.child = subprocess.Popen(words, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.out, self.err = b"", b""
        self.readers = [
            threading.Thread(target=self.read, args=(pipe, name)) for pipe, name in ((self.child.stdout, "out"), (self.child.stderr, "err"))
        ]
        for reader in self.readers:
            reader.start()

    def read(self, pipe, name):
        with pipe:
            setattr(self, name, pipe.read())

    def is_alive(self):
        """Whether it runs. What it has used can still be asked for afterwards."""
        return os.waitid(os.P_PID, self.child.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None

    def wait(self):
        for reader in self.readers:
            reader.join()
        _, status, used = os.wait4(self.child.pid, 0)
        self.child.returncode = self.code = os.waitstatus_to_exitcode(status)
        self.cpu_s, self.peak_mib = used.ru_utime + used.ru_stime, used.ru_maxrss // 1024
        return self


def command(args, config, *more):
    module, config = ("Counters.tla", "Counters.cfg") if args.side else ("TwoPhase7.tla", f"{config}.cfg")
    return [str(args.bin), "check", module, "--config", config, "--no-deadlock", "--json", "--quiet", "--workers", "1", *more]


def together(args, folder, n, config, more=lambda _: ()):
    """Starts the processes of one search."""
    (folder / "hosts").write_text("".join(f"127.0.0.1:{port}\n" for port in free_ports(n)))
    return [Process(command(args, config, "--hosts", "hosts", "--host", str(me), *more(me)), folder) for me in range(n)]


def speed(args, folder):
    counts = set()
    print("| processes | distinct | generated | depth | wall s | CPU s of all | peak MiB of the largest | states and values, MiB | states of the largest | MiB sent |")
    print("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |", flush=True)
    for _ in range(args.rounds or 1):
        for n in [0, *(int(n) for n in (args.processes or "1,2,4").split(","))]:
            began = time.monotonic()
            started = together(args, folder, n, "good") if n else [Process(command(args, "good"), folder)]
            done = [one.wait() for one in started]
            wall = time.monotonic() - began
            said = json.loads(done[0].out) if done[0].code == 0 else {}
            found = [said.get(key) for key in ("distinct_states", "states_generated", "depth")]
            counts.add((said.get("verdict"), *found))
            shares = said.get("hosts", [])
            largest = max((share["states"] for share in shares), default="")
            held = max((share["memory_bytes"] for share in shares), default=said.get("memory_bytes", 0)) >> 20
            sent = sum(share["sent_bytes"] for share in shares) >> 20
            columns = [n or "1, without --hosts", *found, f"{wall:.1f}", f"{sum(one.cpu_s for one in done):.1f}",
                       max(one.peak_mib for one in done), held, largest, sent]  # fmt: skip
            print("| " + " | ".join(map(str, columns)) + " |", flush=True)
    return len(counts) == 1


def answer(code, stdout):
    said = json.loads(stdout)
    for key in (*VARYING, "hosts", *(COUNTED if code else ())):
        said.pop(key, None)
    return code, said


def kills(args, folder):
    rng = random.Random(args.seed)
    n = int(args.processes or 3)
    wanted, took = {}, {}
    for config in ("good", "bad"):
        began = time.monotonic()
        done = Process(command(args, config), folder).wait()
        wanted[config], took[config] = answer(done.code, done.out), time.monotonic() - began
    rounds = args.rounds or 20
    n_right = n_kills = n_recovered = n_wrong_ends = 0
    for round_ in range(rounds):
        config = ("good", "bad")[round_ % 2]
        for attempt in range(100):
            disks = [folder / f"disk-{me}" for me in range(n)]
            recover = ["--recover"] if all((disk / "checkpoint").exists() for disk in disks) else []
            if not recover:
                for disk in disks:
                    shutil.rmtree(disk, ignore_errors=True)
            n_recovered += bool(recover)
            started = together(args, folder, n, config, lambda me: ("--disk", f"disk-{me}", "--checkpoint", "200ms", *recover))
            victim = rng.randrange(n)
            time.sleep(rng.uniform(0.2, 0.5 + 3 * took[config]) * (1 + attempt / 3))
            if is_killed := started[victim].is_alive():
                os.kill(started[victim].child.pid, signal.SIGKILL)
                n_kills += 1
            done = [one.wait() for one in started]
            if done[0].code in (0, 1, 10, 11, 12, 13):
                # It had come to its end, though perhaps not those that it had told so.
                found = answer(done[0].code, done[0].out)
                if found == wanted[config]:
                    n_right += 1
                else:
                    print(f"round {round_}: {str(found)[:600]}", flush=True)
                break
            wrong = [one for one in done if one.code not in (153, -signal.SIGKILL)]
            if not is_killed or wrong:
                n_wrong_ends += 1
                print(f"round {round_}: {[(one.code, one.err[-300:]) for one in done]}", flush=True)
                break
        for me in range(n):
            shutil.rmtree(folder / f"disk-{me}", ignore_errors=True)
    print(f"{n_right} of {rounds} searches ended as undisturbed, after {n_kills} kills; {n_recovered} times from a checkpoint; {n_wrong_ends} ended otherwise")
    return n_right == rounds


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["speed", "kills"])
    parser.add_argument("--bin", type=pathlib.Path, default=ROOT / "target/release/kilter")
    parser.add_argument("--managers", type=int)
    parser.add_argument("--side", type=int)
    parser.add_argument("--whole", action="store_true")
    parser.add_argument("--processes")
    parser.add_argument("--rounds", type=int)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    if args.side and args.what == "kills":
        parser.error("kills needs a model with an invariant that is violated: without --side")
    args.bin = args.bin.resolve()
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        model(folder, args.managers or (8 if args.what == "speed" else 6))
        if args.side:
            counters(folder, args.side)
            if args.whole:
                (folder / "Counters.tla").write_text(COUNTERS)
        return 0 if {"speed": speed, "kills": kills}[args.what](args, folder) else 1


if __name__ == "__main__":
    sys.exit(main())
