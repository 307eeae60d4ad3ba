#!/usr/bin/env python3
"""Measures how long it takes to compare two versions and to select tests, if the graphs are known.

    cargo build --release
    python3 bench/selection.py

The specification is specs/RaftRs with Crashes.cfg, a graph of about 100,000 states; the changes are a comment and a bound name, one field of one message,
and a condition that decides about most of the graph. The first run of each checks the specifications and keeps the graphs. The second is
measured: the seconds of comparing and selecting alone, and the processor time of the whole command, which also reads both graphs.
"""

import argparse
import json
import pathlib
import sys
import tempfile

import harness

ROOT = pathlib.Path(__file__).resolve().parent.parent
SPEC = ROOT / "specs/RaftRs/RaftRs.tla"
CONFIG = ROOT / "specs/RaftRs/Crashes.cfg"
CHANGES = [
    ("a comment and a bound name", [("Node i sends", "Node i now sends"), ("\\E i \\in Server : Campaign(i)", "\\E k \\in Server : Campaign(k)")]),
    ("a field of a refusal", [("!.commitTerm = TermAt(log[i], commit[i])]\n    IN", "!.commitTerm = TermAt(log[i], commit[i]) + 1]\n    IN")]),
    ("who is up to date", [("m.index >= Len(log[i])", "m.index > Len(log[i])")]),
]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kilter", default=str(ROOT / "target/release/kilter"))
    args = parser.parse_args()
    print("| change | states | edges | affected | tests | compare and select, s | whole command, CPU s |")
    print("| --- | ---: | ---: | ---: | ---: | ---: | ---: |")
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        other = folder / SPEC.name
        for name, replacements in CHANGES:
            text = SPEC.read_text()
            for old, new in replacements:
                assert old in text, old
                text = text.replace(old, new, 1)
            other.write_text(text)
            # A condition is lifted, so the new graph is the larger one.
            versions = [other, SPEC] if name == "who is up to date" else [SPEC, other]
            old, new = (["--" + which, str(path), str(CONFIG)] for which, path in zip(["old", "new"], versions))
            command = [args.kilter, "diff", *old, *new, "--no-full", "--json", "--cache", str(folder / "cache")]
            for _ in range(2):
                done = harness.run(command, cwd=folder, timeout_s=600)
                if done.code != 0:
                    sys.exit(done.stderr)
            told = json.loads(done.stdout)
            print(
                f"| {name} | {told['states']:,} | {told['edges']:,} | {told['affected_edges']:,} | {told['tests']:,} "
                f"| {told['seconds']:.2f} | {done.cpu_s:.2f} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
