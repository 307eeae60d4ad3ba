package dev.kilter;

import org.objectweb.asm.Opcodes;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.ClassNode;
import org.objectweb.asm.tree.InsnList;
import org.objectweb.asm.tree.LdcInsnNode;
import org.objectweb.asm.tree.MethodInsnNode;
import org.objectweb.asm.tree.MethodNode;

/** What is special about constructors: `this` can't be used before the constructor of the superclass has run. */
final class Constructors {
    private Constructors() {}

    /** Makes each constructor announce the instance: the names of [java.objects] mean the one that was made last. */
    static void announce(ClassNode node, String className) {
        for (MethodNode method : node.methods) {
            if (method.name.equals("<init>")) {
                InsnList code = new InsnList();
                code.add(new LdcInsnNode(className));
                Code.load(code, Code.OBJECT, 0);
                code.add(Code.hook("made", "(Ljava/lang/String;Ljava/lang/Object;)V"));
                method.instructions.insertBefore(firstOf(method), code);
            }
        }
    }

    /** The first instruction before which code can use `this`. */
    static AbstractInsnNode firstOf(MethodNode method) {
        if (!method.name.equals("<init>")) {
            return method.instructions.getFirst();
        }
        int nUnfinished = 0;
        for (AbstractInsnNode at = method.instructions.getFirst(); at != null; at = at.getNext()) {
            if (at.getOpcode() == Opcodes.NEW) {
                nUnfinished++;
            } else if (at instanceof MethodInsnNode && Code.isConstructorCall((MethodInsnNode) at) && nUnfinished-- == 0) {
                return at.getNext();
            }
        }
        throw new TableError("a constructor of " + method.desc + " never calls that of its superclass");
    }
}
