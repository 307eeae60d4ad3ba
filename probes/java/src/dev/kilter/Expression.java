package dev.kilter;

import java.lang.reflect.Array;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/** An expression of the table. It gives an object of the system; {@link Values} makes JSON of it. Null anywhere gives null. */
interface Expression {
    Object evaluate(Scope scope);

    default void roots(Set<String> roots) {}

    /** 'text', a number, true, false, null. */
    final class Literal implements Expression {
        private final Object value;

        Literal(Object value) {
            this.value = value;
        }

        @Override
        public Object evaluate(Scope scope) {
            return value;
        }
    }

    /** `this`, `$1`, `it`, `local.x`, the name of an object. */
    final class Root implements Expression {
        private final String name;
        private final Names names;

        Root(String name, Names names) {
            this.name = name;
            this.names = names;
        }

        @Override
        public Object evaluate(Scope scope) {
            switch (name) {
                case "this": return scope.self;
                case "it": return scope.it;
                case "$target": return scope.target;
                case "$result": return scope.result;
                default:
            }
            if (name.startsWith("$")) {
                return scope.arg(Integer.parseInt(name.substring(1)));
            }
            return name.startsWith("local.") ? scope.local(name.substring("local.".length())) : names.instance(name);
        }

        @Override
        public void roots(Set<String> roots) {
            roots.add(name);
        }
    }

    /** A class, as the root of a path to its statics. */
    final class Statics implements Expression {
        private final String className;
        private final Names names;

        Statics(String className, Names names) {
            this.className = className;
            this.names = names;
        }

        @Override
        public Object evaluate(Scope scope) {
            Class<?> type = names.type(className);
            return type == null ? null : new Reflect.StaticsOf(type);
        }
    }

    /** `.field` */
    final class FieldOf implements Expression {
        private final Expression object;
        private final String field;

        FieldOf(Expression object, String field) {
            this.object = object;
            this.field = field;
        }

        @Override
        public Object evaluate(Scope scope) {
            Object value = object.evaluate(scope);
            return value == null ? null : Reflect.field(value, field);
        }

        @Override
        public void roots(Set<String> roots) {
            object.roots(roots);
        }
    }

    /** `.method(args)` */
    final class CallOf implements Expression {
        private final Expression object;
        private final String method;
        private final List<Expression> args;

        CallOf(Expression object, String method, List<Expression> args) {
            this.object = object;
            this.method = method;
            this.args = args;
        }

        @Override
        public Object evaluate(Scope scope) {
            Object value = object.evaluate(scope);
            return value == null ? null : Reflect.call(value, method, args.stream().map(arg -> arg.evaluate(scope)).toArray());
        }

        @Override
        public void roots(Set<String> roots) {
            object.roots(roots);
            args.forEach(arg -> arg.roots(roots));
        }
    }

    /** `[i]` of an array or list, `[key]` of a map; null if there is no such element. */
    final class ItemOf implements Expression {
        private final Expression object;
        private final Expression index;

        ItemOf(Expression object, Expression index) {
            this.object = object;
            this.index = index;
        }

        @Override
        public Object evaluate(Scope scope) {
            Object value = object.evaluate(scope);
            Object key = Values.toJson(index.evaluate(scope));
            if (value == null || key == null) {
                return null;
            }
            return value instanceof Map ? ofMap((Map<?, ?>) value, key) : ofSequence(value, key);
        }

        private static Object ofMap(Map<?, ?> map, Object key) {
            for (Map.Entry<?, ?> entry : map.entrySet()) {
                if (key.equals(Values.toJson(entry.getKey()))) {
                    return entry.getValue();
                }
            }
            return null;
        }

        private static Object ofSequence(Object value, Object key) {
            if (!(key instanceof Long) || !(value instanceof List || value.getClass().isArray())) {
                throw new PathError("[" + Json.print(key) + "] of " + value.getClass().getName() + " means nothing");
            }
            int n = value instanceof List ? ((List<?>) value).size() : Array.getLength(value);
            int i = ((Long) key).intValue();
            if (i < 0 || i >= n) {
                return null;
            }
            return value instanceof List ? ((List<?>) value).get(i) : Array.get(value, i);
        }

        @Override
        public void roots(Set<String> roots) {
            object.roots(roots);
            index.roots(roots);
        }
    }

    /** `condition ? then : otherwise`; only one of the two is evaluated. */
    final class Choice implements Expression {
        private final Expression condition;
        private final Expression then;
        private final Expression otherwise;

        Choice(Expression condition, Expression then, Expression otherwise) {
            this.condition = condition;
            this.then = then;
            this.otherwise = otherwise;
        }

        @Override
        public Object evaluate(Scope scope) {
            return (Boolean.TRUE.equals(condition.evaluate(scope)) ? then : otherwise).evaluate(scope);
        }

        @Override
        public void roots(Set<String> roots) {
            condition.roots(roots);
            then.roots(roots);
            otherwise.roots(roots);
        }
    }

    /** Of two operands: `+` joins texts, `==` and `!=` compare as JSON, `<` and `>` compare numbers, `&&` and `||` are of conditions. */
    final class Operation implements Expression {
        private final String operator;
        private final Expression left;
        private final Expression right;

        Operation(String operator, Expression left, Expression right) {
            this.operator = operator;
            this.left = left;
            this.right = right;
        }

        @Override
        public Object evaluate(Scope scope) {
            if (operator.equals("&&") || operator.equals("||")) {
                boolean first = Boolean.TRUE.equals(left.evaluate(scope));
                boolean decides = first == operator.equals("||");
                return decides ? first : Boolean.TRUE.equals(right.evaluate(scope));
            }
            Object a = left.evaluate(scope);
            Object b = right.evaluate(scope);
            if (operator.equals("<") || operator.equals(">")) {
                Object one = Values.toJson(a);
                Object other = Values.toJson(b);
                if (!(one instanceof Long) || !(other instanceof Long)) {
                    throw new PathError("`" + operator + "` compares integers, not " + Json.print(one) + " and " + Json.print(other));
                }
                return operator.equals("<") ? (Long) one < (Long) other : (Long) one > (Long) other;
            }
            if (operator.equals("+")) {
                return Values.text(Values.toJson(a)) + Values.text(Values.toJson(b));
            }
            // Any object can be compared with null, also one that JSON can't show.
            boolean equal = a == null || b == null ? a == b : Objects.equals(Values.toJson(a), Values.toJson(b));
            return operator.equals("==") == equal;
        }

        @Override
        public void roots(Set<String> roots) {
            left.roots(roots);
            right.roots(roots);
        }
    }
}
