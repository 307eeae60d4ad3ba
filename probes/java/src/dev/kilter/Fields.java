package dev.kilter;

import java.util.Arrays;
import java.util.List;
import java.util.Map;

/** An object of the table, read field by field; knows where it stands, and which fields there may be. */
final class Fields {
    final String where;
    private final Map<?, ?> fields;

    Fields(Object json, String where, String... allowed) {
        this.where = where;
        if (!(json instanceof Map)) {
            throw new TableError(where + " must be a table");
        }
        fields = (Map<?, ?>) json;
        List<String> names = Arrays.asList(allowed);
        for (Object key : fields.keySet()) {
            if (allowed.length > 0 && !names.contains(key)) {
                throw new TableError(where + ": there is no key `" + key + "`" + Similar.hint((String) key, names));
            }
        }
    }

    boolean has(String key) {
        return fields.containsKey(key);
    }

    Object get(String key) {
        return fields.get(key);
    }

    Object need(String key) {
        if (!has(key)) {
            throw new TableError(where + ": the key `" + key + "` is missing");
        }
        return get(key);
    }

    Map<?, ?> all() {
        return fields;
    }

    String text(String key, String otherwise) {
        return has(key) ? typed(key, String.class, "a text") : otherwise;
    }

    String needText(String key) {
        need(key);
        return text(key, null);
    }

    boolean flag(String key) {
        return has(key) && typed(key, Boolean.class, "true or false");
    }

    int number(String key) {
        return has(key) ? typed(key, Long.class, "a number").intValue() : 0;
    }

    List<?> list(String key) {
        return has(key) ? typed(key, List.class, "a list") : Arrays.asList();
    }

    private <T> T typed(String key, Class<T> type, String what) {
        if (!type.isInstance(get(key))) {
            throw new TableError(where + ": `" + key + "` must be " + what);
        }
        return type.cast(get(key));
    }
}
