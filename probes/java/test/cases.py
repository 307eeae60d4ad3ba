"""What the agent must do, one function each: `start` gives a node, `ends` runs a program that must end by itself."""

import json
import os
import shutil
import socket
import statistics
import struct
import subprocess
import time

from testbed import JAVA, Node, command

TICK = "sample.Counter.tick(int, String)"
COUNTER = {"threads": ["Worker*"], "objects": {"counter": "sample.Counter"}, "variables": {"count": "counter.count"}}
SKIP_SLEEP = {"in": TICK, "call": "Thread.sleep", "skip": True}
ACTION = {"in": TICK, "action": "Tick", "args": ["$1", "$2"]}


def start(folder, nodes, main, table, *args, **more):
    nodes.append(Node(folder, main, table, args, **more))
    return nodes[-1].connect()


def ends(folder, main, table, *args):
    """Without a testbed: exit code, output, errors."""
    done = subprocess.run(command(folder, main, table, args), capture_output=True, text=True, timeout=30, stdin=subprocess.DEVNULL)
    return done.returncode, done.stdout.strip(), done.stderr.strip()


def refused(folder, nodes, main, table, *args):
    """Under a testbed: the one line with which the agent ends the process."""
    nodes.append(Node(folder, main, table, args))
    code = nodes[-1].process.wait(30)
    # The JVM itself says that its archive of classes does not help once the boot class path has grown.
    lines = [line for line in nodes[-1].stderr().strip().splitlines() if "Sharing is only supported" not in line]
    assert code == 3 and len(lines) == 1 and lines[0].startswith("kilter-agent: "), (code, lines)
    return lines[0]


def counter(*points, **more):
    return {**COUNTER, "points": list(points), **more}


def equal(actual, expected):
    assert actual == expected, f"{actual!r} is not {expected!r}"


def contains(text, *parts):
    for part in parts:
        assert part in text, f"{part!r} is not in {text!r}"


def test_action_at_entry(folder, nodes):
    node = start(folder, nodes, "sample.Counter", counter(ACTION, SKIP_SLEEP))
    equal(node.variables, {"count": 0})
    equal(node.offer("Tick")["args"], [1, "w1"])
    node.go("Tick")
    equal((node.variables, node.offer("Tick")["args"]), ({"count": 1}, [2, "w2"]))
    node.go("Tick")
    equal(node.variables, {"count": 3})
    equal(node.stop(), 0)


def test_action_at_exit_and_at_calls(folder, nodes):
    at_exit = {"in": "sample.Counter.add", "at": "exit", "action": "Exit", "args": ["$result", "this.count", "$1"]}
    at_call = {"in": TICK, "call": "Counter.add", "action": "Call", "args": ["$1", "$target.count", "local.before", "local.who"]}
    after = {"in": TICK, "call": "Counter.add", "action": "After", "args": ["$result"]}
    construct = {"in": "sample.Counter$Vote.<init>", "action": "New", "args": ["$1", "this.inherited"]}
    node = start(folder, nodes, "sample.Counter", counter(SKIP_SLEEP, at_exit, at_call, after, construct))
    equal(node.offer("Call")["args"], [1, 0, 0, "w1"])
    node.go("Call")
    equal((node.variables, node.offer("Exit")["args"]), ({"count": 1}, [1, 1, 1]))
    node.go("Exit")
    equal(node.offer("After")["args"], [1])
    node.go("After")
    equal(node.offer("New")["args"][0], 0)
    node.go("New")
    equal(node.offer("Call")["args"], [2, 1, 1, "w2"])


def test_if(folder, nodes):
    low = {**ACTION, "action": "Low", "if": "this.state == 'LOW'"}
    high = {**ACTION, "action": "High", "if": "this.state != 'LOW'"}
    node = start(folder, nodes, "sample.Counter", counter(low, high, SKIP_SLEEP))
    for action in ["Low", "Low", "Low", "High"]:
        equal(node.actions(), [action])
        node.go(action)


def test_nth_call(folder, nodes):
    first = {"in": "sample.Mutants.work", "call": "Mutants.first", "nth": 2, "action": "Second", "args": ["$1"]}
    node = start(folder, nodes, "sample.Mutants", {"threads": ["main"], "points": [first], "variables": {"log": "sample.Mutants.log"}})
    equal((node.offer("Second")["args"], node.variables["log"]), (["c"], "first-a second-b "))


def test_values(folder, nodes):
    variables = {
        "state": "counter.state", "vote": {"id": "counter.vote.id", "inherited": "counter.vote.inherited", "list": ["counter.count", "'x'", 3]},
        "sum": "counter.vote.plus(10)", "names": "counter.names", "set": "counter.set", "bytes": "counter.bytes", "buffer": "counter.buffer",
        "maybe": "counter.maybe", "atomic": "counter.atomic", "deque": "counter.deque", "grid": "counter.grid", "cell": "counter.grid[1][1]",
        "beyond": "counter.grid[7]", "total": "sample.Counter.total", "joined": "'n' + counter.count + '!'", "name": "counter.names[1]",
        "size": "counter.names.size()", "closed": "counter.names.size", "length": "counter.grid.length", "nothing": "null", "yes": "true",
        "negative": "-5", "jdk": "java.lang.Integer.MAX_VALUE", "none": "sample.Mailbox.nothing"}
    node = start(folder, nodes, "sample.Counter", counter(ACTION, SKIP_SLEEP, variables=variables))
    equal((node.variables["vote"]["id"], node.variables["sum"]), (None, None))
    node.go("Tick")
    equal(node.variables, {
        "state": "LOW", "vote": {"id": 0, "inherited": 7, "list": [1, "x", 3]}, "sum": 10, "names": {"1": "w1"}, "set": ["a", "b"],
        "bytes": [1, 255], "buffer": [3, 4], "maybe": "yes", "atomic": 5, "deque": [8, 9], "grid": [[1], [2, 3]], "cell": 3, "beyond": None,
        "total": 1, "joined": "n1!", "name": "w1", "size": 1, "closed": 1, "length": 2, "nothing": None, "yes": True, "negative": -5,
        "jdk": 2147483647, "none": None})
    node.go("Tick")
    equal(node.variables["buffer"], [3, 4])


def test_table_errors(folder, nodes):
    def error(table, *parts, main="sample.Counter"):
        contains(refused(folder, nodes, main, table), *parts)
        nodes.pop().end()

    error({"thread": []}, "`thread`", "similar: `threads`")
    error("{", "no JSON")
    error(counter({**ACTION, "acton": "x"}), "`acton`", "`action`")
    error(counter({"in": TICK}), "exactly one of")
    error(counter({"in": TICK, "rests": True}), "needs `call`")
    error(counter({**ACTION, "in": "sample.Counter.tik"}), "declares no such method", "similar: `tick`")
    error(counter({**ACTION, "in": "sample.Counter.tick"}), "several methods", "tick(int, java.lang.String)")
    error(counter({**ACTION, "call": "Counter.ad"}), "no call of Counter.ad", "similar: `Counter.add`")
    error(counter({**ACTION, "args": ["$3"]}), "there is no $3")
    error(counter({**ACTION, "call": "Counter.add", "args": ["local.befor"]}), "`befor`", "similar: `before`")
    error(counter({**ACTION, "args": ["this.cont"]}), "no field `cont`", "similar: `count`")
    error(counter({**ACTION, "args": ["this.add(1, 2)"]}), "no method `add`")
    error(counter({**ACTION, "args": ["this."]}), "ends too early")
    error(counter({**ACTION, "args": ["conter.count"]}), "`conter` is neither", "similar: `counter`")
    error(counter({**ACTION, "args": ["this"]}), "class sample.Counter is no value", "`count`")
    error(counter({"in": TICK, "call": "Counter.add", "takes": "X"}), "`takes` is for poll and take")
    error(counter({"in": TICK, "call": "Counter.add", "skip": True, "timeout-if": "true"}), "`timeout-if` needs `timeout`")
    error(counter({"in": TICK, "call": "Counter.add", "takes": "X", "early": True}), "`early` is for `takes` with `timeout`")
    error(counter({**ACTION, "drops": True}), "`drops` is for `receives` with `call`")
    error(counter({"in": TICK, "call": "Counter.add", "receives": "X", "drops": True}), "returns an object")


def test_misspelt_class_is_noted(folder, nodes):
    node = start(folder, nodes, "sample.Counter", counter(ACTION, SKIP_SLEEP, {**ACTION, "in": "sample.Conter.tick"}))
    node.until(lambda: any("not loaded so far: sample.Conter" in note for note in node.notes), "a note")


def test_takes(folder, nodes):
    node = start(folder, nodes, "sample.Mailbox", mailbox())
    equal(node.actions(), ["Time"])
    node.go("Time")
    equal(node.variables["heard"], " t-")
    node.type("timed 3\ntimed 4\n")
    node.until(lambda: node.received == 2, "two elements")
    equal(node.offer("Timed")["message"], {"n": 3})
    node.go("Timed")
    equal(node.variables["heard"], " t- t3")
    equal((node.actions(), node.offer("Timed")["message"]), (["Timed"], {"n": 4}))
    node.go("Timed", "twice")
    equal((node.variables["heard"], node.offer("Timed")["message"]), (" t- t3 t4", {"n": 4}))
    node.go("Timed", "drop")
    equal((node.variables["heard"], node.actions()), (" t- t3 t4", ["Time"]))


def test_time_may_end_before_what_has_come_is_taken(folder, nodes):
    table = mailbox()
    table["points"][0].update(early=True)
    node = start(folder, nodes, "sample.Mailbox", table)
    node.type("timed 3\n")
    node.until(lambda: node.actions() == ["Time", "Timed"], "the element, and the end of the time")
    node.go("Time")
    equal((node.variables["heard"], node.actions(), node.offer("Timed")["message"]), (" t-", ["Time", "Timed"], {"n": 3}))
    node.go("Timed")
    equal((node.variables["heard"], node.actions()), (" t- t3", ["Time"]))


def test_time_that_ends_in_some_states_only(folder, nodes):
    table = mailbox()
    table["points"][0]["timeout-if"] = "this.heard == ''"
    node = start(folder, nodes, "sample.Mailbox", table)
    equal(node.actions(), ["Time"])
    node.go("Time")
    equal((node.variables["heard"], node.actions()), (" t-", []))
    node.type("timed 3\n")
    node.until(lambda: node.actions() == ["Timed"], "the element")
    waits = {"in": "sample.Monitors.listen", "call": "Object.wait", "waits": True, "timeout": "Timeout", "timeout-if": "this.log == 'x'"}
    equal(start(folder, nodes, "sample.Monitors", monitors(waits, {"in": "sample.Monitors.ring", "action": "Ring"}), "bell").actions(), ["Ring"])


def test_takes_any_and_queues_that_can_only_be_polled(folder, nodes):
    table = mailbox()
    table["points"][0]["any"] = True
    node = start(folder, nodes, "sample.Mailbox", table)
    node.type("timed 3 timed 4 forever 5 forever 6\n")
    node.until(lambda: node.actions() == ["Forever", "Timed", "Timed"], "all elements")
    number = next(number for number, offer in node.offers.items() if offer.get("message") == {"n": 4})
    node.offers = {number: node.offers.pop(number), **node.offers}
    node.go("Timed")
    node.go("Forever")
    node.go("Forever")
    equal(node.variables["heard"], " t4 f5 f6")
    equal(node.actions(), ["Timed"])


def test_polls_asks_nobody(folder, nodes):
    table = mailbox()
    point = table["points"][0]
    table["points"][0] = {"in": point["in"], "call": point["call"], "polls": True, "timeout": "Time"}
    node = start(folder, nodes, "sample.Mailbox", table)
    equal(node.actions(), ["Time"])
    node.type("timed 3 timed 4 forever 5\n")
    node.until(lambda: node.actions() == ["Forever", "Time"], "everything but one element is taken")
    node.go("Forever")
    equal(node.variables["heard"], " t3 t4 f5")


def test_takes_by_plain_poll_does_not_wait(folder, nodes):
    node = start(folder, nodes, "sample.Mailbox", mailbox())
    node.type("plain 7\n")
    node.until(lambda: "Plain" in node.actions(), "an offer")
    node.go("Plain")
    equal(node.variables["heard"], " p7")


def test_interrupted_take(folder, nodes):
    node = start(folder, nodes, "sample.Mailbox", mailbox())
    node.type("forever 5\n")
    node.until(lambda: "Forever" in node.actions(), "an offer")
    node.type("interrupt 0\n")
    node.until(lambda: "Forever" not in node.actions(), "a withdrawal")
    node.go("Time")
    contains(node.variables["heard"], "interrupted")


def test_one_of_several_threads_takes_an_element(folder, nodes):
    node = start(folder, nodes, "sample.Mailbox", mailbox(), "two")
    equal(node.actions(), ["Time", "Time"])
    node.type("timed 3\n")
    node.until(lambda: node.received == 1, "an element")
    equal(node.actions(), ["Timed"])
    node.go("Timed")
    equal((node.variables["heard"], node.actions()), (" t3", ["Time", "Time"]))


def mailbox():
    return {
        "threads": ["Worker*"], "scan": ["sample.**"], "objects": {"box": "sample.Mailbox"}, "variables": {"heard": "box.heard"},
        "points": [
            {"in": "sample.Mailbox.pollWithTime", "call": "Queue.poll", "takes": "Timed", "timeout": "Time", "message": {"n": "it.number"}},
            {"in": "sample.Mailbox.takeForever", "call": "BlockingQueue.take", "takes": "Forever", "message": {"n": "it.number"}},
            {"in": "sample.Mailbox.pollPlain", "call": "Queue.poll", "takes": "Plain", "message": {"n": "it.number"}},
            {"in": "sample.Mailbox.pollPlain", "call": "Thread.sleep", "rests": True},
            {"in": "sample.Mailbox.put", "at": "exit", "arrives": True, "if": "$1 == 'timed'"}]}


def test_arrives(folder, nodes):
    node = start(folder, nodes, "sample.Mailbox", mailbox())
    node.type("timed 3\nforever 1\ntimed 4\n")
    node.until(lambda: node.received == 2, "two arrivals")


def wire(*points, **more):
    reply = {"in": "sample.Wire.reply", "sends": {"value": "$1"}, "to": "'n' + 2"}
    return {"threads": ["Worker"], "objects": {"wire": "sample.Wire"}, "variables": {"last": "wire.last", "nErrors": "wire.nErrors"},
            "points": [*points, reply, {"in": "sample.Wire.idle", "action": "Idle"}], **more}


def test_receives_at_a_call(folder, nodes):
    point = {"in": "sample.Wire.readAndCheck", "call": "Wire.read", "receives": "Got", "message": {"value": "$result"}}
    node = start(folder, nodes, "sample.Wire", wire(point))
    equal((node.actions(), node.received), ([], 0))
    node.type("a\n")
    node.until(lambda: node.received == 1, "one arrival")
    equal(node.offer("Got")["message"], {"value": 97})
    node.go("Got")
    equal((node.variables["last"], node.sent), (97, [{"to": "n2", "message": {"value": 97}}]))


def test_receives_that_means_nothing_does_not_rest(folder, nodes):
    point = {"in": "sample.Wire.readAndCheck", "call": "Wire.read", "receives": "Got", "if": "wire.last == 0", "message": {"value": "$result"}}
    node = start(folder, nodes, "sample.Wire", wire(point))
    node.type("a\n")
    node.until(lambda: node.actions() == ["Got"], "the first arrival")
    node.tell("go", id=node.find("Got"))
    node.until(lambda: any("Wire.read" in note for note in node.notes), "a note that the thread is in the call and does not rest")
    node.type("x\n")
    node.until(lambda: "Idle" in node.actions(), "the end of the step")
    equal(node.received, 1)


def test_receives_by_a_method_that_throws(folder, nodes):
    point = {"in": "sample.Wire.readAndCheck", "receives": "Got", "message": {"value": "$result"}}
    node = start(folder, nodes, "sample.Wire", wire(point))
    node.type("xb\n")
    node.until(lambda: node.actions() == ["Idle"], "the thread runs on after the exception")
    equal(node.received, 0)
    node.go("Idle")
    node.until(lambda: node.received == 1, "one arrival")
    equal(node.offer("Got")["message"], {"value": 98})


def test_drop_that_is_impossible(folder, nodes):
    point = {"in": "sample.Wire.readAndCheck", "call": "Wire.read", "receives": "Got", "message": {"value": "$result"}}
    node = start(folder, nodes, "sample.Wire", wire(point))
    node.type("a\n")
    node.until(lambda: node.received == 1, "one arrival")
    before = node.find("Got")
    node.go("Got", "drop")
    assert node.find("Got") > before and node.variables["last"] == 0, node.offers
    contains(node.notes[-1], "can't be dropped")


def test_a_received_message_is_dropped_by_null(folder, nodes):
    point = {"in": "sample.Wire.readAndCheck", "call": "Wire.read", "receives": "Got", "drops": True, "message": {"value": "$result"}}
    node = start(folder, nodes, "sample.Wire", wire(point))
    node.type("ab\n")
    node.until(lambda: node.received == 1, "one arrival")
    node.go("Got", "drop")
    node.until(lambda: node.received == 2, "another arrival")
    equal((node.variables["last"], node.sent, node.offer("Got")["message"]), (0, [], {"value": 98}))
    node.go("Got")
    equal((node.variables["last"], node.sent), (98, [{"to": "n2", "message": {"value": 98}}]))


def test_join_lasts_until_the_other_thread_ends(folder, nodes):
    points = [{"in": "sample.Joins.help", "action": "Help"}, {"in": "sample.Joins.work", "call": "Thread.join", "rests": True},
              {"in": "sample.Joins.end", "action": "End"}]
    table = {"threads": ["Worker", "Helper"], "objects": {"joins": "sample.Joins"}, "variables": {"done": "joins.done"}, "points": points}
    node = start(folder, nodes, "sample.Joins", table)
    equal((node.actions(), node.variables), (["Help"], {"done": 0}))
    node.go("Help")
    equal((node.actions(), node.variables), (["End"], {"done": 1001}))


def pools(*points):
    names = {"objects": {"pools": "sample.Pools"}, "variables": {"done": "pools.done", "ticks": "pools.ticks"}}
    return {"threads": ["Boss", "Pool", "Timer"], **names, "points": [{"in": "sample.Pools.hand", "action": "Hand"}, *points]}


def test_idle_threads_of_pools_rest(folder, nodes):
    node = start(folder, nodes, "sample.Pools", pools(), "50000000")
    equal((node.actions(), node.variables["done"]), (["Hand"], 0))
    for n in [2, 4, 6]:
        node.go("Hand")
        equal((node.actions(), node.variables["done"]), (["Hand"], n))
    told = [note for note in node.notes if "thread Timer of a pool has a timer that is due in 3" in note]
    equal((len(told), any("Often" in note for note in node.notes)), (1, False))


def test_timers_of_threads_that_nobody_covers_are_told(folder, nodes):
    node = start(folder, nodes, "sample.Pools", {**pools(), "threads": ["Boss", "Pool"]}, "0")
    contains("\n".join(node.notes), "thread Timer of a pool has a timer that is due in 3")


def test_patterns_that_no_thread_fits_are_told_until_one_does(folder, nodes):
    table = monitors({"in": "sample.Monitors.rest", "action": "Rest"})
    table.update(threads=["Wanter", "Sh?rt", "Short"], requests={"Rest": "all.startResting()"})
    node = start(folder, nodes, "sample.Monitors", table, "gate")
    told = [note for note in node.notes if note.startswith("no thread has a name that fits")]
    equal([note.split("`")[1] for note in told], ["Sh?rt", "Short"])
    contains(told[0], "so far; there are Holder, ", ", Wanter")
    node.request("Rest")
    equal([note for note in node.notes if " has a name that fits `" in note and note not in told], ["thread Short has a name that fits `Short`"])


def test_a_covered_thread_that_dies_is_told(folder, nodes):
    table = monitors({"in": "sample.Monitors.hold", "action": "Hold"}, {"in": "sample.Monitors.rest", "action": "Rest"})
    node = start(folder, nodes, "sample.Monitors", {**table, "requests": {"Die": "all.startDying()"}}, "gate")
    node.request("Die")
    contains(node.notes[-1], "thread Short has died of java.lang.IllegalStateException: enough at sample.Monitors.die(Monitors.java:",
             ", caused by java.lang.NullPointerException: no bell at sample.Monitors.die(")
    contains(node.stderr(), 'Exception in thread "Short" java.lang.IllegalStateException: enough')


def test_a_timer_that_is_due_in_a_moment_does_not_rest(folder, nodes):
    table = pools({"in": "sample.Pools.tick", "action": "Tick"})
    node = start(folder, nodes, "sample.Pools", {**table, "threads": [*table["threads"], "Often"]}, "0")
    for n in range(1, 101):
        node.go("Tick")
        equal((node.actions(), node.variables["ticks"]), (["Hand", "Tick"], n))


def test_a_parked_thread_rests_until_another_unparks_it(folder, nodes):
    points = [{"in": "sample.Parked.hand", "action": "Hand"}, {"in": "sample.Parked.run", "call": "LockSupport.park", "rests": True}]
    table = {"threads": ["Boss", "Worker"], "scan": ["sample.Parked"], "objects": {"parked": "sample.Parked"}, "variables": {"done": "parked.done"}}
    node = start(folder, nodes, "sample.Parked", {**table, "points": points})
    for n in range(1, 101):
        node.go("Hand")
        equal(node.variables["done"], n)


def test_rest_ends_by_an_exception(folder, nodes):
    rests = {"in": "sample.Wire.readAndCheck", "call": "Wire.read", "rests": True}
    throws = {"in": "sample.Wire.readAndCheck", "call": "Wire.check", "rests": True}
    node = start(folder, nodes, "sample.Wire", wire(rests, throws))
    node.type("x\n")
    node.until(lambda: node.actions() == ["Idle"], "the thread runs on")
    node.go("Idle")
    equal(node.variables["nErrors"], 1)


def test_sent_outside_of_a_step(folder, nodes):
    rests = {"in": "sample.Wire.readAndCheck", "call": "Wire.read", "rests": True}
    node = start(folder, nodes, "sample.Wire", wire(rests))
    node.type("ax\n")
    node.until(lambda: node.actions() == ["Idle"], "the thread runs on")
    contains(" ".join(node.notes), "outside of any step")
    node.go("Idle")
    equal(node.sent, [{"to": "n2", "message": {"value": 97}}])


def test_requests(folder, nodes):
    rests = {"in": "sample.Wire.readAndCheck", "call": "Wire.read", "rests": True}
    requests = {"Call": "wire.call($1, $2)", "Fail": "wire.fail()"}
    node = start(folder, nodes, "sample.Wire", wire(rests, requests=requests))
    node.request("Call", "abc", 42)
    equal((node.variables["last"], node.sent, node.unknown), (42, [{"to": "n2", "message": {"value": 3}}], False))
    node.request("Nonsense")
    equal(node.unknown, True)
    node.request("kilter.clock")
    equal(node.unknown, True)
    node.request("Fail")
    contains(node.notes[-1], "IllegalStateException")


def test_clock(folder, nodes):
    look = {"in": "sample.Clocks.look", "action": "Look"}
    table = {"threads": ["main"], "scan": ["sample.*"], "clock": True, "objects": {"c": "sample.Clocks"},
             "variables": {"seconds": "c.seconds", "nanos": "c.nanoSeconds"}, "points": [look]}
    node = start(folder, nodes, "sample.Clocks", table)
    node.go("Look")
    equal(node.variables, {"seconds": 0, "nanos": 0})
    node.request("kilter.clock")
    equal(node.unknown, False)
    node.go("Look")
    equal(node.variables, {"seconds": 3, "nanos": 3})


def test_time_has_passed_after_a_timeout(folder, nodes):
    points = [{"in": "sample.Clocks.look", "action": "Look"},
              {"in": "sample.Clocks.pause", "call": "Object.wait", "waits": True, "timeout": "Timeout"}]
    table = {"threads": ["main"], "scan": ["sample.*"], "clock": True, "objects": {"c": "sample.Clocks"},
             "variables": {"seconds": "c.seconds"}, "requests": {"Pause": "c.pause()"}, "points": points}
    node = start(folder, nodes, "sample.Clocks", table)
    node.request("Pause")
    node.go("Timeout")
    node.go("Look")
    equal(node.variables, {"seconds": 4})


def monitors(*points):
    return {"threads": ["Listener*", "Ringer", "Holder", "Wanter", "Short", "Stuck*"], "scan": ["sample.**"],
            "objects": {"all": "sample.Monitors"}, "variables": {"log": "all.log"},
            "requests": {"Deadlock": "all.startDeadlock()", "Short": "all.startShortLived()", "Stuck": "all.startStuck()"},
            "points": list(points)}


def test_waits_and_notify(folder, nodes):
    node = start(folder, nodes, "sample.Monitors", monitors(
        {"in": "sample.Monitors.listen", "call": "Object.wait", "waits": True, "timeout": "Timeout"},
        {"in": "sample.Monitors.ring", "action": "Ring"}, {"in": "sample.Monitors.heard", "action": "Heard", "args": ["$1"]}), "bell")
    equal((node.actions(), node.variables["log"]), (["Ring", "Timeout", "Timeout"], ""))
    time.sleep(0.3)
    node.go("Ring")  # notify: the one that has waited longest
    equal((node.actions(), node.variables["log"]), (["Heard", "Ring", "Timeout"], "a "))
    node.go("Timeout")
    equal((node.actions(), node.variables["log"]), (["Heard", "Heard", "Ring"], "a b "))
    node.go("Heard")
    node.go("Heard")
    node.go("Ring")  # notifyAll
    equal(node.actions(), ["Heard", "Heard", "Ring"])
    equal(sorted(node.variables["log"].split()[2:]), ["a", "b"])


def test_blocked_by_a_waiting_thread(folder, nodes):
    node = start(folder, nodes, "sample.Monitors", monitors(
        {"in": "sample.Monitors.hold", "action": "Hold"}, {"in": "sample.Monitors.between", "action": "Between"},
        {"in": "sample.Monitors.rest", "action": "Rest"}), "gate")
    equal(node.actions(), ["Hold"])
    blocked = "thread Wanter waits for java.lang.Object, which thread Holder holds while it waits at point 1"
    equal(sum(blocked in note for note in node.notes), 1)
    node.request("Short")  # for all that the agent knows, another case begins
    equal(sum(blocked in note for note in node.notes), 2)
    node.go("Hold")
    equal((node.actions(), node.variables["log"]), (["Between", "Rest"], "ended got "))


def test_deadlock_of_the_system(folder, nodes):
    """Two threads that block each other wait for no point: the node is never still, and says who runs."""
    node = start(folder, nodes, "sample.Monitors", monitors({"in": "sample.Monitors.hold", "action": "Hold"},
                 {"in": "sample.Monitors.rest", "action": "Rest"}), "gate")
    node.tell("request", id=9, action="Deadlock")
    node.until(lambda: any("thread Stuck-1 is BLOCKED" in note and "thread Stuck-2 is BLOCKED" in note for note in node.notes), "a note")


def test_threads_that_end_and_that_never_rest(folder, nodes):
    node = start(folder, nodes, "sample.Monitors", monitors({"in": "sample.Monitors.hold", "action": "Hold"},
                 {"in": "sample.Monitors.rest", "action": "Rest"}), "gate")
    node.request("Short")
    equal(node.variables["log"], "ended ")
    node.tell("request", id=9, action="Stuck")
    node.until(lambda: any("thread Stuck is RUNNABLE" in note and "sample.Monitors.stuck" in note for note in node.notes), "a note")


def test_threads_that_no_name_covers(folder, nodes):
    node = start(folder, nodes, "sample.Counter", counter(ACTION, SKIP_SLEEP, threads=[]))
    contains(node.notes[0], "thread Worker-1 is covered from now on")
    node.go("Tick")
    equal(node.variables, {"count": 1})


def test_annotations(folder, nodes):
    node = start(folder, nodes, "sample.Owned", None)
    equal((node.variables, node.offer("Step")["args"]), ({"n": 0, "all": 10}, [2, "because"]))
    node.go("Step")
    equal((node.sent, node.offer("Half")["args"]), ([{"to": "n2", "message": {"kind": "count", "n": 2}}], [2, "x"]))
    node.go("Half")
    equal((node.sent, node.variables), ([{"to": "n3", "message": {"n": 3}}], {"n": 3, "all": 12}))
    equal("args" in node.offer("Quiet"), False)
    node.go("Quiet")
    node.type("a")
    node.until(lambda: node.received == 1, "one arrival")
    equal(node.offer("Got")["message"], {"byte": 97})
    node.go("Got")
    equal(node.variables["n"], 97)


def test_annotations_without_testbed(folder, nodes):
    code, out, errors = ends(folder, "sample.Owned", None)
    equal((code, out, errors), (0, "over 13", ""))


def test_nothing_happens_without_testbed(folder, nodes):
    code, out, errors = ends(folder, "sample.Mutants", {"points": [{"in": "sample.Mutants.work", "action": "Work"}]})
    equal((code, out, errors), (0, "first-a second-b first-c false 1007 false", ""))


def trace(folder, main, table, typed="", n_lines=7):
    """Without a testbed, but with KILTER_TRACE: the first lines, and when the last of them was there."""
    path = folder / "traced.log"
    path.unlink(missing_ok=True)
    environment = {**os.environ, "KILTER_TRACE": str(path)}
    with open(folder / "traced.err", "w") as errors:
        process = subprocess.Popen(command(folder, main, table, name="traced"), env=environment, text=True, stdin=subprocess.PIPE,
                                   stdout=subprocess.DEVNULL, stderr=errors)
    began = time.monotonic()
    try:
        process.stdin.write(typed)
        process.stdin.flush()
        while not path.exists() or path.read_text().count("\n") < n_lines:
            assert process.poll() is None and time.monotonic() < began + 20, (folder / "traced.err").read_text()
            time.sleep(0.01)
        return [json.loads(line) for line in path.read_text().splitlines()[:n_lines]]
    finally:
        process.kill()
        process.wait()
        process.stdin.close()


def test_trace(folder, nodes):
    table = counter(ACTION, SKIP_SLEEP)
    table["variables"] = {"count": "counter.count", "names": "counter.names"}
    start, begin, tick = trace(folder, "sample.Counter", table, n_lines=3)
    equal(start, {"event": "kilter.start", "node": "traced", "state": {"count": 0, "names": {}}})
    equal(begin, {"event": "kilter.begin", "node": "traced", "of": "Tick", "args": [1, "w1"]})
    equal(tick, {"event": "Tick", "node": "traced", "args": [1, "w1"], "delta": True, "state": {"count": 1, "names": {"1": "w1"}}, "sent": []})


def test_trace_of_messages_and_time(folder, nodes):
    """What is there to take comes first; time runs out when it has passed, and not before."""
    began = time.monotonic()
    lines = [line for line in trace(folder, "sample.Mailbox", mailbox(), "timed 3\n", 9) if line["event"] in ("Timed", "Time")]
    equal(sorted((line["event"], line.get("message", {}).get("n")) for line in lines)[-1], ("Timed", 3))
    assert [line["event"] for line in lines].count("Time") == 3 and time.monotonic() - began > 0.6, lines


def test_vector_clocks(folder, nodes):
    """Lines have a vector clock from the first time on that the program uses it."""
    table = {"threads": ["Worker*"], "objects": {"vectors": "sample.Vectors"}, "variables": {"sent": "vectors.sent"}}
    before = time.time_ns() // 1000
    lines = {line["event"]: line for line in trace(folder, "sample.Vectors", table, n_lines=10)}
    now = lines["Send"]["clock"]["traced"]
    assert "clock" not in lines["Alone"] and before <= now <= time.time_ns() // 1000, lines
    equal(lines["Send"]["state"], {"sent": {"traced": now}})
    equal(lines["Take"]["clock"], {"traced": now + 1, "n2": 40})
    equal(lines["TakeOld"]["clock"], {"traced": now + 2, "n2": 40})
    assert "clock" not in lines["kilter.begin"], lines


def test_mutations(folder, nodes):
    def mutated(expected, **mutation):
        code, out, errors = ends(folder, "sample.Mutants", {"mutations": [mutation]})
        equal((code, out, errors), (0, expected, ""))

    work = "sample.Mutants.work"
    mutated("second-b false 1007 false", **{"in": work, "do": "leave-out", "call": "Mutants.first"})
    mutated("first-a second-b false 1007 false", **{"in": work, "do": "leave-out", "call": "Mutants.first", "nth": 2})
    mutated("second-a first-b second-c false 1007 false", **{"in": work, "do": "swap", "call": "Mutants.first", "with": "Mutants.second"})
    mutated("first-a second-b first-c true 1007 false", **{"in": "sample.Mutants.isReady", "do": "return", "value": True})
    mutated("first-a second-b first-c false 5007 false", **{"in": "sample.Mutants.limit", "do": "constant", "from": 1000, "to": 5000})
    mutated("first-a second-b first-z false 1007 false", **{"in": work, "do": "constant", "from": "c", "to": "z"})


def test_mutations_by_an_expression(folder, nodes):
    def ready(result):
        table = {"threads": ["main"], "points": [{"in": "sample.Mutants.work", "action": "Work"}],
                 "mutations": [{"in": "sample.Mutants.isReady", "do": "return", "result": result}]}
        node = start(folder, nodes, "sample.Mutants", table)
        node.tell("go", id=node.find("Work"))
        return node.process.stdout.read().split()[3]

    equal([ready("$1 > 2"), ready("$1 < 3"), ready("$1 < 3 || $1 > 2 && $1 == 3"), ready("$1 > 2 && $1 == 4")], ["true", "false", "true", "false"])
    code, _, errors = ends(folder, "sample.Mutants", {"mutations": [{"in": "sample.Mutants.isReady", "do": "return", "result": "$1 > 2"}]})
    equal(code, 3)
    contains(errors, "`result` needs a testbed")
    wrong = {"mutations": [{"in": "sample.Mutants.work", "do": "return", "result": "1 > 2"}], "threads": ["main"], "points": []}
    contains(refused(folder, nodes, "sample.Mutants", wrong), "boolean or an integer, not void")


def test_mutations_that_fit_nowhere(folder, nodes):
    def error(part, **mutation):
        code, _, errors = ends(folder, "sample.Mutants", {"mutations": [mutation]})
        equal(code, 3)
        contains(errors, "kilter-agent: mutation 1 in sample.Mutants.", part)

    work = "sample.Mutants.work"
    error("no call of Mutants.third", **{"in": work, "do": "leave-out", "call": "Mutants.third"})
    error("similar: `work`", **{"in": "sample.Mutants.wrk", "do": "return"})
    error("the constant 5 is there 0 times", **{"in": work, "do": "constant", "from": 5, "to": 6})
    error("no value of type boolean", **{"in": "sample.Mutants.isReady", "do": "return", "value": "x"})


def test_lost_testbed(folder, nodes):
    node = start(folder, nodes, "sample.Counter", counter(ACTION, SKIP_SLEEP))
    node.socket.shutdown(2)
    equal(node.process.wait(10), 3)
    contains(node.stderr(), "kilter-agent: the testbed is gone")


def test_tcp(folder, nodes):
    node = start(folder, nodes, "sample.Counter", counter(ACTION, SKIP_SLEEP), tcp=True)
    node.go("Tick")
    equal(node.variables, {"count": 1})


def test_other_class_loaders(folder, nodes):
    """The system's classes come from a loader that knows nothing but the JDK, and sees the agent all the same."""
    node = start(folder, nodes, "sample.Isolated", counter(ACTION, SKIP_SLEEP), str(folder / "classes"))
    node.go("Tick")
    equal(node.variables, {"count": 1})


def test_no_testbed_at_the_address(folder, nodes):
    environment = {**os.environ, "KILTER_ADDRESS": f"unix:{folder}/nobody"}
    done = subprocess.run(command(folder, "sample.Counter", {}), env=environment, capture_output=True, text=True, timeout=30)
    equal(done.returncode, 3)
    contains(done.stderr, "kilter-agent: no testbed at unix:")


def test_class_files_of_any_version(folder, nodes):
    """Java 5 has no stack map frames; Java 21 is newer than our ASM, and a JVM that is older must refuse it by itself."""
    for major in (49, 52, 65):
        run = {"mutations": [{"in": "sample.Mutants.isReady", "do": "return", "value": True}]}
        done = subprocess.run(command(folder, "sample.Mutants", run, classpath=of_version(folder, major)), capture_output=True, text=True)
        refused_by_jvm = major == 65 and "UnsupportedClassVersionError" in done.stderr and "kilter-agent" not in done.stderr
        assert refused_by_jvm or done.returncode == 0 and " true 1007" in done.stdout, done


def test_points_in_class_files_of_any_version(folder, nodes):
    rests = {"in": "sample.Mutants.work", "call": "Mutants.second", "rests": True}
    action = {"in": "sample.Mutants.isReady", "at": "exit", "action": "Ready", "args": ["$result"]}
    receives = {"in": "sample.Mutants.limit", "receives": "Limit", "args": ["$result"]}
    for major in (49, 50, 52):
        table = {"threads": ["main"], "points": [rests, action, receives]}
        node = start(folder, nodes, "sample.Mutants", table, classpath=of_version(folder, major))
        node.until(lambda: node.actions() == ["Ready"], "the end of the rest")
        equal(node.offer("Ready")["args"], [False])
        node.go("Ready")
        node.until(lambda: node.actions() == ["Limit"], "the message")  # The step may end while the thread rests in the method.
        equal(node.offer("Limit")["args"], [1007])
        nodes.pop().end()


def of_version(folder, major):
    """A class path with a class file of another version: the same but for the number."""
    other = folder / f"classes-{major}"
    shutil.rmtree(other, ignore_errors=True)
    source = JAVA / "test/samples/Mutants.java"
    subprocess.run(["javac", "--release", "8", "-Xlint:-options", "-d", other, source], check=True)
    file = other / "sample/Mutants.class"
    data = bytearray(file.read_bytes())
    struct.pack_into(">H", data, 6, major)
    file.write_bytes(data)
    return other


def test_speed(folder, nodes):
    """No assertion about time: it only shows what a step costs."""
    node = start(folder, nodes, "sample.Counter", counter(ACTION, SKIP_SLEEP))
    times = []
    for _ in range(2000):
        begin = time.perf_counter()
        node.go("Tick")
        times.append(time.perf_counter() - begin)
    print(f"       a step takes {statistics.median(times[500:]) * 1e6:.0f} µs from go to still, this Python included")
    equal(node.variables["count"], 2000 * 2001 // 2)


def test_random_numbers_of_scanned_classes(folder, nodes):
    def luck(name, **more):
        table = {**counter(ACTION, SKIP_SLEEP, **more), "variables": {"luck": "counter.luck"}}
        return start(folder, nodes, "sample.Counter", table, name=name).variables["luck"]
    first = luck("n1", scan=["sample.*"], seeded=True)
    equal(luck("n1", scan=["sample.*"], seeded=True), first)
    for other in [luck("n2", scan=["sample.*"], seeded=True), luck("n1", scan=["sample.*"]), luck("n1", seeded=True)]:
        assert other != first, other


def test_a_choice_of_two(folder, nodes):
    # Only the expression that is chosen is looked at.
    action = {**ACTION, "args": ["$1 == 1 ? 'one' : this.nothing", "$1 == 0 ? this.nothing : $1 == 1 ? this.state : 'more'"]}
    node = start(folder, nodes, "sample.Counter", counter(action, SKIP_SLEEP))
    equal(node.offer("Tick")["args"], ["one", "LOW"])


LIVED = {"threads": ["Worker"], "again": True, "objects": {"lived": "sample.Lived"},
         "variables": {"count": "lived.count", "total": "sample.Lived.total", "written": "lived.written", "property": "lived.property"},
         "points": [{"in": "sample.Lived.tick", "action": "Tick"}]}


def free_port():
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


def test_again(folder, nodes):
    data = folder / "again" / "a folder"
    data.mkdir(parents=True)
    (data / "log").write_bytes(b"x")
    fresh = {"count": 0, "total": 0, "written": 0, "property": "none"}
    node = start(folder, nodes, "sample.Lived", LIVED, str(data), str(free_port()), data=data)
    for _ in range(20):
        equal(node.variables, fresh)
        node.go("Tick")
        node.go("Tick")
        equal(node.variables, {"count": 2, "total": 2, "written": 3, "property": "none"})
        node.request("kilter.end")
        equal((node.offers, node.unknown), ({}, False))
        node.request("kilter.begin")
    equal((node.actions(), node.stderr().count("Exception")), (["Tick"], 0))
    begun = time.monotonic()
    for _ in range(20):
        node.request("kilter.end")
        node.request("kilter.begin")
    print(f"    one more life: {(time.monotonic() - begun) / 20 * 1000:.0f} ms")


def test_a_crash_in_the_same_jvm_leaves_what_a_killed_process_leaves(folder, nodes):
    table = {"threads": ["Worker"], "again": True, "objects": {"crashed": "sample.Crashed"},
             "variables": {"count": "crashed.count", "found": "crashed.found"},
             "points": [{"in": "sample.Crashed.tick", "action": "Tick"}]}
    data = folder / "crash"
    data.mkdir()
    with socket.create_server(("127.0.0.1", 0)) as peer:
        peer.settimeout(10)
        node = start(folder, nodes, "sample.Crashed", table, str(data), str(peer.getsockname()[1]), data=data)
        equal(heard_until_the_end(node, peer), b"..")
        equal(sorted((file.name, file.read_bytes()) for file in data.iterdir()), [("buffered", b""), ("stored", b"\1\1")])
        node.request("kilter.begin")
        equal(node.variables, {"count": 0, "found": 2})
        # Nobody has connected in between.
        equal(heard_until_the_end(node, peer), b"..")
        node.request("kilter.begin")
        equal(node.variables, {"count": 0, "found": 4})
        equal(heard_until_the_end(node, peer), b"..")
        # A node that is down begins with the folder that it had at first, too.
        node.request("kilter.end")
        node.request("kilter.begin")
        equal(node.variables, {"count": 0, "found": 0})
        equal(sorted(data.parent.glob("crash*")), [data, data.parent / "crash.begin"])


def heard_until_the_end(node, peer):
    """Lets the node do two steps, and crashes it."""
    connection, _ = peer.accept()
    connection.settimeout(10)
    node.go("Tick")
    node.go("Tick")
    node.request("kilter.crash")
    equal((node.offers, node.unknown), ({}, False))
    heard = b""
    while part := connection.recv(100):
        heard += part
    connection.close()
    return heard


def test_again_ends_as_the_program_does(folder, nodes):
    table = {**LIVED, "points": []}
    nodes.append(Node(folder, "sample.Lived", table, (str(folder), "99999")))
    equal(nodes[-1].process.wait(30), 1)
    contains(nodes[-1].stderr(), 'Exception in thread "main" java.lang.IllegalArgumentException')
    (folder / "ends" / "log").mkdir(parents=True)
    nodes.append(Node(folder, "sample.Lived", table, (str(folder / "ends"), str(free_port()))))
    # Its worker can't append to a folder.
    equal(nodes[-1].process.wait(30), 8)


def test_again_is_not_understood_without_the_table(folder, nodes):
    node = start(folder, nodes, "sample.Counter", counter(ACTION, SKIP_SLEEP))
    node.request("kilter.end")
    equal((node.unknown, node.actions()), (True, ["Tick"]))


def test_coverage(folder, nodes):
    os.environ["KILTER_COVERAGE"] = str(folder)
    try:
        table = {"threads": ["Worker"], "scan": ["sample.*"], "objects": {"lived": "sample.Lived"},
                 "points": [{"in": "sample.Lived.tick", "action": "Tick"}]}
        port, data = free_port(), folder / "coverage"
        data.mkdir()
        node = start(folder, nodes, "sample.Lived", table, str(data), str(port), name="covered")
    finally:
        del os.environ["KILTER_COVERAGE"]
    node.go("Tick")
    for _ in range(20):
        socket.create_connection(("127.0.0.1", port)).close()
    time.sleep(0.5)
    threads = {thread["name"]: thread for thread in json.loads(next(folder.glob("covered-*.json")).read_text())}
    equal((threads["Worker"]["covered"], threads["Worker"]["actions"]), (True, ["Tick"]))
    equal((threads["Acceptor"]["covered"], threads["Acceptor"]["places"]), (False, ["sample.Lived.accept"]))
    equal((threads["Stubborn"]["covered"], threads["Stubborn"]["actions"], threads["Stubborn"]["places"]), (False, [], []))
