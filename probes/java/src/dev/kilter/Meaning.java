package dev.kilter;

import java.util.Arrays;
import java.util.stream.Collectors;

/** What it means that a thread reaches a point; docs are in README.md. */
enum Meaning {
    ACTION, TAKES, POLLS, ARRIVES, RECEIVES, SENDS, RESTS, WAITS, SKIP;

    final String key = name().toLowerCase();

    /** Whether this can only be said about a call. */
    boolean needsCall() {
        return isOfQueue() || this == RESTS || this == WAITS || this == SKIP;
    }

    /** Whether the call takes an element of a queue. */
    boolean isOfQueue() {
        return this == TAKES || this == POLLS;
    }

    /** All keys, for messages. */
    static String keys() {
        return Arrays.stream(values()).map(meaning -> meaning.key).collect(Collectors.joining(", "));
    }

    /** Whether something else is called instead of the call, so that a call can have only one such point. */
    boolean replacesCall() {
        return needsCall() || this == RECEIVES;
    }

    /** Whether a thread that reaches this belongs to those that must wait before the node is still. */
    boolean adopts() {
        return this == ACTION || isOfQueue() || this == RECEIVES;
    }
}
