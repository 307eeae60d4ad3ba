#!/usr/bin/env python3
"""How fast is `kilter follow`, and how much memory does it take, on logs of growing length? The logs are those of a simulated lock service (specs/Lock),
in one file and with a file for each node.

    bench/follow_lock.py --bin target/release [--lines 1000,10000,100000,1000000]
    bench/follow_lock.py --bin target/release --pipe 10000000    # through a pipe; no line is ever in a file
"""

import argparse
import json
import random
import resource
import subprocess
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CLIENTS = ["n2", "n3", "n4", "n5"]


def message(kind, sender, to):
    return {"type": kind, "from": sender, "to": to}


def simulate(n_lines, seed):
    """The events of a lock service: the node, the name, and what its line says."""
    chance = random.Random(seed)
    holds, asked = dict.fromkeys(CLIENTS, False), dict.fromkeys(CLIENTS, False)
    holder, waiting, under_way = None, [], []
    for _ in range(n_lines):
        choices = [("Ask", c) for c in CLIENTS if not holds[c] and not asked[c]]
        choices += [("Release", c) for c in CLIENTS if holds[c]] + [("Handle", m) for m in under_way]
        kind, it = chance.choice(choices)
        sent = []
        if kind == "Ask":
            asked[it] = True
            sent = [message("ask", it, "n1")]
            yield it, {"event": "Ask", "state": {"asked": True, "holds": False}}, sent
        elif kind == "Release":
            holds[it] = False
            sent = [message("release", it, "n1")]
            yield it, {"event": "Release", "state": {"holds": False}}, sent
        else:
            under_way.remove(it)
            if it["type"] == "grant":
                holds[it["to"]], asked[it["to"]] = True, False
                yield it["to"], {"event": "HandleGrant", "message": it, "state": {"holds": True, "asked": False}}, sent
            else:
                if it["type"] == "ask" and holder is not None:
                    waiting.append(it["from"])
                else:
                    holder = it["from"] if it["type"] == "ask" else (waiting.pop(0) if waiting else None)
                    sent = [message("grant", "n1", holder)] if holder else []
                name = "HandleAsk" if it["type"] == "ask" else "HandleRelease"
                yield "n1", {"event": name, "message": it, "state": {"holder": holder, "waiting": list(waiting)}}, sent
        under_way += sent


def text_of(node, line, sent):
    line |= {"node": node, "sent": [{"to": m["to"], "message": m} for m in sent]}
    return json.dumps(line, separators=(",", ":")) + "\n"


def mapping_in(folder):
    """The mapping of the lock for lines without clocks."""
    text = (ROOT / "systems/lock/kilter.toml").read_text()
    text = text.replace("../../specs", str(ROOT / "specs")).replace('order = "clock"\n', "")
    path = folder / "lock.toml"
    path.write_text(text)
    return path


def write(folder, n_lines, seed):
    files = {name: open(folder / f"{name}.log", "w") for name in ["all", "n1", *CLIENTS]}
    for node, line, sent in simulate(n_lines, seed):
        text = text_of(node, line, sent)
        files["all"].write(text)
        files[node].write(text)
    for file in files.values():
        file.close()


def follow(program, mapping, logs):
    """Verdict, seconds and MiB. The kernel knows the largest child so far, so sizes must grow."""
    began = time.time()
    command = [program / "kilter", "follow", mapping, *logs, "--json", "--quiet"]
    answer = json.loads(subprocess.run(command, capture_output=True, check=False).stdout)
    mib = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    return answer["verdict"], time.time() - began, mib


def pipe(program, mapping, n_lines):
    """The same for a log that only goes through a pipe, as fast as this script writes it."""
    began = time.time()
    command = [program / "kilter", "follow", mapping, "-", "--json", "--quiet"]
    child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    for node, line, sent in simulate(n_lines, 1):
        child.stdin.write(text_of(node, line, sent))
    child.stdin.close()
    answer = json.loads(child.stdout.read())
    child.wait()
    mib = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    return answer["verdict"], time.time() - began, mib


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", type=Path, default=ROOT / "target/release")
    parser.add_argument("--lines", default="1000,10000,100000,1000000")
    parser.add_argument("--pipe", type=int)
    options = parser.parse_args()
    program = options.bin.resolve()
    print("| lines | files | verdict | seconds | lines a second | MiB at most so far |\n| ---: | ---: | --- | ---: | ---: | ---: |")

    def row(n_lines, files, result):
        verdict, seconds, mib = result
        print(f"| {n_lines:,} | {files} | {verdict} | {seconds:.2f} | {n_lines / seconds:,.0f} | {mib:.0f} |", flush=True)

    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        mapping = mapping_in(folder)
        if options.pipe:
            row(options.pipe, "a pipe", pipe(program, mapping, options.pipe))
            return
        for n_lines in map(int, options.lines.split(",")):
            write(folder, n_lines, 1)
            for logs in ([folder / "all.log"], [folder / f"{node}.log" for node in ["n1", *CLIENTS]]):
                row(n_lines, len(logs), follow(program, mapping, logs))


if __name__ == "__main__":
    main()
