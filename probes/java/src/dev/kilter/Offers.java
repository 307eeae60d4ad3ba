package dev.kilter;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The offers that stand. */
final class Offers {
    private final Testbed testbed;
    private final Map<Long, Offer> standing = new TreeMap<>();
    private long lastId;
    private boolean lookIntoQueues;

    Offers(Testbed testbed) {
        this.testbed = testbed;
    }

    /** Something that a thread could do, and has the testbed's attention. */
    static final class Offer {
        final Seat seat;
        final long episode;
        /** Null unless the thread takes from a queue. */
        final Take take;
        /** Null unless this offers an element. */
        final Object element;
        Wish wish;

        Offer(Waiting waiting, Object element, Wish wish) {
            this.seat = waiting.seat;
            this.episode = waiting.episode;
            this.take = waiting.take;
            this.element = element;
            this.wish = wish;
        }

        /** The paths of an element are read only when somebody wants to see them. */
        Wish show() {
            if (wish == null) {
                wish = take.wish(element);
            }
            return wish;
        }

        boolean isSame(Offer other) {
            return seat == other.seat && episode == other.episode && element == other.element;
        }
    }

    Offer get(Object id) {
        return standing.get(id);
    }

    void remove(Object id) {
        standing.remove(id);
    }

    void withdraw(Object id) {
        standing.remove(id);
        testbed.say("withdraw", Collections.singletonMap("id", id));
    }

    void withdrawAll() {
        new ArrayList<>(standing.keySet()).forEach(this::withdraw);
    }

    /** Whether some thread waits for an element of a queue. */
    boolean lookIntoQueues() {
        return lookIntoQueues;
    }

    /**
     * Withdraws what is gone and offers what is new; says whether there was anything. After a step, the paths of elements are read afresh,
     * because what they show may depend on the node's state.
     */
    boolean renew(List<Waiting> waiting, boolean afterStep) {
        List<Offer> wanted = new ArrayList<>();
        lookIntoQueues = false;
        waiting.forEach(one -> addAll(one, wanted));
        List<Object> gone = new ArrayList<>();
        standing.forEach((id, offer) -> {
            Offer same = find(offer, wanted);
            if (same == null || afterStep && !same.show().looksLike(offer.wish)) {
                gone.add(id);
            } else {
                wanted.remove(same);
            }
        });
        gone.forEach(this::withdraw);
        for (Offer offer : wanted) {
            standing.put(++lastId, offer);
            testbed.offer(lastId, offer.show());
        }
        return !gone.isEmpty() || !wanted.isEmpty();
    }

    private void addAll(Waiting waiting, List<Offer> wanted) {
        Take take = waiting.take;
        Wish wish = waiting.wish;
        if (take != null) {
            lookIntoQueues = true;
            List<Object> elements = take.elements();
            if (!take.asksNobody()) { // Otherwise an element has come in this moment, and is served in the next.
                // Where several threads take from one queue, one of them gets the element.
            elements.stream().filter(element -> wanted.stream().noneMatch(other -> other.element == element))
                .forEach(element -> wanted.add(new Offer(waiting, element, null)));
            }
            // Time can't run out while there is something to take, unless it counts as something that has not come yet.
            wish = elements.isEmpty() || take.point.early ? take.timeout() : null;
        }
        if (wish != null) {
            wanted.add(new Offer(waiting, null, wish));
        }
    }

    private static Offer find(Offer offer, List<Offer> wanted) {
        for (Offer other : wanted) {
            if (other.isSame(offer)) {
                return other;
            }
        }
        return null;
    }
}
