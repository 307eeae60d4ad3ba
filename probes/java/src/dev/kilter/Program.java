package dev.kilter;

import java.io.File;
import java.io.IOException;
import java.lang.reflect.Method;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.jar.Attributes;
import java.util.jar.JarFile;

/** What the command line starts: a class path, a main class, and its arguments. */
final class Program {
    final String mainClass;
    final String[] args;
    private final URL[] classPath;

    private Program(String mainClass, String[] args, URL[] classPath) {
        this.mainClass = mainClass;
        this.args = args;
        this.classPath = classPath;
    }

    /** Throws TableError. */
    static Program ofThisProcess() {
        String command = System.getProperty("sun.java.command", "");
        String[] words = split(command);
        String path = System.getProperty("java.class.path", "");
        String mainClass = words[0];
        // With -jar, the class path is that jar, which says the rest.
        if (mainClass.endsWith(".jar") && new File(mainClass).isFile()) {
            try (JarFile jar = new JarFile(mainClass)) {
                Attributes attributes = jar.getManifest().getMainAttributes();
                mainClass = attributes.getValue(Attributes.Name.MAIN_CLASS);
            } catch (IOException error) {
                throw new TableError("the jar " + mainClass + " can't be read: " + error);
            }
        }
        int slash = mainClass.indexOf('/');
        if (slash >= 0 || mainClass.isEmpty()) {
            throw new TableError("the main class can't be found in the command `" + command + "`, so the program can't be started again; "
                + "leave `reset` out");
        }
        return new Program(mainClass, Arrays.copyOfRange(words, 1, words.length), urls(path));
    }

    /** The words of the command. They may have spaces in them; the operating system knows where they end. */
    private static String[] split(String command) {
        try {
            Class<?> handles = Class.forName("java.lang.ProcessHandle");
            Object info = handles.getMethod("info").invoke(handles.getMethod("current").invoke(null));
            Method arguments = Class.forName("java.lang.ProcessHandle$Info").getMethod("arguments");
            Object found = arguments.invoke(info);
            String[] all = (String[]) found.getClass().getMethod("orElse", Object.class).invoke(found, (Object) null);
            for (int from = 0; all != null && from < all.length; from++) {
                String[] rest = Arrays.copyOfRange(all, from, all.length);
                if (String.join(" ", rest).equals(command)) {
                    return rest;
                }
            }
        } catch (ReflectiveOperationException java8) {
            // There is no such class before Java 9.
        }
        return command.split(" ");
    }

    private static URL[] urls(String path) {
        List<URL> urls = new ArrayList<>();
        for (String part : path.split(File.pathSeparator)) {
            try {
                urls.add(new File(part.isEmpty() ? "." : part).toURI().toURL());
            } catch (MalformedURLException error) {
                throw new TableError("`" + part + "` of the class path can't be used: " + error);
            }
        }
        return urls.toArray(new URL[0]);
    }

    /** A class loader with nothing in it yet. */
    URLClassLoader loader() {
        return new URLClassLoader(classPath, ClassLoader.getSystemClassLoader().getParent());
    }

    void run(ClassLoader loader) throws Throwable {
        Method main = Class.forName(mainClass, true, loader).getMethod("main", String[].class);
        main.setAccessible(true);
        try {
            main.invoke(null, (Object) args.clone());
        } catch (java.lang.reflect.InvocationTargetException error) {
            throw error.getCause();
        }
    }
}
