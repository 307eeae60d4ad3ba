#!/usr/bin/env python3
"""Follows real systems from release to release: what does `kilter diff` select, and do the selected cases find on the old code what the release mended?

    bench/history.py pysyncobj [--download] [--kilter FILE] [--work DIR] [--scenario NAME,…] [--releases N,…] [--jobs N]
    bench/history.py raft-rs [--download] [--kilter FILE] [--work DIR] [--scenario NAME,…] [--build]

pysyncobj   releases of PySyncObj from PyPI, with the mappings of systems/pysyncobj
raft-rs     the crate `raft` 0.6.0 and 0.7.0 from crates.io, with the mappings of systems/raft-rs
--download  fetch what is not there; without it, nothing is fetched
--releases  the last number of each release of PySyncObj [default: 10 to 17]
--build     also build systems/raft-rs with 0.6.0, and run the cases on it

A release of PySyncObj is run once in full, and it is noted which lines of the library run for which step (KILTER_RAN). `kilter diff` gets these notes with the old
release. All runs note lines, so that their times can be compared. Results that are in the work folder are not made again. Up to 0.3.11 the scenarios are `old-…`,
since those releases answer in another manner: from 0.3.11 to 0.3.12, specification and code change together.
"""

import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PYSYNCOBJ = ROOT / "systems" / "pysyncobj"
RAFT_RS = ROOT / "systems" / "raft-rs"
OLD_MANNER = 11  # the last release that answers in the old manner


def run(command, **more):
    """Runs a command. Any failure but findings is an error."""
    done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, text=True, **more)
    if done.returncode not in (0, 1):
        sys.exit(f"{' '.join(map(str, command))} ended with {done.returncode}")
    return done.stdout


def answer(file, command, **more):
    """The answer of a command as JSON, kept in a file."""
    if not file.is_file() or not file.read_text().strip():
        file.write_text(run([*command, "--json"], **more))
    return json.loads(file.read_text())


def groups(found):
    """What was found, by kind and action."""
    tally = {}
    for finding in found["findings"]:
        key = (finding["kind"], finding.get("action"))
        tally[key] = tally.get(key, set()) | {finding["case"]}
    return ", ".join(f"{kind} {action} ({len(cases)})" for (kind, action), cases in sorted(tally.items(), key=str)) or "nothing"


def by_share(found):
    """The share of cases that find something."""
    n_cases = len({finding["case"] for finding in found["findings"]})
    return f"{n_cases} of {found['cases']}"


class Releases:
    """The releases of PySyncObj."""

    def __init__(self, options):
        self.options = options

    def mapping(self, scenario, release):
        return PYSYNCOBJ / (f"old-{scenario}.toml" if release <= OLD_MANNER else f"{scenario}.toml")

    def installed(self, release):
        """The folder in which a release is installed."""
        name = f"0.3.{release}"
        installed = PYSYNCOBJ / "releases" / name
        if not (installed / "bin" / "python").exists():
            if not self.options.download:
                sys.exit(f"PySyncObj {name} is not installed; --download fetches it")
            subprocess.run([PYSYNCOBJ / "setup", name], check=True, stdout=sys.stderr)
        return installed

    def source(self, release):
        """A folder with the library as it was installed, and with the node that drives it."""
        folder = self.options.work / f"source-{release}"
        shutil.rmtree(folder, ignore_errors=True)
        library = next(self.installed(release).glob("lib/python*/site-packages/pysyncobj"))
        shutil.copytree(library, folder / "pysyncobj", ignore=shutil.ignore_patterns("__pycache__"))
        shutil.copy(PYSYNCOBJ / "node.py", folder)
        return folder

    def test(self, name, mapping, release, ran, *more):
        environment = dict(os.environ, PYSYNCOBJ=f"0.3.{release}", KILTER_RAN=str(ran))
        command = [self.options.kilter, "test", mapping, "--jobs", self.options.jobs, "--report", self.options.work / name, "--quiet", *more]
        return answer(self.options.work / f"{name}.json", command, env=environment)

    def full(self, scenario, release):
        """Runs all cases on a release, and notes what runs."""
        self.installed(release)
        ran = self.options.work / f"{scenario}-{release}.ran"
        return self.test(f"full-{scenario}-{release}", self.mapping(scenario, release), release, ran), ran

    def one(self, scenario, old, new):
        """A row of the table."""
        work = self.options.work
        (_, ran), (all_cases, _) = self.full(scenario, old), self.full(scenario, new)
        name = f"{scenario}-{old}-{new}"
        suite, cells = work / f"{name}.suite", []
        for notes in ([], [ran]):
            sides = ["--old", self.mapping(scenario, old), self.source(old), *notes, "--new", self.mapping(scenario, new), self.source(new)]
            told = json.loads(run([self.options.kilter, "diff", *sides, "--out", suite, "--cache", work / "graphs", "--json"], cwd=work))
            cells.append(told)
        before, told = cells
        touched = sorted({change["name"] for change in told["changes"] if change["kind"] == "code"})
        row = [f"0.3.{old}", f"0.3.{new}", scenario, ", ".join(touched) or "none", f"{before['tests']} of {told['full_tests']}", f"{told['tests']} of {told['full_tests']}"]
        if told["tests"]:
            mapping = self.mapping(scenario, new)
            after = self.test(f"after-{name}", mapping, new, os.devnull, "--suite", suite)
            on_old = self.test(f"before-{name}", mapping, old, os.devnull, "--suite", suite)
            row += [f"{after['seconds']:.0f} s of {all_cases['seconds']:.0f} s", groups(after), groups(on_old), by_share(on_old)]
        else:
            row += [f"0 s of {all_cases['seconds']:.0f} s", "–", "–", "–"]
        (work / f"{name}.told.json").write_text(json.dumps(told, indent=1))
        print("| " + " | ".join(row) + " |", flush=True)


def pysyncobj(options):
    releases, numbers = Releases(options), [int(number) for number in options.releases.split(",")]
    print("| from | to | scenario | actions touched | cases by call graph | cases by what ran | their time | they find in the new release | in the old one | cases that do |")
    print("| --- | --- | --- | --- | ---: | ---: | ---: | --- | --- | ---: |", flush=True)
    for scenario in (options.scenario or "election,replication").split(","):
        for old, new in zip(numbers, numbers[1:]):
            releases.one(scenario, old, new)


def crate(options, version):
    """The sources of the crate `raft`."""
    home = pathlib.Path(os.environ.get("CARGO_HOME", pathlib.Path.home() / ".cargo"))
    found = lambda: next(home.glob(f"registry/src/*/raft-{version}"), None)  # noqa: E731
    if not found() and options.download:
        folder = options.work / f"fetch-{version}"
        (folder / "src").mkdir(parents=True, exist_ok=True)
        (folder / "src" / "lib.rs").write_text("")
        (folder / "Cargo.toml").write_text(manifest(version, "lib"))
        subprocess.run(["cargo", "fetch", "--quiet"], cwd=folder, check=True)
    if not found():
        sys.exit(f"raft {version} is not in the registry's folder; --download fetches it")
    return found()


def manifest(version, kind):
    text = f'[package]\nname = "kilter-raft-rs"\nversion = "0.1.0"\nedition = "2024"\n\n[workspace]\n\n[dependencies]\nraft = {{ version = "={version}", default-features = false, features = ["protobuf-codec"] }}\n'
    if kind == "system":
        folders = {"kilter": "crates/kilter", "kilter-base": "crates/base", "kilter-probe": "libs/probe", "kilter-testbed": "crates/testbed"}
        features = {"kilter": ["program"], "kilter-probe": ["controlled"]}
        for name, folder in folders.items():
            text += f'{name} = {{ path = "{ROOT / folder}", features = {json.dumps(features.get(name, []))} }}\n'
        # raft-proto 0.6.0 uses the type Bytes in what it generates, and does not ask protobuf for it. Here we do.
        text += 'protobuf = { version = "2", features = ["with-bytes"] }\nserde = { version = "1", features = ["derive"] }\nserde_json = "1"\nslog = "2"\n'
        # The same profile as here, so that a target folder that is given has what is built already.
        text += "\n" + re.search(r"\[profile\.release\].*", (ROOT / "Cargo.toml").read_text(), flags=re.S).group(0)
    return text


# What systems/raft-rs says to 0.7.0, and what it says to 0.6.0.
OLDER = [
    (", GetEntriesContext::empty(false)", ""),
    ("            None,\n            GetEntriesContext::empty(false),\n", "            None,\n"),
    ("        context: GetEntriesContext,\n", ""),
    (", max_size, context)", ", max_size)"),
    ("use raft::{GetEntriesContext, Result,", "use raft::{Result,"),
    ("fn snapshot(&self, _: u64, _: u64)", "fn snapshot(&self, _: u64)"),
    ("self.snapshot(0, 0)", "self.snapshot(0)"),
]


def for_older(folder):
    for file in folder.rglob("*.rs"):
        text = file.read_text()
        for now, then in OLDER:
            text = text.replace(now, then)
        file.write_text(text)


def raft_rs(options):
    sources = {}
    for version in ("0.6.0", "0.7.0"):
        folder = sources[version] = options.work / f"raft-{version}"
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(RAFT_RS / "src", folder / "driver")
        shutil.copytree(crate(options, version) / "src", folder / "raft")
    program = None
    if options.build:
        package = options.work / "package-0.6.0"
        shutil.rmtree(package / "src", ignore_errors=True)
        shutil.copytree(RAFT_RS / "src", package / "src")
        for_older(package / "src")
        (package / "Cargo.toml").write_text(manifest("0.6.0", "system"))
        shutil.copy(ROOT / "Cargo.lock", package / "Cargo.lock")
        subprocess.run(["cargo", "build", "--quiet", "--release"], cwd=package, check=True)
        target = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", package / "target"))
        program = target / "release" / "kilter-raft-rs"
    print("| scenario | actions touched | changes of no action | cases selected | on 0.6.0 |\n| --- | ---: | ---: | ---: | --- |", flush=True)
    for scenario in (options.scenario or "election,replication,heartbeats,takeover,faults,conflict").split(","):
        mapping, suite = RAFT_RS / f"{scenario}.toml", options.work / f"raft-{scenario}.suite"
        sides = ["--old", mapping, sources["0.6.0"], "--new", mapping, sources["0.7.0"]]
        told = json.loads(run([options.kilter, "diff", *sides, "--out", suite, "--cache", options.work / "graphs", "--json"], cwd=options.work))
        touched = {change["name"] for change in told["changes"] if change["kind"] == "code"}
        found = "not run"
        if program:
            command = [program, "test", mapping, "--suite", suite, "--jobs", options.jobs, "--report", options.work / f"raft-{scenario}", "--json"]
            old = json.loads(run(command))
            found = f"{old['passed']} of {old['cases']} pass in {old['seconds']:.1f} s; found: {groups(old)}"
        print(f"| {scenario} | {len(touched)} | {len(told['unattributed'])} | {told['tests']} of {told['full_tests']} | {found} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("system", choices=["pysyncobj", "raft-rs"])
    parser.add_argument("--download", action="store_true")
    parser.add_argument("--build", action="store_true")
    parser.add_argument("--kilter", type=pathlib.Path, default=ROOT / "target" / "release" / "kilter")
    parser.add_argument("--work", type=pathlib.Path, default=ROOT / "target" / "history")
    parser.add_argument("--scenario", default="")
    parser.add_argument("--releases", default="10,11,12,13,14,15,16,17")
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    options.kilter, options.work = options.kilter.resolve(), options.work.resolve()
    options.work.mkdir(parents=True, exist_ok=True)
    {"pysyncobj": pysyncobj, "raft-rs": raft_rs}[options.system](options)


if __name__ == "__main__":
    main()
