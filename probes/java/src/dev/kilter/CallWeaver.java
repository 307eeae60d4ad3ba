package dev.kilter;

import java.util.ArrayList;
import java.util.List;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;
import org.objectweb.asm.tree.ClassNode;
import org.objectweb.asm.tree.InsnList;
import org.objectweb.asm.tree.InsnNode;
import org.objectweb.asm.tree.LabelNode;
import org.objectweb.asm.tree.MethodInsnNode;
import org.objectweb.asm.tree.MethodNode;
import org.objectweb.asm.tree.TryCatchBlockNode;

/** Puts the hooks of all points at one call around it, and another call in its place where a point asks for that. */
final class CallWeaver {
    private static final String CONTEXT = "ILjava/lang/Object;[Ljava/lang/Object;)";

    private final ClassNode node;
    private final MethodNode method;
    private final ClassLoader loader;
    private final List<Point> points;

    CallWeaver(ClassNode node, MethodNode method, ClassLoader loader, List<Point> points) {
        this.node = node;
        this.method = method;
        this.loader = loader;
        this.points = points;
    }

    void apply(MethodInsnNode call, List<Integer> numbers) {
        InsnList code = new InsnList();
        Spill spill = new Spill(call);
        spill.store(code);
        for (int number : numbers) {
            // A point that rests asks its `if` before the call.
            if (!points.get(number).afterCall() && points.get(number).meaning != Meaning.SKIP && !replacesWhole(number)) {
                code.add(spill.hook("at", number, false));
            } else if (points.get(number).asksBefore()) {
                code.add(spill.hook("before", number, false));
            }
        }
        spill.load(code);
        int replacing = replacing(numbers);
        code.add(replacing < 0 ? listOf(copy(call)) : replacement(call, replacing));
        spill.storeResult(code);
        for (int number : numbers) {
            if (points.get(number).afterCall()) {
                code.add(spill.hook("at", number, true));
                spill.dropResult(code, points.get(number));
            }
        }
        method.instructions.insertBefore(call, code);
        method.instructions.remove(call);
    }

    /** Hooks that do all the work themselves. */
    private boolean replacesWhole(int number) {
        return points.get(number).meaning.isOfQueue() || points.get(number).meaning == Meaning.WAITS;
    }

    private int replacing(List<Integer> numbers) {
        int found = -1;
        for (int number : numbers) {
            if (points.get(number).meaning.replacesCall()) {
                if (found >= 0) {
                    throw new TableError(points.get(number).where + ": " + points.get(found).where + " is about the same call");
                }
                found = number;
            }
        }
        return found;
    }

    private InsnList replacement(MethodInsnNode call, int number) {
        Point point = points.get(number);
        switch (point.meaning) {
            case SKIP: return Mutator.leftOut(call, point.where);
            case TAKES: case POLLS: return take(call, number);
            case WAITS: return await(call, number);
            default: return listOf(isPark(call) ? Code.hook("park", call.desc) : bridge(call, point.where));
        }
    }

    private InsnList take(MethodInsnNode call, int number) {
        Point point = points.get(number);
        String types = call.desc.substring(1, call.desc.indexOf(')'));
        boolean known = call.name.equals("poll") && (types.isEmpty() || types.equals("JLjava/util/concurrent/TimeUnit;"))
            || call.name.equals("take") && types.isEmpty();
        if (!known || !Supertypes.of(call.owner, loader).contains("java/util/Queue")) {
            throw new TableError(point.where + ": `" + point.meaning.key + "` is for poll and take of java.util.Queue, not for "
                + call.owner.replace('/', '.') + "." + MethodName.shown(call.name, call.desc));
        }
        InsnList code = new InsnList();
        new HookCode(method, point, number).pushContext(code, call);
        code.add(Code.hook(call.name, "(Ljava/lang/Object;" + types + CONTEXT + "Ljava/lang/Object;"));
        Code.cast(code, Type.getReturnType(call.desc));
        return code;
    }

    private InsnList await(MethodInsnNode call, int number) {
        String types = call.desc.substring(1, call.desc.indexOf(')'));
        if (!call.name.equals("wait") || !types.matches("|J|JI")) {
            throw new TableError(points.get(number).where + ": `waits` is for Object.wait");
        }
        InsnList code = new InsnList();
        new HookCode(method, points.get(number), number).pushContext(code, call);
        code.add(Code.hook("await", "(Ljava/lang/Object;" + types + CONTEXT + "V"));
        return code;
    }

    private static boolean isPark(MethodInsnNode call) {
        return call.owner.equals("java/util/concurrent/locks/LockSupport") && call.name.equals("park");
    }

    /** A method of this class that makes the call, and says that the thread rests meanwhile, however the call ends. */
    private MethodInsnNode bridge(MethodInsnNode call, String where) {
        if (Code.isConstructorCall(call)) {
            throw new TableError(where + ": a thread can't rest in a constructor; take a call inside it");
        }
        List<Type> types = new ArrayList<>();
        if (call.getOpcode() != Opcodes.INVOKESTATIC) {
            types.add(Type.getObjectType(call.getOpcode() == Opcodes.INVOKESPECIAL ? node.name : call.owner));
        }
        for (Type type : Type.getArgumentTypes(call.desc)) {
            types.add(type);
        }
        Type result = Type.getReturnType(call.desc);
        String descriptor = Type.getMethodDescriptor(result, types.toArray(new Type[0]));
        int access = Opcodes.ACC_PRIVATE | Opcodes.ACC_STATIC | Opcodes.ACC_SYNTHETIC;
        MethodNode bridge = new MethodNode(access, "kilter$rest$" + node.methods.size(), descriptor, null, null);
        fillBridge(bridge, call, types, result);
        node.methods.add(bridge);
        boolean isInterface = (node.access & Opcodes.ACC_INTERFACE) != 0;
        return new MethodInsnNode(Opcodes.INVOKESTATIC, node.name, bridge.name, descriptor, isInterface);
    }

    private void fillBridge(MethodNode bridge, MethodInsnNode call, List<Type> types, Type result) {
        LabelNode start = new LabelNode();
        LabelNode end = new LabelNode();
        InsnList code = bridge.instructions;
        if (isJoin(call)) {
            Code.load(code, types.get(0), 0);
            code.add(Code.hook("enterJoin", "(Ljava/lang/Object;)V"));
        } else {
            code.add(Code.hook("enterRest", "()V"));
        }
        code.add(start);
        int variable = 0;
        for (Type type : types) {
            Code.load(code, type, variable);
            variable += type.getSize();
        }
        code.add(copy(call));
        code.add(Code.hook("leaveRest", "()V"));
        code.add(new InsnNode(result.getOpcode(Opcodes.IRETURN)));
        code.add(end);
        HookCode.addHandlerFrame(code, node.version);
        code.add(Code.hook("leaveRest", "()V"));
        code.add(new InsnNode(Opcodes.ATHROW));
        bridge.tryCatchBlocks.add(new TryCatchBlockNode(start, end, end, null));
        bridge.maxLocals = variable;
    }

    private boolean isJoin(MethodInsnNode call) {
        boolean isThread = call.owner.equals("java/lang/Thread") || Supertypes.of(call.owner, loader).contains("java/lang/Thread");
        return call.name.equals("join") && isThread && call.getOpcode() != Opcodes.INVOKESTATIC;
    }

    private static MethodInsnNode copy(MethodInsnNode call) {
        return new MethodInsnNode(call.getOpcode(), call.owner, call.name, call.desc, call.itf);
    }

    private static InsnList listOf(MethodInsnNode call) {
        InsnList list = new InsnList();
        list.add(call);
        return list;
    }

    /** What is on the stack for a call, kept in new local variables so that hooks can look at it. */
    private final class Spill {
        private final MethodInsnNode call;
        private final Type[] types;
        private final int[] variables;
        private final int target;
        private final Type result;
        private int resultVariable = -1;

        Spill(MethodInsnNode call) {
            this.call = call;
            types = Type.getArgumentTypes(call.desc);
            variables = new int[types.length];
            for (int i = 0; i < types.length; i++) {
                variables[i] = HookCode.newVariable(method, types[i]);
            }
            // What a constructor is called on is no object yet.
            boolean hasTarget = call.getOpcode() != Opcodes.INVOKESTATIC && !Code.isConstructorCall(call);
            target = hasTarget ? HookCode.newVariable(method, Code.OBJECT) : -1;
            result = Type.getReturnType(call.desc);
        }

        void store(InsnList code) {
            for (int i = types.length - 1; i >= 0; i--) {
                Code.store(code, types[i], variables[i]);
            }
            if (target >= 0) {
                Code.store(code, Code.OBJECT, target);
            }
        }

        void load(InsnList code) {
            if (target >= 0) {
                Code.load(code, Code.OBJECT, target);
            }
            for (int i = 0; i < types.length; i++) {
                Code.load(code, types[i], variables[i]);
            }
        }

        void storeResult(InsnList code) {
            if (result != Type.VOID_TYPE) {
                resultVariable = HookCode.newVariable(method, result);
                Code.dup(code, result);
                Code.store(code, result, resultVariable);
            }
        }

        /** The result on the stack becomes null if the message is dropped. */
        void dropResult(InsnList code, Point point) {
            if (point.drops && result.getSort() != Type.OBJECT && result.getSort() != Type.ARRAY) {
                throw new TableError(point.where + ": `drops` is for a call that returns an object");
            }
            if (point.drops) {
                code.add(Code.hook("unlessDropped", "(Ljava/lang/Object;)Ljava/lang/Object;"));
                Code.cast(code, result);
            }
        }

        InsnList hook(String name, int number, boolean after) {
            HookCode hook = new HookCode(method, points.get(number), number);
            for (int i = 0; i < types.length; i++) {
                hook.arg(types[i], variables[i]);
            }
            if (target >= 0) {
                hook.target(target);
            }
            if (after && resultVariable >= 0) {
                hook.result(result, resultVariable);
            }
            return hook.call(name, call);
        }
    }
}
