package dev.kilter;

import java.lang.instrument.ClassFileTransformer;
import java.security.ProtectionDomain;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.tree.ClassNode;

/**
 * Changes the classes that the table or an annotation names, when they are loaded.
 *
 * Methods get straight-line code only, so that their stack map frames stay valid as they are; where a try block is needed, it goes into a
 * method of its own. So class files of any version work, and nothing is computed about the system's types.
 */
final class Instrument implements ClassFileTransformer {
    /** The newest version that our ASM knows. Later ones have the same format, so far as we touch it. */
    private static final int MAJOR_MAX = Opcodes.V20;

    private final Table table;
    /** What classes became that may be loaded again, in another life; an empty array for those that stay as they are. */
    private final Map<String, byte[]> known = new ConcurrentHashMap<>();
    private static final byte[] AS_IT_IS = new byte[0];
    /** Without a testbed, only mutations apply. */
    private final boolean controlled;

    Instrument(Table table, boolean controlled) {
        this.table = table;
        this.controlled = controlled;
    }

    static boolean isOfJdk(String className) {
        return className.matches("(java|javax|jdk|sun|com/sun)/.*");
    }

    static ClassReader reader(byte[] file) {
        return new ClassReader(ClassFile.withMajor(file, Math.min(ClassFile.major(file), MAJOR_MAX)));
    }

    @Override
    public byte[] transform(ClassLoader loader, String className, Class<?> old, ProtectionDomain domain, byte[] file) {
        if (className == null || loader == null || old != null || isOfJdk(className) || className.startsWith("dev/kilter/")) {
            return null;
        }
        try {
            String name = className.replace('/', '.');
            table.names.loaded(name, loader);
            byte[] changed = table.again ? known.get(name) : null;
            if (changed == null) {
                changed = changed(loader, name, file);
                changed = changed == null ? AS_IT_IS : changed;
                if (table.again) {
                    known.put(name, changed);
                }
            }
            return changed == AS_IT_IS ? null : changed;
        } catch (TableError error) {
            throw Fail.halt(error.getMessage());
        } catch (Throwable error) {
            // The JVM would swallow it, and run the class as it was.
            error.printStackTrace();
            throw Fail.halt("class " + className.replace('/', '.') + " can't be changed: " + error);
        }
    }

    private byte[] changed(ClassLoader loader, String name, byte[] file) {
        List<Mutation> mutations = new ArrayList<>();
        table.mutations.stream().filter(mutation -> mutation.in.owner.equals(name)).forEach(mutations::add);
        boolean annotated = controlled && ClassFile.mentionsUs(file);
        boolean scanned = controlled && table.scans(name);
        boolean made = controlled && table.names.anyOf(name);
        boolean mapped = controlled && table.points.stream().anyMatch(point -> point.in.owner.equals(name));
        if (mutations.isEmpty() && !annotated && !scanned && !made && !mapped) {
            return null;
        }
        ClassNode node = new ClassNode();
        ClassReader reader = reader(file);
        // Before Java 6 there are no stack map frames; ASM would refuse to write what a compiler of then has left there.
        reader.accept(node, ClassFile.major(file) < Opcodes.V1_6 ? ClassReader.SKIP_FRAMES : 0);
        for (Mutation mutation : mutations) {
            if (mutation.result != null && !controlled) {
                throw new TableError(mutation.where + ": `result` needs a testbed");
            }
            new Mutator(node, loader).apply(mutation);
        }
        if (controlled) {
            weave(node, loader, name, scanned);
        }
        ClassWriter writer = new ClassWriter(reader, ClassWriter.COMPUTE_MAXS);
        node.accept(writer);
        return ClassFile.withMajor(writer.toByteArray(), ClassFile.major(file));
    }

    private void weave(ClassNode node, ClassLoader loader, String name, boolean scanned) {
        new Annotated(table, loader).read(node);
        table.loaded.add(name);
        List<Integer> here = new ArrayList<>();
        for (int i = 0; i < table.points.size(); i++) {
            if (table.points.get(i).in.owner.equals(name)) {
                here.add(i);
            }
        }
        // The scan comes first: points replace calls by methods of their own, which must do what scanned code does.
        if (scanned) {
            new Scan(node, loader, table).apply();
        }
        new PointWeaver(node, loader, table.points).apply(here);
        if (table.names.anyOf(name)) {
            Constructors.announce(node, name);
        }
    }
}
