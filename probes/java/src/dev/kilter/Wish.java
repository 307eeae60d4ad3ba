package dev.kilter;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

/** What the testbed sees of something that a thread could do. */
final class Wish {
    final String action;
    private final List<Object> args;
    final Object message;
    /** The earliest time by {@link System#nanoTime}, for a node that no testbed controls; 0 for now. */
    final long dueNs;

    Wish(String action, List<Object> args, Object message) {
        this(action, args, message, 0);
    }

    Wish(String action, List<Object> args, Object message, long dueNs) {
        this.action = action;
        this.args = args;
        this.message = message;
        this.dueNs = dueNs;
    }

    Map<String, Object> shown(long id) {
        Map<String, Object> shown = new TreeMap<>();
        shown.put("id", id);
        shown.put("action", action);
        if (!args.isEmpty()) {
            shown.put("args", args);
        }
        if (message != null) {
            shown.put("message", message);
        }
        return shown;
    }

    boolean looksLike(Wish other) {
        return action.equals(other.action) && args.equals(other.args) && Objects.equals(message, other.message);
    }
}
