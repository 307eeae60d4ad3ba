"""A node of a post office: `a` sends one letter to `b`.

    python3 post.py NODE ADDRESS NAME=ADDRESS,…

POST_BUG=wrong sends another letter to `c`. POST_BUG=unreported does not tell the testbed of the letter. POST_BUG=unsent sends nothing, but prints very much. POST_BUG=undelivered does not take letters back
after a crash.
"""

import json
import os
import socket
import sys
import threading
import time

from kilter_probe import Event, Gate

BUG = os.environ.get("POST_BUG", "")


def take(message):
    return Event("Take", message=message)


class Node:
    def __init__(self, name, peers, gate):
        self.name, self.peers, self.gate = name, peers, gate
        self.sent, self.got = 0, 0

    def variables(self):
        return {"sent": self.sent, "got": self.got}

    def wishes(self):
        return [Event("Send")] if self.name == "a" and self.sent == 0 else []

    def handle(self, event):
        print(f"{self.name} does {event.action}", flush=True)
        if event.action == "Take":
            self.got = event.message["number"]
        elif event.action == "Send":
            self.sent = 1
            if BUG == "unsent":
                print("blah " * 1_000_000, flush=True)
                return
            to, letter = ("c", {"number": 2}) if BUG == "wrong" else ("b", {"number": 1})
            if BUG != "unreported":
                self.gate.sent(to, letter)
            with socket.create_connection(self.peers[to]) as connection:
                connection.sendall(json.dumps(letter).encode() + b"\n")
            if BUG == "unreported":
                time.sleep(1)  # the letter is there before this node says that it has sent none


def receive(listener, gate):
    while True:
        connection, _ = listener.accept()
        with connection, connection.makefile() as lines:
            for line in lines:
                gate.message(take(json.loads(line)))


def address(text):
    host, _, port = text.rpartition(":")
    return host, int(port)


def main():
    name, own, everybody = sys.argv[1:]
    peers = {peer: address(place) for peer, place in (pair.split("=") for pair in everybody.split(","))}
    listener = socket.create_server(address(own))
    gate = Gate(from_delivery=None if BUG == "undelivered" else lambda _, message: take(message))
    threading.Thread(target=receive, args=(listener, gate), daemon=True).start()
    print(f"{name} is up", file=sys.stderr, flush=True)
    node = Node(name, peers, gate)
    while (event := gate.next(node.variables(), node.wishes())) is not None:
        node.handle(event)


main()
