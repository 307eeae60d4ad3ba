"""The time, by a clock that a testbed can make jump: for nodes that are tested with `fault = "clock"`.

    clock = Clock()
    gate = Gate(from_request=clock.from_request)
    ...
    if clock.now() >= lease_ends:
"""

import time

from kilter_probe import Event

JUMPS = "kilter.clock"  # what the testbed asks for, and the action of the event that the node gets
JUMP_SECONDS = 3600


class Clock:
    """A clock that runs as the machine's does until it jumps ahead."""

    def __init__(self):
        self.ahead = 0

    def now(self):
        """The time in seconds since 1970."""
        return time.time() + self.ahead

    def from_request(self, action, args):
        """Jumps if the testbed asks for it, and gives the event of that, which the node may ignore. None for other requests."""
        if action != JUMPS:
            return None
        self.ahead += JUMP_SECONDS
        return Event(JUMPS)
