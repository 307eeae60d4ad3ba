package dev.kilter;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.ClassNode;
import org.objectweb.asm.tree.InsnList;
import org.objectweb.asm.tree.InsnNode;
import org.objectweb.asm.tree.LabelNode;
import org.objectweb.asm.tree.MethodInsnNode;
import org.objectweb.asm.tree.MethodNode;
import org.objectweb.asm.tree.TryCatchBlockNode;

/** Puts the hooks of points into the methods of a class. */
final class PointWeaver {
    private final ClassNode node;
    private final ClassLoader loader;
    private final List<Point> points;

    PointWeaver(ClassNode node, ClassLoader loader, List<Point> points) {
        this.node = node;
        this.loader = loader;
        this.points = points;
    }

    /** The points of this class, by their numbers. */
    void apply(List<Integer> here) {
        // Everything is found before anything changes: `nth` counts the calls of the system's own code.
        Map<MethodNode, List<Integer>> whole = new LinkedHashMap<>();
        Map<MethodInsnNode, List<Integer>> atCalls = new LinkedHashMap<>();
        Map<MethodInsnNode, MethodNode> methodOf = new LinkedHashMap<>();
        for (int number : here) {
            Point point = points.get(number);
            MethodNode method = Calls.method(node, point.in, point.where);
            if (point.place != Point.Place.CALL) {
                whole.computeIfAbsent(method, key -> new ArrayList<>()).add(number);
                continue;
            }
            for (MethodInsnNode call : Calls.calls(method, point.call, point.nth, point.where, loader)) {
                atCalls.computeIfAbsent(call, key -> new ArrayList<>()).add(number);
                methodOf.put(call, method);
            }
        }
        atCalls.forEach((call, numbers) -> new CallWeaver(node, methodOf.get(call), loader, points).apply(call, numbers));
        whole.forEach((method, numbers) -> numbers.forEach(number -> weave(method, number)));
    }

    private void weave(MethodNode method, int number) {
        Point point = points.get(number);
        if (point.meaning == Meaning.RECEIVES) {
            restInside(method, point.where);
            atExit(method, number);
        } else if (point.place == Point.Place.EXIT) {
            atExit(method, number);
        } else {
            // The marks stay where the first point has put them, so that points run in the table's order.
            method.instructions.insertBefore(mark(method), hook(method, number, Type.VOID_TYPE, 0));
        }
    }

    private final Map<MethodNode, AbstractInsnNode> marks = new LinkedHashMap<>();

    private AbstractInsnNode mark(MethodNode method) {
        return marks.computeIfAbsent(method, Constructors::firstOf);
    }

    private void atExit(MethodNode method, int number) {
        Type type = Type.getReturnType(method.desc);
        for (AbstractInsnNode at : method.instructions.toArray()) {
            if (Code.isReturn(at)) {
                InsnList code = new InsnList();
                int kept = HookCode.newVariable(method, Code.OBJECT);
                if (type != Type.VOID_TYPE) {
                    Code.dup(code, type);
                    Code.box(code, type);
                    Code.store(code, Code.OBJECT, kept);
                }
                code.add(hook(method, number, type, kept));
                method.instructions.insertBefore(at, code);
            }
        }
    }

    private InsnList hook(MethodNode method, int number, Type resultType, int resultVariable) {
        Point point = points.get(number);
        HookCode code = new HookCode(method, point, number);
        int variable = Code.isStatic(method.access) ? 0 : 1;
        for (Type type : Type.getArgumentTypes(method.desc)) {
            code.arg(type, variable);
            variable += type.getSize();
        }
        if (resultType != Type.VOID_TYPE) {
            code.result(Code.OBJECT, resultVariable);
        }
        return code.call("at", null);
    }

    /** The thread rests while it is in the method, however it leaves. */
    private void restInside(MethodNode method, String where) {
        if (method.name.equals("<init>")) {
            throw new TableError(where + ": a constructor can't receive");
        }
        LabelNode start = new LabelNode();
        LabelNode end = new LabelNode();
        for (AbstractInsnNode at : method.instructions.toArray()) {
            if (Code.isReturn(at)) {
                method.instructions.insertBefore(at, Code.hook("leaveRest", "()V"));
            }
        }
        AbstractInsnNode mark = mark(method);
        method.instructions.insertBefore(mark, Code.hook("enterRest", "()V"));
        method.instructions.insertBefore(mark, start);
        method.instructions.add(end);
        HookCode.addHandlerFrame(method.instructions, node.version);
        method.instructions.add(Code.hook("leaveRest", "()V"));
        method.instructions.add(new InsnNode(Opcodes.ATHROW));
        method.tryCatchBlocks.add(new TryCatchBlockNode(start, end, end, null));
    }
}
