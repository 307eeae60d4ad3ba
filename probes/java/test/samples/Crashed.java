package sample;

import java.io.BufferedOutputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.channels.Selector;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.ForkJoinPool;

/** Does its utmost to be heard of after its end: writes to files and sockets, old and new, while its threads end. */
public class Crashed {
    private final Path folder;
    private final int port;
    private final Socket old;
    private final OutputStream buffered;
    /** How much of it was on the disk when this life began. */
    private final long found;
    private int count;

    Crashed(Path folder, int port) throws IOException {
        this.folder = folder;
        this.port = port;
        found = size("stored");
        if (found > 0) {
            ForkJoinPool.commonPool();
        }
        old = new Socket(InetAddress.getLoopbackAddress(), port);
        buffered = new BufferedOutputStream(new FileOutputStream(folder.resolve("buffered").toFile()));
    }

    private long size(String name) throws IOException {
        Path file = folder.resolve(name);
        return Files.exists(file) ? Files.size(file) : 0;
    }

    void tick() throws IOException {
        count++;
        buffered.write(1);
        write("stored");
        old.getOutputStream().write('.');
    }

    private void write(String name) throws IOException {
        Files.write(folder.resolve(name), new byte[] {1}, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    }

    private void loop() {
        try {
            while (true) {
                tick();
            }
        } catch (IOException error) {
            error.printStackTrace();
        } finally {
            sayGoodBye();
        }
    }

    private void sayGoodBye() {
        ForkJoinPool.commonPool(); // Java makes it only once, and every life needs it.
        try {
            buffered.close();
            write("stored");
            write("late");
        } catch (IOException error) {
            error.printStackTrace();
        }
        try {
            old.getOutputStream().write('!');
        } catch (IOException closed) {
            // That is right.
        }
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.getOutputStream().write('!');
        } catch (IOException error) {
            error.printStackTrace();
        }
    }

    private static void select(Selector selector) {
        try {
            selector.select();
        } catch (IOException error) {
            error.printStackTrace();
        }
    }

    public static void main(String[] args) throws Exception {
        Selector selector = Selector.open();
        new Thread(() -> select(selector), "Selector").start();
        new Thread(new Crashed(Paths.get(args[0]), Integer.parseInt(args[1]))::loop, "Worker").start();
    }
}
