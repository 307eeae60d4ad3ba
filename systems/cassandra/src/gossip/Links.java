package gossip;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.util.IdentityHashMap;
import java.util.Map;
import org.apache.cassandra.net.MessagingService;
import org.apache.cassandra.net.OutboundTcpConnection;
import org.apache.cassandra.net.OutboundTcpConnectionPool;

/**
 * Closes a connection when the other side has. Otherwise the first message to a node that has started again would be lost in the old connection:
 * Cassandra notices only when it writes the second. Losing a message is a fault that Kilter chooses.
 */
final class Links implements Runnable {
    private static final long PAUSE_MS = 20;

    /** How many messages a connection had written when it was looked at last. */
    private final Map<OutboundTcpConnection, Long> before = new IdentityHashMap<>();
    /** How many its connection had written before a socket was there; -1 once it is watched. */
    private final Map<Socket, Long> seen = new IdentityHashMap<>();

    @Override
    public void run() {
        try {
            while (true) {
                for (Map.Entry<?, ?> pool : ((Map<?, ?>) Node.read(MessagingService.class, "connectionManagers", MessagingService.instance())).entrySet()) {
                    look((InetAddress) pool.getKey(), ((OutboundTcpConnectionPool) pool.getValue()).ackCon);
                }
                Thread.sleep(PAUSE_MS);
            }
        } catch (ReflectiveOperationException | InterruptedException error) {
            throw new IllegalStateException(error);
        }
    }

    /** A socket that has written a message is past its greeting, so nobody else reads from it any more. */
    private void look(InetAddress peer, OutboundTcpConnection connection) throws ReflectiveOperationException {
        Socket socket = (Socket) Node.read(OutboundTcpConnection.class, "socket", connection);
        long now = connection.getCompletedMesssages();
        if (socket != null) {
            long then = seen.computeIfAbsent(socket, key -> before.getOrDefault(connection, 0L));
            if (then >= 0 && now > then) {
                seen.put(socket, -1L);
                new Thread(() -> watch(peer, socket), "gossip-link").start();
            }
        }
        before.put(connection, now);
    }

    private static void watch(InetAddress peer, Socket socket) {
        try {
            InputStream in = socket.getInputStream();
            while (in.read() >= 0) {
                // The other side says nothing here but its end.
            }
        } catch (IOException closed) {
            // The same to us.
        }
        MessagingService.instance().convict(peer);
    }
}
