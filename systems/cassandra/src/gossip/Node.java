package gossip;

import java.io.IOException;
import java.lang.reflect.Field;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.cassandra.gms.FailureDetector;
import org.apache.cassandra.gms.Gossiper;
import org.apache.cassandra.gms.Shown;
import org.apache.cassandra.gms.VersionGenerator;
import org.apache.cassandra.net.MessageDeliveryTask;
import org.apache.cassandra.net.MessageIn;
import org.apache.cassandra.net.MessageOut;
import org.apache.cassandra.net.MessagingService;
import org.apache.cassandra.sink.IMessageSink;
import org.apache.cassandra.sink.SinkManager;
import org.apache.cassandra.utils.FBUtilities;

/**
 * Starts the gossip of a Cassandra node, and nothing else of it: no storage, no ring, no clients.
 *
 * The daemon does the same (StorageService.prepareToJoin), but needs nine seconds to start. Gossiper, FailureDetector, MessagingService and all
 * that they use are Cassandra's own.
 */
public final class Node {
    private static final BlockingQueue<Incoming> INBOX = new LinkedBlockingQueue<>();

    static String name;
    private static Path generationFile;

    private Node() {}

    public static void main(String[] args) throws Exception {
        name = Shown.name(FBUtilities.getBroadcastAddress());
        generationFile = Paths.get(args[0], "generation");
        seed();
        SinkManager.add(new Inbox());
        new Thread(Node::handle, "gossip-inbox").start();
        new Thread(new Links(), "gossip-links").start();
        Gossiper.instance.start(nextGeneration());
        MessagingService.instance().listen(FBUtilities.getLocalAddress());
    }

    /** As after a first start, so that Kilter need not start a JVM for each sequence. Connections stay. */
    static void reset() throws Exception {
        INBOX.clear();
        MessagingService.instance().clearCallbacksUnsafe();
        ((AtomicInteger) read(VersionGenerator.class, "version", null)).set(0);
        ((Map<?, ?>) read(FailureDetector.class, "arrivalSamples", FailureDetector.instance)).clear();
        ((Map<?, ?>) read(Gossiper.class, "justRemovedEndpoints", Gossiper.instance)).clear();
        ((Map<?, ?>) read(Gossiper.class, "expireTimeEndpointMap", Gossiper.instance)).clear();
        seed();
        Gossiper.instance.resetEndpointStateMap();
        Files.deleteIfExists(generationFile);
        Gossiper.instance.maybeInitializeLocalState(nextGeneration());
    }

    /** Whom a node gossips to is random. With a seed, the same steps lead to the same again. */
    private static void seed() throws ReflectiveOperationException {
        ((Random) read(Gossiper.class, "random", Gossiper.instance)).setSeed(name.hashCode());
    }

    /** How often this node has started. Cassandra keeps the number in a table of its own. */
    private static int nextGeneration() throws IOException {
        int generation = Files.exists(generationFile) ? Integer.parseInt(Files.readAllLines(generationFile).get(0)) + 1 : 1;
        Files.write(generationFile, String.valueOf(generation).getBytes());
        return generation;
    }

    static Object read(Class<?> type, String name, Object instance) throws ReflectiveOperationException {
        Field field = type.getDeclaredField(name);
        field.setAccessible(true);
        return field.get(instance);
    }

    /** Cassandra's hook for tests. It gets each message that has come in, before a thread is chosen for it. */
    private static final class Inbox implements IMessageSink {
        @Override
        public MessageOut handleMessage(MessageOut message, int id, InetAddress to) {
            return message;
        }

        @Override
        public MessageIn handleMessage(MessageIn message, int id, InetAddress to) {
            INBOX.add(new Incoming(message, id));
            return null;
        }
    }

    /** A message that nobody has handled yet. */
    private static final class Incoming {
        final MessageIn<?> message;
        final int id;

        Incoming(MessageIn<?> message, int id) {
            this.message = message;
            this.id = id;
        }
    }

    /** Does what the threads of Cassandra's stages do: all that matter here have one thread, or take one answer. */
    private static void handle() {
        while (true) {
            try {
                Incoming next = INBOX.take();
                new MessageDeliveryTask(next.message, next.id, System.currentTimeMillis()).run();
            } catch (InterruptedException | RuntimeException error) {
                error.printStackTrace();
            }
        }
    }
}
