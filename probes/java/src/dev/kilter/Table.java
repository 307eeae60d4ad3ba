package dev.kilter;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.CopyOnWriteArrayList;

/** All that the mapping says about a Java system. Annotations add points and variables to it while classes are loaded. */
final class Table {
    final List<Glob> scan = new ArrayList<>();
    final List<Glob> threads = new ArrayList<>();
    boolean clock;
    /** Whether random numbers of scanned classes are the same each time. */
    boolean seeded;
    /** Whether the system is started again in the same JVM. */
    boolean again;
    final Names names = new Names();
    final Map<String, Template> variables = new ConcurrentSkipListMap<>();
    final Map<String, Template> requests = new TreeMap<>();
    final List<Point> points = new CopyOnWriteArrayList<>();
    final List<Mutation> mutations = new ArrayList<>();
    /** Classes that have points, as they are loaded. */
    final Set<String> loaded = ConcurrentHashMap.newKeySet();

    private Table() {}

    /** Throws TableError. */
    static Table read(Object json) {
        Fields fields = new Fields(json, "the table", "scan", "threads", "clock", "seeded", "again", "objects", "variables", "requests", "points", "mutations");
        Table table = new Table();
        fields.list("scan").forEach(glob -> table.scan.add(Glob.ofClasses(text(glob, "scan"))));
        fields.list("threads").forEach(glob -> table.threads.add(Glob.ofThreads(text(glob, "threads"))));
        table.clock = fields.flag("clock");
        table.seeded = fields.flag("seeded");
        table.again = fields.flag("again");
        section(fields, "objects").forEach((name, type) -> table.names.add(name, text(type, "[objects] " + name)));
        section(fields, "variables").forEach((name, shape) ->
            table.variables.put(name, Template.of(shape, "variable `" + name + "`", table.names)));
        section(fields, "requests").forEach((name, shape) ->
            table.requests.put(name, Template.of(shape, "request `" + name + "`", table.names)));
        for (Object point : fields.list("points")) {
            table.points.add(table.point(point, table.points.size() + 1));
        }
        for (Object mutation : fields.list("mutations")) {
            table.mutations.add(table.mutation(mutation, table.mutations.size() + 1));
        }
        return table;
    }

    boolean scans(String className) {
        return scan.stream().anyMatch(glob -> glob.matches(className));
    }

    boolean coversThread(String name) {
        return threads.stream().anyMatch(glob -> glob.matches(name));
    }

    private static Map<String, Object> section(Fields fields, String key) {
        Map<String, Object> section = new LinkedHashMap<>();
        if (fields.has(key)) {
            new Fields(fields.get(key), "[" + key + "]").all().forEach((name, value) -> section.put((String) name, value));
        }
        return section;
    }

    private Point point(Object json, int number) {
        Fields fields = new Fields(json, "point " + number, "in", "at", "call", "nth", "if", "args", "message", "to", "any", "drops", "timeout", "timeout-if", "early",
            "action", "takes", "polls", "arrives", "receives", "sends", "rests", "waits", "skip");
        MethodName in = new MethodName(fields.needText("in"), fields.where);
        String where = "point " + number + " in " + in;
        Meaning meaning = meaning(fields, where);
        Point point = new Point(where, in, place(fields, where), meaning);
        point.call = fields.has("call") ? new MethodName(fields.text("call", null), where) : null;
        point.nth = fields.number("nth");
        point.any = fields.flag("any");
        point.drops = fields.flag("drops");
        point.timeout = fields.text("timeout", null);
        point.early = fields.flag("early");
        point.timeoutIf = fields.has("timeout-if") ? Template.condition(fields.text("timeout-if", null), where, names) : null;
        point.condition = fields.has("if") ? Template.condition(fields.text("if", null), where, names) : null;
        point.args = Template.list(fields.list("args"), where, names);
        point.message = fields.has("message") ? Template.of(fields.get("message"), where, names) : null;
        point.to = fields.has("to") ? Template.of(fields.get("to"), where, names) : null;
        mean(point, fields);
        check(point);
        return point;
    }

    private static Meaning meaning(Fields fields, String where) {
        List<Meaning> said = new ArrayList<>();
        Arrays.stream(Meaning.values()).filter(meaning -> fields.has(meaning.key)).forEach(said::add);
        if (said.size() != 1) {
            throw new TableError(where + ": exactly one of " + Meaning.keys() + " is needed");
        }
        return said.get(0);
    }

    private static Point.Place place(Fields fields, String where) {
        if (fields.has("call") && fields.has("at")) {
            throw new TableError(where + ": `at` and `call` exclude each other");
        }
        String at = fields.has("call") ? "call" : fields.text("at", "entry");
        if (!Arrays.asList("call", "entry", "exit").contains(at) || at.equals("call") && !fields.has("call")) {
            throw new TableError(where + ": `at` must be \"entry\" or \"exit\"");
        }
        return Point.Place.valueOf(at.toUpperCase());
    }

    private void mean(Point point, Fields fields) {
        Object said = fields.get(point.meaning.key);
        if (point.meaning == Meaning.ACTION || point.meaning == Meaning.TAKES || point.meaning == Meaning.RECEIVES) {
            point.name = fields.needText(point.meaning.key);
        } else if (point.meaning == Meaning.SENDS) {
            point.message = Template.of(said, point.where, names);
        } else if (!Boolean.TRUE.equals(said)) {
            throw new TableError(point.where + ": `" + point.meaning.key + "` must be true");
        }
    }

    /** What is right in its parts can still be wrong as a whole. */
    static void check(Point point) {
        if (point.meaning.needsCall() && point.call == null) {
            throw new TableError(point.where + ": `" + point.meaning.key + "` needs `call`");
        }
        if (point.meaning == Meaning.SENDS && point.to == null) {
            throw new TableError(point.where + ": `sends` needs `to`");
        }
        if (point.timeout != null && !point.meaning.isOfQueue() && point.meaning != Meaning.WAITS) {
            throw new TableError(point.where + ": `timeout` is for `takes`, `polls` and `waits`");
        }
        if (point.timeoutIf != null && point.timeout == null) {
            throw new TableError(point.where + ": `timeout-if` needs `timeout`");
        }
        if (point.early && (point.timeout == null || point.meaning != Meaning.TAKES)) {
            throw new TableError(point.where + ": `early` is for `takes` with `timeout`");
        }
        if (point.any && point.meaning != Meaning.TAKES) {
            throw new TableError(point.where + ": `any` is for `takes`");
        }
        if (point.drops && (point.meaning != Meaning.RECEIVES || point.call == null)) {
            throw new TableError(point.where + ": `drops` is for `receives` with `call`");
        }
        if (point.place == Point.Place.ENTRY && point.meaning != Meaning.RECEIVES && point.roots().contains("$result")) {
            throw new TableError(point.where + ": there is no $result at the entry");
        }
    }

    private Mutation mutation(Object json, int number) {
        Fields fields = new Fields(json, "mutation " + number, "in", "do", "call", "with", "nth", "value", "result", "from", "to");
        MethodName in = new MethodName(fields.needText("in"), fields.where);
        String where = "mutation " + number + " in " + in;
        String kind = fields.needText("do");
        Mutation mutation = new Mutation(where, in, kind);
        mutation.nth = fields.number("nth");
        mutation.number = number - 1;
        switch (kind) {
            case "leave-out": mutation.call = new MethodName(fields.needText("call"), where); break;
            case "return":
                mutation.value = fields.get("value");
                mutation.result = fields.has("result") ? Template.of(fields.needText("result"), where, names) : null;
                break;
            case "constant": mutation.from = fields.need("from"); mutation.to = fields.need("to"); break;
            case "swap":
                mutation.call = new MethodName(fields.needText("call"), where);
                mutation.with = new MethodName(fields.needText("with"), where);
                break;
            default:
                throw new TableError(where + ": there is no mutation `" + kind + "`"
                    + Similar.hint(kind, Arrays.asList("leave-out", "return", "constant", "swap")));
        }
        return mutation;
    }

    private static String text(Object value, String where) {
        if (!(value instanceof String)) {
            throw new TableError(where + ": a text is expected, not " + Json.print(value));
        }
        return (String) value;
    }

    /** The classes of points that the JVM has not loaded yet: perhaps they are misspelt. */
    Set<String> notLoaded() {
        Set<String> missing = new TreeSet<>();
        points.forEach(point -> missing.add(point.in.owner));
        missing.removeAll(loaded);
        return missing;
    }

    /** The variables' values now. */
    Map<String, Object> readVariables() {
        Map<String, Object> values = new TreeMap<>();
        variables.forEach((name, template) -> values.put(name, template.value(Scope.EMPTY)));
        return Collections.unmodifiableMap(values);
    }
}
