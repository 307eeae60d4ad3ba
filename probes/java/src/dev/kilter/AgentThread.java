package dev.kilter;

/** A thread of the agent itself: points that it reaches while it reads the system's objects mean nothing. */
final class AgentThread extends Thread {
    AgentThread(String name, Runnable work) {
        super(work, name);
        setDaemon(true);
        setUncaughtExceptionHandler((thread, error) -> {
            error.printStackTrace();
            Fail.halt("a fault of the agent itself: " + error);
        });
    }
}
