package dev.kilter;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** A value of the table that is filled in later: an expression, or objects and arrays of them. */
abstract class Template {
    /** As JSON. A path that can't be read ends the process: the table is wrong. */
    abstract Object value(Scope scope);

    /** Evaluates it for its effect; whatever it gives will do. Throws PathError. */
    abstract void run(Scope scope);

    /** Adds the roots of all paths. */
    abstract void roots(Set<String> roots);

    static Template of(Object shape, String where, Names names) {
        if (shape instanceof Map) {
            Map<String, Template> fields = new TreeMap<>();
            ((Map<?, ?>) shape).forEach((name, field) -> fields.put((String) name, of(field, where, names)));
            return new Obj(fields);
        }
        if (shape instanceof List) {
            return new Arr(list((List<?>) shape, where, names));
        }
        return new Leaf(shape instanceof String ? parsed((String) shape, where, names) : new Expression.Literal(shape), where, shape);
    }

    static List<Template> list(List<?> shapes, String where, Names names) {
        List<Template> templates = new ArrayList<>();
        shapes.forEach(shape -> templates.add(of(shape, where, names)));
        return templates;
    }

    static Template condition(String text, String where, Names names) {
        return of(text, where, names);
    }

    private static Expression parsed(String text, String where, Names names) {
        try {
            return new ExpressionParser(text, names).parse();
        } catch (PathError error) {
            throw new TableError(where + ": `" + text + "`: " + error.getMessage());
        }
    }

    private static final class Leaf extends Template {
        private final Expression expression;
        private final String where;
        private final Object text;

        Leaf(Expression expression, String where, Object text) {
            this.expression = expression;
            this.where = where;
            this.text = text;
        }

        @Override
        Object value(Scope scope) {
            try {
                return Values.toJson(expression.evaluate(scope));
            } catch (PathError error) {
                throw Fail.halt(where + ": `" + text + "`: " + error.getMessage());
            }
        }

        @Override
        void run(Scope scope) {
            expression.evaluate(scope);
        }

        @Override
        void roots(Set<String> roots) {
            expression.roots(roots);
        }
    }

    private static final class Obj extends Template {
        private final Map<String, Template> fields;

        Obj(Map<String, Template> fields) {
            this.fields = fields;
        }

        @Override
        Object value(Scope scope) {
            Map<String, Object> values = new TreeMap<>();
            fields.forEach((name, field) -> values.put(name, field.value(scope)));
            return values;
        }

        @Override
        void run(Scope scope) {
            fields.values().forEach(field -> field.run(scope));
        }

        @Override
        void roots(Set<String> roots) {
            fields.values().forEach(field -> field.roots(roots));
        }
    }

    private static final class Arr extends Template {
        private final List<Template> items;

        Arr(List<Template> items) {
            this.items = items;
        }

        @Override
        Object value(Scope scope) {
            List<Object> values = new ArrayList<>();
            items.forEach(item -> values.add(item.value(scope)));
            return values;
        }

        @Override
        void run(Scope scope) {
            items.forEach(item -> item.run(scope));
        }

        @Override
        void roots(Set<String> roots) {
            items.forEach(item -> item.roots(roots));
        }
    }
}
