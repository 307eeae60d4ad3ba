#!/usr/bin/env python3
"""Compares Kilter, TLC and the naive evaluator on random modules. Writes modules by seed, runs both checkers, and lists all differences.

    bench/random.py --kilter PATH --tlc JARS --seed 1 --count 500 [--jobs N] [--keep DIR] [--write PATH]

The modules and the naive answers come from `cargo run -p kilter-oracle --example write`. TLC runs with one worker. The verdict, the
violated property and the length of a safety counterexample must be the same, and the counts of a search that ran to its end. Each
difference is printed with the seed that repeats it. Differences that are known and explained are listed separately. With `--keep`,
TLC's answers stay in the folder, and the next run there uses them. `bench/results` has earlier output.

The exit code is 0 if every difference is explained, and 1 otherwise.
"""

import argparse
import concurrent.futures
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True  # nothing but results is left behind
import harness  # noqa: E402

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
FAST_START = ["-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xshare:auto", "-Xmx300m"]
FAST_START += ["-Dtlc2.tool.fp.FPSet.impl=tlc2.tool.fp.MSBDiskFPSet"]
CODES = {0: "ok", 10: "assumption", 11: "deadlock", 12: "invariant", 13: "property", 14: "error", 75: "error", 76: "error"}
CODES |= {77: "error", 255: "error", 150: "refused", 151: "refused", 153: "system"}

# The known differences, and why. A pattern is searched in the module, in the difference, or in what TLC printed.
EXPLAINED = [
    (
        [r"TLC refused", r"trivially false because|is equal to FALSE"],
        "TLC takes a property that is FALSE for a mistake in the configuration; we say that it is violated, in a state if there is one.",
    ),
    (
        [r"naive (temporal|property|deadlock) .*, TLC invariant $|^property: naive \S+, TLC $", r"^Error: Temporal propert(y \S+ was|ies .* were) violated"],
        "TLC finds a temporal property that finitely many steps violate during the search, and ends with the code for invariants.",
    ),
]
ORDER = "TLC compares variables in the order of a hash table to find the smallest of all exchanged states; declared in that order, Kilter counts the same."


def main():
    options = arguments()
    harness.interrupt_on_terminate()
    folder = options.keep or tempfile.mkdtemp(prefix="kilter-random-")
    try:
        sys.exit(run(os.path.abspath(folder), options))
    except (KeyboardInterrupt, harness.Interrupted):
        print("interrupted", file=sys.stderr)
        sys.exit(130)
    finally:
        harness.stop_all()
        if not options.keep:
            shutil.rmtree(folder, ignore_errors=True)


def arguments():
    parser = argparse.ArgumentParser(description="Compares Kilter, TLC and a naive evaluator on random modules.")
    add = parser.add_argument
    add("--kilter", default=os.path.join(ROOT, "target", "release", "kilter"), metavar="PATH")
    add("--tlc", metavar="JARS", help="TLC's classpath; without it, Kilter is compared with the naive evaluator only")
    add("--seed", type=int, default=1, metavar="N", help="the first seed (default 1)")
    add("--count", type=int, default=100, metavar="N", help="how many modules (default 100)")
    add("--jobs", type=int, default=1, metavar="N", help="modules at a time (default 1)")
    add("--timeout", type=float, default=60, metavar="S", help="for one run, in seconds (default 60)")
    add("--keep", metavar="DIR", help="write the modules there and leave them, and TLC's answers, which the next run takes over")
    add("--write", metavar="PATH", help="the program that writes modules, if it is built already")
    add("--java", default="java", metavar="PATH")
    options = parser.parse_args()
    options.kilter = os.path.abspath(options.kilter)
    return options


def run(folder, options):
    answers = write(folder, options)
    java_options = FAST_START + archive(folder, options) if options.tlc else []
    pool = concurrent.futures.ThreadPoolExecutor(max_workers=max(1, options.jobs))
    futures = [pool.submit(compare, folder, naive, java_options, options) for naive in answers]
    tally = {"agree": 0, "explained": 0, "differ": 0}
    try:
        for naive, future in zip(answers, futures):
            differences = future.result()
            reasons = [explanation(folder, naive["name"], difference, options) for difference in differences]
            status = "agree" if not differences else "explained" if all(reasons) else "differ"
            tally[status] += 1
            for difference, reason in zip(differences, reasons):
                repeat = f"repeat with: bench/random.py --seed {naive['name'][1:]} --count 1 --keep DIR"
                print(f"{naive['name']}: {difference}\n  {reason or repeat}", flush=True)
    finally:
        pool.shutdown(wait=True, cancel_futures=True)
    print(", ".join(f"{n} {status}" for status, n in tally.items()))
    return 1 if tally["differ"] else 0


def write(folder, options):
    """Runs the oracle, which writes modules, and reads its answers."""
    program = [options.write] if options.write else ["cargo", "run", "--quiet", "-p", "kilter-oracle", "--example", "write", "--"]
    subprocess.run([*program, "--seed", str(options.seed), "--count", str(options.count), folder], cwd=ROOT, check=True)
    with open(os.path.join(folder, "answers.jsonl"), encoding="utf-8") as file:
        return [json.loads(line) for line in file]


# --- checkers ----------------------------------------------------------------


def archive(folder, options):
    """Makes an archive of TLC's classes for all runs, because loading them takes most of a short run."""
    path = os.path.join(folder, "classes.jsa")
    first = f"R{options.seed}"
    tlc(folder, first, [*FAST_START, f"-XX:ArchiveClassesAtExit={path}"], options)
    return [f"-XX:SharedArchiveFile={path}"] if os.path.exists(path) else []


def tlc(folder, name, java_options, options):
    metadir = tempfile.mkdtemp(prefix="tlc-", dir=folder)
    try:
        command = harness.tlc_command(options.tlc, (), metadir, options.java, java_options)
        command = [word for word in command if word != "-XX:+UseParallelGC"]
        return harness.run([*command, "-config", f"{name}.cfg", f"{name}.tla"], folder, options.timeout)
    finally:
        shutil.rmtree(metadir, ignore_errors=True)


def ask_tlc(folder, name, java_options, options):
    """TLC's answer. If the folder has an answer for the same text already, that is used."""
    digest, path = hashlib.sha256(text_of(folder, name).encode()).hexdigest(), os.path.join(folder, f"{name}.json")
    if os.path.exists(path):
        with open(path, encoding="utf-8") as file:
            known = json.load(file)
        if known["digest"] == digest:
            return known
    answer = run_tlc(folder, name, java_options, options) | {"digest": digest}
    if answer["verdict"] != "timeout":
        with open(path, "w", encoding="utf-8") as file:
            json.dump(answer, file)
    return answer


def text_of(folder, name):
    texts = []
    for path in (f"{name}.tla", f"{name}Abstract.tla", f"{name}.cfg"):
        if os.path.exists(os.path.join(folder, path)):
            with open(os.path.join(folder, path), encoding="utf-8") as file:
                texts.append(file.read())
    return "\n".join(texts)


def run_tlc(folder, name, java_options, options):
    done = tlc(folder, name, java_options, options)
    text = done.stdout
    with open(os.path.join(folder, f"{name}.out"), "w", encoding="utf-8") as file:
        file.write(text)
    counts = re.findall(r"([\d,]+) states generated, ([\d,]+) distinct states found", text)
    depth = re.search(r"The depth of the complete state graph search is ([\d,]+)", text)
    names = re.findall(r"^Error: (?:Invariant|Action property|Property) (\S+) is (?:violated|false)", text, re.MULTILINE)
    generated, distinct = counts[-1] if counts else (None, None)
    # After a violation by a step, TLC may continue and search for loops. The first behavior counts.
    states = re.findall(r"^State (\d+):", text.partition("Error: Temporal propert")[0] if names else text, re.MULTILINE)
    return {
        "verdict": "timeout" if done.timed_out else CODES.get(done.code, f"exit code {done.code}"),
        "property": names[0] if names else "",
        "generated": number(generated),
        "distinct": number(distinct),
        "depth": number(depth and depth[1]),
        # TLC prints a single initial state that violates something without a number.
        "trace": int(states[-1]) if states else 1,
    }


def number(text):
    return int(text.replace(",", "")) if text else None


def ask_kilter(folder, name, options):
    command = [options.kilter, "check", f"{name}.tla", "--config", f"{name}.cfg", "--workers", "1", "--json"]
    done = harness.run(command, folder, options.timeout)
    try:
        said = json.loads(done.stdout)
    except ValueError:
        said = {}
    return {
        "verdict": "timeout" if done.timed_out else CODES.get(done.code, f"exit code {done.code}"),
        "property": said.get("property") or "",
        "generated": said.get("states_generated"),
        "distinct": said.get("distinct_states"),
        "depth": said.get("depth"),
        "trace": len(said.get("trace") or []),
    }


# --- comparing ---------------------------------------------------------------


def compare(folder, naive, java_options, options):
    said = {"Kilter": ask_kilter(folder, naive["name"], options)}
    if options.tlc:
        said["TLC"] = ask_tlc(folder, naive["name"], java_options, options)
    found = [difference("naive", naive, who, answer) for who, answer in said.items()]
    return [text for text in found if text]


def difference(one, first, other, second):
    """The first thing in which two answers differ. None if there is none."""
    verdict = plain(first["verdict"])
    if verdict == "error" and first["generated"] == 0 and second["verdict"] == "assumption":
        return None  # TLC has one exit code for an ASSUME that is false and for one that has no value
    if verdict != plain(second["verdict"]):
        return f"verdict: {one} {first['verdict']} {first['property']}, {other} {second['verdict']} {second['property']}"
    keys = []
    if verdict == "ok":
        keys = ["generated", "distinct", "depth"]
    elif verdict == "invariant":
        keys = ["property", "trace"]
    elif first["verdict"] == "property" and "temporal" not in (first["verdict"], second["verdict"]):
        keys = ["trace"]
    elif verdict == "deadlock":
        keys = ["trace"]
    for key in keys:
        if first[key] != second[key]:
            return f"{key}: {one} {first[key]}, {other} {second[key]}"
    return None


def plain(verdict):
    """Treats temporal violations as property violations, because TLC has one exit code for both."""
    return "property" if verdict == "temporal" else verdict


def explanation(folder, name, difference, options):
    texts = [difference, text_of(folder, name)]
    if "TLC" in difference and all(re.search(f"^{word} ", texts[1], re.MULTILINE) for word in ("VIEW", "SYMMETRY")):
        if counts_so_in_order(folder, name, options):
            return ORDER
    said = os.path.join(folder, f"{name}.out")
    if os.path.exists(said):
        with open(said, encoding="utf-8") as file:
            texts.append(file.read())
    for patterns, reason in EXPLAINED:
        if all(re.search(pattern, "\n".join(texts), re.MULTILINE) for pattern in patterns):
            return reason
    return None


def counts_so_in_order(folder, name, options):
    """Whether Kilter counts as TLC does if the variables are declared in the order in which TLC prints them."""
    with open(os.path.join(folder, f"{name}.tla"), encoding="utf-8") as file:
        text = file.read()
    variables = re.search(r"^VARIABLES (.*)$", text, re.MULTILINE)
    with tempfile.TemporaryDirectory(prefix="order-") as other:
        for path in (f"{name}.cfg", f"{name}Abstract.tla"):
            if os.path.exists(os.path.join(folder, path)):
                shutil.copy(os.path.join(folder, path), other)
        with open(os.path.join(other, f"{name}.tla"), "w", encoding="utf-8") as file:
            file.write(text.replace(variables[0], "VARIABLES " + ", ".join(sorted(variables[1].split(", ")))))
        said = ask_kilter(other, name, options)
    with open(os.path.join(folder, f"{name}.json"), encoding="utf-8") as file:
        known = json.load(file)
    return all(said[key] == known[key] for key in ("verdict", "generated", "distinct", "depth"))


if __name__ == "__main__":
    main()
