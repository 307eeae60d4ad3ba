"""The common part of agree.py and speed.py: runs children that can be measured and killed, reads facts, and parses the output of checkers.

- run      runs one child in its own process group: output, exit code, wall and CPU time, peak memory
- facts    the table of models with TLC's results
- kilter, tlc, tla_mc    run the checkers, and return an Answer
"""

import contextlib
import dataclasses
import json
import os
import re
import shutil
import signal
import subprocess
import tempfile
import threading
import time

# The exit codes of TLC, which are also those of `kilter check`.
VERDICTS = {
    0: "success",
    10: "assumption failure",
    11: "deadlock failure",
    12: "safety failure",
    13: "liveness failure",
    14: "assertion failure",
    75: "evaluation error",
    150: "parse error",
    151: "configuration error",
    153: "system error",
}
REFUSALS = {"evaluation error", "parse error", "configuration error", "system error"}


# --- children ----------------------------------------------------------------


@dataclasses.dataclass
class Run:
    code: int  # the exit code, or minus the signal
    stdout: str
    stderr: str
    wall_s: float
    cpu_s: float  # user and system, of the child and of all that it waited for
    peak_kib: int  # never less than what this script itself has resident: Linux counts the time before exec
    timed_out: bool


class Interrupted(Exception):
    """The user has pressed Ctrl-C, so no child is started any more."""


_running = set()
_running_lock = threading.Lock()
_stopped = False


def interrupt_on_terminate():
    """Treats SIGTERM like Ctrl-C."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)


def stop_all():
    """Kills every child with its group, and prevents new ones. The rest is short, so a second Ctrl-C is ignored."""
    global _stopped
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    with _running_lock:
        _stopped = True
        for pid in _running:
            _kill_group(pid)


def _kill_group(pid):
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, signal.SIGKILL)


def run(command, cwd, timeout_s, until=None):
    """Runs a command to its end or its time limit, or until it writes the text `until` to either output."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        start = time.monotonic()
        child = _start(command, cwd, out, err)
        cut = _Cut(child.pid, timeout_s, until, (out, err))
        # Waits for the end without reaping, so that the group's id can't belong to another process yet.
        os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
        wall_s = time.monotonic() - start
        cut.end()
        with _running_lock:
            _running.discard(child.pid)
            _kill_group(child.pid)
            _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        if _stopped:
            raise Interrupted
        return Run(
            code=child.returncode,
            stdout=_text(out),
            stderr=_text(err),
            wall_s=wall_s,
            cpu_s=usage.ru_utime + usage.ru_stime,
            peak_kib=usage.ru_maxrss,
            timed_out=cut.timed_out and child.returncode == -signal.SIGKILL,
        )


def _start(command, cwd, out, err):
    with _running_lock:
        if _stopped:
            raise Interrupted
        child = subprocess.Popen(
            command, cwd=cwd, stdin=subprocess.DEVNULL, stdout=out, stderr=err, start_new_session=True
        )
        _running.add(child.pid)
    return child


class _Cut:
    """Kills a group when its time is over, or when it has written the expected text."""

    def __init__(self, pid, timeout_s, until, files):
        self.timed_out = False
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._watch, args=(pid, timeout_s, until, files))
        self._thread.start()

    def end(self):
        self._over.set()
        self._thread.join()

    def _watch(self, pid, timeout_s, until, files):
        deadline = time.monotonic() + timeout_s
        # Without a text to wait for, waits once. Polling would take time from what is measured.
        step_s = 0.2 if until else timeout_s
        while not self._over.wait(max(0, min(step_s, deadline - time.monotonic()))):
            self.timed_out = time.monotonic() >= deadline
            if self.timed_out or any(until in _text_so_far(file) for file in files):
                _kill_group(pid)
                return


def _text_so_far(file):
    return os.pread(file.fileno(), 1 << 20, 0).decode("utf-8", "replace")


def _text(file):
    file.seek(0)
    return file.read().decode("utf-8", "replace")


# --- facts -------------------------------------------------------------------


@dataclasses.dataclass
class Model:
    spec: str  # both relative to the examples
    config: str
    result: str = "unknown"
    distinct: int | None = None
    generated: int | None = None
    depth: int | None = None
    seconds_recorded: float | None = None
    needs: str = ""

    @property
    def name(self):
        return self.config.removeprefix("specifications/").removesuffix(".cfg")

    def complete(self):
        return self.result not in ("unknown", "success") or (
            self.result == "success" and None not in (self.distinct, self.generated, self.depth)
        )


FACT_COLUMNS = ["spec", "config", "result", "distinct", "generated", "depth", "seconds_recorded", "cpu", "needs"]


def read_facts(paths):
    """The models of all files, in order. A later file adds what an earlier one leaves out."""
    models = {}
    for path in paths:
        for row in read_tsv(path, FACT_COLUMNS):
            model = models.setdefault((row["spec"], row["config"]), Model(row["spec"], row["config"]))
            _fill(model, row)
    return list(models.values())


def _fill(model, row):
    if model.result == "unknown" and row["result"] in VERDICTS.values():
        model.result = row["result"]
    for key in ("distinct", "generated", "depth"):
        if getattr(model, key) is None and row[key].isdigit():
            setattr(model, key, int(row[key]))
    if model.seconds_recorded is None and row["seconds_recorded"] not in ("", "-"):
        model.seconds_recorded = float(row["seconds_recorded"])
    if not model.needs and row["needs"] != "-":
        model.needs = row["needs"]


def read_tsv(path, columns):
    """Reads rows as dictionaries. A line `spec<TAB>...`, even after '#', names the columns. Other lines with '#' are comments."""
    rows = []
    with open(path, encoding="utf-8") as file:
        for line in file:
            cells = line.rstrip("\n").split("\t")
            if cells[0].lstrip("# ") == columns[0]:
                columns = [cell.lstrip("# ") for cell in cells]
            elif line.strip() and not line.startswith("#"):
                rows.append(dict.fromkeys(columns, "") | dict(zip(columns, cells)))
    return rows


# --- checkers ----------------------------------------------------------------


@dataclasses.dataclass
class Answer:
    verdict: str  # one of VERDICTS, or "timeout", "crash", "bounded", "no answer"
    distinct: int | None
    generated: int | None
    depth: int | None
    run: Run
    error: str = ""  # the first line that says what went wrong
    unchecked: tuple = ()  # properties that the checker says it did not check

    def is_ok(self):
        return self.verdict == "success"


def kilter(path, spec, config, timeout_s, libraries=(), extra=()):
    """Runs `kilter check --json` in the root of the checkout, because some specifications read files relative to that."""
    root, specifications, _ = spec.partition("/specifications/")
    folder = root if specifications else os.path.dirname(spec)
    command = [path, "check", os.path.abspath(spec), "--config", os.path.abspath(config), "--json", *extra]
    for library in libraries:
        command += ["--library", library]
    return _read_kilter(run(command, folder, timeout_s))


def _read_kilter(done):
    answer = _unfinished(done)
    if answer:
        return answer
    try:
        said = json.loads(done.stdout)
        assert isinstance(said, dict)
    except (ValueError, AssertionError):
        said = {}
    message = " ".join((said.get("message") or "").split())  # values stand on lines of their own
    verdict = VERDICTS.get(done.code, f"exit code {done.code}")
    if said.get("verdict") == "bounded":
        verdict = "bounded"
    elif not said and verdict not in REFUSALS:
        verdict = "no answer"
    return Answer(
        verdict=verdict,
        distinct=said.get("distinct_states"),
        generated=said.get("states_generated"),
        depth=said.get("depth"),
        run=done,
        error="" if done.code == 0 else message or _first_error(done.stderr) or _first_error(done.stdout),
        # A property with several parts is listed once.
        unchecked=tuple(dict.fromkeys(map(_property_name, said.get("unchecked_properties") or ()))),
    )


def _property_name(item):
    return item["name"] if isinstance(item, dict) else str(item)


def _unfinished(done):
    if done.timed_out:
        return Answer("timeout", None, None, None, done)
    if done.code < 0 or done.code in (101, 134, 139):
        return Answer("crash", None, None, None, done, error=_first_error(done.stderr) or f"exit code {done.code}")
    return None


def _first_error(text):
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    for line, following in zip(lines, [*lines[1:], ""]):
        if "panicked at" in line:
            return f"{following} ({line})"[:160]
        if re.match(r"(?i)(\*+ ?)?(error|fatal)", line):
            return line[:160]
    return (lines or [""])[0][:160]


def with_model(command, spec, config):
    """The arguments that TLC and tla-mc share, for a run in the directory of the specification."""
    folder, file = os.path.split(spec)
    return [*command, "-config", _from(folder, config), file]


def _from(folder, path):
    return os.path.basename(path) if os.path.dirname(path) == folder else path


def tlc_command(classpath, libraries, metadir, java="java", java_options=()):
    library = ["-DTLA-Library=" + os.pathsep.join(os.path.abspath(path) for path in libraries)] if libraries else []
    return [java, "-XX:+UseParallelGC", *java_options, *library, "-cp", absolute_classpath(classpath), "tlc2.TLC",
            "-workers", "1", "-noGenerateSpecTE", "-metadir", metadir]  # fmt: skip


def absolute_classpath(classpath):
    return os.pathsep.join(os.path.abspath(entry) for entry in classpath.split(os.pathsep))


def tlc(classpath, spec, config, timeout_s, libraries=(), java="java", java_options=(), extra=()):
    """Runs TLC with one worker in the directory of the specification. TLC's own files go elsewhere."""
    metadir = tempfile.mkdtemp(prefix="tlc-")
    try:
        command = [*tlc_command(classpath, libraries, metadir, java, java_options), *extra]
        done = run(with_model(command, spec, config), os.path.dirname(spec), timeout_s)
    finally:
        shutil.rmtree(metadir, ignore_errors=True)
    return _read_printed(done, r"The depth of the complete state graph search is ([\d,]+)", VERDICTS)


def tla_mc_command(path, libraries, extra=()):
    return [path, "-workers", "1", *extra, *(word for library in libraries for word in ("-lib", library))]


def tla_mc(path, spec, config, timeout_s, libraries=(), extra=()):
    """Runs tla-mc with one worker."""
    command = with_model(tla_mc_command(path, libraries, extra), spec, config)
    done = run(command, os.path.dirname(spec), timeout_s)
    return _read_printed(done, r"Depth ([\d,]+)", {0: "success", 10: "assumption failure", 12: "safety failure"})


def _read_printed(done, depth_pattern, verdicts):
    answer = _unfinished(done)
    if answer:
        return answer
    text = done.stdout + done.stderr
    counts = re.findall(r"([\d,]+) states generated(?:[^\n]*?), ([\d,]+) distinct states found", text)
    depths = re.findall(depth_pattern, text)
    generated, distinct = counts[-1] if counts else (None, None)
    return Answer(
        verdict=verdicts.get(done.code, f"exit code {done.code}"),
        distinct=_number(distinct),
        generated=_number(generated),
        depth=_number(depths[-1] if depths else None),
        run=done,
        error="" if done.code == 0 else _first_error(text),
    )


def _number(text):
    return int(text.replace(",", "")) if text else None
