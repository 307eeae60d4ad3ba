package dev.kilter;

import java.util.List;
import java.util.Objects;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.ClassNode;
import org.objectweb.asm.tree.InsnList;
import org.objectweb.asm.tree.InsnNode;
import org.objectweb.asm.tree.IntInsnNode;
import org.objectweb.asm.tree.LdcInsnNode;
import org.objectweb.asm.tree.MethodInsnNode;
import org.objectweb.asm.tree.MethodNode;

/** Puts the table's faults into a class. */
final class Mutator {
    private final ClassNode node;
    private final ClassLoader loader;

    Mutator(ClassNode node, ClassLoader loader) {
        this.node = node;
        this.loader = loader;
    }

    void apply(Mutation mutation) {
        MethodNode method = Calls.method(node, mutation.in, mutation.where);
        switch (mutation.kind) {
            case "leave-out": leaveOut(method, mutation); break;
            case "return": returnAtOnce(method, mutation); break;
            case "constant": changeConstant(method, mutation); break;
            default: swap(method, mutation);
        }
    }

    private void leaveOut(MethodNode method, Mutation mutation) {
        for (MethodInsnNode call : Calls.calls(method, mutation.call, mutation.nth, mutation.where, loader)) {
            method.instructions.insertBefore(call, leftOut(call, mutation.where));
            method.instructions.remove(call);
        }
    }

    /** Takes the arguments of a call from the stack, and leaves 0, false or null as its result. */
    static InsnList leftOut(MethodInsnNode call, String where) {
        if (Code.isConstructorCall(call)) {
            throw new TableError(where + ": a constructor can't be left out");
        }
        InsnList code = new InsnList();
        Type[] types = Type.getArgumentTypes(call.desc);
        for (int i = types.length - 1; i >= 0; i--) {
            Code.pop(code, types[i]);
        }
        if (call.getOpcode() != Opcodes.INVOKESTATIC) {
            Code.pop(code, Code.OBJECT);
        }
        Code.pushDefault(code, Type.getReturnType(call.desc));
        return code;
    }

    private static void returnAtOnce(MethodNode method, Mutation mutation) {
        if (method.name.equals("<init>")) {
            throw new TableError(mutation.where + ": a constructor can't return at once");
        }
        Type type = Type.getReturnType(method.desc);
        method.instructions.clear();
        method.tryCatchBlocks.clear();
        method.localVariables = null;
        method.visibleLocalVariableAnnotations = null;
        method.invisibleLocalVariableAnnotations = null;
        if (mutation.result != null) {
            computeResult(method, mutation, type);
        } else if (mutation.value == null) {
            Code.pushDefault(method.instructions, type);
        } else {
            method.instructions.add(new LdcInsnNode(constant(mutation.value, type, mutation.where)));
        }
        method.instructions.add(new InsnNode(type.getOpcode(Opcodes.IRETURN)));
    }

    /** Pushes what the expression gives. */
    private static void computeResult(MethodNode method, Mutation mutation, Type type) {
        if (type.getSort() < Type.BOOLEAN || type.getSort() > Type.LONG || type.getSort() == Type.FLOAT) {
            throw new TableError(mutation.where + ": `result` is for methods that return boolean or an integer, not " + type.getClassName());
        }
        InsnList code = method.instructions;
        boolean isStatic = Code.isStatic(method.access);
        Code.push(code, mutation.number);
        if (isStatic) {
            Code.pushNull(code);
        } else {
            Code.load(code, Code.OBJECT, 0);
        }
        Type[] types = Type.getArgumentTypes(method.desc);
        HookCode.beginArray(code, types.length);
        int variable = isStatic ? 0 : 1;
        for (int i = 0; i < types.length; i++) {
            HookCode.addItem(code, i, types[i], variable);
            variable += types[i].getSize();
        }
        code.add(Code.hook("result", "(ILjava/lang/Object;[Ljava/lang/Object;)J"));
        if (type.getSort() != Type.LONG) {
            code.add(new InsnNode(Opcodes.L2I));
        }
    }

    private static Object constant(Object value, Type type, String where) {
        if (value instanceof Long && type.getSort() == Type.LONG) {
            return value;
        }
        if (value instanceof Long && type.getSort() >= Type.CHAR && type.getSort() <= Type.INT) {
            return ((Long) value).intValue();
        }
        if (value instanceof Boolean && type.getSort() == Type.BOOLEAN) {
            return (Boolean) value ? 1 : 0;
        }
        if (value instanceof String && type.getDescriptor().equals("Ljava/lang/String;")) {
            return value;
        }
        throw new TableError(where + ": " + Json.print(value) + " is no value of type " + type.getClassName());
    }

    private static void changeConstant(MethodNode method, Mutation mutation) {
        int nFound = 0;
        for (AbstractInsnNode at : method.instructions.toArray()) {
            Object constant = constant(at);
            if (constant != null && Objects.equals(Values.toJson(constant), number(mutation.from))) {
                nFound++;
                if (mutation.nth == 0 || mutation.nth == nFound) {
                    method.instructions.set(at, new LdcInsnNode(like(constant, mutation)));
                }
            }
        }
        if (nFound == 0 || nFound < mutation.nth) {
            throw new TableError(mutation.where + ": the constant " + Json.print(mutation.from) + " is there " + nFound + " times");
        }
    }

    private static Object number(Object value) {
        return value instanceof Boolean ? (Object) ((Boolean) value ? 1L : 0L) : value;
    }

    private static Object like(Object constant, Mutation mutation) {
        Object to = number(mutation.to);
        if (constant instanceof String ? to instanceof String : to instanceof Long) {
            return constant instanceof Integer ? (Object) ((Long) to).intValue() : to;
        }
        throw new TableError(mutation.where + ": " + Json.print(mutation.from) + " can't become " + Json.print(mutation.to));
    }

    /** What an instruction pushes, if it is an integer or a text. */
    private static Object constant(AbstractInsnNode at) {
        int opcode = at.getOpcode();
        if (opcode >= Opcodes.ICONST_M1 && opcode <= Opcodes.ICONST_5) {
            return opcode - Opcodes.ICONST_0;
        }
        if (opcode == Opcodes.LCONST_0 || opcode == Opcodes.LCONST_1) {
            return (long) (opcode - Opcodes.LCONST_0);
        }
        if (opcode == Opcodes.BIPUSH || opcode == Opcodes.SIPUSH) {
            return ((IntInsnNode) at).operand;
        }
        Object loaded = at instanceof LdcInsnNode ? ((LdcInsnNode) at).cst : null;
        return loaded instanceof Integer || loaded instanceof Long || loaded instanceof String ? loaded : null;
    }

    private void swap(MethodNode method, Mutation mutation) {
        List<MethodInsnNode> first = Calls.calls(method, mutation.call, mutation.nth, mutation.where, loader);
        List<MethodInsnNode> second = Calls.calls(method, mutation.with, mutation.nth, mutation.where, loader);
        MethodInsnNode a = copy(first.get(0));
        MethodInsnNode b = copy(second.get(0));
        if (!a.desc.equals(b.desc) || (a.getOpcode() == Opcodes.INVOKESTATIC) != (b.getOpcode() == Opcodes.INVOKESTATIC)) {
            throw new TableError(mutation.where + ": " + MethodName.shown(a.name, a.desc) + " and " + MethodName.shown(b.name, b.desc)
                + " take or give different things");
        }
        if (!a.owner.equals(b.owner) && a.getOpcode() != Opcodes.INVOKESTATIC) {
            throw new TableError(mutation.where + ": the two methods belong to different classes");
        }
        first.forEach(call -> method.instructions.set(call, copy(b)));
        second.forEach(call -> method.instructions.set(call, copy(a)));
    }

    private static MethodInsnNode copy(MethodInsnNode call) {
        return new MethodInsnNode(call.getOpcode(), call.owner, call.name, call.desc, call.itf);
    }
}
