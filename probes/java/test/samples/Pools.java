package sample;

import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** A thread that hands tasks to a pool whose threads have nothing to do before, a timer that is far away, and one that is due again and again. */
public class Pools {
    private final long workNs;
    private volatile int done;
    private int ticks;

    private Pools(long workNs) {
        this.workNs = workNs;
    }

    private void work() {
        long end = System.nanoTime() + workNs;
        while (System.nanoTime() < end) {
            // works
        }
        done++;
    }

    private void hand(ThreadPoolExecutor pool) {
        pool.execute(this::work);
        pool.execute(this::work);
    }

    private void tick() {
        ticks++;
    }

    public static void main(String[] args) throws Exception {
        Pools pools = new Pools(Long.parseLong(args[0]));
        ThreadPoolExecutor pool = (ThreadPoolExecutor) Executors.newFixedThreadPool(1, task -> new Thread(task, "Pool"));
        pool.prestartAllCoreThreads();
        ScheduledThreadPoolExecutor timer = new ScheduledThreadPoolExecutor(1, task -> new Thread(task, "Timer"));
        timer.schedule(pools::work, 1, TimeUnit.HOURS);
        ScheduledThreadPoolExecutor often = new ScheduledThreadPoolExecutor(1, task -> new Thread(task, "Often"));
        often.scheduleWithFixedDelay(pools::tick, 1, 1, TimeUnit.MILLISECONDS);
        new Thread(() -> {
            while (true) {
                pools.hand(pool);
            }
        }, "Boss").start();
        Thread.currentThread().join();
    }
}
