package dev.kilter;

import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** What changed classes call. Public because they belong to any package; nobody writes such calls by hand, see {@link Kilter}. */
public final class Hooks {
    private static Table table;
    private static volatile Seats seats;
    /** Null unless the system is started again in this JVM. */
    private static volatile Lives lives;
    /** Null unless nobody is in control, and the environment names a file for a trace. */
    private static volatile Tracer tracer;

    private Hooks() {}

    static void begin(Table theTable, Seats theSeats) {
        table = theTable;
        seats = theSeats;
    }

    static void begin(Lives theLives) {
        lives = theLives;
    }

    static void begin(Tracer theTracer) {
        tracer = theTracer;
    }

    /** For {@link Kilter#clock} and {@link Kilter#heard}. */
    static Tracer tracer() {
        return tracer;
    }

    /** The JDK has made a socket, a channel, a selector or a pool of threads. */
    public static void opened(Object opened) {
        if (lives != null) {
            lives.opened(opened);
        }
    }

    /** Somebody is about to make one of these, or to end the JVM. A life that is over can't. */
    public static void checkLife() {
        if (lives != null) {
            lives.check();
        }
    }

    /** A thread is at a point. */
    public static void at(int number, Object self, Object target, Object[] args, Object result, Object[] locals) {
        Seat seat = seats.enter();
        if (seat == null) {
            return;
        }
        try {
            Point point = table.points.get(number);
            Scope scope = new Scope(self, target, args, result, point.localNames(), locals);
            boolean holds = point.holds(scope);
            switch (point.meaning) {
                case RESTS: seat.mayRest = holds; break;
                case ACTION: if (holds) offer(seat, point, scope); break;
                case RECEIVES: if (holds) receive(seat, point, scope); break;
                case ARRIVES: if (holds) seats.arrived(); break;
                case SENDS: if (holds) seats.sent(Values.text(point.to.value(scope)), point.messageIn(scope)); break;
                default: throw new IllegalStateException("the hook of " + point.where);
            }
        } finally {
            seat.inHook = false;
        }
    }

    /** A thread is about to make a call in which it receives. */
    public static void before(int number, Object self, Object target, Object[] args, Object result, Object[] locals) {
        Seat seat = seats.enter();
        if (seat == null) {
            return;
        }
        try {
            Point point = table.points.get(number);
            seat.mayRest = point.holds(new Scope(self, target, args, result, point.localNames(), locals));
        } finally {
            seat.inHook = false;
        }
    }

    /** What a method returns instead, by a mutation. */
    public static long result(int mutation, Object self, Object[] args) {
        Object result = table.mutations.get(mutation).result.value(new Scope(self, null, args, null, Collections.emptyList(), null));
        if (result instanceof Boolean) {
            return (Boolean) result ? 1 : 0;
        }
        if (result instanceof Long) {
            return (Long) result;
        }
        throw Fail.halt(table.mutations.get(mutation).where + ": the result is " + Json.print(result) + ", no integer and no condition");
    }

    private static void offer(Seat seat, Point point, Scope scope) {
        Wish wish = new Wish(point.name, point.argsIn(scope), point.messageIn(scope));
        seats.offer(seat, wish, point.where, point.meaning == Meaning.RECEIVES);
    }

    private static void receive(Seat seat, Point point, Scope scope) {
        seat.drops = point.drops;
        offer(seat, point, scope);
    }

    /** What a thread has received, or null if the testbed has just dropped it. */
    public static Object unlessDropped(Object received) {
        Seat seat = seats.enter();
        if (seat == null) {
            return received;
        }
        seat.inHook = false;
        boolean dropped = seat.dropped;
        seat.dropped = false;
        return dropped ? null : received;
    }

    static boolean isControlled() {
        return seats != null;
    }

    /** For {@link Kilter#action}. */
    static void action(String name, List<Object> args) {
        Seat seat = seats.enter();
        if (seat != null) {
            try {
                seats.offer(seat, new Wish(name, args, null), "Kilter.action(\"" + name + "\")", false);
            } finally {
                seat.inHook = false;
            }
        }
    }

    /** For {@link Kilter#sent}. */
    static void sent(String to, Map<String, ?> message) {
        seats.sent(to, Values.toJson(message));
    }

    public static void enterRest() {
        Seat seat = seats.enter();
        if (seat != null) {
            seat.inHook = false;
            if (seat.mayRest) {
                seats.rest(seat);
            }
            seat.mayRest = true;
        }
    }

    public static void park() {
        park(null);
    }

    /** The thread rests until scanned code unparks it. If that has happened already, it returns at once. */
    public static void park(Object blocker) {
        Seat seat = seats.enter();
        if (seat == null) {
            LockSupport.park(blocker);
            return;
        }
        seat.inHook = false;
        boolean rests = seat.mayRest;
        seat.mayRest = true;
        if (!rests) {
            LockSupport.park(blocker);
        } else if (seats.park(seat)) {
            LockSupport.park(blocker);
            leaveRest();
        }
    }

    public static void unpark(Object thread) {
        if (thread != null) {
            seats.unpark((Thread) thread);
        }
    }

    /** As {@link #enterRest}, but until the other thread ends. */
    public static void enterJoin(Object thread) {
        Seat seat = seats.enter();
        if (seat != null) {
            seat.inHook = false;
            if (seat.mayRest) {
                seats.join(seat, (Thread) thread);
            }
            seat.mayRest = true;
        }
    }

    public static void leaveRest() {
        Seat seat = seats.enter();
        if (seat != null) {
            seat.inHook = false;
            seats.run(seat);
        }
    }

    public static Object poll(Object queue, int number, Object self, Object[] locals) {
        Take take = take(queue, Take.Kind.NOW, 0, number, self, locals);
        try {
            return take == null ? Queues.kept(queue, () -> ((Queue<?>) queue).poll()) : seats.take(take);
        } catch (InterruptedException error) {
            throw new IllegalStateException("poll() does not wait", error);
        }
    }

    public static Object poll(Object queue, long time, TimeUnit unit, int number, Object self, Object[] locals)
            throws InterruptedException {
        Take take = take(queue, Take.Kind.TIMED, System.nanoTime() + unit.toNanos(time), number, self, locals);
        return take == null ? Queues.kept(queue, () -> ((BlockingQueue<?>) queue).poll(time, unit)) : seats.take(take);
    }

    public static Object take(Object queue, int number, Object self, Object[] locals) throws InterruptedException {
        Take take = take(queue, Take.Kind.FOREVER, 0, number, self, locals);
        return take == null ? Queues.kept(queue, () -> ((BlockingQueue<?>) queue).take()) : seats.take(take);
    }

    /** Null if the point means nothing now. */
    private static Take take(Object queue, Take.Kind kind, long dueNs, int number, Object self, Object[] locals) {
        Seat seat = seats.enter();
        if (seat == null) {
            return null;
        }
        try {
            Point point = table.points.get(number);
            Scope scope = new Scope(self, queue, null, null, point.localNames(), locals);
            return point.holds(scope) ? new Take(seat, (Queue<?>) queue, kind, point, scope, dueNs) : null;
        } finally {
            seat.inHook = false;
        }
    }

    public static void await(Object monitor, int number, Object self, Object[] locals) throws InterruptedException {
        await(monitor, 0, number, self, locals);
    }

    public static void await(Object monitor, long millis, int nanos, int number, Object self, Object[] locals)
            throws InterruptedException {
        await(monitor, nanos > 0 ? millis + 1 : millis, number, self, locals);
    }

    public static void await(Object monitor, long millis, int number, Object self, Object[] locals) throws InterruptedException {
        Seat seat = seats.enter();
        if (seat == null) {
            monitor.wait(millis);
            return;
        }
        Point point = table.points.get(number);
        boolean holds;
        String timeout;
        try {
            Scope scope = new Scope(self, monitor, null, null, point.localNames(), locals);
            holds = point.holds(scope);
            timeout = holds && millis > 0 && point.timeout != null ? point.timeoutIn(scope) : null;
        } finally {
            seat.inHook = false;
        }
        if (holds) {
            seats.await(seat, monitor, millis, timeout, point.where);
        } else {
            monitor.wait(millis);
        }
    }

    public static void notifyOne(Object monitor) {
        if (seats.notifying(monitor, false)) {
            monitor.notifyAll();
        } else {
            monitor.notify();
        }
    }

    public static void notifyEach(Object monitor) {
        seats.notifying(monitor, true);
        monitor.notifyAll();
    }

    public static void interrupting(Object thread) {
        seats.interrupting((Thread) thread);
    }

    /** A queue has got an element, perhaps one that a thread waits for. */
    public static void filled() {
        seats.filled();
    }

    public static void made(String className, Object instance) {
        table.names.made(className, instance);
    }

    public static long currentTimeMillis() {
        return Clock.currentTimeMillis();
    }

    public static long nanoTime() {
        return Clock.nanoTime();
    }
}
