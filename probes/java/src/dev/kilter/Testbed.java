package dev.kilter;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BiConsumer;

/** The connection to the testbed: lines of JSON, as docs/protocol.md has them. When it ends, so does the process. */
class Testbed {
    private static final long VERSION = 1;
    private static final int LINE_BYTES_MAX = 16 << 20;

    private final SocketChannel channel;
    private final StringBuilder unsaid = new StringBuilder();

    /** Without a channel for {@link Tracer}, which says nothing to anybody. */
    Testbed(SocketChannel channel) {
        this.channel = channel;
    }

    static Testbed connect(String address) {
        try {
            if (address.startsWith("unix:")) {
                return new Testbed(unix(address.substring("unix:".length())));
            }
            int colon = address.lastIndexOf(':');
            String host = address.substring("tcp:".length(), colon);
            SocketChannel channel = SocketChannel.open(new InetSocketAddress(host, Integer.parseInt(address.substring(colon + 1))));
            channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
            return new Testbed(channel);
        } catch (IOException | IndexOutOfBoundsException | IllegalArgumentException error) {
            throw Fail.halt("no testbed at " + address + ": " + error);
        }
    }

    /** Unix sockets are there from Java 16 on; we compile for Java 8. */
    private static SocketChannel unix(String path) throws IOException {
        try {
            Class<?> addresses = Class.forName("java.net.UnixDomainSocketAddress");
            SocketAddress address = (SocketAddress) addresses.getMethod("of", String.class).invoke(null, path);
            return (SocketChannel) SocketChannel.class.getMethod("open", SocketAddress.class).invoke(null, address);
        } catch (ClassNotFoundException error) {
            throw Fail.halt("Java " + System.getProperty("java.version") + " has no unix sockets (Java 16 has); let the testbed listen on tcp");
        } catch (InvocationTargetException error) {
            throw new IOException(error.getCause().toString());
        } catch (ReflectiveOperationException error) {
            throw new IOException(error.toString());
        }
    }

    void hello(String node, String token) {
        Map<String, Object> hello = new TreeMap<>();
        hello.put("version", VERSION);
        hello.put("node", node == null ? "" : node);
        hello.put("token", token == null ? "" : token);
        hello.put("says_still", true);
        say("hello", hello);
        flush();
    }

    /** Nothing is sent before {@link #flush}. */
    synchronized void say(String kind, Map<String, Object> content) {
        unsaid.append(Json.print(Collections.singletonMap(kind, content))).append('\n');
    }

    void offer(long id, Wish wish) {
        say("offer", wish.shown(id));
    }

    void note(String text) {
        say("note", Collections.singletonMap("text", text.replace('\n', ' ')));
        flush();
    }

    synchronized void flush() {
        ByteBuffer bytes = ByteBuffer.wrap(unsaid.toString().getBytes(StandardCharsets.UTF_8));
        unsaid.setLength(0);
        try {
            while (bytes.hasRemaining()) {
                channel.write(bytes);
            }
        } catch (IOException error) {
            throw Fail.halt("the testbed is gone: " + error);
        }
    }

    /** Hands over each message with its kind; never returns. */
    void listen(BiConsumer<String, Map<?, ?>> told) {
        ByteBuffer bytes = ByteBuffer.allocate(64 << 10);
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        try {
            while (channel.read(bytes) >= 0) {
                bytes.flip();
                while (bytes.hasRemaining()) {
                    byte next = bytes.get();
                    if (next != '\n') {
                        line.write(next);
                    } else {
                        tell(line.toString("UTF-8"), told);
                        line.reset();
                    }
                }
                bytes.clear();
                if (line.size() > LINE_BYTES_MAX) {
                    throw Fail.halt("the testbed says a line that is too long");
                }
            }
            throw Fail.halt("the testbed is gone");
        } catch (IOException error) {
            throw Fail.halt("the testbed is gone: " + error);
        }
    }

    private static void tell(String line, BiConsumer<String, Map<?, ?>> told) {
        try {
            Map.Entry<?, ?> message = ((Map<?, ?>) Json.parse(line)).entrySet().iterator().next();
            if (message.getKey().equals("stop")) {
                Runtime.getRuntime().halt(0);
            }
            if (!message.getKey().equals("welcome")) {
                told.accept((String) message.getKey(), (Map<?, ?>) message.getValue());
            }
        } catch (RuntimeException error) {
            throw Fail.halt("the testbed says what nobody understands: " + line);
        }
    }
}
