#!/usr/bin/env python3
"""Checks the probes of five languages with the conformance kit, by the commands that their documents show.

    bench/probes.py

`kilter` must be in the PATH, and cargo, go, a C compiler, node and python3. Commands are taken from the blocks and the text of probes/*/README.md, docs/protocol.md and
docs/guide/probe.md, and run as they are written, with `--patience 60` for nodes that are late on a busy machine. It fails if one fails, or if a language has no `kilter probe-check`. What has a placeholder (…) or belongs to a program
of the reader's is listed, not run. The agent for Java has no sample node for the kit; its tests are in probes/java/test.
"""

import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent

# Where commands are run, and which of them need what the reader has.
DOCUMENTS = {
    "probes/c/README.md": ".",
    "probes/go/README.md": "probes/go",
    "probes/js/README.md": ".",
    "docs/protocol.md": ".",
    "docs/guide/probe.md": ".",
}
# The probe for Rust is a library; its sample is built by cargo.
RUST = [
    "cargo build --release --quiet -p kilter-probe --features controlled --example sample",
    "kilter probe-check -- target/release/examples/sample",
]
READERS = re.compile(r"…|overlay\.json|\.\.\.|PATH/|table\.json|^go build (-tags kilter )?\.$|^go (mod|run)|^cargo add|^npm ")
IS_COMMAND = re.compile(r"(kilter probe-check|probes/\S+/build|go (build|run|mod)|systems/lock/build|kilter test systems/lock)\b")


def commands(text):
    """Commands in blocks of sh, in indented lines, and in backticks, without comments. A build that the text names after its use comes first."""
    blocks = [line for block in re.findall(r"^```sh\n(.*?)^```", text, flags=re.S | re.M) for line in block.splitlines()]
    indented = re.findall(r"^    (\S.*)$", text, flags=re.M)
    quoted = re.findall(r"`([^`\n]+)`", re.sub(r"^```.*?^```", "", text, flags=re.S | re.M))
    found = [re.sub(r"\s+#.*", "", command).strip() for command in [*blocks, *indented, *quoted]]
    found = [command for command in dict.fromkeys(found) if IS_COMMAND.match(command) and command not in ("kilter probe-check", "kilter probe-check -- COMMAND")]
    return sorted(found, key=lambda command: "build" not in command)


def run(command, folder):
    # The machine may be busy, and a node that is late is not wrong.
    asked = command.replace("kilter probe-check", "kilter probe-check --patience 60")
    done = subprocess.run(asked, shell=True, cwd=ROOT / folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    lines = done.stdout.strip().splitlines()
    print(f"| `{command}` | {done.returncode} | {lines[-1] if lines else ''} |", flush=True)
    return done.returncode == 0


def main():
    wrong, checked = [], set()
    print("| command | exit code | last line |\n| --- | ---: | --- |")
    plans = [(name, folder, commands((ROOT / name).read_text())) for name, folder in DOCUMENTS.items()] + [("Rust", ".", RUST)]
    not_run = []
    for name, folder, shown in plans:
        for command in shown:
            if READERS.search(command):
                not_run.append(f"{name}: {command}")
            elif not run(command, folder):
                wrong.append(f"{name}: {command}")
            elif "probe-check" in command:
                checked.add(name)
    print("\nNot run, for they are about a program of the reader's:\n" + "\n".join(not_run))
    wrong += [f"{name} shows no `kilter probe-check` that passes" for name, _, _ in plans if name != "docs/guide/probe.md" and name not in checked]
    print("\n" + ("\n".join(wrong) or "All is as expected."))
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
