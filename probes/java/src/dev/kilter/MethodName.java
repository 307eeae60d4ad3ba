package dev.kilter;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.objectweb.asm.Type;

/** A method as the table names it: `org.example.Peer.handle(Packet, long)`, with parameter types only where they are needed. */
final class MethodName {
    /** The name of the class, with dots; in calls it may be the simple name. */
    final String owner;
    final String method;
    private final String text;
    /** Null if any types will do. */
    private final List<String> types;

    MethodName(String text, String where) {
        this.text = text;
        int open = text.indexOf('(');
        String path = (open < 0 ? text : text.substring(0, open)).trim();
        int dot = path.lastIndexOf('.');
        if (dot <= 0 || dot == path.length() - 1 || open >= 0 && !text.trim().endsWith(")")) {
            throw new TableError(where + ": `" + text + "` is no method; write `Class.method` or `Class.method(type, type)`");
        }
        owner = path.substring(0, dot);
        method = path.substring(dot + 1);
        types = open < 0 ? null : split(text.substring(open + 1, text.lastIndexOf(')')));
    }

    private static List<String> split(String text) {
        List<String> types = new ArrayList<>();
        for (String type : text.trim().isEmpty() ? new String[0] : text.split(",")) {
            types.add(type.trim());
        }
        return types;
    }

    /** Whether this is the method, in a class that is known to be the right one. */
    boolean fits(String name, String descriptor) {
        return name.equals(method) && (types == null || typesFit(Type.getArgumentTypes(descriptor)));
    }

    /** Whether a class is the owner: by its full name, or by its simple name. */
    boolean ownedBy(String className) {
        return sameType(owner, className);
    }

    private boolean typesFit(Type[] actual) {
        if (actual.length != types.size()) {
            return false;
        }
        for (int i = 0; i < actual.length; i++) {
            if (!sameType(types.get(i), actual[i].getClassName())) {
                return false;
            }
        }
        return true;
    }

    /** `Map$Entry` and `Map.Entry` are the same; a simple name fits a full one. */
    private static boolean sameType(String wanted, String actual) {
        String full = actual.replace('$', '.');
        String short_ = wanted.replace('$', '.');
        return full.equals(short_) || full.endsWith("." + short_);
    }

    /** A method as messages show it: `handle(org.example.Packet)`. */
    static String shown(String name, String descriptor) {
        List<String> types = new ArrayList<>();
        Arrays.asList(Type.getArgumentTypes(descriptor)).forEach(type -> types.add(type.getClassName()));
        return name + "(" + String.join(", ", types) + ")";
    }

    @Override
    public String toString() {
        return text;
    }
}
