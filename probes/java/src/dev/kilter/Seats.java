package dev.kilter;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.locks.LockSupport;

/**
 * All threads that have reached a point: which of them run and which wait, and what they have sent and received.
 *
 * Threads come here from {@link Hooks} and wait here; the {@link Referee} looks at them and lets them go. No expression is evaluated
 * under this lock, because the system's methods may take locks of their own.
 */
final class Seats {
    private final Threads threads;
    private final Testbed testbed;
    private final Blocked blocked = new Blocked();
    private final Map<Thread, Seat> seats = new IdentityHashMap<>();
    /** The threads whose timers were told. */
    private final Set<String> timersTold = new HashSet<>();
    private List<Told> inbox = new ArrayList<>();
    private List<Object> unreported = new ArrayList<>();
    /** Something has happened that the referee has not looked at. */
    private boolean changed;
    /** Grows with each change of a seat. */
    private long version;
    private long nReceived;
    private boolean stepUnderWay;
    private boolean someoneHasWaited;
    /** Null unless the system is started again in this JVM. */
    private final Lives lives;

    /** Null unless somebody wants to know what threads do. */
    private volatile Coverage coverage;

    Seats(Table table, Testbed testbed, Lives lives) {
        this.threads = new Threads(table, testbed);
        this.testbed = testbed;
        this.lives = lives;
    }

    void note(Coverage theCoverage) {
        coverage = theCoverage;
    }

    private void cover(Seat seat, String action) {
        if (coverage != null && action != null) {
            coverage.offers(seat.thread, action);
        }
    }

    List<Thread> alive() {
        return threads.alive();
    }

    synchronized boolean covers(Thread thread) {
        return isCovered(thread);
    }

    synchronized boolean isReady() {
        return whyNotReady() == null;
    }

    /** Something that the testbed said. */
    static final class Told {
        final String kind;
        final Map<?, ?> content;

        Told(String kind, Map<?, ?> content) {
            this.kind = kind;
            this.content = content;
        }
    }

    // What threads of the system do.

    /** The seat of this thread; null if points mean nothing now. The caller must set `inHook` back. */
    Seat enter() {
        Thread thread = Thread.currentThread();
        if (thread instanceof AgentThread) {
            return null;
        }
        if (lives != null) {
            lives.check();
        }
        Seat seat;
        synchronized (this) {
            seat = seats.computeIfAbsent(thread, Seat::new);
        }
        if (seat.inHook) {
            return null;
        }
        seat.inHook = true;
        return seat;
    }

    /** Waits until the testbed lets this action go. A message that arrives with it is counted in the same moment, so that both are seen. */
    void offer(Seat seat, Wish wish, String where, boolean arrives) {
        cover(seat, wish.action);
        synchronized (this) {
            adopt(seat, where);
            nReceived += arrives ? 1 : 0;
            seat.wish = wish;
            change(seat, Seat.State.OFFERS, where);
        }
        boolean interrupted = false;
        while (!seat.told) {
            LockSupport.park(this);
            endIfOver(seat);
            interrupted |= Thread.interrupted();
        }
        seat.told = false;
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** Waits until the testbed says which element it gets, or that the time is over. */
    Object take(Take take) throws InterruptedException {
        Seat seat = take.seat;
        cover(seat, take.point.name);
        cover(seat, take.point.timeout);
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        if (take.kind == Take.Kind.NOW && take.elements().isEmpty()) {
            return null;
        }
        synchronized (this) {
            adopt(seat, take.point.where);
            seat.take = take;
            change(seat, Seat.State.TAKES, take.point.where);
        }
        while (!seat.told) {
            LockSupport.park(this);
            endIfOver(seat);
            if (Thread.interrupted() && isInterrupted(seat)) {
                throw new InterruptedException();
            }
        }
        seat.told = false;
        Object taken = seat.taken;
        seat.taken = null;
        return taken;
    }

    private static void endIfOver(Seat seat) {
        if (seat.over) {
            throw new Over();
        }
    }

    /** Decides between an answer and an interruption that cross: the answer wins, and the interruption comes with the next wait. */
    private synchronized boolean isInterrupted(Seat seat) {
        if (seat.told) {
            seat.thread.interrupt();
            return false;
        }
        if (seat.take.kind == Take.Kind.NOW) {
            return false;
        }
        if (!seat.runs()) {
            change(seat, Seat.State.RUNS, "");
        }
        return true;
    }

    synchronized void rest(Seat seat) {
        change(seat, Seat.State.RESTS, "a call in which it rests");
    }

    /** The thread rests until another one has ended, not until it has noticed that. */
    synchronized void join(Seat seat, Thread other) {
        seat.joined = other;
        rest(seat);
    }

    /** Whether the thread is to park. It rests then until another one has unparked it, not until it has noticed that. */
    synchronized boolean park(Seat seat) {
        boolean parks = !seat.mayGoOn;
        seat.mayGoOn = false;
        if (parks) {
            seat.parked = true;
            rest(seat);
        }
        return parks;
    }

    synchronized void unpark(Thread thread) {
        Seat seat = seats.computeIfAbsent(thread, Seat::new);
        if (seat.parked) {
            run(seat);
        } else {
            seat.mayGoOn = true;
        }
        LockSupport.unpark(thread);
    }

    synchronized void run(Seat seat) {
        seat.joined = null;
        seat.parked = false;
        if (!seat.runs()) {
            change(seat, Seat.State.RUNS, "");
        }
    }

    /** Object.wait, but that its time ends only when the testbed says so. The node's clock says then that it has passed. */
    void await(Seat seat, Object monitor, long millis, String timeout, String where) throws InterruptedException {
        cover(seat, timeout);
        synchronized (this) {
            if (timeout != null) {
                adopt(seat, where);
            }
            seat.wish = timeout == null ? null : new Wish(timeout, new ArrayList<>(), null, System.nanoTime() + millis * 1_000_000);
            seat.monitor = monitor;
            seat.timedOut = false;
            seat.wokenForAnother = false;
            change(seat, Seat.State.WAITS, where);
        }
        try {
            do {
                try {
                    monitor.wait();
                } catch (InterruptedException error) {
                    if (!seat.timedOut) {
                        throw error;
                    }
                }
            } while (mustWaitAgain(seat));
        } finally {
            synchronized (this) {
                run(seat);
                seat.monitor = null;
                if (seat.timedOut) {
                    Clock.pass(millis);
                    Thread.interrupted(); // A notification may have come first; then our interruption is still pending.
                }
            }
        }
    }

    private synchronized boolean mustWaitAgain(Seat seat) {
        boolean again = seat.wokenForAnother && !seat.runs();
        seat.wokenForAnother = false;
        return again;
    }

    /**
     * Threads that wait for this monitor are about to be woken: they count as running from now on. If only one is to be, it is the one that
     * has waited longest; then this returns whether all must be woken, because the JVM would choose another.
     */
    synchronized boolean notifying(Object monitor, boolean all) {
        Seat first = null;
        int nWaiting = 0;
        for (Seat seat : seats.values()) {
            if (seat.state == Seat.State.WAITS && seat.monitor == monitor) {
                nWaiting++;
                seat.wokenForAnother = !all;
                first = first == null || seat.episode < first.episode ? seat : first;
                if (all) {
                    change(seat, Seat.State.RUNS, "");
                }
            }
        }
        if (first != null && !all) {
            change(first, Seat.State.RUNS, "");
        }
        return nWaiting > 0;
    }

    synchronized void interrupting(Thread thread) {
        Seat seat = seats.get(thread);
        if (seat == null) {
            return;
        }
        Thread.State state = thread.getState();
        boolean sleeps = state == Thread.State.WAITING || state == Thread.State.TIMED_WAITING;
        boolean ends = seat.state == Seat.State.TAKES && seat.take.kind != Take.Kind.NOW || seat.state == Seat.State.WAITS
            || seat.state == Seat.State.RESTS && sleeps;
        if (ends) {
            change(seat, Seat.State.RUNS, "");
        }
    }

    synchronized void filled() {
        wake();
    }

    synchronized void arrived() {
        nReceived++;
        wake();
    }

    synchronized void sent(String to, Object message) {
        Map<String, Object> sent = new TreeMap<>();
        sent.put("to", to);
        sent.put("message", message);
        unreported.add(sent);
        if (!stepUnderWay) {
            testbed.note("thread " + Thread.currentThread().getName() + " sends " + Json.print(sent) + " outside of any step");
        }
    }

    /** Does some work of the agent's own on a thread that counts as one of the system's. */
    synchronized void start(Thread thread) {
        Seat seat = new Seat(thread);
        seat.adopted = true;
        seats.put(thread, seat);
        thread.start();
    }

    synchronized void finished() {
        change(seats.get(Thread.currentThread()), Seat.State.RESTS, "its end");
    }

    private void adopt(Seat seat, String where) {
        if (!seat.adopted && !threads.isCovered(seat.thread)) {
            testbed.note("thread " + seat.thread.getName() + " is covered from now on, because it has reached " + where);
            seat.adopted = true;
        }
    }

    private void change(Seat seat, Seat.State state, String where) {
        seat.state = state;
        seat.where = where;
        seat.episode = ++version;
        someoneHasWaited |= state != Seat.State.RUNS && isCovered(seat.thread);
        wake();
    }

    private void wake() {
        changed = true;
        notifyAll();
    }

    // What the referee does.

    synchronized void tell(Told told) {
        inbox.add(told);
        wake();
    }

    /** Waits until something has happened, or for that many milliseconds (0 for ever), and gives what the testbed said. */
    synchronized List<Told> next(long pauseMs) {
        try {
            if (pauseMs > 0 && !changed) {
                wait(pauseMs);
            }
            while (pauseMs == 0 && !changed) {
                wait();
            }
        } catch (InterruptedException error) {
            throw new IllegalStateException("nobody interrupts the agent", error);
        }
        changed = false;
        List<Told> all = inbox;
        inbox = new ArrayList<>();
        return all;
    }

    /** The version at which all covered threads wait, or -1 if one of them runs. */
    synchronized long stillAt() {
        List<Thread> alive = threads.alive();
        seats.keySet().removeIf(thread -> !thread.isAlive());
        List<String> notes = new ArrayList<>();
        boolean still = true;
        for (Thread thread : alive) {
            Seat seat = seats.get(thread);
            boolean runs = isCovered(thread) && (seat == null || seat.runs()) && !Idle.isIn(thread, this::tellTimer);
            if (runs && !blocked.byWaiting(thread, seats, alive, notes)) {
                still = false;
                break;
            }
        }
        notes.forEach(testbed::note);
        return still && !anyStartedSince(alive) ? version : -1;
    }

    /** A thread of a pool may have started another one before it was seen to be idle. */
    private boolean anyStartedSince(List<Thread> seen) {
        List<Thread> alive = threads.alive();
        alive.removeAll(new HashSet<>(seen));
        return alive.stream().anyMatch(this::isCovered);
    }

    synchronized boolean isStillAt(long then) {
        return version == then || stillAt() >= 0;
    }

    private boolean isCovered(Thread thread) {
        Seat seat = seats.get(thread);
        return seat != null && seat.adopted || threads.isCovered(thread);
    }

    private void tellTimer(Thread thread, long dueInMs) {
        if (timersTold.add(thread.getName())) {
            testbed.note("thread " + thread.getName() + " of a pool has a timer that is due in " + dueInMs
                + " ms; it comes by the clock, in whatever step that is, and nobody can let it come before");
        }
    }

    /** What is odd about threads when the node is ready. */
    synchronized void tellOddThreads() {
        threads.tellUnmatched();
        for (Thread thread : threads.alive()) {
            if (!isCovered(thread)) {
                Idle.isIn(thread, this::tellTimer);
            }
        }
    }

    /** A thread ends by an exception. */
    synchronized void died(Thread thread, String exception) {
        Seat seat = seats.get(thread);
        if (isCovered(thread) && (seat == null || !seat.over)) {
            testbed.note("thread " + thread.getName() + " has died of " + exception);
        }
    }

    /** Another case may begin: what is said once is said again. */
    synchronized void sayAgain() {
        blocked.sayAgain();
        timersTold.clear();
    }

    /** Null, or why the system's start is not over. */
    synchronized String whyNotReady() {
        if (!someoneHasWaited) {
            return "no covered thread has reached a point yet";
        }
        Thread main = lives == null ? threads.main() : lives.main();
        Seat seat = main == null ? null : seats.get(main);
        boolean waits = main == null || main.getState() == Thread.State.WAITING || main.getState() == Thread.State.TIMED_WAITING
            || seat != null && !seat.runs();
        return waits ? null : "main is " + Threads.where(main);
    }

    /** The covered threads that run, and where. */
    synchronized List<String> whoRuns() {
        List<String> who = new ArrayList<>();
        for (Thread thread : threads.alive()) {
            Seat seat = seats.get(thread);
            if (isCovered(thread) && (seat == null || seat.runs()) && !Idle.isIn(thread, this::tellTimer)) {
                who.add("thread " + thread.getName() + " is " + Threads.where(thread));
            }
        }
        return who;
    }

    /** What covered threads wait for now, by the threads' numbers. */
    synchronized List<Waiting> waiting() {
        Map<Long, Waiting> sorted = new TreeMap<>();
        for (Seat seat : seats.values()) {
            if (!seat.runs() && isCovered(seat.thread)) {
                sorted.put(seat.thread.getId(), new Waiting(seat));
            }
        }
        return new ArrayList<>(sorted.values());
    }

    /** Lets a thread go on; false if it no longer waits as it did in that episode. */
    synchronized boolean release(Seat seat, long episode, Object taken) {
        if (seat.episode != episode) {
            return false;
        }
        boolean waits = seat.state == Seat.State.WAITS;
        change(seat, Seat.State.RUNS, "");
        if (waits) {
            seat.timedOut = true;
            seat.thread.interrupt();
        } else {
            seat.taken = taken;
            seat.told = true;
            LockSupport.unpark(seat.thread);
        }
        return true;
    }

    /** All threads that wait end, because the life of the system is over. */
    synchronized void endAll() {
        for (Seat seat : seats.values()) {
            seat.over = true;
            LockSupport.unpark(seat.thread);
        }
    }

    /** Forgets a life that is over. What has arrived is counted on. */
    synchronized void forget() {
        seats.clear();
        sayAgain();
        unreported = new ArrayList<>();
        someoneHasWaited = false;
        version++;
    }

    synchronized void beginStep() {
        stepUnderWay = true;
    }

    /** Gives what was sent. */
    synchronized List<Object> endStep() {
        stepUnderWay = false;
        List<Object> sent = unreported;
        unreported = new ArrayList<>();
        return sent;
    }

    synchronized long nReceived() {
        return nReceived;
    }
}
