package mutex;

import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/** Two nodes that share a token: java mutex.Main n1 n1=127.0.0.1:4001,n2=127.0.0.1:4002. Nothing here knows of Kilter. */
public final class Main {
    private Main() {}

    public static void main(String[] args) {
        Map<String, Integer> ports = new TreeMap<>();
        for (String peer : args[1].split(",")) {
            ports.put(peer.substring(0, peer.indexOf('=')), Integer.parseInt(peer.substring(peer.lastIndexOf(':') + 1)));
        }
        String me = args[0];
        String first = ports.keySet().iterator().next();
        String other = ports.keySet().stream().filter(name -> !name.equals(me)).findFirst().get();
        BlockingQueue<Packet> inbox = new LinkedBlockingQueue<>();
        Network network = new Network(ports, inbox);
        Mutex mutex = new Mutex(me, other, network, me.equals(first));
        new Thread(() -> network.listen(ports.get(me)), "listener").start();
        new Thread(() -> handle(inbox, mutex), "handler").start();
        new Thread(() -> work(mutex), "worker").start();
    }

    /** Does what other nodes ask for, one after the other. */
    static void handle(BlockingQueue<Packet> inbox, Mutex mutex) {
        try {
            while (true) {
                Packet packet = inbox.take();
                if (packet.kind.equals("request")) {
                    mutex.onRequest();
                } else {
                    mutex.onToken();
                }
            }
        } catch (InterruptedException end) {
            Thread.currentThread().interrupt();
        }
    }

    /** Goes in once, and out again. */
    static void work(Mutex mutex) {
        try {
            mutex.acquire();
            Thread.sleep(100);
            mutex.release();
        } catch (InterruptedException end) {
            Thread.currentThread().interrupt();
        }
    }
}
