package dev.kilter;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** The node's clock: it runs as the machine's does until the testbed makes it jump ahead, or ends a wait before its time. */
final class Clock {
    /** What the testbed asks for. */
    static final String JUMPS = "kilter.clock";
    private static final long JUMP_MS = TimeUnit.HOURS.toMillis(1);

    private static final AtomicLong AHEAD_MS = new AtomicLong();

    private Clock() {}

    static void jump() {
        pass(JUMP_MS);
    }

    static void pass(long ms) {
        AHEAD_MS.addAndGet(ms);
    }

    static void reset() {
        AHEAD_MS.set(0);
    }

    static long currentTimeMillis() {
        return System.currentTimeMillis() + AHEAD_MS.get();
    }

    static long nanoTime() {
        return System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(AHEAD_MS.get());
    }
}
