package dev.kilter;

import java.io.IOException;
import java.lang.instrument.Instrumentation;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.Collections;

/** Reads the table, connects to the testbed or writes a trace if it has to, and begins to change classes as they are loaded. */
public final class Start {
    private Start() {}

    /** Public because {@link Agent} belongs to another class loader; nobody else calls it. */
    public static void start(String path, Instrumentation instrumentation) {
        try {
            Reflect.instrumentation = instrumentation;
            Table table = path == null || path.isEmpty() ? Table.read(Collections.emptyMap()) : Table.read(parsed(path));
            String address = System.getenv("KILTER_ADDRESS");
            String trace = System.getenv("KILTER_TRACE");
            boolean holds = address != null || trace != null;
            Lives lives = address != null && table.again ? new Lives(System.getenv("KILTER_DATA")) : null;
            if (holds) {
                control(table, address != null ? Testbed.connect(address) : new Tracer(trace, System.getenv("KILTER_NODE")), lives);
            }
            if (holds || !table.mutations.isEmpty()) {
                instrumentation.addTransformer(new Instrument(table, holds));
            }
            if (lives != null) {
                Hooks.begin(lives);
                JdkWeaver.weave(instrumentation);
                lives.live();
            }
        } catch (TableError error) {
            throw Fail.halt(error.getMessage());
        }
    }

    private static void control(Table table, Testbed testbed, Lives lives) {
        Seats seats = new Seats(table, testbed, lives);
        Referee referee = new Referee(table, testbed, seats, lives);
        Hooks.begin(table, seats);
        Thread.setDefaultUncaughtExceptionHandler(new Deaths(seats));
        if (testbed instanceof Tracer) {
            Hooks.begin((Tracer) testbed);
        }
        Coverage coverage = Coverage.wanted(table, seats, System.getenv("KILTER_NODE"));
        if (coverage != null) {
            seats.note(coverage);
            new AgentThread("kilter-coverage", coverage).start();
        }
        testbed.hello(System.getenv("KILTER_NODE"), System.getenv("KILTER_TOKEN"));
        new AgentThread("kilter-testbed", () -> testbed.listen((kind, content) -> seats.tell(new Seats.Told(kind, content)))).start();
        referee.thread = new AgentThread("kilter-referee", referee);
        referee.thread.start();
        new AgentThread("kilter-watch", new Watch(referee)).start();
    }

    private static Object parsed(String path) {
        try {
            return Json.parse(new String(Files.readAllBytes(Paths.get(path)), StandardCharsets.UTF_8));
        } catch (IOException error) {
            throw new TableError("can't read the table " + path + ": " + error);
        } catch (IllegalArgumentException error) {
            throw new TableError("the table " + path + " is no JSON: " + error.getMessage());
        }
    }
}
