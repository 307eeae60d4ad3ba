package dev.kilter;

import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.lang.instrument.UnmodifiableClassException;
import java.net.DatagramSocket;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.channels.spi.AbstractSelectableChannel;
import java.nio.channels.spi.AbstractSelector;
import java.security.ProtectionDomain;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ThreadPoolExecutor;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.ClassNode;
import org.objectweb.asm.tree.InsnList;
import org.objectweb.asm.tree.MethodNode;

/** Changes a few classes of the JDK, so that we see what a system opens, and so that a life that is over can't open anything or end the JVM. */
final class JdkWeaver implements ClassFileTransformer {
    /** What others could hear of. A life that is over can't make any more of these. */
    private static final List<Class<?>> CONNECTIONS = Arrays.asList(Socket.class, ServerSocket.class, DatagramSocket.class,
        AbstractSelectableChannel.class);
    /** Java itself may make one of these while it initialises a class, which must not fail: that class would be lost for all lives. */
    private static final List<Class<?>> OTHERS = Arrays.asList(AbstractSelector.class, ThreadPoolExecutor.class, ForkJoinPool.class);

    private JdkWeaver() {}

    static void weave(Instrumentation instrumentation) {
        List<Class<?>> classes = new ArrayList<>(CONNECTIONS);
        classes.addAll(OTHERS);
        classes.add(Runtime.class);
        JdkWeaver weaver = new JdkWeaver();
        instrumentation.addTransformer(weaver, true);
        try {
            instrumentation.retransformClasses(classes.toArray(new Class<?>[0]));
        } catch (UnmodifiableClassException error) {
            throw new TableError("this JVM does not let the agent see sockets: " + error);
        } finally {
            instrumentation.removeTransformer(weaver);
        }
    }

    @Override
    public byte[] transform(ClassLoader loader, String name, Class<?> old, ProtectionDomain domain, byte[] file) {
        // A class that is loaded while another is changed may come with the other as `old`.
        boolean isOld = old != null && old.getName().replace('.', '/').equals(name);
        if (!isOld || old != Runtime.class && !CONNECTIONS.contains(old) && !OTHERS.contains(old)) {
            return null;
        }
        ClassNode node = new ClassNode();
        ClassReader reader = Instrument.reader(file);
        reader.accept(node, 0);
        for (MethodNode method : node.methods) {
            if (old != Runtime.class && method.name.equals("<init>")) {
                announce(method);
                if (CONNECTIONS.contains(old)) {
                    method.instructions.insert(Code.hook("checkLife", "()V"));
                }
            } else if (old == Runtime.class && (method.name.equals("exit") || method.name.equals("halt"))) {
                method.instructions.insert(Code.hook("checkLife", "()V"));
            }
        }
        ClassWriter writer = new ClassWriter(reader, ClassWriter.COMPUTE_MAXS);
        node.accept(writer);
        return ClassFile.withMajor(writer.toByteArray(), ClassFile.major(file));
    }

    private static void announce(MethodNode constructor) {
        for (AbstractInsnNode at : constructor.instructions.toArray()) {
            if (Code.isReturn(at)) {
                InsnList code = new InsnList();
                Code.load(code, Code.OBJECT, 0);
                code.add(Code.hook("opened", "(Ljava/lang/Object;)V"));
                constructor.instructions.insertBefore(at, code);
            }
        }
    }
}
