package dev.kilter;

import java.io.IOException;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;

/**
 * Runs the system again and again in one JVM, in a class loader of its own each time. That takes a fraction of the time of another JVM.
 *
 * What the JDK itself keeps is put back: system properties, MBeans, shutdown hooks, the node's folder. Where a life can't be ended, the
 * process ends, and the testbed starts another. A crash is the end of a life, too, but the folder stays.
 */
final class Lives {
    /** What the testbed asks for: first all nodes end, then all begin, so that no message goes from one life to another. */
    static final String END = "kilter.end";
    static final String BEGIN = "kilter.begin";
    /** What it asks for when a node crashes: {@link #BEGIN} starts it again, with what it had on its disk. */
    static final String CRASH = "kilter.crash";
    private static final long END_MS_MAX = 2000;
    private static final long LOOK_MS = 2;
    /** Threads are told again to end after so many looks. */
    private static final int LOOKS_A_ROUND = 5;
    private static final long EXIT_LOOK_MS = 100;

    private final Program program;
    /** Null if nobody has said which folder the node has. */
    private final Path folder;
    private final Kept begin;
    private final Properties properties;
    private volatile Life life;

    Lives(String data) {
        program = Program.ofThisProcess();
        folder = data == null ? null : Paths.get(data);
        begin = folder == null ? null : Kept.begin(folder);
        properties = (Properties) System.getProperties().clone();
    }

    /** Never returns: the thread that would run `main` watches over the lives instead. */
    void live() {
        begin();
        while (true) {
            pause(EXIT_LOOK_MS);
            Life now = life;
            int code = now.exitCode();
            if (code >= 0 && now == life && !now.isOver()) {
                System.exit(code);
            }
        }
    }

    void begin() {
        Life old = life;
        Life next = new Life(program);
        life = next;
        next.begin();
        if (old != null) {
            old.forget();
        }
    }

    /** The thread that runs `main`. */
    Thread main() {
        Life now = life;
        return now == null || now.isOver() || !now.main().isAlive() ? null : now.main();
    }

    /** Ends this thread if its life is over. */
    void check() {
        Life now = life;
        if (now != null && now.isOver() && now.has(Thread.currentThread())) {
            throw new Over();
        }
    }

    void opened(Object opened) {
        Life now = life;
        if (now != null && now.has(Thread.currentThread())) {
            now.opened(opened);
        }
    }

    /** Ends the life; `letGo` tells threads at points that it is over. The folder is that of the beginning again. */
    void end(Runnable letGo) {
        life.endBegins();
        within(life, begin, () -> end(life, letGo));
        putBack(begin);
    }

    /**
     * Ends the life as if the process were killed: what its threads still do, nobody sees. They are suspended while the folder is copied and
     * all connections are closed. Then they are let go, and at last the folder is as it was.
     */
    void crash(Runnable letGo) {
        Kept[] kept = new Kept[1];
        within(life, null, () -> kept[0] = stop(life));
        within(life, kept[0], () -> end(life, letGo));
        putBack(kept[0]);
        forget(kept[0]);
    }

    /** From here on, nobody hears of the life any more. */
    private Kept stop(Life life) {
        try {
            life.suspend();
            Kept kept = folder == null ? null : Kept.now(folder);
            life.endBegins();
            life.disconnect();
            life.resume();
            return kept;
        } catch (ReflectiveOperationException newJava) {
            throw Fail.halt("this JVM can't suspend threads, so a crash ends the process");
        } catch (IOException error) {
            throw Fail.halt("the node's folder can't be kept for a crash: " + error);
        }
    }

    /** Does something that may wait for a lock that nobody gives back. Then the process ends, with this folder if there is one. */
    private static void within(Life life, Kept after, Runnable work) {
        Thread ender = new AgentThread("kilter-end", work);
        ender.start();
        try {
            ender.join(END_MS_MAX);
        } catch (InterruptedException error) {
            throw new IllegalStateException("nobody interrupts the agent", error);
        }
        if (ender.isAlive()) {
            List<Thread> alive = life.alive();
            Thread stuck = alive.isEmpty() ? ender : alive.get(0);
            String where = Threads.where(stuck);
            putBack(after); // Whoever starts the node again must find what was there.
            throw Fail.halt("the system can't be started again in the same JVM: thread " + stuck.getName() + " does not end, " + where);
        }
    }

    private static void forget(Kept folder) {
        try {
            if (folder != null) {
                folder.forget();
            }
        } catch (IOException error) {
            // The next crash removes it.
        }
    }

    private static void putBack(Kept folder) {
        try {
            if (folder != null) {
                folder.restore();
            }
        } catch (IOException error) {
            throw Fail.halt("the node's folder can't be put back: " + error);
        }
    }

    private void end(Life life, Runnable letGo) {
        for (int looks = 0; !life.alive().isEmpty(); looks++) {
            if (looks % LOOKS_A_ROUND == 0) {
                letGo.run();
                life.end();
            }
            if (looks > LOOKS_A_ROUND && looks % LOOKS_A_ROUND == 1) {
                life.stop();
            }
            pause(LOOK_MS);
        }
        life.end();
        tidy(life.loader());
    }

    private void tidy(ClassLoader loader) {
        System.setProperties((Properties) properties.clone());
        Thread.setDefaultUncaughtExceptionHandler(null);
        removeShutdownHooks(loader);
        removeBeans();
    }

    private static void removeShutdownHooks(ClassLoader loader) {
        try {
            Object hooks = Reflect.field(new Reflect.StaticsOf(Class.forName("java.lang.ApplicationShutdownHooks")), "hooks");
            Set<Object> ours = new HashSet<>();
            ((Map<?, ?>) hooks).keySet().forEach(hook -> {
                if (((Thread) hook).getContextClassLoader() == loader) {
                    ours.add(hook);
                }
            });
            ((Map<?, ?>) hooks).keySet().removeAll(ours);
        } catch (ReflectiveOperationException | PathError otherJvm) {
            // They only keep memory.
        }
    }

    private static void removeBeans() {
        try {
            javax.management.MBeanServer server = java.lang.management.ManagementFactory.getPlatformMBeanServer();
            for (javax.management.ObjectName name : server.queryNames(null, null)) {
                if (!name.getDomain().matches("(java|javax|jdk|com\\.sun|sun|JMImplementation)(\\..*)?")) {
                    server.unregisterMBean(name);
                }
            }
        } catch (javax.management.JMException | LinkageError noBeans) {
            // Another has removed it, or this JVM has none.
        }
    }

    private static void pause(long ms) {
        try {
            Thread.sleep(ms);
        } catch (InterruptedException error) {
            throw new IllegalStateException("nobody interrupts the agent", error);
        }
    }
}
