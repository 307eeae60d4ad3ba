package dev.kilter;

import java.util.ArrayList;
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

    private static Object shown(Object value, String where) {
        try {
            return Values.toJson(value);
        } catch (PathError error) {
            throw Fail.halt(where + ": " + error.getMessage());
        }
    }
}
