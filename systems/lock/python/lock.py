"""A node of the lock service: lock.py n1 n1=127.0.0.1:4001,n2=127.0.0.1:4002. The node n1 is the server, all others are clients.

With LOCK_BUG=1 the server grants the lock although somebody holds it.
"""

import json
import os
import socket
import sys
import threading
import time

from kilter_probe import Event, Gate

SERVER = "n1"
HANDLERS = {"ask": "HandleAsk", "grant": "HandleGrant", "release": "HandleRelease"}


class Server:
    def __init__(self, send):
        self.send, self.holder, self.waiting = send, None, []

    def variables(self):
        return {"holder": self.holder, "waiting": self.waiting}

    def wishes(self):
        return []

    def handle(self, event):
        client = event.message["from"]
        if event.action == "HandleRelease":
            self.holder = None
            if self.waiting:
                self.grant(self.waiting.pop(0))
        elif self.holder is None or os.environ.get("LOCK_BUG"):
            self.grant(client)
        else:
            self.waiting.append(client)

    def grant(self, client):
        self.holder = client
        self.send("grant", client)


class Client:
    def __init__(self, send):
        self.send, self.holds, self.asked, self.due = send, False, False, time.monotonic() + 1

    def variables(self):
        return {"holds": self.holds, "asked": self.asked}

    def wishes(self):
        if self.holds:
            return [Event("Release", due=self.due)]
        return [] if self.asked else [Event("Ask", due=self.due)]

    def handle(self, event):
        self.due = time.monotonic() + 1
        if event.action == "Ask":
            self.asked = True
            self.send("ask", SERVER)
        elif event.action == "Release":
            self.holds = False
            self.send("release", SERVER)
        else:
            self.holds, self.asked = True, False


def receive(listener, gate):
    """Takes in the messages of peers, one connection each."""
    while True:
        connection, _ = listener.accept()
        with connection, connection.makefile() as lines:
            for line in lines:
                line = json.loads(line)
                message = line.get("message", line)
                gate.message(Event(HANDLERS[message["type"]], message=message, data=line.get("clock")))


def address(text):
    host, _, port = text.rpartition(":")
    return host, int(port)


def main(name, peers):
    addresses = {peer: address(place) for peer, place in (pair.split("=") for pair in peers.split(","))}
    listener = socket.create_server(addresses[name])
    gate = Gate()

    def send(kind, to):
        message, clock = {"type": kind, "from": name, "to": to}, gate.clock()
        line = {"message": message, "clock": clock} if clock else message
        try:
            with socket.create_connection(addresses[to]) as connection:
                connection.sendall(json.dumps(line).encode() + b"\n")
        except OSError:
            pass  # the peer is down
        gate.sent(to, message)

    threading.Thread(target=receive, args=(listener, gate), daemon=True).start()
    node = Server(send) if name == SERVER else Client(send)
    while (event := gate.next(node.variables(), node.wishes())) is not None:
        if event.message is not None:
            gate.heard(event.data)
        node.handle(event)


main(*sys.argv[1:])
