package dev.kilter;

import java.lang.management.LockInfo;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.lang.management.ThreadMXBean;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Threads that can't go on because a thread that waits at a point holds a lock. */
final class Blocked {
    private final Map<Long, String> seenBefore = new HashMap<>();
    private final Set<String> said = new HashSet<>();

    /** Whether the thread is blocked until one of the waiting threads goes on. `notes` gets a line for what is new. */
    boolean byWaiting(Thread thread, Map<Thread, Seat> seats, List<Thread> alive, List<String> notes) {
        Thread blocked = thread;
        // The owner of a lock may itself be blocked; if they block each other in a circle, nobody of them waits at a point.
        for (int length = 0; length < alive.size(); length++) {
            ThreadInfo info = isBlocked(blocked) ? beans().getThreadInfo(blocked.getId()) : null;
            Thread owner = info == null || info.getLockInfo() == null ? null : find(info.getLockOwnerId(), alive);
            if (owner == null) {
                return false;
            }
            Seat seat = seats.get(owner);
            if (seat != null && !seat.runs()) {
                return isHeld(blocked, seat, info, notes);
            }
            blocked = owner;
        }
        return false;
    }

    /** Another case may have begun, and who reads of it must know this. */
    void sayAgain() {
        said.clear();
    }

    private static boolean isBlocked(Thread thread) {
        Thread.State state = thread.getState();
        return state == Thread.State.BLOCKED || state == Thread.State.WAITING || state == Thread.State.TIMED_WAITING;
    }

    private boolean isHeld(Thread thread, Seat owner, ThreadInfo info, List<String> notes) {
        if (isReleasing(owner, info.getLockInfo()) || !isSeenTwice(thread, owner, info)) {
            return false;
        }
        String note = "thread " + thread.getName() + " waits for " + info.getLockInfo().getClassName() + ", which thread "
            + owner.thread.getName() + " holds while it waits at " + owner.where;
        if (said.add(note)) {
            notes.add(note);
        }
        return true;
    }

    /** Object.wait gives the monitor back in a moment. */
    private static boolean isReleasing(Seat seat, LockInfo lock) {
        return seat.state == Seat.State.WAITS && System.identityHashCode(seat.monitor) == lock.getIdentityHashCode();
    }

    /** A call in which a thread rests may take and release locks of its own: look again after a while. */
    private boolean isSeenTwice(Thread thread, Seat owner, ThreadInfo info) {
        if (owner.state == Seat.State.OFFERS || owner.state == Seat.State.TAKES) {
            return true;
        }
        String seen = info.getLockInfo() + " " + owner.episode + " " + info.getBlockedCount();
        return seen.equals(seenBefore.put(thread.getId(), seen));
    }

    private static Thread find(long id, List<Thread> alive) {
        for (Thread thread : alive) {
            if (thread.getId() == id) {
                return thread;
            }
        }
        return null;
    }

    private static ThreadMXBean beans() {
        return ManagementFactory.getThreadMXBean();
    }
}
