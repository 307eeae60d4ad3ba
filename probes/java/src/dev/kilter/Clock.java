package dev.kilter;

import java.util.concurrent.TimeUnit;

/** The node's clock: it runs as the machine's does until the testbed makes it jump ahead. */
final class Clock {
    /** What the testbed asks for. */
    static final String JUMPS = "kilter.clock";
    private static final long JUMP_S = 3600;

    private static volatile long aheadS;

    private Clock() {}

    static void jump() {
        aheadS += JUMP_S; // Only the referee writes.
    }

    static void reset() {
        aheadS = 0;
    }

    static long currentTimeMillis() {
        return System.currentTimeMillis() + TimeUnit.SECONDS.toMillis(aheadS);
    }

    static long nanoTime() {
        return System.nanoTime() + TimeUnit.SECONDS.toNanos(aheadS);
    }
}
