package dev.kilter;

/** A thread as the referee sees it. The referee's lock guards all fields but those that say otherwise. */
final class Seat {
    enum State { RUNS, OFFERS, TAKES, RESTS, WAITS }

    final Thread thread;
    /** Covered because it has reached a point, whatever its name. */
    boolean adopted;
    State state = State.RUNS;
    /** Grows whenever the state changes, so that an answer to an old offer is known as such. */
    long episode;
    /** Where it waits, for notes. */
    String where = "";
    /** Of OFFERS, and the timeout of WAITS; may be null. */
    Wish wish;
    Take take;
    Object monitor;
    /** It rests until it is unparked. */
    boolean parked;
    /** Somebody has unparked it while it ran, so that it does not wait when it parks. */
    boolean mayGoOn;
    /** The thread whose end it waits for, while it RESTS; or null. */
    Thread joined;
    boolean timedOut;
    /** Woken only because another thread that waits for the same monitor was. */
    boolean wokenForAnother;

    /** Set by the referee when the thread may go on. */
    volatile boolean told;
    /** Set by the referee when the life of the system is over, and the thread must end. */
    volatile boolean over;
    /** The message that it has received can be dropped. */
    boolean drops;
    /** Set by the referee when it has been dropped. */
    volatile boolean dropped;
    /** What `take` then returns. */
    volatile Object taken;

    /** Of the thread itself: it evaluates an expression, which may reach other points. */
    boolean inHook;
    /** Of the thread itself: the `if` of the rest that comes next holds. */
    boolean mayRest = true;

    Seat(Thread thread) {
        this.thread = thread;
    }

    boolean runs() {
        return state == State.RUNS || state == State.RESTS && joined != null && !joined.isAlive();
    }
}
