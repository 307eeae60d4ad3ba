package dev.kilter;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.WeakHashMap;

/** The threads of this JVM that are alive, and which of them the table covers by name. */
final class Threads {
    private static final int FRAMES_MAX = 4;

    private final Table table;
    private final ThreadGroup root;
    /** The name that was looked at last, and what came of it: threads may change their names. */
    private final Map<Thread, String> names = new WeakHashMap<>();
    private final Map<Thread, Boolean> covered = new WeakHashMap<>();

    Threads(Table table) {
        this.table = table;
        ThreadGroup group = Thread.currentThread().getThreadGroup();
        while (group.getParent() != null) {
            group = group.getParent();
        }
        root = group;
    }

    List<Thread> alive() {
        Thread[] threads = new Thread[Math.max(32, root.activeCount() * 2)];
        int n = root.enumerate(threads, true);
        while (n == threads.length) {
            threads = new Thread[n * 2];
            n = root.enumerate(threads, true);
        }
        List<Thread> alive = new ArrayList<>(n);
        for (int i = 0; i < n; i++) {
            if (!(threads[i] instanceof AgentThread)) {
                alive.add(threads[i]);
            }
        }
        return alive;
    }

    synchronized boolean isCovered(Thread thread) {
        String name = thread.getName();
        if (!name.equals(names.get(thread))) {
            names.put(thread, name);
            covered.put(thread, table.coversThread(name));
        }
        return covered.get(thread);
    }

    /** The thread that runs `main`, or null if it has ended. */
    Thread main() {
        for (Thread thread : alive()) {
            if (thread.getId() == 1) {
                return thread;
            }
        }
        return null;
    }

    /** Where it is: the innermost frame, and the innermost ones of the system itself. */
    static String where(Thread thread) {
        List<String> shown = new ArrayList<>();
        for (StackTraceElement frame : thread.getStackTrace()) {
            String className = frame.getClassName().replace('.', '/');
            boolean isSystem = !Instrument.isOfJdk(className) && !className.startsWith("dev/kilter/");
            if (shown.isEmpty() || isSystem && shown.size() < FRAMES_MAX) {
                shown.add(frame.toString());
            }
        }
        return thread.getState() + " at " + String.join(" < ", shown);
    }
}
