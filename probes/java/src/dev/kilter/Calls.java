package dev.kilter;

import java.util.ArrayList;
import java.util.List;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.ClassNode;
import org.objectweb.asm.tree.MethodInsnNode;
import org.objectweb.asm.tree.MethodNode;

/** Finds methods and calls that the table names. That there is none is an error, with what is similar. */
final class Calls {
    private Calls() {}

    static MethodNode method(ClassNode node, MethodName name, String where) {
        List<MethodNode> fitting = new ArrayList<>();
        List<String> names = new ArrayList<>();
        List<String> overloads = new ArrayList<>();
        for (MethodNode method : node.methods) {
            boolean hasCode = (method.access & (Opcodes.ACC_ABSTRACT | Opcodes.ACC_NATIVE | Opcodes.ACC_BRIDGE)) == 0;
            if (hasCode && !method.name.equals("<clinit>")) {
                names.add(method.name);
                if (method.name.equals(name.method)) {
                    overloads.add(MethodName.shown(method.name, method.desc));
                }
                if (name.fits(method.name, method.desc)) {
                    fitting.add(method);
                }
            }
        }
        if (fitting.size() == 1) {
            return fitting.get(0);
        }
        String what = fitting.isEmpty() ? "declares no such method" : "has several methods of this name; add the parameter types";
        throw new TableError(where + ": class " + name.owner + " " + what
            + (overloads.isEmpty() ? Similar.hint(name.method, names) : "; there are: `" + String.join("`, `", overloads) + "`"));
    }

    static List<MethodInsnNode> calls(MethodNode method, MethodName name, int nth, String where, ClassLoader loader) {
        List<MethodInsnNode> fitting = new ArrayList<>();
        List<String> others = new ArrayList<>();
        for (AbstractInsnNode at : method.instructions) {
            if (at instanceof MethodInsnNode) {
                MethodInsnNode call = (MethodInsnNode) at;
                if (name.fits(call.name, call.desc) && ownerFits(name, call.owner, loader)) {
                    fitting.add(call);
                } else {
                    others.add(call.owner.substring(call.owner.lastIndexOf('/') + 1) + "." + call.name);
                }
            }
        }
        if (nth > fitting.size() || fitting.isEmpty()) {
            String what = fitting.isEmpty() ? "no call of " + name + " there" : "only " + fitting.size() + " calls of " + name + " there";
            throw new TableError(where + ": " + what + Similar.hint(name.toString(), others));
        }
        return nth == 0 ? fitting : fitting.subList(nth - 1, nth);
    }

    /** `Queue.poll` means a call of LinkedBlockingQueue.poll too. */
    private static boolean ownerFits(MethodName name, String owner, ClassLoader loader) {
        if (name.ownedBy(owner.replace('/', '.'))) {
            return true;
        }
        return Supertypes.of(owner, loader).stream().anyMatch(type -> name.ownedBy(type.replace('/', '.')));
    }
}
