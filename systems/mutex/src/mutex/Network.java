package mutex;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Map;
import java.util.concurrent.BlockingQueue;

/** Plain sockets: one connection for each packet. */
final class Network {
    private final Map<String, Integer> ports;
    private final BlockingQueue<Packet> inbox;

    Network(Map<String, Integer> ports, BlockingQueue<Packet> inbox) {
        this.ports = ports;
        this.inbox = inbox;
    }

    void listen(int port) {
        try (ServerSocket server = new ServerSocket(port, 10, InetAddress.getLoopbackAddress())) {
            while (true) {
                read(server.accept());
            }
        } catch (IOException error) {
            System.err.println(error);
        }
    }

    void read(Socket socket) {
        try (socket; BufferedReader lines = new BufferedReader(new InputStreamReader(socket.getInputStream()))) {
            inbox.add(Packet.parse(lines.readLine()));
        } catch (IOException error) {
            System.err.println(error);
        }
    }

    void send(Packet packet) {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), ports.get(packet.to));
                PrintWriter out = new PrintWriter(socket.getOutputStream(), true)) {
            out.println(packet.line());
        } catch (IOException error) {
            System.err.println(error);
        }
    }
}
