#!/usr/bin/env python3
"""Searches on disk: the time and the memory beside a search in memory and TLC, and searches that are killed and go on.

    bench/disk.py speed [--bin KILTER] [--managers N | --side N] [--memory SIZE] [--folder DIR] [--workers N] [--tlc JAR] [--timeout S]
    bench/disk.py kills [--bin KILTER] [--managers N] [--memory SIZE] [--folder DIR] [--seed N] [--rounds N]
    bench/disk.py many  [--bin KILTER] [--side N] [--memory SIZE] [--folder DIR] [--workers N] [--timeout S]

--bin       the command [default: target/release/kilter]
--managers  how many resource managers specs/TwoPhase has [default: 9 for speed, 7 for kills]
--memory    the limit on memory [default: 128MiB for speed, 24MiB for kills, 2GiB for many]
--folder    where the files of searches are [default: a folder in the folder for temporary files]
--workers   how many threads [default: 1]
--tlc       tla2tools.jar; TLC gets the same limit as -Xmx
--side      how far each of four counters goes: so there are N ** 4 states [default for many: 132, which is 303,595,776]
--rounds    how many searches are killed, each until it has come to its end [default: 50]

speed   prints one line for each search: counts, time, the most memory, and bytes on disk. The exit code is 1 if counts differ.
kills   kills each search with SIGKILL, SIGINT or SIGTERM after a random time, lets it go on with --recover, and again, until it ends. Counts, verdict
        and trace must be those of the search in memory. Every second search has an invariant that is violated late.
many    searches a model with so many states that its counts can be calculated. The exit code is 1 if they are others.
"""

import argparse
import json
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from harness import run

ROOT = pathlib.Path(__file__).resolve().parent.parent
SPEC = ROOT / "specs/TwoPhase/TwoPhase7.tla"
# What differs from search to search.
VARYING = ("seconds", "memory_bytes", "bytes_per_state", "values", "disk")
# What depends on the size of blocks, and so on time, if a search ends early.
COUNTED = ("states_generated", "distinct_states", "coverage")


def model(folder, managers):
    """Writes the module, one configuration in which all holds, and one in which not."""
    text = SPEC.read_text()
    late = "NotAllCommitted == \\E r \\in RM : vote[r] # \"committed\"\n"
    (folder / "TwoPhase7.tla").write_text(text.rstrip().rstrip("=") + f"{late}====\n")
    names = ", ".join(f"r{n}" for n in range(1, managers + 1))
    for name, invariants in (("good", "TypeOK Consistent"), ("bad", "TypeOK NotAllCommitted")):
        (folder / f"{name}.cfg").write_text(
            f"SPECIFICATION Spec\nCONSTANT RM = {{{names}}}\nINVARIANTS {invariants}\n"
        )


def answer(code, stdout):
    said = json.loads(stdout)
    for key in VARYING + (COUNTED if code else ()):
        said.pop(key, None)
    return code, said


def command(args, config, *more):
    return [str(args.bin), "check", "TwoPhase7.tla", "--config", f"{config}.cfg", "--json", "--quiet", *more]


def speed(args, folder):
    module, config = counters(folder, args.side) if args.side else ("TwoPhase7.tla", "good.cfg")
    words = [str(args.bin), "check", module, "--config", config, "--no-deadlock", "--json", "--quiet", "--workers", str(args.workers)]
    searches = [
        ("in memory", words),
        ("on disk", [*words, "--disk", str(folder / "states"), "--memory-max", args.memory]),
    ]
    print("| search | distinct | generated | depth | wall s | CPU s | peak MiB | on disk MB |")
    print("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |", flush=True)
    counts = []
    for name, words in searches:
        done = run(words, folder, args.timeout)
        said = json.loads(done.stdout) if done.stdout.strip() else {}
        on_disk = (said.get("disk") or {}).get("bytes", 0) / 1e6
        found = [said.get(key) for key in ("distinct_states", "states_generated", "depth")]
        counts.append((said.get("verdict"), *found))
        columns = [name, *found, f"{done.wall_s:.1f}", f"{done.cpu_s:.1f}", done.peak_kib // 1024, f"{on_disk:.0f}"]
        print("| " + " | ".join(map(str, columns)) + " |", flush=True)
    if args.tlc:
        limit = args.memory.replace("iB", "").replace("M", "m").replace("G", "g")
        words = ["java", "-XX:+UseParallelGC", f"-Xmx{limit}", "-cp", str(args.tlc), "tlc2.TLC", "-workers",
                 str(args.workers), "-deadlock", "-metadir", str(folder / "tlc"), "-config", config, module]  # fmt: skip
        done = run(words, folder, args.timeout)
        pairs = re.findall(r"([\d,]+) states generated.*?([\d,]+) distinct states found", done.stdout)
        generated, distinct = pairs[-1] if pairs else ("?", "?")
        how = "TLC" if done.code == 0 else f"TLC, cut short ({done.code})"
        print(f"| {how} | {distinct} | {generated} | | {done.wall_s:.1f} | {done.cpu_s:.1f} | {done.peak_kib // 1024} | |", flush=True)
    return len(set(counts)) == 1


def kills(args, folder):
    rng = random.Random(args.seed)
    wanted, took = {}, {}
    for config in ("good", "bad"):
        began = time.monotonic()
        done = subprocess.run(command(args, config), cwd=folder, capture_output=True, check=False)
        wanted[config], took[config] = answer(done.returncode, done.stdout), time.monotonic() - began
    n_right = n_kills = n_new = 0
    for round_ in range(args.rounds):
        config = ("good", "bad")[round_ % 2]
        disk = folder / f"states-{round_}"
        for attempt in range(200):
            recover = ["--recover"] if (disk / "checkpoint").exists() else []
            n_new += attempt > 0 and not recover
            every = rng.choice(["0s", "50ms", "500ms"])
            words = command(args, config, "--disk", str(disk), "--checkpoint", every, "--memory-max", args.memory,
                            "--workers", str(rng.choice([1, 2])), *recover)  # fmt: skip
            child = subprocess.Popen(words, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            try:
                # Later attempts get more time, so that each search ends at last.
                out, err = child.communicate(timeout=rng.uniform(0.02, took[config]) * (1 + attempt / 4))
            except subprocess.TimeoutExpired:
                child.send_signal(rng.choice([signal.SIGKILL, signal.SIGKILL, signal.SIGINT, signal.SIGTERM]))
                out, err = child.communicate()
                n_kills += 1
            # Before Kilter listens for signals, they end it as any program.
            if child.returncode in (-signal.SIGKILL, -signal.SIGINT, -signal.SIGTERM, 130):
                continue
            try:
                found = answer(child.returncode, out)
            except ValueError:
                found = (child.returncode, err.decode(errors="replace")[-300:])
            left = sorted(path.name for path in disk.iterdir()) if disk.exists() else []
            if found == wanted[config] and left == ["lock"]:
                n_right += 1
            else:
                print(f"round {round_}: {str(found)[:600]}, left {left}", flush=True)
            break
        shutil.rmtree(disk, ignore_errors=True)
    print(f"{n_right} of {args.rounds} searches ended as undisturbed, after {n_kills} signals; {n_new} had no checkpoint yet")
    return n_right == args.rounds


COUNTERS = """---- MODULE Counters ----
EXTENDS Naturals
CONSTANT Side
VARIABLES a, b, c, d
Init == a = 0 /\\ b = 0 /\\ c = 0 /\\ d = 0
Next == \\/ a < Side - 1 /\\ a' = a + 1 /\\ UNCHANGED <<b, c, d>>
        \\/ b < Side - 1 /\\ b' = b + 1 /\\ UNCHANGED <<a, c, d>>
        \\/ c < Side - 1 /\\ c' = c + 1 /\\ UNCHANGED <<a, b, d>>
        \\/ d < Side - 1 /\\ d' = d + 1 /\\ UNCHANGED <<a, b, c>>
TypeOK == {a, b, c, d} \\subseteq 0 .. Side - 1
====
"""


def counters(folder, side):
    """Writes a model of four counters. Returns the names of its module and configuration."""
    (folder / "Counters.tla").write_text(COUNTERS)
    (folder / "Counters.cfg").write_text(f"INIT Init\nNEXT Next\nINVARIANT TypeOK\nCONSTANT Side = {side}\n")
    return "Counters.tla", "Counters.cfg"


def many(args, folder):
    side = args.side or 132
    module, config = counters(folder, side)
    words = [str(args.bin), "check", module, "--config", config, "--no-deadlock", "--json", "--workers", str(args.workers),
             "--disk", str(folder / "states"), "--memory-max", args.memory]  # fmt: skip
    print("| distinct | generated | depth | wall s | CPU s | peak MiB | on disk MB | bytes a state |")
    print("| ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |", flush=True)
    done = run(words, folder, args.timeout)
    if done.code != 0:
        print(f"{done.code}: {done.stdout[-2000:]} {done.stderr[-2000:]}")
        return False
    said = json.loads(done.stdout)
    found = [said.get(key) for key in ("distinct_states", "states_generated", "depth")]
    on_disk = (said.get("disk") or {}).get("bytes", 0)
    columns = [*(f"{n:,}" for n in found), f"{done.wall_s:.0f}", f"{done.cpu_s:.0f}", done.peak_kib // 1024,
               f"{on_disk / 1e6:.0f}", f"{on_disk / found[0]:.1f}"]  # fmt: skip
    print("| " + " | ".join(map(str, columns)) + " |", flush=True)
    return said["verdict"] == "ok" and found == [side**4, 1 + 4 * (side - 1) * side**3, 4 * (side - 1) + 1]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["speed", "kills", "many"])
    parser.add_argument("--bin", type=pathlib.Path, default=ROOT / "target/release/kilter")
    parser.add_argument("--managers", type=int)
    parser.add_argument("--side", type=int)
    parser.add_argument("--memory")
    parser.add_argument("--folder", type=pathlib.Path)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--tlc", type=pathlib.Path)
    parser.add_argument("--timeout", type=float, default=7200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=50)
    args = parser.parse_args()
    what, managers, memory = {"speed": (speed, 9, "128MiB"), "kills": (kills, 7, "24MiB"), "many": (many, 2, "2GiB")}[args.what]
    args.managers = args.managers or managers
    args.memory = args.memory or memory
    args.bin = args.bin.resolve()
    args.tlc = args.tlc and args.tlc.resolve()
    if args.folder:
        args.folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="kilter-disk-", dir=args.folder) as folder:
        folder = pathlib.Path(folder)
        model(folder, args.managers)
        return 0 if what(args, folder) else 1


if __name__ == "__main__":
    sys.exit(main())
