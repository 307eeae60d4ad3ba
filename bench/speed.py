#!/usr/bin/env python3
"""Measures the speed of Kilter, TLC and tla-mc on the same models, one after the other. Prints a Markdown table.

    bench/speed.py --examples DIR --tlc CLASSPATH [--tla-mc PATH] [--library DIR]... [--workers2] [--out FILE]

All run with one worker. Time is CPU time (user and system) of the process and its children; memory is the peak resident set.
For models under 10 s, the start of the JVM is subtracted from TLC's time. It is measured on an empty specification in the same run.
The build of a compiled tla-mc is not counted: it is first started until the checker is built, and then measured.

A temporal property that Kilter says it does not check is removed from the configuration for all, so that all do the same work.
A time counts only if the counts of states are those of TLC. TwoPhase7 is not part of any mean; it has a goal of its own.
"""

import argparse
import dataclasses
import datetime
import json
import math
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True  # nothing but results is left behind
import harness  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
JVM_START_MATTERS_BELOW_S = 10

# A name, and the specification and the configuration, relative to the examples.
MODELS = [
    ("MCBakery", "specifications/Bakery-Boulangerie/MCBakery.tla", "specifications/Bakery-Boulangerie/MCBakery.cfg"),
    ("MCLamportMutex", "specifications/lamport_mutex/MCLamportMutex.tla", "specifications/lamport_mutex/MCLamportMutex.cfg"),
    ("SlushSmall", "specifications/SlushProtocol/Slush.tla", "specifications/SlushProtocol/SlushSmall.cfg"),
    ("MCNanoMedium", "specifications/NanoBlockchain/MCNano.tla", "specifications/NanoBlockchain/MCNanoMedium.cfg"),
    ("btree", "specifications/btree/btree.tla", "specifications/btree/btree.cfg"),
    ("MultiPaxos_MC_small", "specifications/MultiPaxos-SMR/MultiPaxos_MC.tla", "specifications/MultiPaxos-SMR/MultiPaxos_MC_small.cfg"),
    ("MCKVsnap", "specifications/KeyValueStore/MCKVsnap.tla", "specifications/KeyValueStore/MCKVsnap.cfg"),
    ("CoffeeCan1000Beans", "specifications/CoffeeCan/CoffeeCan.tla", "specifications/CoffeeCan/CoffeeCan1000Beans.cfg"),
    ("EWD998PCal", "specifications/ewd998/EWD998PCal.tla", "specifications/ewd998/EWD998PCal.cfg"),
    ("bcastByz", "specifications/bcastByz/bcastByz.tla", "specifications/bcastByz/bcastByz.cfg"),
    ("TLCSailfish1", "specifications/dag-consensus/TLCSailfish1.tla", "specifications/dag-consensus/TLCSailfish1.cfg"),
    ("PaxosCommit", "specifications/transaction_commit/PaxosCommit.tla", "specifications/transaction_commit/PaxosCommit.cfg"),
]
# Our own models, relative to the repository.
OWN_MODEL = ("TwoPhase7", "specs/TwoPhase/TwoPhase7.tla", "specs/TwoPhase/TwoPhase7.cfg")


@dataclasses.dataclass
class Line:
    name: str
    answers: dict  # column → Answer; "kilter" is always there
    left_out: list  # properties that none of them checked

    def cpu_s(self, column, jvm_start_s):
        """The time that counts. None if there is none."""
        answer = self.answers.get(column)
        if answer is None or not answer.is_ok() or not self.same_counts(column):
            return None
        short = column == "TLC" and answer.run.cpu_s < JVM_START_MATTERS_BELOW_S
        return max(answer.run.cpu_s - (jvm_start_s if short else 0), 0.01)

    def same_counts(self, column):
        """Whether the counts are those of TLC, or those of Kilter if TLC was not run. For a third checker, only the distinct states are compared."""
        tlc = self.answers.get("TLC")
        model = tlc if tlc and tlc.is_ok() else self.answers["kilter"]
        mine = self.answers[column]
        same_generated = mine.generated == model.generated or column.startswith("tla-mc")
        return mine.distinct == model.distinct and same_generated


def main():
    options = arguments()
    harness.interrupt_on_terminate()
    scratch = tempfile.mkdtemp(prefix="kilter-speed-")
    lines = []
    try:
        jvm_start_s = measure_jvm_start(options, scratch) if options.tlc else 0
        for model in chosen(options):
            lines.append(measure(model, options, scratch))
    except (KeyboardInterrupt, harness.Interrupted):
        print("interrupted", file=sys.stderr)
        sys.exit(130)
    finally:
        harness.stop_all()
        shutil.rmtree(scratch, ignore_errors=True)
    print_report(lines, jvm_start_s, options)
    if options.out:
        with open(options.out, "w", encoding="utf-8") as file:
            for line in lines:
                print(json.dumps(as_json(line, jvm_start_s)), file=file)


def arguments():
    parser = argparse.ArgumentParser(description="Compares the speed of `kilter check`, TLC and tla-mc.")
    add = parser.add_argument
    add("--examples", required=True, metavar="DIR", help="a checkout of tlaplus/Examples")
    add("--kilter", default=os.path.join(ROOT, "target", "release", "kilter"), metavar="PATH")
    add("--tlc", metavar="CLASSPATH", help="tla2tools.jar and the community modules")
    add("--java", default="java", metavar="PATH")
    add("--java-option", action="append", default=[], metavar="OPTION", help="for TLC, beside -XX:+UseParallelGC")
    add("--tla-mc", metavar="PATH", help="the program tla-mc")
    add("--no-compiled", action="store_true", help="tla-mc interpreted only")
    add("--tla-mc-library", action="append", default=[], metavar="DIR", help="where tla-mc finds the community modules")
    add("--library", action="append", default=[], metavar="DIR", help="where all find further modules")
    add("--models", action="append", default=[], metavar="TEXT", help="only models with TEXT in their name; may be repeated")
    add("--repeat", type=int, default=1, metavar="N", help="run each N times and take the one with the least CPU time")
    add("--timeout", type=float, default=900, metavar="S", help="for one run, in seconds (default 900)")
    add("--workers2", action="store_true", help="also measure the wall time of Kilter with two workers")
    add("--out", metavar="FILE", help="write the measurements as JSON lines")
    options = parser.parse_args()
    options.examples = os.path.abspath(options.examples)
    for name in ("kilter", "tla_mc"):
        path = getattr(options, name)
        if path and not os.access(path, os.X_OK):
            parser.error(f"no program at {path}")
        setattr(options, name, path and os.path.abspath(path))
    for name in ("library", "tla_mc_library"):
        setattr(options, name, [os.path.abspath(path) for path in getattr(options, name)])
    options.repeat = max(1, options.repeat)
    return options


def chosen(options):
    rooted = [(options.examples, *model) for model in MODELS] + [(ROOT, *OWN_MODEL)]
    models = [(name, os.path.join(root, spec), os.path.join(root, config)) for root, name, spec, config in rooted]
    models = [m for m in models if not options.models or any(text in m[0] for text in options.models)]
    for _, spec, _ in models:
        if not os.path.exists(spec):
            sys.exit(f"no specification at {spec}")
    if not models:
        sys.exit("no model has such a name")
    return models


# --- measuring ---------------------------------------------------------------


def measure(model, options, scratch):
    name, spec, config = model
    print(f"{name}: kilter", end="", file=sys.stderr, flush=True)
    first = run_kilter(options, spec, config)
    left_out = []
    if first.unchecked:
        shorter = os.path.join(scratch, f"{name}.cfg")
        left_out = without_properties(config, first.unchecked, shorter)
        config = shorter
        first = run_kilter(options, spec, config)
    answers = {"kilter": [first]}
    others = list(columns(options, spec, config))
    # Runs are measured in rounds, so that other load on the machine affects all alike.
    for number in range(options.repeat):
        if number > 0:
            answers["kilter"].append(run_kilter(options, spec, config))
        for column, run in others:
            print(f", {column}", end="", file=sys.stderr, flush=True)
            answers.setdefault(column, []).append(run())
    print(file=sys.stderr)
    return Line(name, {column: best(each) for column, each in answers.items()}, left_out)


def columns(options, spec, config):
    if options.workers2:
        yield "2 workers", lambda: run_kilter(options, spec, config, workers=2)
    if options.tlc:
        yield "TLC", lambda: harness.tlc(
            options.tlc, spec, config, options.timeout, options.library, options.java, options.java_option
        )
    if options.tla_mc:
        yield "tla-mc", lambda: run_tla_mc(options, spec, config)
    if options.tla_mc and not options.no_compiled:
        build_compiled(options, spec, config)
        yield "tla-mc compiled", lambda: run_tla_mc(options, spec, config, ["-compile"])


def best(answers):
    return min(answers, key=lambda answer: (not answer.is_ok(), answer.run.cpu_s))


def run_kilter(options, spec, config, workers=1):
    extra = ["--workers", str(workers)]
    return harness.kilter(options.kilter, spec, config, options.timeout, options.library, extra)


def run_tla_mc(options, spec, config, extra=()):
    libraries = options.tla_mc_library + options.library
    return harness.tla_mc(options.tla_mc, spec, config, options.timeout, libraries, extra)


def build_compiled(options, spec, config):
    """Makes tla-mc build its checker, which it keeps in a cache. Ends it as soon as the checker runs."""
    command = harness.tla_mc_command(options.tla_mc, options.tla_mc_library + options.library, ["-compile"])
    command = harness.with_model(command, spec, config)
    harness.run(command, os.path.dirname(spec), options.timeout, until="loaded in")


def measure_jvm_start(options, scratch):
    """The CPU time of TLC on a specification with one state: JVM start, class loading, a little parsing."""
    spec = os.path.join(scratch, "Empty.tla")
    config = os.path.join(scratch, "Empty.cfg")
    with open(spec, "w", encoding="utf-8") as file:
        file.write("---- MODULE Empty ----\nVARIABLE x\nInit == x = 0\nNext == x' = x\n====\n")
    with open(config, "w", encoding="utf-8") as file:
        file.write("INIT Init\nNEXT Next\n")
    runs = [harness.tlc(options.tlc, spec, config, 60, (), options.java, options.java_option) for _ in range(3)]
    for answer in runs:
        if not answer.is_ok():
            sys.exit(f"TLC does not run: {answer.verdict}: {answer.error}")
    return sorted(answer.run.cpu_s for answer in runs)[1]


CONFIG_KEYWORDS = {
    "CONSTANT", "CONSTANTS", "INIT", "NEXT", "SPECIFICATION", "INVARIANT", "INVARIANTS", "PROPERTY", "PROPERTIES",
    "CONSTRAINT", "CONSTRAINTS", "ACTION_CONSTRAINT", "ACTION_CONSTRAINTS", "SYMMETRY", "VIEW", "CHECK_DEADLOCK",
    "ALIAS", "POSTCONDITION", "TYPE", "TYPE_CONSTRAINT",
}  # fmt: skip


def without_properties(config, names, path):
    """Writes a copy of the configuration without these names in its PROPERTY lists. Returns the names that it had."""
    with open(config, encoding="utf-8") as file:
        text = file.read()
    # Splits into comments, strings, words, and single other characters. Joined again, they are the text.
    tokens = re.findall(r"\\\*[^\n]*|\(\*.*?\*\)|\"[^\"\n]*\"|\w+(?:!\w+)*|.", text, re.DOTALL)
    starts = [i for i, token in enumerate(tokens) if token in CONFIG_KEYWORDS] + [len(tokens)]
    removed = []
    for start, end in zip(starts, starts[1:]):
        if tokens[start] not in ("PROPERTY", "PROPERTIES"):
            continue
        listed = [i for i in range(start + 1, end) if re.match(r"\w", tokens[i])]
        dropped = [i for i in listed if tokens[i] in names]
        removed += [tokens[i] for i in dropped]
        for i in dropped + ([start] if dropped == listed else []):
            tokens[i] = ""
    with open(path, "w", encoding="utf-8") as file:
        file.write("".join(tokens))
    return removed


# --- printing ----------------------------------------------------------------

OTHERS = ["TLC", "tla-mc", "tla-mc compiled"]


def print_report(lines, jvm_start_s, options):
    others = [column for column in OTHERS if any(column in line.answers for line in lines)]
    print(f"{datetime.date.today()}, {machine()}\n")
    head = ["model", "distinct", "Kilter s", *(f"{c} s" for c in others), *(f"{c} / Kilter" for c in others)]
    head += ["Kilter MiB", *(f"{c} MiB" for c in others)] + (["2 workers"] if options.workers2 else [])
    print("| " + " | ".join(head) + " |")
    print("| --- |" + " ---: |" * (len(head) - 1))
    for line in lines:
        print("| " + " | ".join(cells(line, others, jvm_start_s, options)) + " |")
    print()
    print_means(lines, others, jvm_start_s, options)
    print_notes(lines, others, jvm_start_s)


def cells(line, others, jvm_start_s, options):
    ours = line.cpu_s("kilter", jvm_start_s)
    answer = line.answers["kilter"]
    distinct = "-" if answer.distinct is None else f"{answer.distinct:,}"
    row = [line.name + ("†" if line.left_out else ""), distinct]
    row += [seconds(line, column, jvm_start_s) for column in ["kilter", *others]]
    row += [times(ratio(line.cpu_s(column, jvm_start_s), ours)) for column in others]
    row += [memory(line.answers.get(column)) for column in ["kilter", *others]]
    if options.workers2:
        row.append(times(speedup(line)))
    return row


def seconds(line, column, jvm_start_s):
    answer = line.answers.get(column)
    if answer is None:
        return "-"
    time_s = line.cpu_s(column, jvm_start_s)
    if time_s is not None:
        return f"{time_s:.2f}"
    return "other counts" if answer.is_ok() else answer.verdict


def memory(answer):
    return f"{answer.run.peak_kib / 1024:.0f}" if answer and answer.is_ok() else "-"


def ratio(theirs, ours):
    return theirs / ours if theirs and ours else None


def times(number):
    return "-" if number is None else f"{number:.2f}x"


def speedup(line):
    one, two = line.answers["kilter"], line.answers.get("2 workers")
    if two is None or not (one.is_ok() and two.is_ok()):
        return None
    return one.run.wall_s / two.run.wall_s


def print_means(lines, others, jvm_start_s, options):
    counted = [line for line in lines if line.name != OWN_MODEL[0]]
    for column in others:
        pairs = [(ratio(line.cpu_s(column, jvm_start_s), line.cpu_s("kilter", jvm_start_s)), line.name) for line in counted]
        print_mean(f"{column} / Kilter", [pair for pair in pairs if pair[0]], len(counted))
    if options.workers2:
        pairs = [(speedup(line), line.name) for line in counted]
        print_mean("two workers, wall time", [pair for pair in pairs if pair[0]], len(counted))
    if "TLC" in others:
        more = [line.name for line in lines if more_memory(line)]
        print(f"- memory above TLC's on: {', '.join(more) or 'none'}")


def print_mean(what, pairs, n_models):
    if not pairs:
        print(f"- {what}: nothing to compare")
        return
    mean = math.exp(sum(math.log(number) for number, _ in pairs) / len(pairs))
    least, where = min(pairs)
    print(f"- {what}: geometric mean **{mean:.2f}x** over {len(pairs)} of {n_models} models, least {least:.2f}x ({where})")


def more_memory(line):
    ours, theirs = line.answers["kilter"], line.answers["TLC"]
    return ours.is_ok() and theirs.is_ok() and ours.run.peak_kib >= theirs.run.peak_kib


def print_notes(lines, others, jvm_start_s):
    if "TLC" in others:
        limit = JVM_START_MATTERS_BELOW_S
        print(f"- JVM start: {jvm_start_s:.2f} s of CPU, taken off TLC's time where that is under {limit} s")
    for line in lines:
        if line.left_out:
            print(f"- † {line.name}: checked by all without {', '.join(line.left_out)}")
        for column, answer in line.answers.items():
            if not answer.is_ok():
                print(f"- {line.name}, {column}: {': '.join(filter(None, [answer.verdict, answer.error]))}")
            elif not line.same_counts(column):
                print(f"- {line.name}, {column}: {answer.distinct} distinct, {answer.generated} generated")


def machine():
    memory_gib = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return f"{cpu_name()}, {os.cpu_count()} cores, {memory_gib:.0f} GiB, {os.uname().sysname} {os.uname().machine}"


def cpu_name():
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            names = re.findall(r"^model name\s*:\s*(.+)$", file.read(), re.MULTILINE)
    except OSError:
        names = []
    if not names:
        found = subprocess.run(["uname", "-p"], capture_output=True, text=True, check=False).stdout.strip()
        names = [found or "unknown processor"]
    return names[0].strip()


def as_json(line, jvm_start_s):
    return {
        "model": line.name,
        "left_out": list(line.left_out),
        "jvm_start_s": round(jvm_start_s, 3),
        "runs": {
            column: {
                "verdict": answer.verdict,
                "distinct": answer.distinct,
                "generated": answer.generated,
                "depth": answer.depth,
                "cpu_s": round(answer.run.cpu_s, 3),
                "wall_s": round(answer.run.wall_s, 3),
                "peak_kib": answer.run.peak_kib,
                "error": answer.error or None,
            }
            for column, answer in line.answers.items()
        },
    }


if __name__ == "__main__":
    main()
