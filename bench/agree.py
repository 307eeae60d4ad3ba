#!/usr/bin/env python3
"""Compares Kilter with TLC: runs every model of a checkout of tlaplus/Examples and prints a table.

    bench/agree.py --examples DIR [--facts FILE]... [--filter TEXT]... [--jobs N] [--timeout S] [--out FILE]

If a model holds, the verdict, the distinct and generated states and the depth must be TLC's. If it fails, only the verdict must be.
With `--tlc`, TLC computes facts that no file has, and is run again for each model that differs. A recorded fact can be wrong (the
depth, if it was recorded with several workers), so TLC's present answer counts.

    agree      the same answer
    differs    another answer
    refused    an error instead of an answer
    crash      a panic or a signal
    timeout    no answer in time
    no fact    nothing to compare with
    exception  one of the four above, explained in exceptions.tsv

The exit code is 1 if a model differs, is refused, crashes or is late without an explanation, and 0 otherwise.
"""

import argparse
import concurrent.futures
import dataclasses
import json
import os
import sys

sys.dont_write_bytecode = True  # nothing but results is left behind
import harness  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
STATUSES = ["agree", "no fact", "exception", "differs", "refused", "crash", "timeout"]
BAD = {"differs", "refused", "crash", "timeout"}


@dataclasses.dataclass
class Row:
    model: harness.Model
    answer: harness.Answer
    status: str
    detail: str = ""
    reason: str = ""  # of an exception


def main():
    options = arguments()
    harness.interrupt_on_terminate()
    models = [m for m in harness.read_facts(options.facts) if wanted(m, options.filter)]
    reasons = {(row["spec"], row["config"]): row["reason"] for row in read_exceptions(options.exceptions)}
    missing = [m for m in models if not os.path.exists(os.path.join(options.examples, m.spec))]
    models = [m for m in models if m not in missing]
    for model in missing:
        print(f"not in {options.examples}: {model.spec}", file=sys.stderr)
    if not models:
        sys.exit("no model to check; see --examples, --facts and --filter")
    rows, interrupted = check_all(models, reasons, options)
    print_totals(rows, len(models))
    if interrupted:
        sys.exit(130)
    sys.exit(1 if any(row.status in BAD for row in rows) else 0)


def arguments():
    parser = argparse.ArgumentParser(description="Compares `kilter check` with TLC on tlaplus/Examples.")
    add = parser.add_argument
    add("--examples", required=True, metavar="DIR", help="a checkout of tlaplus/Examples")
    add("--facts", action="append", metavar="FILE", help="a table of models and TLC's results; a later one fills gaps")
    add("--kilter", default=os.path.join(ROOT, "target", "release", "kilter"), metavar="PATH")
    add("--timeout", type=float, default=60, metavar="S", help="for one model, in seconds (default 60)")
    add("--jobs", type=int, default=1, metavar="N", help="models at a time (default 1)")
    add("--filter", action="append", default=[], metavar="TEXT", help="only models with TEXT in their path; may be repeated")
    add("--library", action="append", default=[], metavar="DIR", help="where further modules are, for Kilter and TLC")
    add("--tlc", metavar="CLASSPATH", help="ask TLC where facts are missing or answers differ")
    add("--tlc-timeout", type=float, metavar="S", help="for one run of TLC (default: three times --timeout)")
    add("--tlc-facts", metavar="FILE", help="append what TLC said, as a table for --facts")
    add("--exceptions", default=os.path.join(HERE, "exceptions.tsv"), metavar="FILE")
    add("--out", metavar="FILE", help="write the results as JSON lines")
    add("--only-bad", action="store_true", help="print no row that agrees")
    options = parser.parse_args()
    options.facts = options.facts or default_facts(parser)
    options.examples = os.path.abspath(options.examples)
    options.kilter = os.path.abspath(options.kilter)
    options.library = [os.path.abspath(path) for path in options.library]
    options.tlc_timeout = options.tlc_timeout or 3 * options.timeout
    if not os.access(options.kilter, os.X_OK):
        parser.error(f"no program at {options.kilter}; build it, or say --kilter PATH")
    return options


def default_facts(parser):
    path = os.path.join(os.path.dirname(ROOT), "shared", "data", "examples.tsv")
    if not os.path.exists(path):
        parser.error("--facts is needed: a table of models")
    return [path]


def wanted(model, filters):
    return not filters or any(text in model.spec or text in model.config for text in filters)


def read_exceptions(path):
    return harness.read_tsv(path, ["spec", "config", "reason"]) if os.path.exists(path) else []


# --- running -----------------------------------------------------------------


def check_all(models, reasons, options):
    """Checks all models and prints their rows in the order of the facts. Returns the rows, and whether Ctrl-C cut them short."""
    rows = []
    out = open(options.out, "w", encoding="utf-8") if options.out else None
    pool = concurrent.futures.ThreadPoolExecutor(max_workers=max(1, options.jobs))
    futures = [pool.submit(check_one, model, reasons, options) for model in models]
    print_head()
    try:
        for future in futures:
            row = future.result()
            rows.append(row)
            if not (options.only_bad and row.status == "agree"):
                print_row(row)
            if out:
                print(json.dumps(as_json(row)), file=out, flush=True)
    except (KeyboardInterrupt, harness.Interrupted):
        print("interrupted", file=sys.stderr)
        return rows, True
    finally:
        harness.stop_all()
        pool.shutdown(wait=True, cancel_futures=True)
        if out:
            out.close()
    return rows, False


def check_one(model, reasons, options):
    spec, config = (os.path.join(options.examples, path) for path in (model.spec, model.config))
    answer = harness.kilter(options.kilter, spec, config, options.timeout, options.library, ("--workers", "1"))
    row = Row(model, answer, *compare(model, answer))
    if options.tlc and row.status in ("differs", "no fact"):
        ask_tlc(row, spec, config, options)
    reason = reasons.get((model.spec, model.config))
    if reason and row.status in BAD:
        row = dataclasses.replace(row, status="exception", detail=f"{row.status}: {row.detail}", reason=reason)
    elif reason:
        row.detail = "; ".join(filter(None, [row.detail, "its exception is no longer needed"]))
    return row


def ask_tlc(row, spec, config, options):
    said = harness.tlc(options.tlc, spec, config, options.tlc_timeout, options.library)
    if said.verdict not in harness.VERDICTS.values():
        row.detail = "; ".join(filter(None, [row.detail, f"TLC: {said.verdict}"]))
        return
    fresh = dataclasses.replace(
        row.model, result=said.verdict, distinct=said.distinct, generated=said.generated, depth=said.depth
    )
    if options.tlc_facts:
        with open(options.tlc_facts, "a", encoding="utf-8") as file:
            print("\t".join(fact_cells(fresh, said)), file=file)
    recorded = row.status == "differs"
    before, row.model = row.detail, fresh
    row.status, row.detail = compare(fresh, row.answer)
    if recorded and row.status not in BAD:
        row.detail = "; ".join(filter(None, [row.detail, f"TLC says so too; the file differs: {before}"]))


def fact_cells(model, said):
    counts = ["-" if n is None else str(n) for n in (model.distinct, model.generated, model.depth)]
    return [model.spec, model.config, model.result, *counts, f"{said.run.wall_s:.1f}", f"{said.run.cpu_s:.1f}", model.needs or "-"]


def compare(model, answer):
    """The status of one answer, and a remark about it."""
    ours = answer.verdict
    # A refusal counts as an answer only if TLC refuses in the same way.
    if ours in ("timeout", "crash"):
        return ours, answer.error or slowness(model)
    if (ours in harness.REFUSALS or ours == "no answer") and ours != model.result:
        return "refused", f"{ours}: {answer.error}"
    if answer.unchecked:
        return "differs", "not checked: " + ", ".join(answer.unchecked)
    if model.result == "unknown":
        return "no fact", f"{ours}, {counts(answer)}"
    if ours != model.result:
        return "differs", f"{ours}, not {model.result}" + (f" ({answer.error})" if answer.error else "")
    differences = [
        f"{what} {n_ours}, not {n_tlc}"
        for what, n_ours, n_tlc in [
            ("distinct", answer.distinct, model.distinct),
            ("generated", answer.generated, model.generated),
            ("depth", answer.depth, model.depth),
        ]
        if ours == "success" and n_tlc is not None and n_ours != n_tlc
    ]
    if differences:
        return "differs", "; ".join(differences)
    if not model.complete():
        return "no fact", f"verdict agrees; {counts(answer)}"
    return "agree", ""


def counts(answer):
    return f"distinct {answer.distinct}, generated {answer.generated}, depth {answer.depth}"


def slowness(model):
    seconds = model.seconds_recorded
    return "" if seconds is None else f"TLC is recorded with {seconds:g} s"


# --- printing ----------------------------------------------------------------


def print_head():
    print(f"{'status':<10} {'model':<62} {'distinct':>10} {'seconds':>8}  detail")
    print("-" * 110, flush=True)


def print_row(row):
    distinct = "-" if row.answer.distinct is None else f"{row.answer.distinct:,}"
    line = f"{row.status:<10} {row.model.name:<62} {distinct:>10} {row.answer.run.wall_s:>8.2f}  {row.detail}"
    print(line.rstrip(), flush=True)


def print_totals(rows, n_models):
    print("-" * 110)
    tally = {status: sum(row.status == status for row in rows) for status in STATUSES}
    print(f"{len(rows)} of {n_models} models: " + ", ".join(f"{n} {status}" for status, n in tally.items() if n))
    exceptions = [row for row in rows if row.reason]
    print(f"\nexceptions: {len(exceptions) or 'none'}")
    for row in exceptions:
        print(f"  {row.model.name}: {row.detail}\n    {row.reason}")


def as_json(row):
    answer, model = row.answer, row.model
    return {
        "spec": model.spec,
        "config": model.config,
        "status": row.status,
        "detail": row.detail,
        "exception": row.reason or None,
        "kilter": {
            "verdict": answer.verdict,
            "distinct": answer.distinct,
            "generated": answer.generated,
            "depth": answer.depth,
            "unchecked": list(answer.unchecked),
            "error": answer.error or None,
            "exit_code": answer.run.code,
            "wall_s": round(answer.run.wall_s, 3),
            "cpu_s": round(answer.run.cpu_s, 3),
            "peak_kib": answer.run.peak_kib,
        },
        "tlc": {
            "result": model.result,
            "distinct": model.distinct,
            "generated": model.generated,
            "depth": model.depth,
        },
    }


if __name__ == "__main__":
    main()
