package sample;

import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** A thread that hands tasks to a pool whose threads have nothing to do before, and a timer that is far away. */
public class Pools {
    private volatile int done;

    private void work() {
        long end = System.nanoTime() + 50_000_000;
        while (System.nanoTime() < end) {
            // works
        }
        done++;
    }

    private void hand(ThreadPoolExecutor pool) {
        pool.execute(this::work);
        pool.execute(this::work);
    }

    public static void main(String[] args) throws Exception {
        Pools pools = new Pools();
        ThreadPoolExecutor pool = (ThreadPoolExecutor) Executors.newFixedThreadPool(1, task -> new Thread(task, "Pool"));
        pool.prestartAllCoreThreads();
        ScheduledThreadPoolExecutor timer = new ScheduledThreadPoolExecutor(1, task -> new Thread(task, "Timer"));
        timer.schedule(pools::work, 1, TimeUnit.HOURS);
        new Thread(() -> {
            while (true) {
                pools.hand(pool);
            }
        }, "Boss").start();
        Thread.currentThread().join();
    }
}
