package sample;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.Executors;

/** Leaves behind all that a program can leave: statics, threads, sockets, properties, hooks, files. */
public class Lived {
    static int total;
    private final Path log;
    private final Socket client;
    private int count;
    private long written;
    private String property = System.getProperty("sample.lived", "none");

    Lived(Path folder, int port) throws IOException {
        log = folder.resolve("log");
        ServerSocket server = new ServerSocket(port, 5, InetAddress.getLoopbackAddress());
        new Thread(() -> accept(server), "Acceptor").start();
        client = new Socket(server.getInetAddress(), port);
        new Thread(this::read, "Reader").start();
    }

    private void accept(ServerSocket server) {
        while (true) {
            try {
                server.accept();
            } catch (IOException ignored) {
                // As many programs do.
            }
        }
    }

    private void read() {
        try {
            client.getInputStream().read();
        } catch (IOException error) {
            System.exit(7);
        }
    }

    void tick() throws IOException {
        total++;
        count = total;
        System.setProperty("sample.lived", "set");
        Files.write(log, new byte[] {1}, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        written = Files.size(log);
    }

    private void loop() {
        try {
            while (true) {
                tick();
            }
        } catch (IOException error) {
            error.printStackTrace();
        } finally {
            System.exit(8);
        }
    }

    public static void main(String[] args) throws Exception {
        Lived lived = new Lived(Paths.get(args[0]), Integer.parseInt(args[1]));
        Runtime.getRuntime().addShutdownHook(new Thread(() -> System.out.println(lived)));
        Executors.newFixedThreadPool(2).submit(() -> {
            Thread.sleep(1_000_000);
            return 0;
        });
        new Thread(lived::loop, "Worker").start();
        Thread stubborn = new Thread(() -> {
            while (true) {
                try {
                    Thread.sleep(1_000_000);
                } catch (InterruptedException ignored) {
                    // As some programs do.
                }
            }
        }, "Stubborn");
        stubborn.setDaemon(true);
        stubborn.start();
        if (args.length > 2) {
            throw new IllegalStateException(args[2]);
        }
    }
}
