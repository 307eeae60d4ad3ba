"""What a Python program under test imports, so that a testbed can hold each of its actions until told to go on.

Everything that makes a node act is an Event. Messages and clients' requests are pushed in by whatever thread reads the sockets; timers and
local steps are wishes: the loop says each time what the node can do by itself now. docs/protocol.md says what is on the wire.

    gate = Gate()
    while (event := gate.next(node.variables(), node.wishes())) is not None:
        node.handle(event)              # gate.sent("n2", message) beside each real send

Under a testbed, next() reports the last event as done, offers what is new, and waits to be told. Without one (no KILTER_ADDRESS in the
environment) it is a queue with timers. When the testbed goes away, the process ends at once.
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
        self.controlled = address is not None
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

    def note(self, text):
        """A line for the log of the run."""
        self._say("note", text=text) if self.controlled else None

    def next(self, variables, wishes=()):
        """The next event to handle; what was handed out before is thereby done. None when the node shall end."""
        if not self.controlled:
            return self._next_by_itself(wishes)
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

    def _next_by_itself(self, wishes):
        self.unreported.clear()
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
        self.unsaid.append(json.dumps({kind: content}, separators=(",", ":")) + "\n")

    def _flush(self):
        try:
            self.socket.sendall("".join(self.unsaid).encode())
            self.unsaid.clear()
        except OSError as error:
            lost(f"the testbed is gone: {error}")


def lost(reason):
    """Ends the process at once, whatever its other threads do: nobody is left to control it."""
    print(f"kilter_probe: {reason}", file=sys.stderr, flush=True)
    os._exit(LOST_EXIT_CODE)
