package dev.kilter;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Queue;

/** A thread that wants the next element of a queue. */
final class Take {
    enum Kind { NOW, TIMED, FOREVER }

    final Seat seat;
    final Queue<?> queue;
    final Kind kind;
    final Point point;
    private final Scope scope;
    private final long dueNs;

    Take(Seat seat, Queue<?> queue, Kind kind, Point point, Scope scope, long dueNs) {
        this.seat = seat;
        this.queue = queue;
        this.kind = kind;
        this.point = point;
        this.scope = scope;
        this.dueNs = dueNs;
    }

    /** Whether the thread gets the next element without asking. */
    boolean asksNobody() {
        return point.meaning == Meaning.POLLS;
    }

    Wish wish(Object element) {
        Scope all = scope.with(element);
        return new Wish(point.name, point.argsIn(all), point.messageIn(all));
    }

    /** Null if the time never ends. */
    Wish timeout() {
        String action = kind == Kind.TIMED && point.timeout != null ? point.timeoutIn(scope) : null;
        return action == null ? null : new Wish(action, Collections.emptyList(), null, dueNs);
    }

    /** What can be taken now: the first element, or all. */
    List<Object> elements() {
        List<Object> all = Queues.elements(queue, point.any);
        return point.any || all.size() <= 1 ? all : new ArrayList<>(all.subList(0, 1));
    }
}
