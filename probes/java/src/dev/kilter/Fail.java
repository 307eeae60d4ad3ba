package dev.kilter;

/** Ends the process at once, whatever its other threads do. */
final class Fail {
    private static final int EXIT_CODE = 3;

    private Fail() {}

    /** Never returns; `throw Fail.halt(...)` tells the compiler so. */
    static RuntimeException halt(String reason) {
        System.err.println("kilter-agent: " + reason.replace('\n', ' '));
        System.err.flush();
        Runtime.getRuntime().halt(EXIT_CODE);
        return new IllegalStateException(reason);
    }
}
