package dev.kilter;

/** A fault that is put into the system, to ask whether the tests notice it. */
final class Mutation {
    final String where;
    final MethodName in;
    /** `leave-out`, `return`, `constant` or `swap`. */
    final String kind;
    MethodName call;
    MethodName with;
    int nth;
    /** The value to return; or the constant, and what it becomes. */
    Object value;
    /** What to return, as an expression; null if there is none. */
    Template result;
    /** Its place in the table, from 0. */
    int number;
    Object from;
    Object to;

    Mutation(String where, MethodName in, String kind) {
        this.where = where;
        this.in = in;
        this.kind = kind;
    }
}
