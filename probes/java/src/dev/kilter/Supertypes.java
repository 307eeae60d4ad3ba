package dev.kilter;

import java.io.IOException;
import java.io.InputStream;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.ConcurrentHashMap;
import org.objectweb.asm.ClassReader;

/** The supertypes of a class, read from class files: to load a class only to look at it would change the system. */
final class Supertypes {
    private static final Map<ClassLoader, Map<String, Set<String>>> KNOWN = Collections.synchronizedMap(new WeakHashMap<>());

    private Supertypes() {}

    /** Names with slashes; the class itself is among them. */
    static Set<String> of(String className, ClassLoader loader) {
        Map<String, Set<String>> known = KNOWN.computeIfAbsent(loader, key -> new ConcurrentHashMap<>());
        Set<String> all = known.get(className);
        if (all == null) {
            all = new LinkedHashSet<>();
            add(className, loader, all);
            known.put(className, all);
        }
        return all;
    }

    private static void add(String className, ClassLoader loader, Set<String> all) {
        if (className == null || !all.add(className) || className.startsWith("[")) {
            return;
        }
        try (InputStream file = loader.getResourceAsStream(className + ".class")) {
            if (file != null) {
                ClassReader reader = Instrument.reader(ClassFile.bytes(file));
                add(reader.getSuperName(), loader, all);
                for (String face : reader.getInterfaces()) {
                    add(face, loader, all);
                }
            }
        } catch (IOException error) {
            throw new TableError("can't read class " + className + ": " + error);
        }
    }
}
