"""A small node under a testbed's control: it counts, tells its peers, and takes over a higher count that it hears of. What else it can do is
there for `kilter probe-check`: docs/protocol.md, "The sample node".

    python3 example_node.py --node n1 --listen 127.0.0.1:4001 --peers n1=127.0.0.1:4001,n2=127.0.0.1:4002

It ticks by itself once a second without a testbed, and when told to with one.
"""

import argparse
import json
import socket
import threading
import time

from kilter_clock import Clock
from kilter_probe import Event, Gate


def take(message, clock=None):
    """The event of a message of a peer, with the vector clock that came along."""
    return Event("Take", message=message, data=clock)


def request(action, args):
    """The event of something that the testbed asks for."""
    return Event(action, data=args[0]) if action in ("Set", "Keep", "Note", "Work") else None


class Node:
    def __init__(self, name, peers, gate, clock):
        self.name, self.peers, self.gate, self.clock = name, peers, gate, clock
        self.count, self.value, self.jobs = 0, None, 0

    def variables(self):
        hours = round((self.clock.now() - time.time()) / 3600)
        return {"count": self.count, "value": self.value, "jobs": self.jobs, "hours": hours}

    def wishes(self):
        """It ticks up to three; a peer may bring it further."""
        return [Event("Tick", due=time.monotonic() + 1)] if self.count < 3 else []

    def handle(self, event):
        if event.action == "Tick":
            self.count += 1
            for peer in self.peers:
                self.send(peer, {"from": self.name, "to": peer, "count": self.count})
        elif event.action == "Take":
            self.gate.heard(event.data)
            self.count = max(self.count, event.message["count"])
        elif event.action == "Job":
            self.jobs += 1
        elif event.action == "Set":
            self.count = event.data
        elif event.action == "Keep":
            self.value = event.data
        elif event.action == "Note":
            self.gate.note(event.data)
        elif event.action == "Work":
            for number in range(event.data):
                job = Event("Job", args=[number])
                threading.Thread(target=self.gate.push, args=(job,)).start()

    def send(self, peer, message):
        """One connection a message: a peer that was killed and started again can't swallow it. With a trace, the vector clock goes along."""
        clock = self.gate.clock()
        line = {"message": message, "clock": clock} if clock else message
        try:
            with socket.create_connection(self.peers[peer]) as connection:
                connection.sendall(json.dumps(line).encode() + b"\n")
        except OSError:
            pass  # the peer is down, and messages may be lost
        self.gate.sent(peer, message)


def receive(listener, gate):
    """Takes in messages of peers, for ever."""
    while True:
        connection, _ = listener.accept()
        with connection, connection.makefile() as lines:
            for line in lines:
                line = json.loads(line)
                gate.message(take(line.get("message", line), line.get("clock")))


def address(text):
    host, _, port = text.rpartition(":")
    return host, int(port)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--node", required=True)
    parser.add_argument("--listen", required=True, type=address)
    parser.add_argument("--peers", required=True)
    args = parser.parse_args()
    everybody = dict(peer.split("=") for peer in args.peers.split(","))
    peers = {name: address(place) for name, place in everybody.items() if name != args.node}
    listener = socket.create_server(args.listen)
    clock = Clock()
    gate = Gate(from_delivery=lambda _, message: take(message),
                from_request=lambda action, args: clock.from_request(action, args) or request(action, args))
    threading.Thread(target=receive, args=(listener, gate), daemon=True).start()
    node = Node(args.node, peers, gate, clock)
    while (event := gate.next(node.variables(), node.wishes())) is not None:
        node.handle(event)


if __name__ == "__main__":
    main()
