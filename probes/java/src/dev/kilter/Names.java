package dev.kilter;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;

/** What a path can start with besides the place it is read at: objects that have a name, and classes. */
final class Names {
    private final Map<String, String> classOf = new ConcurrentSkipListMap<>();
    private final Map<String, Object> madeLast = new ConcurrentHashMap<>();
    /** The loaders of the classes whose static fields or methods some path uses. */
    private final Map<String, ClassLoader> loaders = new ConcurrentHashMap<>();
    private final Map<String, Class<?>> classes = new ConcurrentHashMap<>();
    private final Map<String, Boolean> statics = new ConcurrentHashMap<>();

    void add(String name, String className) {
        classOf.put(name, className);
    }

    boolean has(String name) {
        return classOf.containsKey(name);
    }

    Map<String, String> all() {
        return classOf;
    }

    boolean anyOf(String className) {
        return classOf.containsValue(className);
    }

    void made(String className, Object instance) {
        madeLast.put(className, instance);
    }

    /** Forgets all instances and classes, because others take their place. */
    void forget() {
        madeLast.clear();
        loaders.clear();
        classes.clear();
    }

    /** The instance that was made last, or null. */
    Object instance(String name) {
        return madeLast.get(classOf.get(name));
    }

    void useStatics(String className) {
        statics.put(className, true);
    }

    void loaded(String className, ClassLoader loader) {
        if (statics.containsKey(className)) {
            loaders.put(className, loader);
        }
    }

    boolean usesStatics(String className) {
        return statics.containsKey(className);
    }

    /** The class, or null as long as it is not initialised: reading a field must not run the system's own start. */
    Class<?> type(String className) {
        Class<?> known = classes.get(className);
        if (known != null) {
            return known;
        }
        boolean ofJdk = Instrument.isOfJdk(className.replace('.', '/'));
        if (!ofJdk && !loaders.containsKey(className)) {
            return null;
        }
        try {
            Class<?> type = Class.forName(className, ofJdk, ofJdk ? null : loaders.get(className));
            if (!Reflect.isInitialised(type)) {
                return null;
            }
            classes.put(className, type);
            return type;
        } catch (ClassNotFoundException error) {
            // The loader has shown the class to us, and is still busy with it; or the JDK has no such class.
            if (ofJdk) {
                throw new PathError("there is no class " + className);
            }
            return null;
        }
    }
}
