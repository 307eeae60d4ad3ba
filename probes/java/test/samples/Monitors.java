package sample;

import java.util.concurrent.CountDownLatch;

/** Threads that wait for each other by monitors. */
public class Monitors {
    private final Object bell = new Object();
    private final Object gate = new Object();
    private volatile boolean held;
    private String log = "";

    private void listen(String name) {
        try {
            while (true) {
                synchronized (bell) {
                    bell.wait(100);
                    log += name + " ";
                }
                heard(name);
            }
        } catch (InterruptedException error) {
            throw new IllegalStateException(error);
        }
    }

    private void heard(String name) {}

    private void ring(boolean all) {
        synchronized (bell) {
            if (all) {
                bell.notifyAll();
            } else {
                bell.notify();
            }
        }
    }

    private void bellRinger() {
        for (int i = 0; ; i++) {
            ring(i % 2 == 1);
        }
    }

    /** Waits at a point with the monitor of `gate` in its hands. */
    private void holder() {
        while (true) {
            synchronized (gate) {
                held = true;
                hold();
            }
            between();
        }
    }

    private void hold() {}

    private void between() {}

    private void wanter() {
        while (true) {
            synchronized (gate) {
                log += "got ";
            }
            rest();
        }
    }

    private void rest() {}

    private void stuck() {
        while (true) {
            Thread.yield();
        }
    }

    private void shortLived() {
        log += "ended ";
    }

    void startShortLived() {
        new Thread(this::shortLived, "Short").start();
    }

    void startResting() {
        new Thread(this::rest, "Short").start();
    }

    private void die() {
        throw new IllegalStateException("enough", new NullPointerException("no bell"));
    }

    void startDying() {
        new Thread(this::die, "Short").start();
    }

    void startStuck() {
        new Thread(this::stuck, "Stuck").start();
    }

    private static void lockBoth(Object first, Object second, CountDownLatch bothHaveOne) {
        synchronized (first) {
            bothHaveOne.countDown();
            while (bothHaveOne.getCount() > 0) {
                Thread.yield();
            }
            synchronized (second) {
                throw new IllegalStateException("no deadlock");
            }
        }
    }

    void startDeadlock() {
        Object other = new Object();
        CountDownLatch bothHaveOne = new CountDownLatch(2);
        new Thread(() -> lockBoth(bell, other, bothHaveOne), "Stuck-1").start();
        new Thread(() -> lockBoth(other, bell, bothHaveOne), "Stuck-2").start();
    }

    public static void main(String[] args) throws Exception {
        Monitors all = new Monitors();
        if (args[0].equals("bell")) {
            Thread first = new Thread(() -> all.listen("a"), "Listener-a");
            first.start();
            while (first.getState() == Thread.State.RUNNABLE) {
                Thread.yield(); // Not asleep: the system's start is over when main sleeps.
            }
            new Thread(() -> all.listen("b"), "Listener-b").start();
            new Thread(all::bellRinger, "Ringer").start();
        } else {
            new Thread(all::holder, "Holder").start();
            while (!all.held) {
                Thread.yield();
            }
            new Thread(all::wanter, "Wanter").start();
        }
        Thread.currentThread().join();
    }
}
