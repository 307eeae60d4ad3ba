package dev.kilter;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.objectweb.asm.Type;
import org.objectweb.asm.tree.AnnotationNode;
import org.objectweb.asm.tree.ClassNode;
import org.objectweb.asm.tree.FieldNode;
import org.objectweb.asm.tree.MethodNode;

/** Makes points and variables of the annotations of a class. */
final class Annotated {
    private final Table table;
    private final ClassLoader loader;

    Annotated(Table table, ClassLoader loader) {
        this.table = table;
        this.loader = loader;
    }

    void read(ClassNode node) {
        String name = node.name.replace('/', '.');
        for (FieldNode field : node.fields) {
            annotations(field.visibleAnnotations, field.invisibleAnnotations).forEach((kind, values) -> variable(name, field, kind, values));
        }
        for (MethodNode method : node.methods) {
            annotations(method.visibleAnnotations, method.invisibleAnnotations).forEach((kind, values) -> point(name, method, kind, values));
        }
    }

    private static Map<String, Map<String, Object>> annotations(List<AnnotationNode> visible, List<AnnotationNode> invisible) {
        Map<String, Map<String, Object>> found = new TreeMap<>();
        List<AnnotationNode> all = new ArrayList<>();
        all.addAll(visible == null ? Collections.emptyList() : visible);
        all.addAll(invisible == null ? Collections.emptyList() : invisible);
        for (AnnotationNode annotation : all) {
            if (annotation.desc.startsWith("Ldev/kilter/")) {
                Map<String, Object> values = new TreeMap<>();
                for (int i = 0; annotation.values != null && i < annotation.values.size(); i += 2) {
                    values.put((String) annotation.values.get(i), annotation.values.get(i + 1));
                }
                found.put(Type.getType(annotation.desc).getClassName(), values);
            }
        }
        return found;
    }

    private void variable(String className, FieldNode field, String kind, Map<String, Object> values) {
        if (kind.equals(Variable.class.getName())) {
            String name = (String) values.get("value");
            String path;
            if (Code.isStatic(field.access)) {
                path = className + "." + field.name;
            } else {
                // A name that no table can contain stands for the last instance.
                String object = "the_last_" + className.replace('.', '_').replace('$', '_');
                table.names.add(object, className);
                path = object + "." + field.name;
            }
            table.variables.put(name, Template.of(path, "@Variable of " + className + "." + field.name, table.names));
            if (Code.isStatic(field.access)) {
                table.names.loaded(className, loader);
            }
        }
    }

    private void point(String className, MethodNode method, String kind, Map<String, Object> values) {
        String shown = className + "." + MethodName.shown(method.name, method.desc);
        String where = "@" + kind.substring(kind.lastIndexOf('.') + 1) + " of " + shown;
        Meaning meaning = kind.equals(Action.class.getName()) ? Meaning.ACTION
            : kind.equals(Sends.class.getName()) ? Meaning.SENDS
            : kind.equals(Receives.class.getName()) ? Meaning.RECEIVES : null;
        if (meaning == null) {
            throw new TableError(where + ": this annotation is not for methods");
        }
        Point point = new Point(where, new MethodName(shown, where), Point.Place.ENTRY, meaning);
        point.name = (String) values.get("value");
        point.message = message(texts(values.get("message")), where);
        if (meaning == Meaning.SENDS) {
            point.to = Template.of(values.get("to"), where, table.names);
        } else {
            boolean all = !values.containsKey("args") && meaning == Meaning.ACTION;
            point.args = Template.list(all ? parameters(method) : texts(values.get("args")), where, table.names);
        }
        Table.check(point);
        // Another class loader may have shown us the same class before.
        if (table.points.stream().noneMatch(known -> known.where.equals(where))) {
            table.points.add(point);
        }
    }

    private static List<String> parameters(MethodNode method) {
        List<String> all = new ArrayList<>();
        for (int i = 1; i <= Type.getArgumentTypes(method.desc).length; i++) {
            all.add("$" + i);
        }
        return all;
    }

    private Template message(List<String> fields, String where) {
        if (fields.isEmpty()) {
            return null;
        }
        Map<String, Object> shape = new TreeMap<>();
        for (String field : fields) {
            int equals = field.indexOf('=');
            if (equals < 0) {
                throw new TableError(where + ": `" + field + "` should be name=expression");
            }
            shape.put(field.substring(0, equals).trim(), field.substring(equals + 1).trim());
        }
        return Template.of(shape, where, table.names);
    }

    private static List<String> texts(Object values) {
        List<String> texts = new ArrayList<>();
        for (Object value : values instanceof List ? (List<?>) values : Collections.emptyList()) {
            texts.add((String) value);
        }
        return texts;
    }
}
