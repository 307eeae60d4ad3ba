package dev.kilter;

/** Ends a thread of a life that is over. The JVM says nothing about threads that end so. */
final class Over extends ThreadDeath {
    private static final long serialVersionUID = 1;
}
