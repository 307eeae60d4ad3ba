package dev.kilter;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.WeakHashMap;

/** The threads of this JVM that are alive, and which of them the table covers by name. */
final class Threads {
    private static final int FRAMES_MAX = 4;

    private final Table table;
    private final Testbed testbed;
    private final ThreadGroup root;
    /** The name that was looked at last, and what came of it: threads may change their names. */
    private final Map<Thread, String> names = new WeakHashMap<>();
    private final Map<Thread, Boolean> covered = new WeakHashMap<>();
    /** Patterns that no name has fitted so far, and those of them that were told. */
    private final Set<Glob> unmatched = new LinkedHashSet<>();
    private final Set<Glob> told = new HashSet<>();

    Threads(Table table, Testbed testbed) {
        this.table = table;
        this.testbed = testbed;
        unmatched.addAll(table.threads);
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
            unmatched.removeIf(glob -> glob.matches(name) && isNoLonger(glob, name));
        }
        return covered.get(thread);
    }

    /** True. Whoever was told that no thread has such a name must know better now. */
    private boolean isNoLonger(Glob glob, String name) {
        if (told.remove(glob)) {
            testbed.note("thread " + name + " has a name that fits `" + glob.text + "`");
        }
        return true;
    }

    private boolean isOfJvm(Thread thread) {
        ThreadGroup group = thread.getThreadGroup();
        return group == null || group == root || group.getName().equals("InnocuousThreadGroup");
    }

    /** Tells of patterns that no thread's name fits. */
    synchronized void tellUnmatched() {
        Set<String> alive = new TreeSet<>();
        for (Thread thread : alive()) {
            isCovered(thread);
            if (!isOfJvm(thread)) {
                alive.add(thread.getName());
            }
        }
        for (Glob glob : unmatched) {
            if (told.add(glob)) {
                testbed.note("no thread has a name that fits `" + glob.text + "` so far; there are " + String.join(", ", alive));
            }
        }
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
