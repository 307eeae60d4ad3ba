"""A testbed that a test plays by hand: starts a JVM with the agent, and speaks docs/protocol.md with it over a unix socket."""

import json
import os
import queue
import socket
import subprocess
import threading
import time
from pathlib import Path

JAVA = Path(__file__).resolve().parent.parent
JAR = JAVA / "kilter-agent.jar"
PATIENCE_S = 20


class Node:
    """One JVM under control. `offers` are those that stand; `events` is all that the node has said."""

    def __init__(self, folder, main, table=None, args=(), name="n1", classpath=None, options=(), tcp=False, data=None):
        self.folder, self.offers, self.events, self.said = Path(folder), {}, [], queue.Queue()
        self.variables, self.received, self.sent, self.notes, self.unknown = {}, 0, [], [], False
        self.last_request = 0
        path = self.folder / f"{name}.socket"
        path.unlink(missing_ok=True)
        self.listener = socket.socket(socket.AF_INET if tcp else socket.AF_UNIX)
        self.listener.bind(("127.0.0.1", 0) if tcp else str(path))
        address = f"tcp:127.0.0.1:{self.listener.getsockname()[1]}" if tcp else f"unix:{path}"
        self.listener.listen(1)
        self.listener.settimeout(PATIENCE_S)
        environment = {**os.environ, "KILTER_ADDRESS": address, "KILTER_NODE": name, "KILTER_TOKEN": "t-" + name}
        if data:
            environment["KILTER_DATA"] = str(data)
        self.process = subprocess.Popen(command(self.folder, main, table, args, name, classpath, options), env=environment, text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=open(self.folder / f"{name}.err", "w"))
        self.errors = self.folder / f"{name}.err"

    def connect(self):
        """Accepts the node; returns itself when the node has become still for the first time."""
        self.socket, _ = self.listener.accept()
        threading.Thread(target=self._listen, daemon=True).start()
        hello = self.next()
        assert hello == ("hello", {"version": 1, "node": hello[1]["node"], "token": "t-" + hello[1]["node"], "says_still": True}), hello
        self.tell("welcome", version=1)
        self.until_still()
        return self

    def _listen(self):
        with self.socket.makefile("r", encoding="utf-8") as lines:
            for line in lines:
                ((kind, content),) = json.loads(line).items()
                self.said.put((kind, content))
        self.said.put(("end", {}))

    def tell(self, kind, **content):
        self.socket.sendall((json.dumps({kind: content}) + "\n").encode())

    def next(self, patience_s=PATIENCE_S):
        """The next thing that the node says, taken into account."""
        try:
            kind, content = self.said.get(timeout=patience_s)
        except queue.Empty:
            raise AssertionError(f"the node says nothing; before: {self.events[-6:]}; notes: {self.notes[-3:]}; {self.stderr()}") from None
        self.events.append((kind, content))
        if kind == "offer":
            self.offers[content["id"]] = content
        elif kind == "withdraw":
            del self.offers[content["id"]]
        elif kind in ("report", "done"):
            self.variables = content["variables"]
            self.sent, self.unknown = content.get("sent", []), content.get("unknown", False)
        elif kind == "note":
            self.notes.append(content["text"])
        elif kind == "still":
            self.received = content["received"]
        elif kind == "end":
            raise AssertionError(f"the node has ended ({self.process.wait(PATIENCE_S)}): {self.stderr()}")
        return kind, content

    def stderr(self):
        return self.errors.read_text()

    def until_still(self):
        deadline = time.monotonic() + PATIENCE_S
        while self.next()[0] != "still":
            assert time.monotonic() < deadline, f"never still; notes: {self.notes[-3:]}"

    def until(self, condition, what):
        """Listens until the condition holds at a stillness."""
        while not condition():
            try:
                self.next()
            except AssertionError as error:
                raise AssertionError(f"never: {what}; offers: {self.actions()}; {error}") from None

    def actions(self):
        return sorted(offer["action"] for offer in self.offers.values())

    def find(self, action):
        found = [number for number, offer in self.offers.items() if offer["action"] == action]
        assert found, f"no offer of {action} among {self.offers}"
        return found[0]

    def offer(self, action):
        return self.offers[self.find(action)]

    def go(self, action, kind="go"):
        """Answers the offer, and returns when the node is still again."""
        number = self.find(action)
        del self.offers[number]
        self.tell(kind, id=number)
        self._finish(number)

    def request(self, action, *args):
        self.last_request += 1
        self.tell("request", id=self.last_request, action=action, args=list(args))
        self._finish(self.last_request)

    def _finish(self, number):
        while True:
            kind, content = self.next()
            if kind == "done":
                assert content["id"] == number, content
                return self.until_still()
            assert kind in ("note", "still", "offer", "withdraw"), (kind, content)

    def type(self, text):
        """Writes to the node's standard input."""
        self.process.stdin.write(text)
        self.process.stdin.flush()

    def stop(self):
        self.tell("stop")
        return self.process.wait(PATIENCE_S)

    def end(self):
        """Leaves nothing behind, whatever has happened."""
        self.listener.close()
        self.process.kill()
        self.process.wait()
        self.process.stdin.close()
        self.process.stdout.close()


def command(folder, main, table=None, args=(), name="n1", classpath=None, options=()):
    """The command line of a JVM with the agent; a table may be a dict, or text that is written as it is."""
    agent = f"-javaagent:{JAR}"
    if table is not None:
        path = Path(folder) / f"{name}.json"
        path.write_text(table if isinstance(table, str) else json.dumps(table))
        agent += f"={path}"
    # Small JVMs that start fast.
    small = ["-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xshare:auto", "-Xmx256m"]
    return ["java", agent, *small, *options, "-cp", str(classpath or Path(folder) / "classes"), main, *args]
