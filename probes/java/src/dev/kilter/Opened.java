package dev.kilter;

import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.Selector;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.ExecutorService;

/** What the system has opened and what must be closed when its life is over: sockets, channels, selectors, pools of threads. */
final class Opened {
    private final Set<Closeable> sockets = Collections.newSetFromMap(new WeakHashMap<>());
    /** Nobody else sees these, and one can't be closed while a thread that waits in it is suspended. */
    private final Set<Selector> selectors = Collections.newSetFromMap(new WeakHashMap<>());
    private final Set<ExecutorService> pools = Collections.newSetFromMap(new WeakHashMap<>());

    synchronized void add(Object opened) {
        if (opened instanceof Selector) {
            selectors.add((Selector) opened);
        } else if (opened instanceof Closeable) {
            sockets.add((Closeable) opened);
        } else {
            pools.add((ExecutorService) opened);
        }
    }

    void closeAll() {
        closeSockets();
        close(taken(selectors));
        // A pool would start another thread for each that ends.
        taken(pools).forEach(ExecutorService::shutdownNow);
    }

    void closeSockets() {
        close(taken(sockets));
    }

    private static void close(List<? extends Closeable> all) {
        for (Closeable one : all) {
            try {
                one.close();
            } catch (IOException | RuntimeException alreadyBroken) {
                // It can't be used any more, and that is what we want.
            }
        }
    }

    private synchronized <T> List<T> taken(Set<T> set) {
        List<T> all = new ArrayList<>(set);
        set.clear();
        return all;
    }
}
