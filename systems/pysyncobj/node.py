"""A node of PySyncObj under a testbed's control: the library as it comes from PyPI, with a transport, a clock and ticks of ours.

    node.py --node n1 --listen 127.0.0.1:4001 --peers n1=127.0.0.1:4001,n2=… --data DIRECTORY [--heartbeat-ms N] [--request-ms N]

The library acts in three ways only, and each is an action here: it takes in a message (`RequestVote`, `ResponseVote`, `AppendEntries`,
`NextNodeIdx`), its tick finds that time has passed (`Timeout`, `Heartbeat`), it takes a command (the request `ClientRequest`). Time stands
still but for those ticks. As over the library's own TCP connections, messages between two nodes keep their order, and are
neither lost nor repeated; what was under way to a node that crashes is lost.

Without a testbed the ticks come by themselves, and a leader makes requests of its own in place of clients, if it is told how often.
"""

import argparse
import base64
import collections
import contextlib
import json
import os
import pickle
import random
import shutil
import socket
import sys
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "probes", "python"))

import pysyncobj.syncobj  # noqa: E402
from kilter_probe import Event, Gate  # noqa: E402
from kilter_ran import Ran  # noqa: E402
from pysyncobj import SyncObj, SyncObjConf, replicated  # noqa: E402
from pysyncobj.node import Node as Peer  # noqa: E402
from pysyncobj.transport import Transport  # noqa: E402

STATES = {0: "follower", 1: "candidate", 2: "leader"}
ACTIONS = {"request_vote": "HandleRequestVote", "response_vote": "HandleResponseVote",
           "append_entries": "HandleAppendEntries", "next_node_idx": "HandleNextNodeIdx"}
NO_OP = b"\x01"
ELECTION_S = 0.3  # without a testbed, a node stands for election after this time at the earliest, and after twice this time at the latest


class Clock:
    """A clock that is moved by hand."""

    def __init__(self):
        self.now = 1000.0

    def __call__(self):
        return self.now


class Store(SyncObj):
    """The replicated object. Its state does not matter, only the log."""

    @replicated
    def put(self, value):
        return value


class Orderly(Gate):
    """A gate that offers of each sender's messages only the first, as a connection keeps their order."""

    def __init__(self, name, **hooks):
        super().__init__(**hooks)
        self.name = name
        self.lines = collections.defaultdict(collections.deque)

    def _take_in(self, kind, content):
        if kind == "message":
            line = self.lines[content.data[0]]
            line.append(content)
            if len(line) > 1:
                self.received += 1
                return False
        return super()._take_in(kind, content)

    def _finish(self):
        super()._finish()
        offered = {id(event) for event, is_wish in self.standing.values() if not is_wish}
        for line in self.lines.values():
            if line and id(line[0]) not in offered:
                self._offer(line[0], False)

    def handled(self, event):
        """The next in line may be offered."""
        if self.controlled:
            self.lines[event.data[0]].popleft()

    def forget(self):
        """Forgets all that has arrived."""
        self.lines.clear()
        for number in [number for number, (_, is_wish) in self.standing.items() if not is_wish]:
            del self.standing[number]
            self._say("withdraw", id=number)


class Wire(Transport):
    """Carries messages over one connection to each peer, and tells the testbed of them."""

    def __init__(self, name, addresses, gate):
        super().__init__(None, None, [])
        self.name, self.addresses, self.gate, self.connections, self.outgoing = name, addresses, gate, {}, []

    def send(self, node, message):
        line = json.dumps([self.name, base64.b64encode(pickle.dumps(message)).decode(), self.gate.clock()]).encode() + b"\n"
        self.gate.sent(node.id, shown(message, self.name, node.id))
        self.outgoing.append((node.id, line))
        return True

    def flush(self):
        """Sends what the step sends, now that all of the step is stored."""
        for peer, line in self.outgoing:
            try:
                self.connection(peer).sendall(line)
            except OSError:
                self.connections.pop(peer, None)  # the peer is down; so it would be over TCP of the library's own
        self.outgoing.clear()

    def connection(self, peer):
        """The connection to a peer; a new one if the peer has closed it, which it does only by ending."""
        old = self.connections.get(peer)
        if old is not None:
            try:
                old.recv(1, socket.MSG_DONTWAIT)
            except BlockingIOError:
                return old
            except OSError:
                pass
            old.close()
        new = self.connections[peer] = socket.create_connection(self.addresses[peer])
        new.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return new


def entry(raw):
    """A log entry as the testbed sees it."""
    command, _, term = raw
    return {"term": term, "value": "noop" if command == NO_OP else pickle.loads(command[1:])[1][0]}


def shown(message, sender, receiver):
    """A message as the testbed sees it."""
    view = dict(message, **{"from": sender, "to": receiver})
    if "entries" in view:
        view["entries"] = [entry(raw) for raw in view["entries"]]
    return view


class Timing:
    """When a node acts by itself if no testbed says so."""

    def __init__(self, heartbeat_s, request_s):
        self.heartbeat_s, self.request_s, self.heartbeat, self.request = heartbeat_s, request_s, 0, 0
        self.be_patient()

    def be_patient(self):
        self.election = time.monotonic() + random.uniform(ELECTION_S, 2 * ELECTION_S)

    def taken(self, action):
        """Sets the timers that an event starts again."""
        now = time.monotonic()
        if action == "Heartbeat":
            self.heartbeat = now + self.heartbeat_s
        elif action == "ClientRequest":
            self.request = now + self.request_s
        elif action in ("Timeout", "HandleAppendEntries", "HandleRequestVote"):
            self.be_patient()


class Node:
    def __init__(self, name, addresses, data, gate, timing):
        self.name, self.data, self.gate, self.clock, self.timing = name, data, gate, Clock(), timing
        self.ran = Ran(RAN, {"pysyncobj": os.path.dirname(pysyncobj.syncobj.__file__)}, name) if RAN else None
        self.peers = [peer for peer in addresses if peer != name]
        self.wire = Wire(name, addresses, gate)
        self.start()

    def start(self):
        """Makes the library's object, on what is stored."""
        pysyncobj.syncobj.monotonicTime = self.clock
        conf = SyncObjConf(autoTick=False, journalFile=os.path.join(self.data, "journal"), commandsWaitLeader=True,
                           logCompactionMinEntries=sys.maxsize, logCompactionMinTime=sys.maxsize)
        peers = [Peer(peer) for peer in self.peers]
        self.object = Store(Peer(self.name), peers, conf=conf, transport=self.wire)
        for peer in peers:
            self.wire._onNodeConnected(peer)

    def __getattr__(self, name):
        """What the library keeps to itself."""
        return getattr(self.object, "_SyncObj__" + name)

    def variables(self):
        leader = STATES[self.raftState] == "leader"
        by_peer = lambda known: {peer.id: index for peer, index in known.items()} if leader else {}  # noqa: E731
        return {"state": STATES[self.raftState], "term": self.raftCurrentTerm, "vote": self.votedForNodeId,
                "log": [entry(raw) for raw in self.raftLog[:]], "commit": self.raftCommitIndex,
                "votes": self.votesCount if STATES[self.raftState] == "candidate" else 0,
                "next": by_peer(self.raftNextIndex), "match": by_peer(self.raftMatchIndex)}

    def wishes(self):
        if STATES[self.raftState] != "leader":
            return [Event("Timeout", due=self.timing.election)]
        wishes = [Event("Heartbeat", due=self.timing.heartbeat)]
        if self.timing.request_s and not self.gate.controlled:
            value = random.randrange(1_000_000)
            wishes.append(Event("ClientRequest", [value], data=value, due=self.timing.request))
        return wishes

    def handle(self, event):
        self.timing.taken(event.action)
        if event.action == "Timeout":
            self.tick(self.conf.raftMaxTimeout + 0.1)
        elif event.action == "Heartbeat":
            self.tick(self.conf.appendEntriesPeriod + 0.01)
        elif event.action == "ClientRequest":
            self.object.put(event.data)
            self.object._checkCommandsToApply()
        elif event.action == "Reset":
            self.reset()
        else:
            sender, message, clock = event.data
            self.gate.heard(clock)
            self.gate.handled(event)
            self.wire._onMessageReceived(Peer(sender), message)
        if event.action != "Reset":
            self.raftLog.onOneSecondTimer()  # what it does once a second: it stores the commit index
        self.wire.flush()

    def tick(self, seconds):
        self.clock.now += seconds
        self.object.doTick(0.0)

    def reset(self):
        self.gate.forget()
        self.object.destroy()
        shutil.rmtree(self.data)
        os.mkdir(self.data)
        self.start()


def receive(connection, gate):
    """Takes in the messages of a peer."""
    with connection, connection.makefile() as lines:
        for line in lines:
            sender, content, clock = json.loads(line)
            message = pickle.loads(base64.b64decode(content))
            view = shown(message, sender, gate.name)
            gate.message(Event(ACTIONS[message["type"]], message=view, data=(sender, message, clock)))


def accept(listener, gate):
    while True:
        connection, _ = listener.accept()
        threading.Thread(target=receive, args=(connection, gate), daemon=True).start()


def request(action, args):
    """The event of something that the testbed asks for."""
    return Event(action, data=args[0] if args else None) if action in ("ClientRequest", "Reset") else None


def address(text):
    host, _, port = text.rpartition(":")
    return host, int(port)


RAN = os.environ.get("KILTER_RAN")  # the file that gets what ran, for `kilter diff`


def noted(event, node):
    """Notes which lines of the library run for an event, if somebody wants to know."""
    if not RAN:
        return contextlib.nullcontext()
    return node.ran.of("start" if event.action == "Reset" else event.action, node.variables(), event.message)


def main():
    parser = argparse.ArgumentParser()
    for option in ("--node", "--listen", "--peers", "--data"):
        parser.add_argument(option, required=True)
    parser.add_argument("--heartbeat-ms", type=int, default=50, help="how often a leader is heard of, without a testbed")
    parser.add_argument("--request-ms", type=int, default=0, help="how often a leader makes a request, without a testbed; 0 for never")
    args = parser.parse_args()
    addresses = {name: address(place) for name, place in (peer.split("=") for peer in args.peers.split(","))}
    listener = socket.create_server(address(args.listen))
    gate = Orderly(args.node, from_request=request)
    threading.Thread(target=accept, args=(listener, gate), daemon=True).start()
    node = Node(args.node, addresses, args.data, gate, Timing(args.heartbeat_ms / 1000, args.request_ms / 1000))
    while (event := gate.next(node.variables(), node.wishes())) is not None:
        with noted(event, node):
            node.handle(event)


if __name__ == "__main__":
    main()
