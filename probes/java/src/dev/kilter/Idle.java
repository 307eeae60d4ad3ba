package dev.kilter;

import java.util.Queue;
import java.util.concurrent.Delayed;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TransferQueue;

/** Threads of a pool that have no task, and wait inside the JDK, where no point can be. */
final class Idle {
    private static final String POOL = ThreadPoolExecutor.class.getName();
    /** A task that is due so soon belongs to the step, so that it does not matter how long the step takes. */
    private static final long SOON_MS = 5;

    private Idle() {}

    /** Hears of a timer that is due later, in so many milliseconds. */
    interface Timers {
        void dueIn(Thread thread, long ms);
    }

    /**
     * Whether the thread waits for its pool's next task, and there is none. Nobody can hand one over while this is asked but threads that run,
     * or threads that nobody covers. A thread that waits before and after the queue was empty did not take the last task in between, or has
     * done it.
     */
    static boolean isIn(Thread thread, Timers timers) {
        return waitsForTask(thread) && hasNone(thread, timers) && waitsForTask(thread);
    }

    private static boolean waitsForTask(Thread thread) {
        Thread.State state = thread.getState();
        if (state != Thread.State.WAITING && state != Thread.State.TIMED_WAITING) {
            return false;
        }
        for (StackTraceElement frame : thread.getStackTrace()) {
            if (frame.getClassName().equals(POOL)) {
                return frame.getMethodName().equals("getTask");
            }
            if (!Instrument.isOfJdk(frame.getClassName().replace('.', '/'))) {
                return false;
            }
        }
        return false;
    }

    /** A thread that has been given a task may not have noticed yet. Then the task is still in the queue, but for queues that only hand over. */
    private static boolean hasNone(Thread thread, Timers timers) {
        try {
            Queue<?> queue = pool(thread).getQueue();
            if (queue instanceof SynchronousQueue || queue instanceof TransferQueue) {
                return false;
            }
            Object first = queue.peek();
            long dueInMs = first instanceof Delayed ? ((Delayed) first).getDelay(TimeUnit.MILLISECONDS) : 0;
            if (dueInMs >= SOON_MS) {
                timers.dueIn(thread, dueInMs);
            }
            return first == null || dueInMs >= SOON_MS;
        } catch (PathError | ClassCastException error) {
            return false; // A JDK that has other names, or a thread that does more than work for its pool.
        }
    }

    /** The pool of a thread whose task is a worker of that pool. */
    private static ThreadPoolExecutor pool(Thread thread) {
        return (ThreadPoolExecutor) Reflect.field(task(thread), "this$0");
    }

    private static Object task(Thread thread) {
        try {
            return Reflect.field(thread, "target");
        } catch (PathError error) {
            return Reflect.field(Reflect.field(thread, "holder"), "task"); // from Java 19 on
        }
    }
}
