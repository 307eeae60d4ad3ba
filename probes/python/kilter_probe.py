"""What a Python program under test imports, so that a testbed can hold each of its actions until told to go on.

Everything that makes a node act is an Event. Messages and clients' requests are pushed in by whatever thread reads the sockets; timers and
local steps are wishes: the loop says each time what the node can do by itself now. docs/protocol.md says what is on the wire.

    gate = Gate()
    while (event := gate.next(node.variables(), node.wishes())) is not None:
        node.handle(event)              # gate.sent("n2", message) beside each real send

Under a testbed, next() reports the last event as done, offers what is new, and waits to be told. Without one (no KILTER_ADDRESS in the
environment) it is a queue with timers, and writes what the node does to the file KILTER_TRACE, if the environment names one. When the testbed
goes away, the process ends at once.
"""

import json
import os
import queue
import socket
import sys
import threading
import time

VERSION = 1
LINE_BYTES_MAX = 16 << 20
LOST_EXIT_CODE = 3
NUMBERED = ("go", "drop", "twice", "request")  # what a testbed says, with a number and without
UNNUMBERED = ("welcome", "deliver", "stop")
KEPT_MIN = 4  # a sequence that keeps fewer elements is written whole in a trace


class Event:
    """Something that makes a node act: what the testbed sees of it (action, args, message), and data for the node itself.

    Of a wish, `due` says when it happens if no testbed is in control: a time.monotonic(), or None for at once.
    """

    def __init__(self, action, args=(), message=None, data=None, due=None):
        self.action, self.args, self.message, self.data, self.due = action, list(args), message, data, due

    def shown(self):
        message = {} if self.message is None else {"message": self.message}
        return {"action": self.action, "args": self.args, **message}


class Gate:
    """The inbox of an event loop, under a testbed's control if there is one.

    `from_delivery(sender, message)` makes the event of a message that the testbed gives back after a crash, and
    `from_request(action, args)` that of something that it asks for; each may give None for what it does not know.
    """

    def __init__(self, from_delivery=None, from_request=None, environment=os.environ):
        self.arrivals, self.from_delivery, self.from_request = queue.Queue(), from_delivery, from_request
        self.standing = {}  # offers that were not answered: number -> (event, is it a wish)
        self.in_hand = None  # number of what is being handled, and what to offer again after it
        self.unsaid, self.unreported = [], []
        self.variables, self.received, self.last_id, self.fresh = {}, 0, 0, True
        address = environment.get("KILTER_ADDRESS")
        self.controlled, self.trace = address is not None, None
        if not self.controlled and "KILTER_TRACE" in environment:
            self.trace = Trace(environment["KILTER_TRACE"], environment.get("KILTER_NODE"))
        if self.controlled:
            self._connect(address)
            self._say("hello", version=VERSION, node=environment.get("KILTER_NODE", ""), says_still=True,
                      token=environment.get("KILTER_TOKEN", ""), takes_delivery=from_delivery is not None)
            self._flush()
            threading.Thread(target=self._listen, daemon=True).start()

    def message(self, event):
        """A message of another node has arrived; from any thread, once for each that its sender has reported."""
        self.arrivals.put(("message", event))

    def push(self, event):
        """Something else has come from outside, such as a client's request; from any thread."""
        self.arrivals.put(("event", event))

    def sent(self, to, message):
        """The event in hand makes this node send a message: to be said beside each real send."""
        self.unreported.append({"to": to, "message": message})

    def clock(self):
        """The vector clock to put into a message that is sent now, so that `kilter follow` knows the order of lines; None without a trace."""
        return None if self.trace is None else dict(self.trace.time())

    def heard(self, clock):
        """The event in hand has brought this vector clock: to be said before anything is sent."""
        if self.trace is not None:
            self.trace.heard(clock or {})

    def note(self, text):
        """A line for the log of the run."""
        self._say("note", text=text) if self.controlled else None

    def next(self, variables, wishes=()):
        """The next event to handle; what was handed out before is thereby done. None when the node shall end."""
        if not self.controlled:
            return self._next_by_itself(variables, wishes)
        self.variables = variables
        self._finish()
        self._offer_wishes(wishes)
        while True:
            if self.arrivals.empty():
                self._say("still", received=self.received)
                self._flush()
            event = self._take_in(*self.arrivals.get())
            if event is not False:
                self._flush()
                return event

    def _next_by_itself(self, variables, wishes):
        sent, self.unreported = self.unreported, []
        if self.trace is None:
            return self._first(wishes)
        self.trace.end(variables, sent)
        event = self._first(wishes)
        self.trace.begin(event)
        return event

    def _first(self, wishes):
        first = min(wishes, key=lambda wish: wish.due or 0, default=None)
        if first is not None and (first.due or 0) <= time.monotonic():
            return first
        try:
            return self.arrivals.get(timeout=first and first.due - time.monotonic())[1]
        except queue.Empty:
            return first

    def _finish(self):
        """Reports the event in hand as done, or the node's first state."""
        if self.fresh:
            self.fresh = False
            self._say("report", variables=self.variables)
        if self.in_hand:
            (number, again), self.in_hand = self.in_hand, None
            self._say_done(number)
            if again:
                self._offer(again, False)

    def _say_done(self, number, **more):
        self._say("done", id=number, variables=self.variables, sent=self.unreported, **more)
        self.unreported = []

    def _offer(self, event, is_wish):
        self.last_id += 1
        self.standing[self.last_id] = (event, is_wish)
        self._say("offer", id=self.last_id, **event.shown())

    def _offer_wishes(self, wishes):
        """Offers the wishes that are new, and withdraws those that are gone. Two are the same if they look the same."""
        wanted = {json.dumps(wish.shown()): wish for wish in wishes}
        for number, (event, is_wish) in list(self.standing.items()):
            wish = is_wish and wanted.pop(json.dumps(event.shown()), None)
            if wish:
                self.standing[number] = (wish, True)
            elif is_wish:
                del self.standing[number]
                self._say("withdraw", id=number)
        for wish in wanted.values():
            self._offer(wish, True)

    def _take_in(self, kind, content):
        """What becomes of something that arrived: an event to hand out, None for the end, or False for nothing."""
        if kind == "message":
            self.received += 1
        if kind in ("message", "event"):
            self._offer(content, False)
        elif kind in ("go", "twice") and content["id"] in self.standing:
            event, _ = self.standing.pop(content["id"])
            self.in_hand = (content["id"], event if kind == "twice" else None)
            return event
        elif kind == "drop" and self.standing.pop(content["id"], None):
            self._say_done(content["id"])
        elif kind == "request":
            event = self.from_request and self.from_request(content["action"], content.get("args", []))
            if event:
                self.in_hand = (content["id"], None)
                return event
            self._say_done(content["id"], unknown=True)
        elif kind == "deliver":
            event = self.from_delivery(content["from"], content["message"])
            self._offer(event, False) if event else self._say("note", text=f"can't take delivery of {content['message']}")
        return None if kind == "stop" else False

    def _connect(self, address):
        kind, _, place = address.partition(":")
        try:
            if kind == "unix":
                self.socket = socket.socket(socket.AF_UNIX)
                self.socket.connect(place)
            else:
                host, _, port = place.rpartition(":")
                self.socket = socket.create_connection((host, int(port)))
                self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        except (OSError, ValueError) as error:
            lost(f"no testbed at {address}: {error}")

    def _listen(self):
        try:
            with self.socket.makefile("rb") as lines:
                while line := lines.readline(LINE_BYTES_MAX):
                    ((kind, content),) = json.loads(line).items()
                    if kind not in UNNUMBERED and not (kind in NUMBERED and isinstance(content["id"], int)):
                        raise ValueError(f"not a message of the protocol: {line[:80]}")
                    if kind != "welcome":
                        self.arrivals.put((kind, content))
                    if kind == "stop":
                        return
            lost("the testbed is gone")
        except (OSError, ValueError, AttributeError, LookupError, TypeError) as error:
            lost(error)

    def _say(self, kind, **content):
        self.unsaid.append(to_text({kind: content}) + "\n")

    def _flush(self):
        try:
            self.socket.sendall("".join(self.unsaid).encode())
            self.unsaid.clear()
        except OSError as error:
            lost(f"the testbed is gone: {error}")


class Trace:
    """What a node does that nobody controls, written to a file for `kilter follow`: docs/protocol.md, "Traces"."""

    def __init__(self, path, node):
        self.node = os.path.splitext(os.path.basename(path))[0] if node is None else node
        self.known, self.in_hand, self.file, self.clock = None, None, None, None
        try:
            self.file = open(path, "ab", buffering=0)
        except OSError as error:
            complain(f"the trace can't be written: {error}")

    def time(self):
        """The vector clock, which is written from now on. Its own part begins with the time of day, so that it goes on when the node starts again."""
        if self.clock is None:
            self.clock = {self.node: time.time_ns() // 1000}
        return self.clock

    def heard(self, clock):
        own = self.time()
        for node, other in clock.items():
            own[node] = max(other, own.get(node, 0))

    def begin(self, event):
        """An event is about to be handed out."""
        if self.clock:
            self.clock[self.node] += 1
        args = {"args": event.args} if event.args else {}
        message = {} if event.message is None else {"message": event.message}
        about = json.loads(to_text({**args, **message}))  # a copy: the node may change its own
        self.in_hand = (event.action, about)
        self._write(event="kilter.begin", of=event.action, **about)

    def end(self, variables, sent):
        """The event in hand is over, if there is one. The node now holds these variables."""
        held = {name: parts(value) for name, value in variables.items()}
        if self.known is None:
            self._write(event="kilter.start", state=variables)
        elif self.in_hand:
            state = {name: self._change(name, value, held[name]) for name, value in variables.items() if self.known.get(name) != held[name]}
            clock = {"clock": self.clock} if self.clock else {}
            self._write(event=self.in_hand[0], delta=True, state=state, sent=sent, **clock, **self.in_hand[1])
        self.known = held

    def _change(self, name, value, new):
        """The new value of a variable, or the end of a sequence that has only changed there."""
        old = self.known.get(name)
        if not isinstance(old, list) or not isinstance(new, list):
            return value
        kept = next((i for i, (a, b) in enumerate(zip(old, new)) if a != b), min(len(old), len(new)))
        return value if kept < KEPT_MIN else {"@keep": kept, "@then": value[kept:]}

    def _write(self, event, **line):
        try:
            if self.file:
                self.file.write((to_text({"event": event, "node": self.node, **line}) + "\n").encode())
        except OSError as error:
            self.file = None  # a trace with a gap would be a wrong one
            complain(f"the trace can't be written: {error}")


def to_text(value):
    return json.dumps(value, separators=(",", ":"))


def parts(value):
    """A value in a form that tells 1 from true, and does not change with it: text, of a sequence a list of texts."""
    return [to_text(element) for element in value] if isinstance(value, (list, tuple)) else to_text(value)


def complain(text):
    print(f"kilter_probe: {text}", file=sys.stderr, flush=True)


def lost(reason):
    """Ends the process at once, whatever its other threads do: nobody is left to control it."""
    complain(reason)
    os._exit(LOST_EXIT_CODE)
