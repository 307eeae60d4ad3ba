package dev.kilter;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;

/** What programs call that know of Kilter, for actions that are only a part of a method. Without a testbed, the calls do nothing. */
public final class Kilter {
    private Kilter() {}

    /** The thread is about to take this action; it goes on when it is told to. */
    public static void action(String name, Object... args) {
        if (Hooks.isControlled()) {
            List<Object> values = new ArrayList<>();
            for (Object arg : args) {
                values.add(shown(arg, "Kilter.action(\"" + name + "\")"));
            }
            Hooks.action(name, values);
        }
    }

    /** A message is handed to the network: to be said beside each real send. */
    public static void sent(String to, Map<String, ?> message) {
        if (Hooks.isControlled()) {
            shown(message, "Kilter.sent(\"" + to + "\")");
            Hooks.sent(to, message);
        }
    }

    /**
     * The vector clock to put into a message that is sent now, so that `kilter follow` knows the order of lines. Null if the node writes no trace.
     */
    public static Map<String, Long> clock() {
        Tracer tracer = Hooks.tracer();
        return tracer == null ? null : tracer.clock();
    }

    /** The action in hand has brought this vector clock, which may be null: to be said before anything is sent. */
    public static void heard(Map<String, ? extends Number> clock) {
        Tracer tracer = Hooks.tracer();
        if (tracer != null) {
            tracer.heard(clock == null ? Collections.emptyMap() : clock);
        }
    }

    private static Object shown(Object value, String where) {
        try {
            return Values.toJson(value);
        } catch (PathError error) {
            throw Fail.halt(where + ": " + error.getMessage());
        }
    }
}
