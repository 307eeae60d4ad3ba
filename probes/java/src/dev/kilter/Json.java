package dev.kilter;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** JSON as maps, lists, strings, Long or BigInteger, Boolean and null. Fractions are refused: the protocol has none. */
final class Json {
    private final String text;
    private int at;

    private Json(String text) {
        this.text = text;
    }

    /** Throws IllegalArgumentException with the place of the fault. */
    static Object parse(String text) {
        Json json = new Json(text);
        Object value = json.value();
        if (json.peek() != 0) {
            throw json.fault("something after the end");
        }
        return value;
    }

    static String print(Object value) {
        StringBuilder out = new StringBuilder();
        print(value, out);
        return out.toString();
    }

    private Object value() {
        switch (peek()) {
            case '{': return object();
            case '[': return array();
            case '"': return string();
            case 't': return word("true", Boolean.TRUE);
            case 'f': return word("false", Boolean.FALSE);
            case 'n': return word("null", null);
            default: return number();
        }
    }

    private Map<String, Object> object() {
        Map<String, Object> fields = new LinkedHashMap<>();
        at++;
        while (peek() != '}') {
            separator(!fields.isEmpty());
            if (peek() != '"') {
                throw fault("a field's name expected");
            }
            String name = string();
            expect(':');
            if (fields.containsKey(name)) {
                throw fault("the field " + name + " twice");
            }
            fields.put(name, value());
        }
        at++;
        return fields;
    }

    private List<Object> array() {
        List<Object> items = new ArrayList<>();
        at++;
        while (peek() != ']') {
            separator(!items.isEmpty());
            items.add(value());
        }
        at++;
        return items;
    }

    private void separator(boolean needed) {
        if (needed) {
            expect(',');
        }
    }

    private String string() {
        StringBuilder out = new StringBuilder();
        for (at++; at < text.length(); at++) {
            char c = text.charAt(at);
            if (c == '"') {
                at++;
                return out.toString();
            }
            out.append(c == '\\' ? escaped() : c);
        }
        throw fault("a string without end");
    }

    /** Leaves `at` on the last character of the escape. */
    private char escaped() {
        char c = ++at < text.length() ? text.charAt(at) : 0;
        int plain = "nrtbf\"\\/".indexOf(c);
        if (c != 0 && plain >= 0) {
            return "\n\r\t\b\f\"\\/".charAt(plain);
        }
        if (c == 'u' && at + 4 < text.length()) {
            at += 4;
            return (char) Integer.parseInt(text.substring(at - 3, at + 1), 16);
        }
        throw fault("an escape that JSON does not have");
    }

    private Object word(String word, Object value) {
        if (!text.startsWith(word, at)) {
            throw fault("a value expected");
        }
        at += word.length();
        return value;
    }

    private Object number() {
        int start = at;
        while (at < text.length() && "+-.eE0123456789".indexOf(text.charAt(at)) >= 0) {
            at++;
        }
        try {
            return narrow(new BigInteger(text.substring(start, at)));
        } catch (NumberFormatException error) {
            throw fault(start == at ? "a value expected" : text.substring(start, at) + " is no integer");
        }
    }

    static Object narrow(BigInteger number) {
        return number.bitLength() < Long.SIZE ? (Object) number.longValue() : number;
    }

    /** The next character that is not white space, or 0 at the end. */
    private char peek() {
        while (at < text.length() && " \t\r\n".indexOf(text.charAt(at)) >= 0) {
            at++;
        }
        return at < text.length() ? text.charAt(at) : 0;
    }

    private void expect(char c) {
        if (peek() != c) {
            throw fault("`" + c + "` expected");
        }
        at++;
    }

    private IllegalArgumentException fault(String what) {
        return new IllegalArgumentException(what + " at character " + (at + 1));
    }

    private static void print(Object value, StringBuilder out) {
        if (value instanceof String) {
            print((String) value, out);
        } else if (value instanceof Map) {
            String separator = "{";
            for (Map.Entry<?, ?> field : ((Map<?, ?>) value).entrySet()) {
                out.append(separator);
                print((String) field.getKey(), out);
                out.append(':');
                print(field.getValue(), out);
                separator = ",";
            }
            out.append(separator.equals("{") ? "{}" : "}");
        } else if (value instanceof List) {
            String separator = "[";
            for (Object item : (List<?>) value) {
                out.append(separator);
                print(item, out);
                separator = ",";
            }
            out.append(separator.equals("[") ? "[]" : "]");
        } else {
            out.append(value);
        }
    }

    private static void print(String string, StringBuilder out) {
        out.append('"');
        for (int i = 0; i < string.length(); i++) {
            char c = string.charAt(i);
            if (c == '"' || c == '\\') {
                out.append('\\').append(c);
            } else if (c < ' ' || Character.isSurrogate(c)) {
                out.append(String.format("\\u%04x", (int) c));
            } else {
                out.append(c);
            }
        }
        out.append('"');
    }
}
