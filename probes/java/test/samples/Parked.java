package sample;

import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.LockSupport;

/** A pool that a program has made for itself: its thread parks until another one has given it a task. */
public class Parked {
    private final ConcurrentLinkedQueue<Runnable> tasks = new ConcurrentLinkedQueue<>();
    private final Thread worker = new Thread(this::run, "Worker");
    private volatile int done;

    private void run() {
        while (true) {
            Runnable task = tasks.poll();
            if (task == null) {
                LockSupport.park();
            } else {
                task.run();
            }
        }
    }

    private void work() {
        long end = System.nanoTime() + 1_000_000;
        while (System.nanoTime() < end) {
            // works
        }
        done++;
    }

    /** Unparks twice, so that the second permit is there before the worker parks again. */
    private void hand() {
        tasks.add(this::work);
        LockSupport.unpark(worker);
        LockSupport.unpark(worker);
    }

    public static void main(String[] args) throws Exception {
        Parked parked = new Parked();
        parked.worker.start();
        new Thread(() -> {
            while (true) {
                parked.hand();
            }
        }, "Boss").start();
        Thread.currentThread().join();
    }
}
