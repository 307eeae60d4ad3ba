"""The sample node with a probe that does one thing wrong: broken_probe.py FAULT --node ... `kilter probe-check` has to name it."""

import json
import os
import sys
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../probes/python"))

import kilter_probe
from kilter_probe import Gate, Trace


def break_with(method):
    """Puts a function in the place of a method of the gate; it gets the method, too."""
    usual = getattr(Gate, method)

    def install(wrong):
        setattr(Gate, method, lambda self, *args, **kwargs: wrong(usual, self, *args, **kwargs))

    return install


def reuses_numbers():
    @break_with("_offer")
    def wrong(usual, self, *args):
        self.last_id = 0
        usual(self, *args)


def runs_on():
    kilter_probe.lost = lambda reason: time.sleep(3600)


def takes_what_is_dropped():
    @break_with("_take_in")
    def wrong(usual, self, kind, content):
        return usual(self, "go" if kind == "drop" else kind, content)


def takes_twice_as_once():
    @break_with("_take_in")
    def wrong(usual, self, kind, content):
        return usual(self, "go" if kind == "twice" else kind, content)


def counts_deliveries():
    @break_with("_take_in")
    def wrong(usual, self, kind, content):
        self.received += kind == "deliver"
        return usual(self, kind, content)


def loses_digits():
    usual = json.loads
    json.loads = lambda text: usual(text, parse_int=lambda digits: int(float(digits)))


def knows_everything():
    @break_with("_say_done")
    def wrong(usual, self, number, **_):
        usual(self, number)


def never_withdraws():
    @break_with("_say")
    def wrong(usual, self, kind, **content):
        if kind != "withdraw":
            usual(self, kind, **content)


def lets_timers_fire():
    @break_with("_offer")
    def wrong(usual, self, event, is_wish):
        usual(self, event, is_wish)
        if is_wish:
            number = self.last_id
            threading.Timer(1, lambda: self.arrivals.put(("go", {"id": number}))).start()


def forgets_what_it_sent():
    @break_with("_say")
    def wrong(usual, self, kind, **content):
        usual(self, kind, **{**content, "sent": []} if kind == "done" else content)


def is_never_still():
    @break_with("_say")
    def wrong(usual, self, kind, **content):
        if kind != "still":
            usual(self, kind, **content)


def says_half_of_its_variables():
    @break_with("_say_done")
    def wrong(usual, self, number, **more):
        self.variables = {"count": self.variables["count"]}
        usual(self, number, **more)


def writes_no_trace():
    Trace._write = lambda self, **line: None


def begins_unseen():
    usual = Trace._write
    Trace._write = lambda self, event, **line: event == "kilter.begin" or usual(self, event, **line)


def writes_what_has_not_changed():
    usual = Trace.end

    def wrong(self, variables, sent):
        self.known = self.known and {}
        usual(self, variables, sent)

    Trace.end = wrong


def misnames_clocks():
    usual = Trace._write
    Trace._write = lambda self, event, clock=None, **line: usual(self, event, vector=clock, **line) if clock else usual(self, event, **line)


def writes_no_clocks():
    usual = Trace._write
    Trace._write = lambda self, event, clock=None, **line: usual(self, event, **line)


def forgets_itself():
    usual = Trace._write

    def wrong(self, event, clock=None, **line):
        clock = clock and {"clock": {node: number for node, number in clock.items() if node != self.node}}
        usual(self, event, **(clock or {}), **line)

    Trace._write = wrong


def never_moves_on():
    usual = Trace.begin

    def wrong(self, event):
        usual(self, event)
        if self.clock:
            self.clock[self.node] -= 1

    Trace.begin = wrong


def hears_nothing():
    Trace.heard = lambda self, clock: None


def believes_the_last():
    Trace.heard = lambda self, clock: self.time().update(clock)


def sends_an_old_clock():
    @break_with("clock")
    def wrong(usual, self):
        clock = usual(self)
        return clock and {**clock, self.trace.node: clock[self.trace.node] - 1}


def keeps_clocks_to_itself():
    @break_with("clock")
    def wrong(usual, self):
        usual(self)


def starts_at_zero():
    time.time_ns = lambda: 0


globals()[sys.argv.pop(1)]()

import example_node  # noqa: E402 it is to meet the broken gate

example_node.main()
