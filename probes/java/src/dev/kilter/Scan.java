package dev.kilter;

import org.objectweb.asm.Opcodes;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.ClassNode;
import org.objectweb.asm.tree.InsnNode;
import org.objectweb.asm.tree.LdcInsnNode;
import org.objectweb.asm.tree.MethodInsnNode;
import org.objectweb.asm.tree.MethodNode;

/** In all methods of a class, makes seen what wakes other threads and what reads the clock, and takes chance out of random numbers. */
final class Scan {
    private final ClassNode node;
    private final ClassLoader loader;
    private final Table table;

    Scan(ClassNode node, ClassLoader loader, Table table) {
        this.node = node;
        this.loader = loader;
        this.table = table;
    }

    void apply() {
        for (MethodNode method : node.methods) {
            for (AbstractInsnNode at : method.instructions.toArray()) {
                if (at instanceof MethodInsnNode) {
                    change(method, (MethodInsnNode) at);
                }
            }
        }
    }

    private void change(MethodNode method, MethodInsnNode call) {
        boolean noArgs = call.desc.startsWith("()");
        if (noArgs && call.desc.equals("()V") && (call.name.equals("notify") || call.name.equals("notifyAll"))) {
            method.instructions.set(call, Code.hook(call.name.equals("notify") ? "notifyOne" : "notifyEach", "(Ljava/lang/Object;)V"));
        } else if (table.seeded && call.owner.equals("java/util/Random") && call.name.equals("<init>") && noArgs) {
            method.instructions.insertBefore(call, new LdcInsnNode(seed()));
            call.desc = "(J)V";
        } else if (table.clock && call.owner.equals("java/lang/System") && (call.name.equals("nanoTime") || call.name.equals("currentTimeMillis"))) {
            method.instructions.set(call, Code.hook(call.name, "()J"));
        } else if (noArgs && call.name.equals("interrupt") && is(call, "java/lang/Thread")) {
            method.instructions.insertBefore(call, new InsnNode(Opcodes.DUP));
            method.instructions.insertBefore(call, Code.hook("interrupting", "(Ljava/lang/Object;)V"));
        } else if (call.owner.equals("java/util/concurrent/locks/LockSupport") && call.name.equals("unpark")) {
            method.instructions.set(call, Code.hook("unpark", "(Ljava/lang/Object;)V"));
        } else if (call.name.matches("(offer|add|put)(First|Last|All)?|push") && is(call, "java/util/Queue")) {
            method.instructions.insert(call, Code.hook("filled", "()V"));
        }
    }

    /** Another one for each node and class, and the same each time. */
    private long seed() {
        return (System.getenv("KILTER_NODE") + " " + node.name).hashCode();
    }

    private boolean is(MethodInsnNode call, String type) {
        return call.getOpcode() != Opcodes.INVOKESTATIC && Supertypes.of(call.owner, loader).contains(type);
    }
}
