package dev.kilter;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** A place in the code, and what it means that a thread gets there. */
final class Point {
    enum Place { ENTRY, EXIT, CALL }

    final String where;
    final MethodName in;
    final Place place;
    final Meaning meaning;
    MethodName call;
    /** Which of the fitting calls, counted from 1; 0 for each. */
    int nth;
    /** Of the action; null if the meaning has no name. */
    String name;
    /** The action that the end of a waiting time is; null if it never ends. */
    String timeout;
    /** Whether the time may end now; null if it always may. */
    Template timeoutIf;
    /** Whether the time may end although there is something to take. */
    boolean early;
    /** Whether all elements of a queue are offered. */
    boolean any;
    /** Whether the call returns null when the testbed drops the message that it has received. */
    boolean drops;
    Template condition;
    List<Template> args = Collections.emptyList();
    /** Of `message` or of `sends`; null if there is none. */
    Template message;
    Template to;
    private List<String> localNames;

    Point(String where, MethodName in, Place place, Meaning meaning) {
        this.where = where;
        this.in = in;
        this.place = place;
        this.meaning = meaning;
    }

    boolean holds(Scope scope) {
        return condition == null || Boolean.TRUE.equals(condition.value(scope));
    }

    /** The action that the end of the waiting time is now, or null. */
    String timeoutIn(Scope scope) {
        return timeoutIf == null || Boolean.TRUE.equals(timeoutIf.value(scope)) ? timeout : null;
    }

    List<Object> argsIn(Scope scope) {
        List<Object> values = new ArrayList<>();
        args.forEach(arg -> values.add(arg.value(scope)));
        return values;
    }

    Object messageIn(Scope scope) {
        return message == null ? null : message.value(scope);
    }

    /** The roots of all paths of this point, such as `$1`, `local.n`, `$result`. */
    Set<String> roots() {
        Set<String> roots = new TreeSet<>();
        List<Template> all = new ArrayList<>(args);
        Collections.addAll(all, condition, timeoutIf, message, to);
        all.stream().filter(template -> template != null).forEach(template -> template.roots(roots));
        return roots;
    }

    /** The local variables that this point reads, in the order in which their values are handed over. */
    List<String> localNames() {
        if (localNames == null) {
            localNames = findLocalNames();
        }
        return localNames;
    }

    private List<String> findLocalNames() {
        List<String> names = new ArrayList<>();
        for (String root : roots()) {
            if (root.startsWith("local.")) {
                names.add(root.substring("local.".length()));
            }
        }
        return names;
    }

    /** Whether a thread that receives must not even rest in the call: what decides that is known before. */
    boolean asksBefore() {
        Set<String> asked = new TreeSet<>();
        if (condition != null) {
            condition.roots(asked);
        }
        return meaning == Meaning.RECEIVES && condition != null && asked.stream().noneMatch(root -> root.matches("\\$([0-9]+|result)"));
    }

    /** Whether the hook runs after the call. A message that has arrived counts only when the system can see it. */
    boolean afterCall() {
        return meaning == Meaning.ARRIVES || meaning == Meaning.RECEIVES || roots().contains("$result");
    }
}
