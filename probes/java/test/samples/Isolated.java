package sample;

import java.io.File;
import java.net.URL;
import java.net.URLClassLoader;

/** Runs Counter by a class loader whose only parent is the bootstrap loader. */
public class Isolated {
    public static void main(String[] args) throws Exception {
        try (URLClassLoader loader = new URLClassLoader(new URL[] {new File(args[0]).toURI().toURL()}, null)) {
            loader.loadClass("sample.Counter").getMethod("main", String[].class).invoke(null, (Object) new String[0]);
        }
    }
}
