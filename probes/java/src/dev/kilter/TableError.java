package dev.kilter;

/** Something in the table is wrong; the message says what and where. */
final class TableError extends RuntimeException {
    private static final long serialVersionUID = 1;

    TableError(String message) {
        super(message);
    }
}
