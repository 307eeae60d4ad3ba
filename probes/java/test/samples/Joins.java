package sample;

/** A thread that waits for the end of another one, and then works for a while. */
public class Joins {
    private int done;

    private void help() {
        done++;
    }

    private void work(Thread helper) {
        try {
            helper.join();
            for (int i = 0; i < 1000; i++) {
                Thread.sleep(0, 100);
                done++;
            }
        } catch (InterruptedException error) {
            throw new IllegalStateException(error);
        }
        end();
    }

    private void end() {}

    public static void main(String[] args) throws Exception {
        Joins joins = new Joins();
        Thread helper = new Thread(joins::help, "Helper");
        helper.start();
        new Thread(() -> joins.work(helper), "Worker").start();
        Thread.currentThread().join();
    }
}
