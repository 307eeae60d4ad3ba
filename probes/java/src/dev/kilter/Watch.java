package dev.kilter;

/** Says every two seconds why the node is not still, for people who wait for it. */
final class Watch implements Runnable {
    private static final long NOTE_MS = 2000;
    private static final long LOOK_MS = 250;

    private final Referee referee;

    Watch(Referee referee) {
        this.referee = referee;
    }

    @Override
    public void run() {
        long noted = 0;
        while (true) {
            try {
                Thread.sleep(LOOK_MS);
            } catch (InterruptedException error) {
                throw new IllegalStateException("nobody interrupts the agent", error);
            }
            long since = referee.busySinceMs();
            long now = System.nanoTime() / 1_000_000;
            if (since != 0 && now - Math.max(since, noted) >= NOTE_MS) {
                noted = now;
                referee.sayWhoRuns((now - since) / 1000);
            }
        }
    }
}
