package dev.kilter;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Decides when the node is still, and what the testbed hears and does.
 *
 * A step lasts from the testbed's `go` until all covered threads wait again. Then the variables are read, and what the threads could do
 * next is offered. One thread runs this; only {@link Seats} is shared with others.
 */
final class Referee implements Runnable {
    private static final long PAUSE_MS_MAX = 20;
    /** How often queues are looked at that somebody may fill unseen. */
    private static final long QUEUES_MS = 5;

    /** What the testbed asks for when others have crashed: the answer comes when this node is still, as after each step. */
    private static final String REST = "kilter.rest";

    /** The thread that runs this. */
    Thread thread;
    private final Table table;
    private final Testbed testbed;
    private final Seats seats;
    private final Offers offers;
    /** Null unless the system is started again in this JVM. */
    private final Lives lives;
    private Step step;
    private boolean ready;
    private long nReceivedSaid = -1;
    private volatile long busySinceMs = nowMs();

    /** What the testbed waits for. */
    private static final class Step {
        final Object id;
        final boolean unknown;

        Step(Object id, boolean unknown) {
            this.id = id;
            this.unknown = unknown;
        }
    }

    Referee(Table table, Testbed testbed, Seats seats, Lives lives) {
        this.lives = lives;
        this.table = table;
        this.testbed = testbed;
        this.seats = seats;
        this.offers = new Offers(testbed);
    }

    @Override
    public void run() {
        long pauseMs = 1;
        while (true) {
            List<Seats.Told> told = seats.next(pauseMs);
            told.forEach(this::handle);
            if (settle()) {
                busySinceMs = 0;
                pauseMs = offers.lookIntoQueues() ? QUEUES_MS : 0;
            } else {
                busySinceMs = busySinceMs == 0 ? nowMs() : busySinceMs;
                pauseMs = told.isEmpty() ? Math.min(PAUSE_MS_MAX, Math.max(1, pauseMs * 2)) : 1;
            }
        }
    }

    /** If all covered threads wait: ends the step and says what they could do. */
    private boolean settle() {
        // Asked before the threads are looked at: main may start one in between, and then wait.
        boolean isReady = ready || seats.whyNotReady() == null;
        long version = seats.stillAt();
        if (version >= 0 && serveNext()) {
            return false;
        }
        if (version < 0 || !isReady) {
            return false;
        }
        boolean mustReport = !ready || step != null;
        Map<String, Object> variables = mustReport ? table.readVariables() : null;
        if (!seats.isStillAt(version)) {
            return false; // A message came while the variables were read.
        }
        if (mustReport) {
            report(variables);
        }
        // Arrivals that are counted now can be seen in the queues, not the other way round.
        long nReceived = seats.nReceived();
        boolean anyNew = offers.renew(seats.waiting(), mustReport);
        if (mustReport || anyNew || nReceived != nReceivedSaid) {
            nReceivedSaid = nReceived;
            testbed.say("still", Collections.singletonMap("received", nReceived));
        }
        testbed.flush();
        return true;
    }

    /** Gives the next element to a thread that asks nobody, one at a time, so that what follows is the same each time. */
    private boolean serveNext() {
        for (Waiting waiting : seats.waiting()) {
            Take take = waiting.take;
            List<Object> elements = take != null && take.asksNobody() ? take.elements() : Collections.emptyList();
            if (!elements.isEmpty() && Queues.remove(take.queue, elements.get(0))) {
                if (!seats.release(waiting.seat, waiting.episode, elements.get(0))) {
                    Queues.keep(take.queue, elements.get(0), true);
                }
                return true;
            }
        }
        return false;
    }

    private void report(Map<String, Object> variables) {
        Map<String, Object> content = new TreeMap<>();
        content.put("variables", variables);
        boolean isFirst = !ready && step == null;
        if (!ready) {
            seats.tellOddThreads();
        }
        ready = true;
        if (isFirst) {
            testbed.say("report", content);
            if (!table.notLoaded().isEmpty()) {
                testbed.note("not loaded so far: " + String.join(", ", table.notLoaded()));
            }
            return;
        }
        List<Object> sent = seats.endStep();
        content.put("id", step.id);
        if (!sent.isEmpty()) {
            content.put("sent", sent);
        }
        if (step.unknown) {
            content.put("unknown", true);
        }
        step = null;
        testbed.say("done", content);
    }

    private void handle(Seats.Told told) {
        switch (told.kind) {
            case "go": case "drop": case "twice": answer(told.kind, told.content.get("id")); break;
            case "request": request(told.content); break;
            case "deliver": testbed.note("this node takes no delivery"); break;
            default: throw Fail.halt("the testbed says `" + told.kind + "`, which nobody understands");
        }
    }

    private void answer(String kind, Object id) {
        Offers.Offer offer = offers.get(id);
        if (offer == null) {
            return; // The withdrawal and this answer have crossed.
        }
        begin(id, false);
        boolean isElement = offer.element != null;
        boolean drops = kind.equals("drop") && offer.seat.drops;
        if (!isElement && !kind.equals("go") && !drops) {
            testbed.note("the message of " + offer.wish.action + " can't be dropped or doubled: only `takes` can, and `drops` says that it can be dropped");
        }
        if (isElement && !Queues.remove(offer.take.queue, offer.element)) {
            withdraw(id);
            return;
        }
        if (isElement && kind.equals("twice")) {
            Queues.keep(offer.take.queue, offer.element, true);
        }
        boolean goesOn = !kind.equals("drop") || drops;
        offer.seat.dropped = drops;
        if (goesOn && !seats.release(offer.seat, offer.episode, offer.element)) {
            if (isElement && !kind.equals("twice")) {
                Queues.keep(offer.take.queue, offer.element, true);
            }
            offer.seat.dropped = false;
            withdraw(id);
            return;
        }
        offers.remove(id);
    }

    /** The thread no longer waits as it did: nothing was done, and the testbed must know. */
    private void withdraw(Object id) {
        step = null;
        seats.endStep();
        offers.withdraw(id);
        nReceivedSaid = -1;
    }

    private void request(Map<?, ?> content) {
        String action = (String) content.get("action");
        List<?> args = content.containsKey("args") ? (List<?>) content.get("args") : Collections.emptyList();
        boolean isClock = action.equals(Clock.JUMPS) && table.clock;
        boolean isEnd = action.equals(Lives.END) && lives != null;
        boolean isBegin = action.equals(Lives.BEGIN) && lives != null;
        boolean isCrash = action.equals(Lives.CRASH) && lives != null;
        Template work = table.requests.get(action);
        boolean isKnown = isClock || isEnd || isBegin || isCrash || action.equals(REST) || work != null;
        begin(content.get("id"), !isKnown);
        seats.sayAgain();
        if (isClock) {
            Clock.jump();
        } else if (isEnd) {
            offers.withdrawAll();
            lives.end(seats::endAll);
            forget();
        } else if (isCrash) {
            offers.withdrawAll();
            lives.crash(seats::endAll);
            forget();
        } else if (isBegin) {
            ready = false;
            lives.begin();
        } else if (work != null) {
            seats.start(new Thread(() -> perform(action, work, args), "kilter-request"));
        }
    }

    /** Nothing is left of a life that is over. */
    private void forget() {
        seats.forget();
        table.names.forget();
        Queues.forget();
        Reflect.forget();
        Clock.reset();
    }

    private void perform(String action, Template work, List<?> args) {
        try {
            work.run(Scope.ofArgs(new ArrayList<>(args).toArray()));
        } catch (PathError error) {
            testbed.note("request " + action + ": " + error.getMessage());
        } finally {
            seats.finished();
        }
    }

    private void begin(Object id, boolean unknown) {
        busySinceMs = nowMs();
        step = new Step(id, unknown);
        seats.beginStep();
    }

    /** 0 if the node is still. */
    long busySinceMs() {
        return busySinceMs;
    }

    void sayWhoRuns(long seconds) {
        List<String> who = seats.whoRuns();
        String why = ready ? null : seats.whyNotReady();
        if (who.isEmpty()) {
            who.add(why != null ? why : "the agent reads an expression: " + Threads.where(thread));
        }
        testbed.note("not still for " + seconds + " s: " + String.join("; ", who));
    }

    private static long nowMs() {
        return System.nanoTime() / 1_000_000;
    }
}
