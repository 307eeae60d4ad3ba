#!/usr/bin/env python3
"""Measures the cost of a state, from thousands to tens of millions of states.

    bench/scale.py [--kilter PATH] [--states-max N] [--workers N]

Checks specs/Counters with more and more hours. For each size, prints CPU time and memory for each distinct state.
"""

import argparse
import os
import sys
import tempfile

sys.dont_write_bytecode = True  # nothing but results is left behind
import harness  # noqa: E402

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SPEC = os.path.join(ROOT, "specs", "Counters", "Counters.tla")
HOURS = [7, 11, 18, 31, 40, 48]  # about 4 * hours ** 4 states: what the last of four clocks showed is remembered
CONFIG = """CONSTANTS
    Clock = {{1, 2, 3, 4}}
    Hours = {hours}
INIT Init
NEXT Next
INVARIANT TypeOK
CHECK_DEADLOCK FALSE
"""


def main():
    parser = argparse.ArgumentParser(description="What a state costs, by the number of states.")
    parser.add_argument("--kilter", default=os.path.join(ROOT, "target", "release", "kilter"))
    parser.add_argument("--states-max", type=int, default=25_000_000, help="no model with more states than this")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--timeout", type=float, default=1800)
    options = parser.parse_args()
    print("| distinct states | generated | CPU s | µs a state | peak MiB | bytes a state |")
    print("| ---: | ---: | ---: | ---: | ---: | ---: |")
    with tempfile.TemporaryDirectory() as folder:
        for hours in HOURS:
            if 4 * hours**4 > options.states_max:
                break
            config = os.path.join(folder, f"hours{hours}.cfg")
            with open(config, "w", encoding="utf-8") as file:
                file.write(CONFIG.format(hours=hours))
            extra = ("--workers", str(options.workers))
            answer = harness.kilter(options.kilter, SPEC, config, options.timeout, extra=extra)
            if not answer.is_ok():
                sys.exit(f"{hours} hours: {answer.verdict} {answer.error}")
            cpu, peak = answer.run.cpu_s, answer.run.peak_kib * 1024
            print(
                f"| {answer.distinct:,} | {answer.generated:,} | {cpu:.2f} | {1e6 * cpu / answer.distinct:.2f} "
                f"| {peak / 2**20:,.0f} | {peak / answer.distinct:.0f} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
