#!/usr/bin/env python3
"""Tests five libraries of consensus against their specifications: every scenario, every exploration, every seeded bug.

    bench/libraries.py [--system NAME]… [--limit SECONDS] [--no-bugs]

--system   async-raft, etcd-raft, hashicorp-raft, libraft or openraft; can be given again [default: all]
--limit    how long each scenario and each exploration may take [default: 60]
--no-bugs  leave the seeded bugs out

`kilter` must be in the PATH. The commands are those that the README of each system shows, with a limit of time. It fails if a
scenario finds what it should not or does not find what it should, if a bug is not found, or if a README shows a command that was not run.
"""

import argparse
import dataclasses
import json
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent

# A bug's suite stops at the first finding, so this is not often reached.
BUG_LIMIT_S = 600


@dataclasses.dataclass
class Library:
    program: str  # has the verbs `test` and `explore`
    bug_variable: str
    bugs: dict  # by name: the scenario that finds it and the action whose step is wrong, or why nothing can be found
    explorations: dict  # options, by file
    # What may be found: the actions whose steps are wrong, by scenario; the properties that are violated, by exploration.
    expected: dict = dataclasses.field(default_factory=dict)
    # Whether `kilter test` calls `build`, by the mapping.
    builds_itself: bool = False


UNREACHABLE = "needs an append that ends before the leader's log does, which the specification does not have"

LIBRARIES = {
    "async-raft": Library(
        program="systems/async-raft/kilter-async-raft",
        bug_variable="ASYNC_RAFT_BUG",
        explorations={"explore": ""},
        # B and D of docs/findings/async-raft.md.
        expected={
            "explore": {"what is applied is the same everywhere", "what is committed is the same everywhere"},
            # F and G of the same document.
            "spins": {"Learns"},
            "shuts": {"Installs"},
        },
        bugs={
            "two-votes": ("election", "HandleVote"),
            "stays-leader": ("takeover", "HandleAppendAnswer"),
            "no-check": ("takeover", "HandleAppend"),
            "keeps-last": ("snapshot", "HandleAppend"),
            "old-majority": ("members", "HandleAppendAnswer"),
        },
    ),
    "etcd-raft": Library(
        program="kilter",
        bug_variable="ETCD_RAFT_BUG",
        builds_itself=True,
        explorations={"explore": "", "explore-safety": "--walks 400"},
        expected={
            "votes-as-raft-rs": {"Campaign", "HandleRequestVote"},
            "answers-as-raft-rs": {"HandleAppend"},
            "hints-as-raft-rs": {"Writes"},
            "snapshots-as-raft-rs": {"HandleAppendResponse"},
            "stale": {"HandleAppend", "HandleRequestVote"},
        },
        bugs={
            "up-to-date": ("takeover", "HandleRequestVote"),
            "heartbeat-commit": ("heartbeats", "Heartbeat"),
            "forgotten-vote": ("faults", "Restart"),
            "probe": ("conflict", "Learns"),
            "lost-snapshot": ("snapshot", "ReportSnapshot"),
            "two-changes": ("members", "ChangeMember"),
            "old-term": ("takeover", UNREACHABLE),
            "long-commit": ("takeover", UNREACHABLE),
        },
    ),
    "hashicorp-raft": Library(
        program="kilter",
        bug_variable="HASHICORP_RAFT_BUG",
        builds_itself=True,
        explorations={"explore": "", "explore-safety": "--walks 200", "explore-stored": ""},
        bugs={
            "two-votes": ("election", "HandleVote"),
            "stays-leader": ("takeover", "HandleAppendAnswer"),
            "keeps-conflict": ("takeover", "HandleAppend"),
            "first-term": ("restart", "Restart"),
            "told-again": ("snapshot", "HandleSnapshot"),
            "old-majority": ("members", "ChangeMember"),
        },
    ),
    "libraft": Library(
        program="kilter",
        bug_variable="BUG",
        explorations={"explore": "--walks 1000 --seed 1", "explore-safety": "--walks 300"},
        expected={
            "replication": {"HandleAppendEntries"},
            "heartbeat": {"HandleAppendEntries"},
            "conflict": {"HandleAppendEntries", "HandleAppendEntriesResult"},
            "late": {"HandleAppendEntries", "HandleAppendEntriesResult"},
            "no-leader": {"Stores"},
            "snapshot": {"HandleAppendEntries"},
            "while-installing": {"Stores"},
        },
        bugs={
            "votes_twice": ("election", "HandleRequestVote"),
            "forgets_term": ("restart", "Restart"),
            "keeps_conflict": ("old-conflict", "HandleAppendEntries"),
            "ignores_refusal": ("old-heartbeat", "HandleAppendEntriesResult"),
            "waits_on": ("old-snapshot", "HandleAppendEntriesResult"),
        },
    ),
    "openraft": Library(
        program="systems/openraft/kilter-openraft",
        bug_variable="OPENRAFT_BUG",
        explorations={"explore": ""},
        # The second finding of docs/findings/openraft.md.
        expected={"stale-purge": {"Writes"}},
        bugs={
            "smaller-votes": ("election", "HandleVote"),
            "shorter-logs": ("takeover", "HandleVote"),
            "vote-not-stored": ("restart", "Restart"),
            "purges-in-use": ("snapshot", "TakeSnapshot"),
            "old-majority": ("members-removed", "HandleAppendAnswer"),
        },
    ),
}


class Bench:
    """Runs the commands of one library, and remembers them and what was wrong."""

    def __init__(self, name, limit_s):
        self.name, self.library, self.limit_s = name, LIBRARIES[name], limit_s
        self.folder = ROOT / "systems" / name
        self.ran, self.wrong = [], []

    def build(self, bug=None):
        self._run(self._with_bug(f"systems/{self.name}/build", bug))

    def ask(self, command, bug=None, limit_s=None):
        """Runs a command of Kilter. Returns its answer."""
        command = self._with_bug(command, bug)
        with tempfile.TemporaryDirectory() as report:
            more = ["--time-max", f"{limit_s or self.limit_s}s", "--report", report, "--json", "--quiet"]
            done = self._run(command, more, codes=(0, 1))
        return json.loads(done.stdout)

    def _with_bug(self, command, bug):
        return f"{self.library.bug_variable}={bug} {command}" if bug else command

    def _run(self, command, more=(), codes=(0,)):
        self.ran.append(command)
        # `env` takes the variables that stand before a command.
        done = subprocess.run(["env", *shlex.split(command), *more], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        if done.returncode not in codes:
            sys.exit(f"{command} ended with {done.returncode}: {done.stderr[-800:]}")
        return done

    def scenarios(self):
        print("| scenario | states | cases | passed | steps | edges confirmed | cases a second | findings |")
        print("| --- | ---: | ---: | ---: | ---: | ---: | ---: | --- |", flush=True)
        for file in sorted(self.folder.glob("*.toml")):
            if "[spec]" not in file.read_text():
                continue
            # Those that find something find it in thousands of cases.
            more = " --max-findings 25" if file.stem in self.library.expected else ""
            said = self.ask(f"{self.library.program} test systems/{self.name}/{file.name}{more}")
            print(
                f"| `{file.stem}` | {said['states']:,} | {of(said['cases'], said['planned'])} | {said['passed']:,} | {said['steps']:,} "
                f"| {of(said['confirmed_edges'], said['edges'])} | {said['cases_per_second']:.0f} | {groups(said)} |",
                flush=True,
            )
            found = {finding["action"] for finding in said["findings"]}
            self._expect(file.stem, found - self.library.expected.get(file.stem, set()), bool(found))

    def explorations(self):
        print("\n| exploration | sequences | events | seconds | findings |\n| --- | ---: | ---: | ---: | --- |", flush=True)
        for name, options in self.library.explorations.items():
            said = self.ask(f"{self.library.program} explore systems/{self.name}/{name}.toml {options}".strip())
            print(f"| `{name}` | {said['sequences']:,} | {said['events']:,} | {said['seconds']:.0f} | {groups(said)} |", flush=True)
            properties = self.library.expected.get(name, set())
            found = {finding["summary"] for finding in said["findings"]}
            # Chance may miss, in the time that there is, what it finds in the end.
            is_enough = bool(found) or not said["finished"]
            self._expect(name, {text for text in found if not any(property in text for property in properties)}, is_enough)

    def _expect(self, name, surprises, has_found):
        if surprises:
            self.wrong.append(f"{name} finds what it should not: {', '.join(sorted(surprises))}")
        if name in self.library.expected and not has_found:
            self.wrong.append(f"{name} finds nothing")

    def bugs(self):
        print("\n| bug | scenario | found | cases until then | as |\n| --- | --- | --- | ---: | --- |", flush=True)
        for bug, (scenario, action) in self.library.bugs.items():
            if not self.library.builds_itself:
                self.build(bug)
            command = f"{self.library.program} test systems/{self.name}/{scenario}.toml --max-findings 1"
            is_reachable = action != UNREACHABLE
            said = self.ask(command, bug if self.library.builds_itself else None, BUG_LIMIT_S if is_reachable else None)
            finding = said["findings"][0] if said["findings"] else None
            found = "yes" if finding else "**no**" if is_reachable else "no, and it can't be"
            shown = as_shown(said) if finding else "–" if is_reachable else action
            print(f"| `{bug}` | `{scenario}` | {found} | {said['cases']:,} | {shown} |", flush=True)
            if is_reachable and (not finding or finding["action"] != action):
                self.wrong.append(f"the bug {bug} is not found, or at another action than {action}")
            if not is_reachable and finding:
                self.wrong.append(f"the bug {bug} is found, though it should be out of reach")
        if there := seeded(self.folder) - set(self.library.bugs):
            self.wrong.append(f"bugs that are there and were not run: {', '.join(sorted(there))}")

    def readme(self):
        """Every command that the README shows must have been run. A NAME in it stands for any."""
        for command in commands((self.folder / "README.md").read_text()):
            pattern = re.escape(command).replace("NAME", r"\S+")
            if not any(re.fullmatch(pattern, ran) for ran in self.ran):
                self.wrong.append(f"the README shows a command that was not run: {command}")


def of(part, all_of_it):
    return f"all {part:,}" if part == all_of_it else f"{part:,} of {all_of_it:,}"


def groups(said):
    return "; ".join(f"{group['group']}: {group['findings']:,}, {group['steps']} steps" for group in said["groups"]) or "none"


def as_shown(said):
    """The first finding, and how long the shortest of its kind is."""
    finding, group = said["findings"][0], said["groups"][0]
    return f"`{finding['action']}`: {', '.join(sorted(finding['variables'])) or finding['kind']}, after {group['steps']} steps"


def seeded(folder):
    """The names of all bugs of a system."""
    if (folder / "bugs.c").exists():
        return set(re.findall(r"#ifdef (\w+)", (folder / "bugs.c").read_text()))
    return {file.name.split(".")[0] for file in (folder / "bugs").glob("*.sed")}


def commands(text):
    """The commands in a document: indented lines, and what is in backticks. Packages are installed by hand."""
    shown = re.findall(r"^    (\S.*)$|`([^`\n]+)`", text, flags=re.M)
    is_command = re.compile(r"([A-Z_]+=\S+ )?(kilter (test|explore) |systems/\S+/(build|kilter-))")
    return [command for command in map("".join, shown) if is_command.match(command)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--system", action="append", choices=sorted(LIBRARIES), default=[])
    parser.add_argument("--limit", type=int, default=60)
    parser.add_argument("--bugs", action=argparse.BooleanOptionalAction, default=True)
    options = parser.parse_args()
    wrong = []
    for name in options.system or sorted(LIBRARIES):
        bench = Bench(name, options.limit)
        print(f"\n## {name}\n", flush=True)
        bench.build()
        bench.scenarios()
        bench.explorations()
        if options.bugs:
            try:
                bench.bugs()
            finally:
                bench.build()  # so that no bug is left in
            bench.readme()
        wrong += [f"{name}: {text}" for text in bench.wrong]
    print("\n" + ("\n".join(wrong) or "All is as expected."))
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
