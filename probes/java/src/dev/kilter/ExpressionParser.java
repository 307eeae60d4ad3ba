package dev.kilter;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;

/**
 * Reads an expression of the table; faults are PathErrors.
 *
 * <pre>
 * expression = conditions ["?" expression ":" expression]
 * conditions = all {"||" all}        all = comparison {"&&" comparison}
 * comparison = sum [("==" | "!=" | "<" | ">") sum]        sum = term {"+" term}
 * term = 'text' | number | true | false | null | root {"." name | "." name "(" [sum {"," sum}] ")" | "[" sum "]"}
 * </pre>
 */
final class ExpressionParser {
    private final String text;
    private final Names names;
    private int at;

    ExpressionParser(String text, Names names) {
        this.text = text;
        this.names = names;
    }

    Expression parse() {
        Expression whole = expression();
        skipSpace();
        if (at < text.length()) {
            throw new PathError("`" + text.substring(at) + "` is not understood");
        }
        return whole;
    }

    private Expression expression() {
        Expression condition = conditions();
        if (!accept("?")) {
            return condition;
        }
        Expression then = expression();
        need(":");
        return new Expression.Choice(condition, then, expression());
    }

    private Expression conditions() {
        Expression left = all();
        while (accept("||")) {
            left = new Expression.Operation("||", left, all());
        }
        return left;
    }

    private Expression all() {
        Expression left = comparison();
        while (accept("&&")) {
            left = new Expression.Operation("&&", left, comparison());
        }
        return left;
    }

    private Expression comparison() {
        Expression left = sum();
        for (String operator : new String[] {"==", "!=", "<", ">"}) {
            if (accept(operator)) {
                return new Expression.Operation(operator, left, sum());
            }
        }
        return left;
    }

    private Expression sum() {
        Expression left = term();
        while (accept("+")) {
            left = new Expression.Operation("+", left, term());
        }
        return left;
    }

    private Expression term() {
        skipSpace();
        char c = at < text.length() ? text.charAt(at) : 0;
        if (c == '\'') {
            int end = text.indexOf('\'', at + 1);
            if (end < 0) {
                throw new PathError("a text without its second '");
            }
            String literal = text.substring(at + 1, end);
            at = end + 1;
            return new Expression.Literal(literal);
        }
        if (c == '-' || Character.isDigit(c)) {
            int start = at++;
            while (at < text.length() && Character.isDigit(text.charAt(at))) {
                at++;
            }
            return new Expression.Literal(Json.narrow(new BigInteger(text.substring(start, at))));
        }
        return path();
    }

    private Expression path() {
        String root = name();
        switch (root) {
            case "true": return new Expression.Literal(true);
            case "false": return new Expression.Literal(false);
            case "null": return new Expression.Literal(null);
            case "local":
                need(".");
                return segments(new Expression.Root("local." + name(), names));
            default:
        }
        boolean ofPlace = root.matches("this|it|\\$target|\\$result|\\$[1-9][0-9]*");
        return segments(ofPlace || names.has(root) ? new Expression.Root(root, names) : statics(root));
    }

    /** The class's name ends with the first part that begins with a capital letter, as Java programs have it. */
    private Expression statics(String first) {
        String className = first;
        while (!Character.isUpperCase(className.charAt(className.lastIndexOf('.') + 1))) {
            if (!accept(".")) {
                throw new PathError("`" + first + "` is neither a name of [java.objects] nor a class"
                    + Similar.hint(first, names.all().keySet()));
            }
            className += "." + name();
        }
        names.useStatics(className);
        return new Expression.Statics(className, names);
    }

    private Expression segments(Expression root) {
        Expression path = root;
        while (true) {
            if (accept(".")) {
                String name = name();
                path = accept("(") ? new Expression.CallOf(path, name, args()) : new Expression.FieldOf(path, name);
            } else if (accept("[")) {
                path = new Expression.ItemOf(path, sum());
                need("]");
            } else {
                return path;
            }
        }
    }

    private List<Expression> args() {
        List<Expression> args = new ArrayList<>();
        while (!accept(")")) {
            if (!args.isEmpty()) {
                need(",");
            }
            args.add(sum());
        }
        return args;
    }

    private String name() {
        skipSpace();
        int start = at;
        while (at < text.length() && Character.isJavaIdentifierPart(text.charAt(at))) {
            at++;
        }
        if (start == at) {
            throw new PathError(at < text.length() ? "a name is expected at `" + text.substring(at) + "`" : "it ends too early");
        }
        return text.substring(start, at);
    }

    private boolean accept(String token) {
        skipSpace();
        boolean there = text.startsWith(token, at);
        at += there ? token.length() : 0;
        return there;
    }

    private void need(String token) {
        if (!accept(token)) {
            throw new PathError("`" + token + "` is expected" + (at < text.length() ? " at `" + text.substring(at) + "`" : " at the end"));
        }
    }

    private void skipSpace() {
        while (at < text.length() && text.charAt(at) == ' ') {
            at++;
        }
    }
}
