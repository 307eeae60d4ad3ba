#!/usr/bin/env python3
"""Measures the cost of test suites: tests, steps, seconds, memory.

    bench/suite.py [--kilter PATH] [--raft DUMP.dot] [--million] [--tlc "JAR:JAR"]

--raft      TLC's dump of a leader election (1,969 states, 7,923 edges): every goal and reduction side by side
--million   specs/Jobs with more than a million states, from our own checker: optimal, greedy and dfs, with time and memory
--tlc       compares our graph of specs/Jobs with TLC's imported dump, state by state and edge by edge
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
JOBS = os.path.join(ROOT, "specs", "Jobs")


def run(kilter, *args):
    """Runs a command. Returns the JSON that it prints, with wall and CPU seconds and peak memory."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    began = time.monotonic()
    process = subprocess.Popen([kilter, *args, "--json"], stdout=subprocess.PIPE, text=True)
    output, _ = process.communicate()
    if process.returncode != 0:
        sys.exit(f"kilter {' '.join(args)} ended with {process.returncode}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    answer = json.loads(output)
    answer["wall_s"] = time.monotonic() - began
    answer["cpu_s"] = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    answer["peak_mib"] = after.ru_maxrss / 1024  # of the largest child so far
    return answer


def row(name, found):
    bound = "proven" if found["proven"] else f"≥ {found['lower_bound_cost']:,}"
    print(
        f"| {name} | {found['tests']:,} | {found['lower_bound_tests']:,} | {found['steps']:,} | {found['cost']:,} | {bound} "
        f"| {found['covered_edges']:,} of {found['target_edges']:,} | {found['longest']:,} | {found['cpu_s']:.2f} |",
        flush=True,
    )


def head():
    print("| suite | tests | at least | steps | cost | bound | covered | longest | CPU s |")
    print("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")


def raft(kilter, dump, folder):
    graph = os.path.join(folder, "raft.graph")
    run(kilter, "graph", "import", "--from", "tlc-dot", dump, "--out", graph)
    head()
    goals = [
        ("all edges, optimal", []),
        ("all edges, greedy", ["--algorithm", "greedy"]),
        ("all edges, dfs", ["--algorithm", "dfs"]),
        ("all edges, 30 steps at most", ["--max-steps", "30"]),
        ("all edges, ending with BecomeLeader", ["--end-action", "BecomeLeader"]),
        ("all states", ["--cover", "states"]),
        ("all actions", ["--cover", "actions"]),
        ("all pairs", ["--cover", "pairs"]),
        ("edges kept by --por", ["--por"]),
        ("edges left out by --por", ["--por-rest"]),
        ("edges up to renaming of n1, n2, n3", ["--symmetry", "n1,n2,n3"]),
    ]
    for name, args in goals:
        found = run(kilter, "suite", graph, *args)
        row(name, found)
        if "visited_states" in found:
            print(f"|   {found['visited_states']:,} of {found['states']:,} states visited, {found['diamonds']:,} diamonds, "
                  f"{found['whole_diamonds']:,} with both orders |")


def million(kilter, folder):
    graph = os.path.join(folder, "million.graph")
    spec, config = os.path.join(JOBS, "Jobs.tla"), os.path.join(JOBS, "Million.cfg")
    checked = run(kilter, "check", spec, "--config", config, "--graph", graph, "--no-deadlock", "--workers", "2")
    info = run(kilter, "graph", "info", graph)
    print(f"{info['states']:,} states, {info['edges']:,} edges, depth {info['depth']}, checked in {checked['wall_s']:.0f} s")
    head()
    for algorithm in ("dfs", "greedy", "optimal"):
        found = run(kilter, "suite", graph, "--algorithm", algorithm)
        row(algorithm, found)
        print(f"|   {found['wall_s']:.1f} s on the wall, at most {found['peak_mib']:,.0f} MiB |", flush=True)


def plain(kilter, graph, folder):
    """The states as text, and the edges as source, target and name of the action."""
    path = os.path.join(folder, "plain.json")
    subprocess.run([kilter, "graph", "export", graph, "--to", "json", "--out", path], check=True)
    with open(path, encoding="utf-8") as file:
        graph = json.load(file)
    states = [json.dumps(state, sort_keys=True) for state in graph["states"]]
    edges = {(states[edge["source"]], states[edge["target"]], edge["action"]) for edge in graph["edges"]}
    return set(states), {states[number] for number in graph["initial"]}, edges


def tlc(kilter, jars, folder):
    ours, dump, theirs = (os.path.join(folder, name) for name in ("ours.graph", "tlc.dot", "theirs.graph"))
    spec, config = os.path.join(JOBS, "Jobs.tla"), os.path.join(JOBS, "Jobs.cfg")
    run(kilter, "check", spec, "--config", config, "--graph", ours, "--no-deadlock")
    command = ["java", "-cp", jars, "tlc2.TLC", "-deadlock", "-metadir", folder, "-config", config]
    subprocess.run([*command, "-dump", "dot,actionlabels,colorize", dump, spec], check=True, stdout=subprocess.DEVNULL)
    run(kilter, "graph", "import", "--from", "tlc-dot", dump, "--out", theirs)
    same = plain(kilter, ours, folder) == plain(kilter, theirs, folder)
    suites = [run(kilter, "suite", graph)["cost"] for graph in (ours, theirs)]
    print(f"our graph and TLC's: {'the same states and edges' if same else 'DIFFERENT'}, suites of cost {suites[0]:,} and {suites[1]:,}")
    if not same:
        sys.exit(1)


def main():
    parser = argparse.ArgumentParser(description="What test suites cost.")
    parser.add_argument("--kilter", default=os.path.join(ROOT, "target", "release", "kilter"))
    parser.add_argument("--raft", help="TLC's dump of a leader election")
    parser.add_argument("--million", action="store_true")
    parser.add_argument("--tlc", metavar="JARS")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        if options.raft:
            raft(options.kilter, options.raft, folder)
        if options.tlc:
            tlc(options.kilter, options.tlc, folder)
        if options.million:
            million(options.kilter, folder)


if __name__ == "__main__":
    main()
