#!/usr/bin/env python3
"""Disturbs what Kilter writes to: the disk fills up, the folder is read-only, the clock is set back. Then lets it continue, and compares.

    bench/faults.py [--bin DIR] [--only full,readonly,clock] [--methods test,explore,converge] [--shard K/N] [--sample N]

full      the report is on a disk with room for half of the record: Kilter reports that, still prints its findings, and ends with the exit code of an
          error; with more room it continues
readonly  the folder cannot be written: Kilter reports that before it begins, and runs once the folder can be written
clock     a run is killed half-way; when it continues, the clock is a year behind

The result must be that of an undisturbed run. The disks are mounted in a namespace of their own (`unshare` of util-linux), and libfaketime sets the
clock. Prints one line for each method and fault. The exit code is 1 if something differs.
"""

import argparse
import glob
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True  # nothing but results is left behind
import kills  # noqa: E402

# The exit codes for "nothing was run" and "not all of the output could be written".
ERRORS = (2, 153)
PAGE = 4096


def mount(*args):
    subprocess.run(["mount", *args], check=True)


def attempt(method, folder, env):
    """Runs Kilter as far as it goes. Returns what it printed, and the exit code."""
    ended = subprocess.run(method.command(folder), env=env, cwd=kills.ROOT, capture_output=True, text=True, check=False)
    for bad in ("panicked", "has a bug"):
        if bad in ended.stderr:
            raise kills.Differs(f"exit code {ended.returncode}: {ended.stderr}")
    return ended


def expect_said(ended, why):
    """Checks that a run has reported that its output can't be written, by its exit code and its message."""
    if ended.returncode not in ERRORS or why not in ended.stdout + ended.stderr:
        raise kills.Differs(f"exit code {ended.returncode}, without `{why}`: {ended.stdout}{ended.stderr}")


def room_for_half(folder, record):
    """The size of a disk that has room for everything except half of the record."""
    pages = {path.name: -(-path.stat().st_size // PAGE) for path in folder.rglob("*") if path.is_file()}
    half = pages.pop(record) // 2
    return (sum(pages.values()) + half) * PAGE


def expect_same(method, ended, expected):
    found = method.essence(*ended)
    if found != expected:
        raise kills.Differs(f"\n  {found}\ninstead of\n  {expected}")


def full(method, work, expected):
    folder = work / "small"
    folder.mkdir()
    size = room_for_half(work / "undisturbed", method.record)
    mount("-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(folder))
    ended = attempt(method, folder, method.env)
    expect_said(ended, "No space left on device")
    if not json.loads(ended.stdout)["findings"]:
        raise kills.Differs(f"what was found is not told: {ended.stdout}{ended.stderr}")
    mount("-o", "remount,size=64m", str(folder))
    expect_same(method, kills.run(method.command(folder), method.env), expected)


def readonly(method, work, expected):
    folder = work / "readonly"
    folder.mkdir()
    mount("-t", "tmpfs", "-o", "size=64m,ro", "tmpfs", str(folder))
    expect_said(attempt(method, folder, method.env), "Read-only file system")
    mount("-o", "remount,rw", str(folder))
    expect_same(method, kills.run(method.command(folder), method.env), expected)


def clock(method, work, expected):
    libraries = glob.glob("/usr/lib/*/faketime/libfaketime.so.1")
    if not libraries:
        raise kills.Differs("libfaketime is missing: apt-get install libfaketime")
    folder = work / "clock"
    folder.mkdir()
    begun = time.monotonic()
    kills.run(method.command(folder), method.env)
    seconds = time.monotonic() - begun
    folder = work / "again"
    folder.mkdir()
    kills.run_and_kill(method.command(folder), method.env, seconds / 2)
    past = {**method.env, "LD_PRELOAD": libraries[0], "FAKETIME": "-365d", "FAKETIME_DONT_FAKE_MONOTONIC": "1"}
    expect_same(method, kills.run(method.command(folder), past), expected)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", type=pathlib.Path, default=kills.ROOT / "target/debug")
    parser.add_argument("--only", default="full,readonly,clock")
    parser.add_argument("--methods", default="test,explore,converge")
    parser.add_argument("--shard", default="1/150")
    parser.add_argument("--sample", type=int, default=60)
    args = parser.parse_args()
    if "KILTER_FAULTS" not in os.environ:
        os.environ["KILTER_FAULTS"] = "1"
        os.execvp("unshare", ["unshare", "--user", "--map-root-user", "--mount", sys.executable, *sys.argv])
    args.bin = args.bin.resolve()
    args.kilter = str(args.bin / "kilter")
    env = {**os.environ, "PATH": f"{args.bin}:{os.environ['PATH']}", "RAFT_BUG": "vote-count"}
    methods = {"test": kills.Test, "explore": kills.Explore, "converge": kills.Converge}
    faults = {"full": full, "readonly": readonly, "clock": clock}
    failed = False
    for name in args.methods.split(","):
        method = methods[name](args, env)
        with tempfile.TemporaryDirectory(prefix="faults-") as work:
            work = pathlib.Path(work)
            (work / "undisturbed").mkdir()
            expected = method.essence(*kills.run(method.command(work / "undisturbed"), env))
            for fault in args.only.split(","):
                try:
                    faults[fault](method, work, expected)
                    told = f"in the end as if undisturbed: {method.told(expected)}"
                except kills.Differs as differs:
                    failed, told = True, f"DIFFERS {differs}"
                finally:
                    for mounted in ("small", "readonly"):
                        if os.path.ismount(work / mounted):
                            subprocess.run(["umount", str(work / mounted)], check=True)
                print(f"{name:<9} {fault:<9} {told}", flush=True)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
