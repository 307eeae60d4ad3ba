package dev.kilter;

import java.util.Collections;
import java.util.List;

/** What the roots of paths stand for at one place and time. */
final class Scope {
    static final Scope EMPTY = new Scope(null, null, null, null, Collections.emptyList(), null);

    final Object self;
    final Object target;
    private final Object[] args;
    final Object result;
    private final List<String> localNames;
    private final Object[] locals;
    /** The element of a queue. */
    final Object it;

    private Scope(Object self, Object target, Object[] args, Object result, List<String> localNames, Object[] locals, Object it) {
        this.self = self;
        this.target = target;
        this.args = args;
        this.result = result;
        this.localNames = localNames;
        this.locals = locals;
        this.it = it;
    }

    Scope(Object self, Object target, Object[] args, Object result, List<String> localNames, Object[] locals) {
        this(self, target, args, result, localNames, locals, null);
    }

    static Scope ofArgs(Object[] args) {
        return new Scope(null, null, args, null, Collections.emptyList(), null);
    }

    Scope with(Object element) {
        return new Scope(self, target, args, result, localNames, locals, element);
    }

    Object arg(int number) {
        return args == null || number > args.length ? null : args[number - 1];
    }

    Object local(String name) {
        int index = localNames.indexOf(name);
        return index < 0 || locals == null ? null : locals[index];
    }
}
