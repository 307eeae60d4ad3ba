package dev.kilter;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.FrameNode;
import org.objectweb.asm.tree.InsnList;
import org.objectweb.asm.tree.InsnNode;
import org.objectweb.asm.tree.LocalVariableNode;
import org.objectweb.asm.tree.MethodNode;
import org.objectweb.asm.tree.TypeInsnNode;

/** The call of a hook, with what the expressions of its point need and nothing else. */
final class HookCode {
    private final MethodNode method;
    private final Point point;
    private final int number;
    private final Set<String> roots;
    private final List<Type> argTypes = new ArrayList<>();
    private final List<Integer> argVariables = new ArrayList<>();
    private int resultVariable = -1;
    private Type resultType;
    private int targetVariable = -1;

    HookCode(MethodNode method, Point point, int number) {
        this.method = method;
        this.point = point;
        this.number = number;
        this.roots = point.roots();
    }

    static int newVariable(MethodNode method, Type type) {
        int variable = method.maxLocals;
        method.maxLocals += type.getSize();
        return variable;
    }

    /** A handler that knows nothing about the local variables is valid anywhere. */
    static void addHandlerFrame(InsnList code, int version) {
        if ((version & 0xffff) >= Opcodes.V1_6) {
            code.add(new FrameNode(Opcodes.F_FULL, 0, new Object[0], 1, new Object[] {"java/lang/Throwable"}));
        }
    }

    void arg(Type type, int variable) {
        argTypes.add(type);
        argVariables.add(variable);
    }

    void result(Type type, int variable) {
        resultType = type;
        resultVariable = variable;
    }

    void target(int variable) {
        targetVariable = variable;
    }

    /** Calls `Hooks.at` or `Hooks.before`. The local variables are those that are alive at the place; null for the method's entry or exit. */
    InsnList call(String name, AbstractInsnNode place) {
        InsnList code = new InsnList();
        Code.push(code, number);
        pushSelf(code);
        pushVariable(code, Code.OBJECT, targetVariable);
        pushArgs(code);
        if (resultVariable >= 0) {
            pushVariable(code, resultType, resultVariable);
            Code.box(code, resultType);
        } else {
            Code.pushNull(code);
        }
        pushLocals(code, place);
        code.add(Code.hook(name, "(ILjava/lang/Object;Ljava/lang/Object;[Ljava/lang/Object;Ljava/lang/Object;[Ljava/lang/Object;)V"));
        return code;
    }

    /** Pushes what hooks that replace a call take after the call's own arguments: number, this, local variables. */
    void pushContext(InsnList code, AbstractInsnNode place) {
        Code.push(code, number);
        pushSelf(code);
        pushLocals(code, place);
    }

    private void pushSelf(InsnList code) {
        pushVariable(code, Code.OBJECT, Code.isStatic(method.access) ? -1 : 0);
    }

    private static void pushVariable(InsnList code, Type type, int variable) {
        if (variable < 0) {
            Code.pushNull(code);
        } else {
            Code.load(code, type, variable);
        }
    }

    private void pushArgs(InsnList code) {
        for (String root : roots) {
            if (root.matches("\\$[0-9]+") && Integer.parseInt(root.substring(1)) > argTypes.size()) {
                throw new TableError(point.where + ": there is no " + root + ", only " + argTypes.size() + " arguments");
            }
        }
        if (roots.stream().noneMatch(root -> root.matches("\\$[0-9]+"))) {
            Code.pushNull(code);
            return;
        }
        beginArray(code, argTypes.size());
        for (int i = 0; i < argTypes.size(); i++) {
            if (roots.contains("$" + (i + 1))) {
                addItem(code, i, argTypes.get(i), argVariables.get(i));
            }
        }
    }

    private void pushLocals(InsnList code, AbstractInsnNode place) {
        List<String> names = point.localNames();
        if (names.isEmpty()) {
            Code.pushNull(code);
            return;
        }
        beginArray(code, names.size());
        for (int i = 0; i < names.size(); i++) {
            LocalVariableNode variable = local(names.get(i), place);
            addItem(code, i, Type.getType(variable.desc), variable.index);
        }
    }

    static void beginArray(InsnList code, int n) {
        Code.push(code, n);
        code.add(new TypeInsnNode(Opcodes.ANEWARRAY, "java/lang/Object"));
    }

    static void addItem(InsnList code, int index, Type type, int variable) {
        code.add(new InsnNode(Opcodes.DUP));
        Code.push(code, index);
        Code.load(code, type, variable);
        Code.box(code, type);
        code.add(new InsnNode(Opcodes.AASTORE));
    }

    private LocalVariableNode local(String name, AbstractInsnNode place) {
        List<String> alive = new ArrayList<>();
        if (method.localVariables == null || method.localVariables.isEmpty()) {
            throw new TableError(point.where + ": the class has no debug information about local variables");
        }
        for (LocalVariableNode variable : method.localVariables) {
            if (isAlive(variable, place)) {
                if (variable.name.equals(name)) {
                    return variable;
                }
                alive.add(variable.name);
            }
        }
        throw new TableError(point.where + ": there is no local variable `" + name + "` here" + Similar.hint(name, alive));
    }

    private boolean isAlive(LocalVariableNode variable, AbstractInsnNode place) {
        if (place == null) {
            return variable.index < Type.getArgumentsAndReturnSizes(method.desc) >> 2;
        }
        int at = method.instructions.indexOf(place);
        return method.instructions.indexOf(variable.start) <= at && at < method.instructions.indexOf(variable.end);
    }
}
