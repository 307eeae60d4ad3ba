package dev.kilter;

import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Paths;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BiConsumer;

/**
 * In the place of a testbed: lets each step go as soon as the node is still, those whose time has come, and writes what the node does to a file,
 * for `kilter follow`. docs/protocol.md, "Traces", has the lines.
 */
final class Tracer extends Testbed {
    /** A list that keeps fewer elements is written whole. */
    private static final int KEPT_MIN = 4;

    private final String node;
    /** Null after it could not be written: a trace with a gap would be a wrong one. */
    private OutputStream file;
    /** What stands, the oldest first. */
    private final Map<Long, Wish> standing = new TreeMap<>();
    private Map<?, ?> known = Collections.emptyMap();
    private Wish inHand;
    private boolean isStill;
    /** How far this node is, and how far it knows each other one to be. Null if the program does not use it. */
    private Map<String, Long> clock;

    Tracer(String path, String node) {
        super(null);
        String name = Paths.get(path).getFileName().toString();
        this.node = node != null ? node : name.contains(".") ? name.substring(0, name.lastIndexOf('.')) : name;
        try {
            file = new FileOutputStream(path, true);
        } catch (IOException error) {
            complain(error);
        }
    }

    @Override
    void hello(String name, String token) {
        // Nobody is there.
    }

    @Override
    void note(String text) {
        // For the log of a run; there is none.
    }

    @Override
    void flush() {
        // A line is written when it is said.
    }

    @Override
    synchronized void offer(long id, Wish wish) {
        standing.put(id, wish);
    }

    @Override
    synchronized void say(String kind, Map<String, Object> content) {
        switch (kind) {
            case "report":
                known = (Map<?, ?>) content.get("variables");
                write(line("kilter.start", "state", known));
                break;
            case "withdraw":
                standing.remove(content.get("id"));
                break;
            case "done":
                end((Map<?, ?>) content.get("variables"), content.get("sent"));
                break;
            case "still":
                isStill = true;
                notifyAll();
                break;
            default:
        }
    }

    /** The vector clock of the step in hand, for a message. */
    synchronized Map<String, Long> clock() {
        return new TreeMap<>(begunClock());
    }

    /** Takes in the vector clock of a message. */
    synchronized void heard(Map<String, ? extends Number> other) {
        Map<String, Long> own = begunClock();
        other.forEach((name, number) -> own.merge(name, number.longValue(), Math::max));
    }

    /**
     * The clock, which is written from now on. The node's own number begins with the time of day in microseconds, so that it goes on when the node
     * is started again, without being stored.
     */
    private Map<String, Long> begunClock() {
        if (clock == null) {
            clock = new TreeMap<>();
            clock.put(node, ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now()));
        }
        return clock;
    }

    private void end(Map<?, ?> variables, Object sent) {
        if (inHand != null) {
            Map<String, Object> line = line(inHand.action, "delta", true);
            describe(inHand, line);
            line.put("state", changes(variables));
            line.put("sent", sent == null ? Collections.emptyList() : sent);
            if (clock != null) {
                line.put("clock", clock);
            }
            write(line);
        }
        inHand = null;
        known = variables;
    }

    @Override
    void listen(BiConsumer<String, Map<?, ?>> told) {
        try {
            while (true) {
                told.accept("go", Collections.singletonMap("id", next()));
            }
        } catch (InterruptedException error) {
            throw new IllegalStateException("nobody interrupts the agent", error);
        }
    }

    /** Waits until the node is still and may do something, and writes that this begins. */
    private synchronized Long next() throws InterruptedException {
        while (true) {
            long now = System.nanoTime();
            long waitNs = Long.MAX_VALUE;
            for (Map.Entry<Long, Wish> one : standing.entrySet()) {
                long leftNs = one.getValue().dueNs == 0 ? 0 : Math.max(0, one.getValue().dueNs - now);
                if (isStill && leftNs == 0) {
                    return begin(one.getKey(), one.getValue());
                }
                waitNs = Math.min(waitNs, leftNs);
            }
            if (isStill && waitNs < Long.MAX_VALUE) {
                wait(waitNs / 1_000_000 + 1);
            } else {
                wait();
            }
        }
    }

    private Long begin(Long id, Wish wish) {
        standing.remove(id);
        isStill = false;
        inHand = wish;
        if (clock != null) {
            clock.merge(node, 1L, Long::sum);
        }
        Map<String, Object> line = line("kilter.begin", "of", wish.action);
        describe(wish, line);
        write(line);
        return id;
    }

    private Map<String, Object> line(String event, String name, Object value) {
        Map<String, Object> line = new LinkedHashMap<>();
        line.put("event", event);
        line.put("node", node);
        line.put(name, value);
        return line;
    }

    private static void describe(Wish wish, Map<String, Object> line) {
        Map<String, Object> shown = wish.shown(0);
        shown.remove("id");
        shown.remove("action");
        line.putAll(shown);
    }

    private Map<String, Object> changes(Map<?, ?> variables) {
        Map<String, Object> changes = new TreeMap<>();
        variables.forEach((name, value) -> {
            if (!known.containsKey(name) || !Json.print(value).equals(Json.print(known.get(name)))) {
                changes.put((String) name, change(known.get(name), value));
            }
        });
        return changes;
    }

    /** The new value, or the end of a list that has only changed there. */
    private static Object change(Object old, Object value) {
        if (!(old instanceof List) || !(value instanceof List)) {
            return value;
        }
        List<?> before = (List<?>) old;
        List<?> after = (List<?>) value;
        int kept = 0;
        while (kept < Math.min(before.size(), after.size()) && Json.print(before.get(kept)).equals(Json.print(after.get(kept)))) {
            kept++;
        }
        if (kept < KEPT_MIN) {
            return value;
        }
        Map<String, Object> change = new LinkedHashMap<>();
        change.put("@keep", (long) kept);
        change.put("@then", new ArrayList<>(after.subList(kept, after.size())));
        return change;
    }

    private void write(Map<String, Object> line) {
        if (file != null) {
            try {
                file.write((Json.print(line) + "\n").getBytes(StandardCharsets.UTF_8));
            } catch (IOException error) {
                complain(error);
            }
        }
    }

    private void complain(IOException error) {
        file = null;
        System.err.println("kilter-agent: the trace can't be written: " + error);
    }
}
