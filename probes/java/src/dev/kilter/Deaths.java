package dev.kilter;

/** Tells of covered threads that end by an exception, and prints it as the JVM does. A handler that the system sets takes its place. */
final class Deaths implements Thread.UncaughtExceptionHandler {
    private final Seats seats;

    Deaths(Seats seats) {
        this.seats = seats;
    }

    @Override
    public void uncaughtException(Thread thread, Throwable error) {
        if (error instanceof ThreadDeath) {
            return;
        }
        seats.died(thread, shown(error));
        System.err.print("Exception in thread \"" + thread.getName() + "\" ");
        error.printStackTrace();
    }

    private static String shown(Throwable error) {
        Throwable root = error;
        for (int depth = 0; root.getCause() != null && depth < 100; depth++) {
            root = root.getCause();
        }
        return root == error ? at(error) : at(error) + ", caused by " + at(root);
    }

    /** The exception, and the innermost line of the system itself. */
    private static String at(Throwable error) {
        for (StackTraceElement frame : error.getStackTrace()) {
            String className = frame.getClassName().replace('.', '/');
            if (!Instrument.isOfJdk(className) && !className.startsWith("dev/kilter/")) {
                return error + " at " + frame;
            }
        }
        return error.toString();
    }
}
