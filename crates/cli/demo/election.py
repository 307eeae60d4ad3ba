"""A node that takes part in the election of a leader.

    python3 election.py n1 n1=127.0.0.1:4001,n2=127.0.0.1:4002,n3=127.0.0.1:4003

It stands for election by itself after a while, or when Kilter tells it to. What is there for Kilter alone is in `main`.
"""

import json
import random
import socket
import sys
import threading
import time

from kilter_probe import Event, Gate


class Node:
    def __init__(self, name, peers, send):
        self.name, self.peers, self.send = name, peers, send
        self.voted_for, self.votes, self.leader = None, set(), False
        self.stands_at = time.monotonic() + random.uniform(1, 2)

    def stand(self):
        self.voted_for, self.votes = self.name, {self.name}
        for peer in self.peers:
            self.send({"type": "ask", "from": self.name, "to": peer})

    def vote(self, candidate):
        if not self.leader:
            self.voted_for = candidate
            self.send({"type": "vote", "from": self.name, "to": candidate})

    def count(self, voter):
        self.votes.add(voter)
        self.leader = 2 * len(self.votes) > len(self.peers) + 1

    def handle(self, action, message):
        if action == "Stand":
            self.stand()
        elif action == "Vote":
            self.vote(message["from"])
        elif action == "Count":
            self.count(message["from"])


def address(text):
    host, _, port = text.rpartition(":")
    return host, int(port)


def event_of(message):
    return Event({"ask": "Vote", "vote": "Count"}[message["type"]], message=message)


def receive(listener, gate):
    """Takes in the messages of peers, one connection each."""
    while True:
        connection, _ = listener.accept()
        with connection, connection.makefile() as lines:
            for line in lines:
                gate.message(event_of(json.loads(line)))


def main(name, peers):
    addresses = {peer: address(place) for peer, place in (pair.split("=") for pair in peers.split(","))}
    listener = socket.create_server(addresses[name])
    gate = Gate()

    def send(message):
        try:
            with socket.create_connection(addresses[message["to"]]) as connection:
                connection.sendall(json.dumps(message).encode() + b"\n")
        except OSError:
            pass  # the peer is down
        gate.sent(message["to"], message)

    threading.Thread(target=receive, args=(listener, gate), daemon=True).start()
    node = Node(name, [peer for peer in addresses if peer != name], send)
    while True:
        variables = {"voted_for": node.voted_for, "votes": sorted(node.votes), "leader": node.leader}
        wishes = [Event("Stand", due=node.stands_at)] if node.voted_for is None else []
        event = gate.next(variables, wishes)
        if event is None:
            break
        node.handle(event.action, event.message)


if __name__ == "__main__":
    main(*sys.argv[1:])
