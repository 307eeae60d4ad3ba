package sample;

/** Reads the clock in each step. */
public class Clocks {
    private long seconds;
    private long nanoSeconds;
    private final long start = System.currentTimeMillis();
    private final long nanoStart = System.nanoTime();

    private void look() {
        seconds = (System.currentTimeMillis() - start) / 1_000_000;
        nanoSeconds = (System.nanoTime() - nanoStart) / 1_000_000_000_000L;
    }

    private synchronized void pause() throws InterruptedException {
        wait(4_000_000);
    }

    public static void main(String[] args) {
        Clocks clocks = new Clocks();
        while (true) {
            clocks.look();
        }
    }
}
