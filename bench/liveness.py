#!/usr/bin/env python3
"""Measures the cost of temporal properties, in two tables.

    bench/liveness.py --examples DIR --tlc CLASSPATH [--library DIR]... [--kilter PATH] [--models TEXT]... [--repeat N]

The first table compares Kilter with TLC on models with temporal properties, measured as in speed.py. The second is about specs/Walkers,
a graph of nearly a million states: the time to build it, the time with one WF and one ~> in addition, and the time with a WF and a ~>
for each walker. Each time is the shortest of three runs.
"""

import os
import shutil
import sys
import tempfile

sys.dont_write_bytecode = True  # nothing but results is left behind
import harness  # noqa: E402
import speed  # noqa: E402

SPEC = os.path.join(speed.ROOT, "specs", "Walkers", "Walkers.tla")
CONFIG = "SPECIFICATION {spec}\nCONSTANTS N = 4 Length = 21\n{properties}\nCHECK_DEADLOCK FALSE\n"
COSTS = [
    ("nothing to check", "Safe", ""),
    ("one WF, one ~>", "Spec", "PROPERTY Arrives"),
    ("four WF, four ~>", "FairToAll", "PROPERTY AllArrive"),
]

COST_RUNS = 3  # a difference of two times needs steadier ones

FOLDER = "specifications/"
MODELS = [
    ("Disruptor_MPMC_liveliness", "Disruptor/Disruptor_MPMC.tla", "Disruptor/Disruptor_MPMC_liveliness.cfg"),
    ("SchedulingAllocator", "allocator/SchedulingAllocator.tla", "allocator/SchedulingAllocator.cfg"),
    ("AllocatorImplementation", "allocator/AllocatorImplementation.tla", "allocator/AllocatorImplementation.cfg"),
    (
        "DijkstraMutex LSpec",
        "dijkstra-mutex/DijkstraMutex.toolbox/LSpec-model/MC.tla",
        "dijkstra-mutex/DijkstraMutex.toolbox/LSpec-model/MC.cfg",
    ),
    ("EWD998 (asynchronous)", "ewd998/AsyncTerminationDetection.tla", "ewd998/AsyncTerminationDetection.cfg"),
    ("EWD998PCal", "ewd998/EWD998PCal.tla", "ewd998/EWD998PCal.cfg"),
    ("MCEWD687a", "ewd687a/MCEWD687a.tla", "ewd687a/MCEWD687a.cfg"),
    ("ElevatorLivenessMedium", "MultiCarElevator/Elevator.tla", "MultiCarElevator/ElevatorLivenessMedium.cfg"),
    (
        "MCLiveWriteThroughCache",
        "SpecifyingSystems/Liveness/MCLiveWriteThroughCache.tla",
        "SpecifyingSystems/Liveness/MCLiveWriteThroughCache.cfg",
    ),
    ("nbacg_guer01", "nbacg_guer01/nbacg_guer01.tla", "nbacg_guer01/nbacg_guer01.cfg"),
    ("MCKVsnap", "KeyValueStore/MCKVsnap.tla", "KeyValueStore/MCKVsnap.cfg"),
    ("CoffeeCan1000Beans", "CoffeeCan/CoffeeCan.tla", "CoffeeCan/CoffeeCan1000Beans.cfg"),
]


def main():
    options = speed.arguments()
    harness.interrupt_on_terminate()
    speed.MODELS = [(name, FOLDER + spec, FOLDER + config) for name, spec, config in MODELS]
    scratch = tempfile.mkdtemp(prefix="kilter-liveness-")
    try:
        jvm_start_s = speed.measure_jvm_start(options, scratch) if options.tlc else 0
        models = [model for model in speed.chosen(options) if model[0] != speed.OWN_MODEL[0]]
        lines = [speed.measure(model, options, scratch) for model in models]
        costs = [measure_cost(cost, options, scratch) for cost in COSTS]
    except (KeyboardInterrupt, harness.Interrupted):
        print("interrupted", file=sys.stderr)
        sys.exit(130)
    finally:
        harness.stop_all()
        shutil.rmtree(scratch, ignore_errors=True)
    speed.print_report(lines, jvm_start_s, options)
    print_costs(costs)


def measure_cost(cost, options, scratch):
    name, spec, properties = cost
    config = os.path.join(scratch, "Walkers.cfg")
    with open(config, "w", encoding="utf-8") as file:
        file.write(CONFIG.format(spec=spec, properties=properties))
    answers = [speed.best(options, lambda: speed.run_kilter(options, SPEC, config)) for _ in range(COST_RUNS)]
    answer = min(answers, key=lambda answer: answer.run.cpu_s)
    if not answer.is_ok():
        sys.exit(f"Walkers, {name}: {answer.verdict} {answer.error}")
    return name, answer


def print_costs(costs):
    build_s = costs[0][1].run.cpu_s
    print("\n| specs/Walkers | distinct | CPU s | beyond building the graph | of the time to build it | MiB |")
    print("| --- | ---: | ---: | ---: | ---: | ---: |")
    for name, answer in costs:
        cpu_s = answer.run.cpu_s
        more_s = cpu_s - build_s
        print(
            f"| {name} | {answer.distinct:,} | {cpu_s:.2f} | {more_s:.2f} | {more_s / build_s:.2f} "
            f"| {answer.run.peak_kib / 1024:.0f} |"
        )


if __name__ == "__main__":
    main()
