"""Builds the agent and tries each of its features on small Java programs: python3 probes/java/test/run.py [PART OF A NAME]."""

import os
import subprocess
import sys
import tempfile
import time
import traceback
from pathlib import Path

import cases
from testbed import JAR, JAVA


def main():
    wanted = sys.argv[1] if len(sys.argv) > 1 else ""
    subprocess.run([JAVA / "build"], check=True)
    failed = 0
    with tempfile.TemporaryDirectory(prefix="kilter-java-") as folder:
        compile_samples(Path(folder))
        for name, case in sorted(vars(cases).items()):
            if name.startswith("test_") and wanted in name:
                failed += not passes(name, case, Path(folder))
    print(f"{failed} failed" if failed else "all passed")
    sys.exit(1 if failed else 0)


def compile_samples(folder):
    sources = sorted((JAVA / "test/samples").glob("*.java"))
    subprocess.run(["javac", "-g", "-nowarn", "-cp", JAR, "-d", folder / "classes", *sources], check=True)


def passes(name, case, folder):
    nodes, start = [], time.monotonic()
    try:
        case(folder, nodes)
        print(f"passed {name} ({time.monotonic() - start:.1f} s)", flush=True)
        return True
    except Exception:
        print(f"FAILED {name}\n{traceback.format_exc()}", flush=True)
        return False
    finally:
        for node in nodes:
            node.end()


if __name__ == "__main__":
    os.environ.pop("KILTER_ADDRESS", None)
    main()
