package dev.kilter;

/** Says why the node is not still, after a second and then every two, for people who wait for it. */
final class Watch implements Runnable {
    /** Less than the usual patience of a testbed. */
    private static final long FIRST_NOTE_MS = 1000;
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
            boolean isFirst = noted < since;
            if (since != 0 && now - (isFirst ? since : noted) >= (isFirst ? FIRST_NOTE_MS : NOTE_MS)) {
                noted = now;
                referee.sayWhoRuns((now - since) / 1000);
            }
        }
    }
}
