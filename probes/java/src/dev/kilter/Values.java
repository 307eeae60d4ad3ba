package dev.kilter;

import java.lang.reflect.Array;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.ConcurrentModificationException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;

/** Objects of the system as JSON. */
final class Values {
    private static final int TRIES_MAX = 100;

    private Values() {}

    static Object toJson(Object value) {
        if (value == null || value instanceof Boolean || value instanceof String || value instanceof Long) {
            return value;
        }
        if (value instanceof Number) {
            return number((Number) value);
        }
        if (value instanceof Character || value instanceof CharSequence) {
            return value.toString();
        }
        if (value instanceof Enum) {
            return ((Enum<?>) value).name();
        }
        if (value instanceof Optional) {
            return toJson(((Optional<?>) value).orElse(null));
        }
        if (value instanceof AtomicBoolean) {
            return ((AtomicBoolean) value).get();
        }
        if (value instanceof AtomicReference) {
            return toJson(((AtomicReference<?>) value).get());
        }
        return structure(value);
    }

    /** As `+` joins it: a text as it is, anything else as JSON. */
    static String text(Object json) {
        return json instanceof String ? (String) json : Json.print(json);
    }

    private static Object structure(Object value) {
        if (value instanceof ByteBuffer) {
            return array(((ByteBuffer) value).duplicate());
        }
        if (value.getClass().isArray()) {
            return array(value);
        }
        if (value instanceof Map) {
            return again(() -> map((Map<?, ?>) value));
        }
        if (value instanceof Collection) {
            return again(() -> collection((Collection<?>) value));
        }
        throw new PathError("an object of " + Reflect.nameOf(value) + " is no value; go on to one of its fields"
            + Similar.hint("", Reflect.fieldNames(value.getClass())));
    }

    private static Object number(Number number) {
        if (number instanceof BigInteger) {
            return Json.narrow((BigInteger) number);
        }
        if (number.doubleValue() != Math.rint(number.doubleValue()) || number instanceof Double || number instanceof Float) {
            throw new PathError(number + " is a " + number.getClass().getSimpleName() + ", not an integer");
        }
        return number.longValue();
    }

    private static Object array(ByteBuffer bytes) {
        List<Object> items = new ArrayList<>();
        while (bytes.hasRemaining()) {
            items.add((long) (bytes.get() & 0xff));
        }
        return items;
    }

    private static Object array(Object array) {
        if (array instanceof byte[]) {
            return array(ByteBuffer.wrap((byte[]) array));
        }
        List<Object> items = new ArrayList<>();
        for (int i = 0; i < Array.getLength(array); i++) {
            items.add(toJson(Array.get(array, i)));
        }
        return items;
    }

    private static Object map(Map<?, ?> map) {
        Map<String, Object> fields = new TreeMap<>();
        map.forEach((key, value) -> fields.put(text(toJson(key)), toJson(value)));
        return fields;
    }

    private static Object collection(Collection<?> collection) {
        List<Object> items = new ArrayList<>();
        collection.forEach(item -> items.add(toJson(item)));
        if (collection instanceof Set) {
            items.sort((a, b) -> Json.print(a).compareTo(Json.print(b)));
        }
        return items;
    }

    private interface Reading {
        Object read();
    }

    /** Threads that no point covers may change a collection while it is read. */
    private static Object again(Reading reading) {
        for (int tries = 1; ; tries++) {
            try {
                return reading.read();
            } catch (ConcurrentModificationException error) {
                if (tries == TRIES_MAX) {
                    throw new PathError("it changes all the time: " + error);
                }
            }
        }
    }
}
