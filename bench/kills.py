#!/usr/bin/env python3
"""Kills Kilter at random points of real runs, lets it continue, and checks: same verdicts, same counts, nothing left running, no file lost.

    bench/kills.py [--bin DIR] [--seed N] [--kills N] [--only test,explore,converge] [--shard K/N] [--sample N]

--bin    where `kilter`, `protocols`, `raft-node` and `toystore` are [default: target/debug]
--seed   the same seed kills after the same times [default: 1]
--kills  how often each method is killed [default: 100]
--only   which methods [default: all three]
--shard  which part of Raft's suite `kilter test` runs [default: 1/150]
--sample how many schedules `kilter converge` runs [default: 60]

test      systems/raft/election.toml with the bug `vote-count`: killed and continued with --resume until it ends; then from the beginning
explore   systems/protocols/election-bug.toml: killed and continued with --resume until it ends; then from the beginning
converge  systems/converge/toystore.toml with the bug `wrong-file`: killed and continued with --resume until it ends; then from the beginning

After each kill (SIGKILL to Kilter alone) the script checks that all descendants end, that the directories of the nodes are removed, that no file of
the report is missing, and that the record has not shrunk. Prints one line for each method. The exit code is 1 if something differs.
"""

import argparse
import contextlib
import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
# Guards need a moment, which can be long on a busy machine.
GONE_WITHIN_S = 60


class Differs(Exception):
    """Something is not as it should be."""


def children_of(pid):
    """All descendants of a process."""
    below = {}
    for entry in pathlib.Path("/proc").iterdir():
        if entry.name.isdigit():
            with contextlib.suppress(OSError):
                parent = int((entry / "stat").read_text().rsplit(") ", 1)[1].split()[1])
                below.setdefault(parent, []).append(int(entry.name))
    found, rest = [], [pid]
    while rest:
        more = below.get(rest.pop(), [])
        found += more
        rest += more
    return found


def is_alive(pid):
    """Whether a process exists and is not a zombie."""
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(") ", 1)[1][0] != "Z"
    except OSError:
        return False


def guarded(pid):
    """The directory that a guard protects. None if the process is not a guard."""
    with contextlib.suppress(OSError, ValueError, IndexError):
        words = pathlib.Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
        return pathlib.Path(os.fsdecode(words[words.index(b"kilter-guard") + 1]))
    return None


def await_gone(pids, directories):
    """Waits until processes and directories are gone."""
    deadline = time.monotonic() + GONE_WITHIN_S
    while True:
        left = [pid for pid in pids if is_alive(pid)] + [str(path) for path in directories if path.exists()]
        if not left:
            return
        if time.monotonic() > deadline:
            raise Differs(f"left behind: {left}")
        time.sleep(0.02)


def run(command, env):
    """Runs Kilter to its end. Returns the answer as JSON, and the exit code."""
    ended = subprocess.run(command, env=env, cwd=ROOT, capture_output=True, text=True, check=False)
    try:
        return json.loads(ended.stdout), ended.returncode
    except json.JSONDecodeError as error:
        raise Differs(f"{' '.join(command)}: exit code {ended.returncode}: {ended.stderr}") from error


def run_and_kill(command, env, after_s):
    """Kills a run after some time. Returns the answer and the exit code if it has ended before."""
    with tempfile.TemporaryFile("w+") as out:
        child = subprocess.Popen(command, env=env, cwd=ROOT, stdout=out, stderr=subprocess.DEVNULL)
        try:
            child.wait(timeout=after_s)
        except subprocess.TimeoutExpired:
            # Kilter is stopped first, so that it starts nothing between looking and killing.
            child.send_signal(signal.SIGSTOP)
            below = children_of(child.pid)
            directories = [path for path in map(guarded, below) if path]
            child.send_signal(signal.SIGKILL)
            child.wait()
            await_gone(below, directories)
            return None
        out.seek(0)
        return json.loads(out.read()), child.returncode


def files_of(folder):
    """The files of a report by name, without those that other runs may replace or remove."""
    if not folder.exists():
        return set()
    return {path.name for path in folder.iterdir() if path.is_file()}


def whole_lines(path):
    """The complete lines of a record."""
    if not path.exists():
        return []
    text = path.read_text()
    return [json.loads(line) for line in text.splitlines(keepends=True) if line.endswith("\n") and line.strip()]


class Resumable:
    """A method whose runs can be continued."""

    def __init__(self, args, env):
        self.args, self.env = args, env

    def campaign(self, rng, kills):
        """Kills runs as often as the options say. Returns how many runs came to their end."""
        with tempfile.TemporaryDirectory(prefix="kills-") as work:
            folder = pathlib.Path(work) / "undisturbed"
            folder.mkdir()
            begun = time.monotonic()
            expected = self.essence(*run(self.command(folder), self.env))
            seconds = time.monotonic() - begun
            folder = self.fresh(work)
            n_killed, n_ended, files, n_lines = 0, 0, set(), 0
            while True:
                # The last run is not killed.
                after_s = rng.uniform(0, seconds / 3) if n_killed < kills else None
                ended = run_and_kill(self.command(folder), self.env, after_s)
                lost = files - files_of(folder)
                lines = len(whole_lines(folder / self.record))
                if lost or lines < n_lines - self.unfinished_max:
                    raise Differs(f"after kill {n_killed}: lost {sorted(lost)}, {n_lines} lines were {lines}")
                files, n_lines = files_of(folder), lines
                if ended is None:
                    n_killed += 1
                    continue
                n_ended += 1
                found = self.essence(*ended)
                if found != expected:
                    raise Differs(f"after {n_killed} kills:\n  {found}\ninstead of\n  {expected}")
                if n_killed >= kills:
                    return f"{n_killed} kills, {n_ended} runs to their end, each as if undisturbed: {self.told(expected)}"
                folder, files, n_lines = self.fresh(work), set(), 0

    def fresh(self, work):
        """Makes an empty folder for a report."""
        folder = pathlib.Path(work) / "killed"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        return folder


class Test(Resumable):
    """`kilter test`"""

    record = "record.jsonl"
    # Lines after the last complete case are written again: findings, notes.
    unfinished_max = 50

    def command(self, folder):
        resume = ["--resume"] if (folder / self.record).exists() else []
        config = "systems/raft/election.toml"
        return [self.args.kilter, "test", config, "--shard", self.args.shard, "--json", "--report", str(folder), *resume]

    def essence(self, answer, code):
        findings = sorted((f["case"], f["kind"], f["step"], f["action"]) for f in answer["findings"])
        return code, answer["cases"], answer["passed"], answer["steps"], findings

    def told(self, essence):
        code, cases, passed, steps, findings = essence
        return f"exit code {code}, {cases} cases, {passed} passed, {steps} steps, {len(findings)} findings"


class Converge(Resumable):
    """`kilter converge`"""

    record = "record.jsonl"
    # Lines after the last complete schedule are written again: findings, groups.
    unfinished_max = 50

    def __init__(self, args, env):
        super().__init__(args, env)
        config = (ROOT / "systems/converge/toystore.toml").read_text()
        config = config.replace("target/debug/toystore", str(args.bin / "toystore"))
        # A replica must not count as stuck because the machine is busy.
        config = config.replace("patience-ms = 3000", "patience-ms = 60000")
        self.folder = tempfile.TemporaryDirectory(prefix="kills-config-")
        self.config = pathlib.Path(self.folder.name) / "toystore.toml"
        self.config.write_text(config + 'options = ["--bug", "wrong-file"]\n')

    def command(self, folder):
        command = [self.args.kilter, "converge", str(self.config), "--sample", str(self.args.sample), "--report", str(folder), "--shrink", "0", "--json"]
        return command + (["--resume"] if (folder / self.record).exists() else [])

    def essence(self, answer, code):
        findings = sorted((f["number"], f["crash"], f["kind"]) for f in answer["findings"])
        return code, answer["verdict"], answer["run"], findings

    def told(self, essence):
        code, verdict, n_run, findings = essence
        return f"exit code {code}, {verdict}, {n_run} schedules run, {len(findings)} findings"


class Explore(Resumable):
    """`protocols explore`, which is `kilter explore` with a system linked in"""

    record = "record.jsonl"
    unfinished_max = 0

    def command(self, folder):
        config = "systems/protocols/election-bug.toml"
        command = [str(self.args.bin / "protocols"), "explore", config, "--search", "dfs", "--depth", "8", "--json", "--report", str(folder)]
        return command + (["--resume"] if (folder / self.record).exists() else [])

    def essence(self, answer, code):
        kinds = sorted({finding["kind"] for finding in answer["findings"]})
        return code, answer["complete"], answer["sequences"], answer["failing_sequences"], kinds

    def told(self, essence):
        code, complete, sequences, failing, kinds = essence
        return f"exit code {code}, {'complete' if complete else 'not complete'}, {sequences} sequences, {failing} failing: {', '.join(kinds)}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", type=pathlib.Path, default=ROOT / "target/debug")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--only", default="test,explore,converge")
    parser.add_argument("--shard", default="1/150")
    parser.add_argument("--sample", type=int, default=60)
    args = parser.parse_args()
    args.bin = args.bin.resolve()
    args.kilter = str(args.bin / "kilter")
    env = {**os.environ, "PATH": f"{args.bin}:{os.environ['PATH']}", "RAFT_BUG": "vote-count"}
    methods = {"test": Test, "explore": Explore, "converge": Converge}
    failed = False
    for name in args.only.split(","):
        # Each method has its own random numbers, so that leaving one out changes nothing for the others.
        rng = random.Random(f"{args.seed} {name}")
        begun = time.monotonic()
        try:
            told = methods[name](args, env).campaign(rng, args.kills)
        except Differs as differs:
            failed, told = True, f"DIFFERS {differs}"
        print(f"{name:<9} {told} ({time.monotonic() - begun:.0f} s)", flush=True)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
