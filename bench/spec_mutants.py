#!/usr/bin/env python3
"""Checks that selection is safe, with seeded mutations of a specification. The system stays as it is.

For each mutant for which the full suite finds a divergence, the suite that `kilter diff` selects must find one too. If it does not, the
mutant is a miss, and the exit code is 1.

    cargo build --release -p kilter-raft-rs
    python3 bench/spec_mutants.py --count 200

The system is raft-rs in process, because its cases take a third of a millisecond. The mutations: conditions negated and
weakened, assignments dropped, arguments swapped, numbers and strings replaced.
"""

import argparse
import collections
import json
import pathlib
import random
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
SYSTEMS = ["election", "faults", "replication", "heartbeats"]


# --- mutations ---------------------------------------------------------------

SWAPS = [
    ("condition", r"(?<![<=|\\-])<=", "<"),
    ("condition", r"(?<![<=\\])>=", ">"),
    ("condition", r" < ", " <= "),
    ("condition", r" > ", " >= "),
    ("condition", r"(?<!') = (?!CHOOSE)", " # "),
    ("condition", r" # ", " = "),
    ("condition", r" \\/ ", r" /\\ "),
    ("condition", r"(?<=[\w)\]\"]) /\\ ", r" \\/ "),
    ("condition", r"~(?=[A-Za-z(])", ""),
    ("condition", r"\bIF (.+?) THEN\b", r"IF ~(\1) THEN"),
    ("number", r" \+ 1\b", " + 2"),
    ("number", r" \+ 1\b", ""),
    ("number", r" - 1\b", ""),
    ("value", r"\bTRUE\b", "FALSE"),
    ("value", r"\bFALSE\b", "TRUE"),
    ("value", r'"Follower"', '"Candidate"'),
    ("value", r'"Leader"', '"Follower"'),
    ("value", r'"Probe"', '"Replicate"'),
    ("value", r"\bm\.from\b", "m.to"),
    ("value", r"\bNil\b", "i"),
    ("value", r"\bm\.term\b", "term[i]"),
    ("arguments", r"\((\w+), (\w+)([,)])", r"(\2, \1\3"),
    ("arguments", r"\(([\w.\[\]]+), ([\w.\[\]]+)\)", r"(\2, \1)"),
    ("assignment", r"^(\s*(?:/\\ )*)/\\ (\w+)' = (?!IF\b)[^\n]*[\]\w)}>]$", r"\1/\\ UNCHANGED \2"),
    ("assignment", r"^(\s*(?:/\\ )*)/\\ (\w+)' = IF [^\n]*$", r"\1/\\ UNCHANGED \2"),
]


def mutants(text):
    """All mutants of a specification: the kind of mutation, its place, and the text."""
    lines = text.split("\n")
    first = next(i for i, line in enumerate(lines) if line.startswith("-----") and i > 0)
    last = next(i for i, line in enumerate(lines) if line.startswith("Next =="))
    for number in range(first, last):
        line = lines[number]
        if line.lstrip().startswith(("\\*", "(*", "----")) or "\\*" in line:
            continue
        for kind, pattern, to in SWAPS:
            for match in re.finditer(pattern, line):
                new = line[: match.start()] + match.expand(to) + line[match.end() :]
                if new != line:
                    yield kind, number + 1, line.strip(), "\n".join(lines[:number] + [new] + lines[number + 1 :])


# --- running -----------------------------------------------------------------


def answer(command, folder, timeout_s):
    """Runs a command. Returns its JSON if it ends with 0 or 1, and None otherwise."""
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=timeout_s)
    except subprocess.TimeoutExpired:
        return None
    return json.loads(done.stdout) if done.returncode in (0, 1) and done.stdout.strip() else None


class System:
    """A scenario of systems/raft-rs with a specification that can be replaced."""

    def __init__(self, kilter, differ, name, folder, in_flight, timeout_s):
        self.timeout_s = timeout_s
        self.kilter, self.differ, self.folder = kilter, differ, folder / name
        self.folder.mkdir()
        mapping = (ROOT / "systems/raft-rs" / f"{name}.toml").read_text()
        config = (ROOT / "specs/RaftRs" / re.search(r"RaftRs/(\w+\.cfg)", mapping).group(1)).read_text()
        # Invariants are left out, because they would reject mutants before these are tested.
        config = re.sub(r"(?m)^INVARIANTS.*$", "", config)
        if in_flight:
            config = re.sub(r"MaxInFlight = \d+", f"MaxInFlight = {in_flight}", config)
        mapping = re.sub(r'file = ".*"', 'file = "RaftRs.tla"', mapping)
        mapping = re.sub(r'config = ".*"', 'config = "Model.cfg"', mapping)
        for version in ["old", "new"]:
            (self.folder / version).mkdir()
            (self.folder / version / "kilter.toml").write_text(mapping)
            (self.folder / version / "Model.cfg").write_text(config)
        self.original = (ROOT / "specs/RaftRs/RaftRs.tla").read_text()
        (self.folder / "old/RaftRs.tla").write_text(self.original)

    def try_mutant(self, text, options):
        """Tries one mutant. Returns None if it has no graph. Otherwise returns diff's answer, and whether the selected and the full suite find something."""
        (self.folder / "new/RaftRs.tla").write_text(text)
        both = ["--old", "old/kilter.toml", "--new", "new/kilter.toml"]
        more = ["--cache", "cache", "--no-full", "--out", "selected.suite", "--json", *options]
        told = answer([self.differ, "diff", *both, *more], self.folder, self.timeout_s)
        if told is None:
            return None
        test = [self.kilter, "test", "new/kilter.toml", "--report", "cache", "--max-findings", "1", "--json"]
        selected = answer([*test, "--suite", "selected.suite"], self.folder, self.timeout_s) if told["tests"] else {"findings": []}
        full = answer(test, self.folder, self.timeout_s)
        if selected is None or full is None:
            return None
        return told, selected, full


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kilter", default=str(ROOT / "target/release/kilter-raft-rs"), help="the command with raft-rs linked in")
    parser.add_argument("--diff", help="another kilter that selects")
    parser.add_argument("--count", type=int, default=200, help="stop after so many mutants that the full suite finds")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--systems", nargs="*", default=SYSTEMS)
    parser.add_argument("--in-flight", type=int, help="smaller models: no more messages under way than this")
    parser.add_argument("--timeout", type=float, default=60, help="seconds after which a command is given up; mutants may have endless graphs")
    parser.add_argument("--option", action="append", default=[], help="another option of kilter diff")
    args = parser.parse_args()
    rng = random.Random(args.seed)
    counts, kinds, saved, misses = collections.Counter(), collections.Counter(), [], []
    with tempfile.TemporaryDirectory() as folder:
        kilter = str(pathlib.Path(args.kilter).resolve())
        differ = str(pathlib.Path(args.diff).resolve()) if args.diff else kilter
        systems = [System(kilter, differ, name, pathlib.Path(folder), args.in_flight, args.timeout) for name in args.systems]
        todo = [(system, *mutant) for system in systems for mutant in mutants(system.original)]
        rng.shuffle(todo)
        for system, kind, line, before, text in todo:
            if counts["found by the full suite"] >= args.count:
                break
            counts["tried"] += 1
            result = system.try_mutant(text, args.option)
            if result is None:
                counts["no graph, or given up"] += 1
                continue
            told, selected, full = result
            if not full["findings"]:
                counts["not found by the full suite"] += 1
                counts["of these, nothing selected"] += told["tests"] == 0
                continue
            counts["found by the full suite"] += 1
            kinds[kind] += 1
            saved.append(1 - told["tests"] / full["planned"])
            where = f"{system.folder.name} {kind} line {line}: {before}"
            if selected["findings"]:
                counts["found by the selected suite"] += 1
            else:
                misses.append(where)
            print(f"{'found' if selected['findings'] else 'MISSED'}  {told['tests']:>5} of {full['planned']:>5} tests  {where}", flush=True)
    print()
    for name, n in counts.items():
        print(f"{n:>6}  {name}")
    print("        by kind: " + ", ".join(f"{n} {kind}" for kind, n in sorted(kinds.items())))
    if saved:
        print(f"{100 * sum(saved) / len(saved):>6.2f} % fewer tests on average")
    print(f"{len(misses):>6}  missed")
    for where in misses:
        print(f"        {where}")
    return 1 if misses else 0


if __name__ == "__main__":
    sys.exit(main())
