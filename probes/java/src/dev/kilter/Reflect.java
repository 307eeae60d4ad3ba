package dev.kilter;

import java.lang.instrument.Instrumentation;
import java.lang.reflect.AccessibleObject;
import java.lang.reflect.Array;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Reads fields and calls methods of any class: private ones, inherited ones, those of closed modules. Faults are PathErrors. */
final class Reflect {
    /** Opens modules. */
    static Instrumentation instrumentation;

    private static final Map<Class<?>, Map<String, Field>> FIELDS = new ConcurrentHashMap<>();

    private Reflect() {}

    /** A class as the start of a path to its static fields and methods. */
    static final class StaticsOf {
        final Class<?> type;

        StaticsOf(Class<?> type) {
            this.type = type;
        }
    }

    static void forget() {
        FIELDS.clear();
    }

    static Object field(Object object, String name) {
        if (object.getClass().isArray() && name.equals("length")) {
            return Array.getLength(object);
        }
        Class<?> type = typeOf(object);
        Field field = FIELDS.computeIfAbsent(type, key -> new ConcurrentHashMap<>()).computeIfAbsent(name, key -> find(type, key));
        try {
            return field.get(object instanceof StaticsOf ? null : object);
        } catch (IllegalAccessException | NullPointerException error) {
            throw new PathError("field `" + name + "` of class " + type.getName() + " can't be read: " + error);
        }
    }

    static Object call(Object object, String name, Object[] args) {
        Class<?> type = typeOf(object);
        for (Method method : methods(type)) {
            if (method.getName().equals(name) && method.getParameterCount() == args.length) {
                Object[] fitted = fit(args, method.getParameterTypes());
                if (fitted != null) {
                    return invoke(method, object, fitted);
                }
            }
        }
        List<String> names = new ArrayList<>();
        methods(type).forEach(method -> names.add(method.getName() + (method.getParameterCount() == 0 ? "()" : "(…)")));
        throw new PathError("class " + type.getName() + " has no method `" + name + "` that takes these " + args.length + " arguments"
            + Similar.hint(name + "()", names));
    }

    static List<String> fieldNames(Class<?> type) {
        List<String> names = new ArrayList<>();
        for (Class<?> at = type; at != null && at != Object.class; at = at.getSuperclass()) {
            Arrays.stream(at.getDeclaredFields()).filter(field -> !field.isSynthetic()).forEach(field -> names.add(field.getName()));
        }
        return names;
    }

    static String nameOf(Object value) {
        return value instanceof StaticsOf ? "class " + ((StaticsOf) value).type.getName() : "class " + value.getClass().getName();
    }

    /** False if it is known that the class's static part has not run. */
    static boolean isInitialised(Class<?> type) {
        try {
            Class<?> unsafe = Class.forName("sun.misc.Unsafe");
            Field instance = unsafe.getDeclaredField("theUnsafe");
            instance.setAccessible(true);
            return !(Boolean) unsafe.getMethod("shouldBeInitialized", Class.class).invoke(instance.get(null), type);
        } catch (ReflectiveOperationException error) {
            return true; // A JDK that can't tell.
        }
    }

    private static Class<?> typeOf(Object object) {
        return object instanceof StaticsOf ? ((StaticsOf) object).type : object.getClass();
    }

    private static Field find(Class<?> type, String name) {
        for (Class<?> at : hierarchy(type)) {
            for (Field field : at.getDeclaredFields()) {
                if (field.getName().equals(name)) {
                    open(field, at);
                    return field;
                }
            }
        }
        throw new PathError("class " + type.getName() + " has no field `" + name + "`" + Similar.hint(name, fieldNames(type)));
    }

    private static List<Method> methods(Class<?> type) {
        List<Method> methods = new ArrayList<>();
        hierarchy(type).forEach(at -> Collections.addAll(methods, at.getDeclaredMethods()));
        return methods;
    }

    /** The class, its superclasses, and all their interfaces. */
    private static Set<Class<?>> hierarchy(Class<?> type) {
        Set<Class<?>> all = new LinkedHashSet<>();
        for (Class<?> at = type; at != null; at = at.getSuperclass()) {
            all.add(at);
        }
        for (Class<?> at : new ArrayList<>(all)) {
            addInterfaces(at, all);
        }
        return all;
    }

    private static void addInterfaces(Class<?> type, Set<Class<?>> all) {
        for (Class<?> face : type.getInterfaces()) {
            all.add(face);
            addInterfaces(face, all);
        }
    }

    private static Object invoke(Method method, Object object, Object[] args) {
        try {
            open(method, method.getDeclaringClass());
            return method.invoke(Modifier.isStatic(method.getModifiers()) ? null : object, args);
        } catch (InvocationTargetException error) {
            throw new PathError("`" + method.getName() + "` threw " + error.getCause());
        } catch (IllegalAccessException | IllegalArgumentException error) {
            throw new PathError("`" + method.getName() + "` can't be called: " + error);
        }
    }

    /** The arguments as the parameters want them, or null if they don't fit. */
    private static Object[] fit(Object[] args, Class<?>[] types) {
        Object[] fitted = new Object[args.length];
        for (int i = 0; i < args.length; i++) {
            fitted[i] = fit(args[i], types[i]);
            if (fitted[i] == null ? types[i].isPrimitive() || args[i] != null : !types[i].isPrimitive() && !types[i].isInstance(fitted[i])) {
                return null;
            }
        }
        return fitted;
    }

    /** Null if it can't be. Numbers of the table are Longs, whatever the method wants. */
    private static Object fit(Object arg, Class<?> type) {
        if (arg instanceof Number) {
            Number number = (Number) arg;
            if (type == int.class || type == Integer.class) {
                return number.intValue();
            }
            if (type == long.class || type == Long.class) {
                return number.longValue();
            }
            if (type == short.class || type == Short.class) {
                return number.shortValue();
            }
            return type == byte.class || type == Byte.class ? (Object) number.byteValue() : type.isPrimitive() ? null : arg;
        }
        if (type.isPrimitive()) {
            return type == boolean.class && arg instanceof Boolean || type == char.class && arg instanceof Character ? arg : null;
        }
        return type.isInstance(arg) ? arg : null;
    }

    private static void open(AccessibleObject member, Class<?> type) {
        try {
            member.setAccessible(true);
        } catch (RuntimeException closed) {
            // A module that does not open itself (Java 9 and later); java.lang.Module is not there in Java 8, for which we compile.
            try {
                openModule(type);
                member.setAccessible(true);
            } catch (ReflectiveOperationException | RuntimeException error) {
                throw new PathError("class " + type.getName() + " can't be opened: " + error);
            }
        }
    }

    private static void openModule(Class<?> type) throws ReflectiveOperationException {
        Class<?> moduleType = Class.forName("java.lang.Module");
        Method moduleOf = Class.class.getMethod("getModule");
        Map<String, Set<Object>> opens =
            Collections.singletonMap(type.getPackage().getName(), Collections.singleton(moduleOf.invoke(Reflect.class)));
        Instrumentation.class
            .getMethod("redefineModule", moduleType, Set.class, Map.class, Map.class, Set.class, Map.class)
            .invoke(instrumentation, moduleOf.invoke(type), Collections.emptySet(), Collections.emptyMap(), opens, Collections.emptySet(),
                Collections.emptyMap());
    }
}
