package dev.kilter;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Notes what each thread does, for `kilter map --coverage`: which actions it offers, and how long it runs code of the system.
 *
 * Nodes are killed when a case ends, so what is known is written to a file every now and then.
 */
final class Coverage implements Runnable {
    private static final long LOOK_MS = 2;
    private static final long WRITE_MS = 100;

    private final Path file;
    private final Table table;
    private final Seats seats;
    private final ThreadMXBean times = ManagementFactory.getThreadMXBean();
    private final Map<Long, Seen> seen = new TreeMap<>();

    private static final class Seen {
        String name;
        boolean covered;
        final Set<String> actions = new TreeSet<>();
        final Set<String> places = new TreeSet<>();
        /** The processor time that it has taken in steps, not while the system started. */
        long takenNs;
        long lastNs;
    }

    /** Null if nobody wants to know. */
    static Coverage wanted(Table table, Seats seats, String node) {
        String folder = System.getenv("KILTER_COVERAGE");
        return folder == null ? null : new Coverage(Paths.get(folder, node + "-" + System.nanoTime() + ".json"), table, seats);
    }

    private Coverage(Path file, Table table, Seats seats) {
        this.file = file;
        this.table = table;
        this.seats = seats;
    }

    @Override
    public void run() {
        long written = 0;
        boolean wasReady = false;
        while (true) {
            boolean isReady = seats.isReady();
            look(isReady && wasReady);
            wasReady = isReady;
            long now = System.nanoTime() / 1_000_000;
            if (now - written >= WRITE_MS) {
                write();
                written = now;
            }
            try {
                Thread.sleep(LOOK_MS);
            } catch (InterruptedException error) {
                throw new IllegalStateException("nobody interrupts the agent", error);
            }
        }
    }

    synchronized void offers(Thread thread, String action) {
        of(thread).actions.add(action);
    }

    private Seen of(Thread thread) {
        Seen one = seen.computeIfAbsent(thread.getId(), id -> new Seen());
        one.name = thread.getName();
        return one;
    }

    private synchronized void look(boolean ready) {
        for (Thread thread : seats.alive()) {
            Seen one = of(thread);
            one.covered = seats.covers(thread);
            long now = times.getThreadCpuTime(thread.getId());
            if (now < 0) {
                continue; // It has just ended.
            }
            if (ready && now > one.lastNs) {
                one.takenNs += now - one.lastNs;
                String place = one.covered ? null : place(thread);
                if (place != null) {
                    one.places.add(place);
                }
            }
            one.lastNs = now;
        }
    }

    /** The first method of the system that it is in, or null if it is in none. */
    private String place(Thread thread) {
        String place = null;
        for (StackTraceElement frame : thread.getStackTrace()) {
            String name = frame.getClassName();
            if (name.contains("$$Lambda") || frame.getMethodName().startsWith("lambda$")) {
                continue; // Nobody knows such names.
            }
            if (table.scans(name) || table.scan.isEmpty() && !Instrument.isOfJdk(name.replace('.', '/')) && !name.startsWith("dev.kilter.")) {
                place = name + "." + frame.getMethodName();
            }
        }
        return place;
    }

    private synchronized void write() {
        List<Object> threads = new ArrayList<>();
        for (Seen one : seen.values()) {
            Map<String, Object> shown = new TreeMap<>();
            shown.put("name", one.name);
            shown.put("covered", one.covered);
            shown.put("actions", new ArrayList<Object>(one.actions));
            shown.put("places", new ArrayList<Object>(one.places));
            shown.put("micros", one.takenNs / 1000);
            threads.add(shown);
        }
        try {
            Path part = file.resolveSibling(file.getFileName() + ".part");
            Files.write(part, Json.print(threads).getBytes(StandardCharsets.UTF_8));
            Files.move(part, file, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException error) {
            throw Fail.halt("the coverage can't be written: " + error);
        }
    }
}
