package dev.kilter;

/** A path can't be read, or its value can't be shown; {@link Template} adds where it stands. */
final class PathError extends RuntimeException {
    private static final long serialVersionUID = 1;

    PathError(String message) {
        super(message);
    }
}
