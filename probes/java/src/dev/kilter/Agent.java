package dev.kilter;

import java.io.File;
import java.lang.instrument.Instrumentation;
import java.util.jar.JarFile;

/**
 * Where the JVM enters the agent.
 *
 * The JVM loads this one class by the system class loader. It puts the jar on the bootstrap class path before it touches any other class
 * of the agent, so that all the others exist once and every class loader sees them.
 */
public final class Agent {
    private Agent() {}

    public static void premain(String table, Instrumentation instrumentation) throws Exception {
        // Mutations put in no code of ours, so nobody else must see it.
        if (System.getenv("KILTER_ADDRESS") != null || System.getenv("KILTER_TRACE") != null) {
            File jar = new File(Agent.class.getProtectionDomain().getCodeSource().getLocation().toURI());
            instrumentation.appendToBootstrapClassLoaderSearch(new JarFile(jar));
        }
        Start.start(table, instrumentation);
    }
}
