#!/usr/bin/env python3
"""Plays schedules of edits and syncs on replicated data types: yrs, automerge and loro.

    bench/datatypes.py [--library NAME]… [--schedules N] [--jobs N] [--seed S] [--release LIBRARY=VERSION] [--keep DIR]

--library    yrs, automerge or loro; can be given again [default: all]
--schedules  how many schedules of each library, spread evenly over its models [default: 1000000]
--jobs       how many schedules are played side by side [default: 2]
--seed       which schedules, and in which order [default: 1]
--release    another release of a library; the program is built in a folder of its own then
--keep       a folder for the reports

It builds systems/datatypes, and prints a table, and the groups of findings with the shortest schedule of each.
"""

import argparse
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
SYSTEM = ROOT / "systems/datatypes"
LIBRARIES = ["yrs", "automerge", "loro"]


def models(library):
    return sorted(SYSTEM.glob(f"{library}-*.toml"))


def build(release, folder):
    """Builds the program, with another release of a library if that is wanted. Returns it."""
    place = SYSTEM
    if release:
        library, version = release.split("=")
        place = folder / "datatypes"
        shutil.copytree(SYSTEM, place, ignore=shutil.ignore_patterns("target", ".kilter"))
        manifest = place / "Cargo.toml"
        text = manifest.read_text().replace("../../", f"{ROOT}/")
        text, n = re.subn(rf'(?m)^({library} = .*?)"=[^"]*"', rf'\1"={version}"', text)
        if n != 1:
            sys.exit(f"{manifest} does not name {library} once")
        manifest.write_text(text)
    command = ["cargo", "build", "--release", "--quiet", "--manifest-path", place / "Cargo.toml"]
    # What both need is built once.
    subprocess.run([*command, "--target-dir", SYSTEM / "target"], check=True)
    return SYSTEM / "target/release/kilter-datatypes"


def play(program, model, n, args, folder):
    report = folder / model.stem
    command = [program, "converge", model, "--sample", n, "--seed", args.seed, "--jobs", args.jobs]
    command += ["--report", report, "--json", "--quiet"]
    ran = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    if ran.returncode not in (0, 1):
        sys.exit(f"{model.name}: exit code {ran.returncode}\n{ran.stderr}{ran.stdout[:2000]}")
    return json.loads(ran.stdout)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--library", action="append", choices=LIBRARIES)
    parser.add_argument("--schedules", type=int, default=1_000_000)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--release")
    parser.add_argument("--keep", type=pathlib.Path)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        program = build(args.release, folder)
        print("| model | schedules in all | run | seconds | a second | findings |\n| --- | ---: | ---: | ---: | ---: | --- |")
        for library in args.library or LIBRARIES:
            own = models(library)
            for model in own:
                answer = play(program, model, -(-args.schedules // len(own)), args, args.keep or folder)
                seconds = answer["seconds"]
                print(f"| {model.stem} | {answer['schedules']:,} | {answer['run']:,} | {seconds:.0f} | "
                      f"{answer['run'] / seconds:,.0f} | {len(answer['findings']) or 'none'} |", flush=True)
                for group in answer["groups"]:
                    print(f"    {group['findings']} × {group['group']}\n    {group['repeat']}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
