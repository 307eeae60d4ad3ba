package sample;

import java.io.IOException;
import java.io.InputStream;

/** Reads bytes from standard input, as a network thread would, and answers. */
public class Wire {
    private final InputStream in = System.in;
    private int nErrors;
    private int last;

    private Integer read() throws IOException {
        int next = in.read();
        while (next == '\n') {
            next = in.read();
        }
        return next;
    }

    private void check(int value) throws IOException {
        if (value == 'x') {
            throw new IOException("x");
        }
    }

    /** Null if there is nothing to do. */
    private Integer readAndCheck() throws IOException {
        Integer value = read();
        if (value != null) {
            check(value);
        }
        return value;
    }

    private void loop() {
        while (true) {
            try {
                Integer value = readAndCheck();
                if (value != null) {
                    last = value;
                    reply(value);
                }
            } catch (IOException error) {
                nErrors++;
                idle();
            }
        }
    }

    private void idle() {}

    private void reply(int value) {}

    void call(String name, int value) {
        last = value;
        reply(name.length());
    }

    void fail() {
        throw new IllegalStateException("no");
    }

    public static void main(String[] args) throws Exception {
        Wire wire = new Wire();
        new Thread(wire::loop, "Worker").start();
        Thread.currentThread().join();
    }
}
