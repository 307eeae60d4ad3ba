import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.Collections;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.commons.ClassRemapper;
import org.objectweb.asm.commons.Remapper;

/**
 * Copies class files, with ASM moved into the package dev.kilter.asm, so that it can't clash with an ASM of the system under test.
 *
 * <p>Relocate OUT IN..., where each IN is a jar or a folder.
 */
final class Relocate extends Remapper {
    private static final String FROM = "org/objectweb/asm/";
    private static final String TO = "dev/kilter/asm/";

    @Override
    public String map(String name) {
        return name.startsWith(FROM) ? TO + name.substring(FROM.length()) : name;
    }

    public static void main(String[] args) throws IOException {
        Path out = Paths.get(args[0]);
        for (int i = 1; i < args.length; i++) {
            if (Files.isDirectory(Paths.get(args[i]))) {
                copyFolder(Paths.get(args[i]), out);
            } else {
                copyJar(args[i], out);
            }
        }
    }

    private static void copyFolder(Path folder, Path out) throws IOException {
        for (Path file : (Iterable<Path>) Files.walk(folder).filter(path -> path.toString().endsWith(".class"))::iterator) {
            copy(Files.readAllBytes(file), out);
        }
    }

    private static void copyJar(String jar, Path out) throws IOException {
        try (ZipFile zip = new ZipFile(jar)) {
            for (ZipEntry entry : Collections.list(zip.entries())) {
                if (entry.getName().startsWith(FROM) && entry.getName().endsWith(".class")) {
                    try (InputStream in = zip.getInputStream(entry)) {
                        copy(in.readAllBytes(), out);
                    }
                }
            }
        }
    }

    private static void copy(byte[] file, Path out) throws IOException {
        ClassReader reader = new ClassReader(file);
        ClassWriter writer = new ClassWriter(0);
        Relocate relocate = new Relocate();
        reader.accept(new ClassRemapper(writer, relocate), 0);
        Path path = out.resolve(relocate.map(reader.getClassName()) + ".class");
        Files.createDirectories(path.getParent());
        Files.write(path, writer.toByteArray());
    }
}
