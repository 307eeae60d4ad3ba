package dev.kilter;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.IdentityHashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;

/**
 * Looks into the system's queues, and takes elements out of them.
 *
 * Some queues can only be polled. Their elements, and those that are offered twice, are kept beside the queue until they are taken.
 */
final class Queues {
    private static final Map<Object, Deque<Object>> KEPT = new IdentityHashMap<>();

    private Queues() {}

    static synchronized void forget() {
        KEPT.clear();
    }

    /** The first element, or all, in their order. */
    static synchronized List<Object> elements(Queue<?> queue, boolean all) {
        List<Object> elements = new ArrayList<>();
        if (KEPT.containsKey(queue)) {
            elements.addAll(KEPT.get(queue));
        }
        try {
            if (all) {
                elements.addAll(queue);
            } else if (queue.peek() != null) {
                elements.add(queue.peek());
            }
        } catch (UnsupportedOperationException onlyPolls) {
            List<Object> rest = drained(queue);
            elements.addAll(rest);
            rest.forEach(element -> keep(queue, element, false));
        }
        return elements;
    }

    /** False if somebody else has taken it. */
    static synchronized boolean remove(Queue<?> queue, Object element) {
        Deque<Object> kept = KEPT.get(queue);
        if (kept != null && removeFrom(kept, element)) {
            if (kept.isEmpty()) {
                KEPT.remove(queue);
            }
            return true;
        }
        try {
            if (queue.peek() == element) {
                queue.poll();
                return true;
            }
            return removeFrom(queue, element);
        } catch (UnsupportedOperationException onlyPolls) {
            return false;
        }
    }

    /** Will be offered before all others, or after those that are kept already. */
    static synchronized void keep(Queue<?> queue, Object element, boolean first) {
        Deque<Object> kept = KEPT.computeIfAbsent(queue, key -> new ArrayDeque<>());
        if (first) {
            kept.addFirst(element);
        } else {
            kept.addLast(element);
        }
    }

    /** Takes as the system would, where nobody controls it: what is kept comes first. */
    static Object kept(Object queue, Callable<?> otherwise) throws InterruptedException {
        synchronized (Queues.class) {
            Deque<Object> kept = KEPT.get(queue);
            if (kept != null && !kept.isEmpty()) {
                return kept.removeFirst();
            }
        }
        try {
            return otherwise.call();
        } catch (InterruptedException | RuntimeException error) {
            throw error;
        } catch (Exception error) {
            throw new IllegalStateException("queues throw nothing else", error);
        }
    }

    /** By identity: a queue may hold two elements that are equal. */
    private static boolean removeFrom(Iterable<?> elements, Object element) {
        for (Iterator<?> all = elements.iterator(); all.hasNext();) {
            if (all.next() == element) {
                all.remove();
                return true;
            }
        }
        return false;
    }

    private static List<Object> drained(Queue<?> queue) {
        List<Object> elements = new ArrayList<>();
        for (Object next = polled(queue); next != null; next = polled(queue)) {
            elements.add(next);
        }
        return elements;
    }

    private static Object polled(Queue<?> queue) {
        try {
            return queue.poll();
        } catch (UnsupportedOperationException onlyWithTime) {
            try {
                return ((BlockingQueue<?>) queue).poll(0, TimeUnit.NANOSECONDS);
            } catch (InterruptedException error) {
                throw new IllegalStateException("nobody interrupts the agent", error);
            }
        }
    }
}
