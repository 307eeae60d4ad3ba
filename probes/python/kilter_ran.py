"""Notes which lines of a program run for each action, for `kilter diff`.

    ran = Ran("ran.jsonl", {"library": "/path/of/library"})   # at the start: lines of these folders count
    while (event := gate.next(node.variables(), node.wishes())) is not None:
        with ran.of(event.action, node.variables(), event.message):
            node.handle(event)

The file gets one line for each action, state of the node and message that it has not had from this process:

    {"node": "n1", "action": "Timeout", "before": {...}, "message": null, "ran": {"library/a.py": [3, 4, 7]}}

Lines that run before the first action belong to the action "start", and those between two actions, or in other threads, to "offer": there the node decides
what it offers. The first line of the file says which folders count.
"""

import contextlib
import json
import os
import sys
import threading


class Ran:
    def __init__(self, file, folders, node=None):
        self.file = open(file, "a", buffering=1)
        self.folders = {os.path.join(os.path.realpath(folder), ""): name for name, folder in folders.items()}
        self.node = node or os.environ.get("KILTER_NODE", "")
        self.names, self.seen, self.others, self.now = {}, set(), set(), set()
        self.main = threading.get_ident()
        self.say(counts=sorted(folders))
        self.phase = "start"
        threading.settrace(self.entered)
        sys.settrace(self.entered)

    def say(self, **line):
        # One write for a line, since all nodes may write to the same file.
        self.file.write(json.dumps(line) + "\n")

    def name(self, path):
        """The name of a file, or None if its lines do not count."""
        if path not in self.names:
            real = os.path.realpath(path)
            inside = [(name, real[len(folder):]) for folder, name in self.folders.items() if real.startswith(folder)]
            self.names[path] = "/".join(inside[0]).replace(os.sep, "/") if inside else None
        return self.names[path]

    def entered(self, frame, kind, argument):
        if self.name(frame.f_code.co_filename) is None:
            return None
        self.line(frame, "line", None)
        return self.line

    def line(self, frame, kind, argument):
        if kind == "line" or kind == "call":
            of_thread = self.now if threading.get_ident() == self.main else self.others
            of_thread.add((self.name(frame.f_code.co_filename), frame.f_lineno))
        return self.line

    def end(self, phase, **more):
        """Writes what ran since the last time, and says what comes next."""
        ran = {}
        for file, line in sorted(self.now):
            ran.setdefault(file, []).append(line)
        self.now = set()
        line = dict(node=self.node, action=self.phase, **more)
        text = json.dumps([line, ran if self.phase in ("start", "offer") else None], sort_keys=True)
        if text not in self.seen:
            self.seen.add(text)
            self.say(**line, ran=ran)
        if self.others:
            self.say(node=self.node, action="offer", ran={file: sorted(n for f, n in self.others if f == file) for file, _ in self.others})
            self.others = set()
        self.phase = phase

    @contextlib.contextmanager
    def of(self, action, before, message=None):
        """What runs inside belongs to an action."""
        self.end(action)
        yield
        self.end("offer", before=before, message=message)
