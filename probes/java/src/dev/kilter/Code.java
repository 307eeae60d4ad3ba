package dev.kilter;

import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.InsnList;
import org.objectweb.asm.tree.InsnNode;
import org.objectweb.asm.tree.LdcInsnNode;
import org.objectweb.asm.tree.MethodInsnNode;
import org.objectweb.asm.tree.TypeInsnNode;
import org.objectweb.asm.tree.VarInsnNode;

/** Small pieces of bytecode. */
final class Code {
    static final String HOOKS = "dev/kilter/Hooks";
    static final Type OBJECT = Type.getType(Object.class);

    private Code() {}

    static boolean isStatic(int access) {
        return (access & Opcodes.ACC_STATIC) != 0;
    }

    static boolean isReturn(AbstractInsnNode instruction) {
        return instruction.getOpcode() >= Opcodes.IRETURN && instruction.getOpcode() <= Opcodes.RETURN;
    }

    static boolean isConstructorCall(MethodInsnNode call) {
        return call.name.equals("<init>");
    }

    static MethodInsnNode hook(String name, String descriptor) {
        return new MethodInsnNode(Opcodes.INVOKESTATIC, HOOKS, name, descriptor, false);
    }

    static void push(InsnList code, int number) {
        code.add(new LdcInsnNode(number));
    }

    static void pushNull(InsnList code) {
        code.add(new InsnNode(Opcodes.ACONST_NULL));
    }

    /** 0, false, null, or nothing for void. */
    static void pushDefault(InsnList code, Type type) {
        switch (type.getSort()) {
            case Type.VOID: break;
            case Type.LONG: code.add(new InsnNode(Opcodes.LCONST_0)); break;
            case Type.FLOAT: code.add(new InsnNode(Opcodes.FCONST_0)); break;
            case Type.DOUBLE: code.add(new InsnNode(Opcodes.DCONST_0)); break;
            case Type.OBJECT: case Type.ARRAY: pushNull(code); break;
            default: code.add(new InsnNode(Opcodes.ICONST_0));
        }
    }

    static void load(InsnList code, Type type, int variable) {
        code.add(new VarInsnNode(type.getOpcode(Opcodes.ILOAD), variable));
    }

    static void store(InsnList code, Type type, int variable) {
        code.add(new VarInsnNode(type.getOpcode(Opcodes.ISTORE), variable));
    }

    static void dup(InsnList code, Type type) {
        code.add(new InsnNode(type.getSize() == 2 ? Opcodes.DUP2 : Opcodes.DUP));
    }

    static void pop(InsnList code, Type type) {
        code.add(new InsnNode(type.getSize() == 2 ? Opcodes.POP2 : Opcodes.POP));
    }

    /** A value on the stack becomes an object. */
    static void box(InsnList code, Type type) {
        String wrapper = wrapper(type);
        if (wrapper != null) {
            String descriptor = "(" + type.getDescriptor() + ")L" + wrapper + ";";
            code.add(new MethodInsnNode(Opcodes.INVOKESTATIC, wrapper, "valueOf", descriptor, false));
        }
    }

    static void cast(InsnList code, Type type) {
        if (!type.equals(OBJECT)) {
            code.add(new TypeInsnNode(Opcodes.CHECKCAST, type.getInternalName()));
        }
    }

    private static String wrapper(Type type) {
        switch (type.getSort()) {
            case Type.BOOLEAN: return "java/lang/Boolean";
            case Type.CHAR: return "java/lang/Character";
            case Type.BYTE: return "java/lang/Byte";
            case Type.SHORT: return "java/lang/Short";
            case Type.INT: return "java/lang/Integer";
            case Type.LONG: return "java/lang/Long";
            case Type.FLOAT: return "java/lang/Float";
            case Type.DOUBLE: return "java/lang/Double";
            default: return null;
        }
    }
}
