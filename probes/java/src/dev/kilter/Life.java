package dev.kilter;

import java.io.IOException;
import java.net.URLClassLoader;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;

/** One run of the system from its `main`, with classes and threads of its own. */
final class Life {
    private final Program program;
    private final URLClassLoader loader;
    private final ThreadGroup threads = new ThreadGroup("main");
    private final Opened opened = new Opened();
    private final Thread main;
    private volatile boolean over;
    private volatile boolean failed;

    Life(Program program) {
        this.program = program;
        this.loader = program.loader();
        this.main = new Thread(threads, this::run, "main");
        main.setDaemon(false); // A thread of the agent makes it, and is one.
        main.setPriority(Thread.NORM_PRIORITY);
        main.setContextClassLoader(loader);
        threads.setDaemon(true); // It goes with its last thread.
    }

    private void run() {
        try {
            program.run(loader);
        } catch (ThreadDeath death) {
            throw death;
        } catch (Throwable error) {
            failed = true;
            System.err.print("Exception in thread \"main\" ");
            error.printStackTrace();
        }
    }

    void begin() {
        main.start();
    }

    Thread main() {
        return main;
    }

    boolean isOver() {
        return over;
    }

    boolean has(Thread thread) {
        ThreadGroup group = thread.getThreadGroup();
        return group != null && threads.parentOf(group);
    }

    void opened(Object what) {
        opened.add(what);
    }

    /** The exit code, if nothing of it is left but threads that do not keep a JVM alive; otherwise -1. */
    int exitCode() {
        if (over || main.getState() == Thread.State.NEW) {
            return -1;
        }
        for (Thread thread : alive()) {
            if (!thread.isDaemon()) {
                return -1;
            }
        }
        return failed ? 1 : 0;
    }

    List<Thread> alive() {
        Thread[] found = new Thread[Math.max(32, threads.activeCount() * 2)];
        int n = threads.enumerate(found, true);
        List<Thread> alive = new ArrayList<>();
        for (int i = 0; i < n; i++) {
            alive.add(found[i]);
        }
        return alive;
    }

    void endBegins() {
        over = true;
    }

    /** Ends all connections. What is opened from now on is never used: see {@link Hooks#checkLife}. */
    void disconnect() {
        opened.closeSockets();
    }

    /** Suspends all threads, those too that others make meanwhile. Fails from Java 20 on. */
    void suspend() throws ReflectiveOperationException {
        Set<Thread> suspended = Collections.newSetFromMap(new IdentityHashMap<>());
        boolean anyNew = true;
        while (anyNew) {
            anyNew = false;
            for (Thread thread : alive()) {
                if (suspended.add(thread)) {
                    Thread.class.getMethod("suspend").invoke(thread);
                    anyNew = true;
                }
            }
        }
    }

    void resume() throws ReflectiveOperationException {
        for (Thread thread : alive()) {
            Thread.class.getMethod("resume").invoke(thread);
        }
    }

    /** Closes what threads wait for, and interrupts those that have not ended. */
    void end() {
        opened.closeAll();
        alive().forEach(Thread::interrupt);
    }

    /** Stops threads that take no notice of that. They may keep a lock for good, so those that could hold one of the JDK's are spared. */
    void stop() {
        for (Thread thread : alive()) {
            if (!isIn(thread, "javax.management.") && !isIn(thread, "java.util.logging.")) {
                try {
                    Thread.class.getMethod("stop").invoke(thread);
                } catch (ReflectiveOperationException newJava) {
                    return; // Threads can't be stopped from Java 20 on.
                }
            }
        }
    }

    private static boolean isIn(Thread thread, String packageName) {
        for (StackTraceElement frame : thread.getStackTrace()) {
            if (frame.getClassName().startsWith(packageName)) {
                return true;
            }
        }
        return false;
    }

    void forget() {
        try {
            loader.close();
        } catch (IOException error) {
            // It only holds files open.
        }
    }

    ClassLoader loader() {
        return loader;
    }
}
