"""A node that serves under a lease. Another one takes over when its own clock says that the lease has run out.

    python3 lease.py n1         n1 has the lease first

It asks its probe for the time. With LEASE_BUG=1 it reads the clock of the machine where it asks whether the lease has run out, so that a jump
passes it by. It is an example for a testbed: without one, nobody wakes it up when the lease has run out.
"""

import os
import sys
import time

from kilter_clock import Clock
from kilter_probe import Event, Gate

LEASE_SECONDS = 600
FIRST = "n1"


class Node:
    def __init__(self, name, clock):
        self.name, self.clock = name, clock
        self.serves = name == FIRST
        self.runs_out = clock.now() + LEASE_SECONDS

    def variables(self):
        return {"serves": self.serves}

    def has_run_out(self):
        now = time.time() if os.environ.get("LEASE_BUG") else self.clock.now()
        return now >= self.runs_out

    def wishes(self):
        if not self.has_run_out() or self.serves != (self.name == FIRST):
            return []
        return [Event("GiveUp" if self.serves else "TakeOver")]

    def handle(self, event):
        if event.action in ("GiveUp", "TakeOver"):
            self.serves = not self.serves


def main():
    clock = Clock()
    gate = Gate(from_request=clock.from_request)
    node = Node(sys.argv[1], clock)
    while (event := gate.next(node.variables(), node.wishes())) is not None:
        node.handle(event)


main()
