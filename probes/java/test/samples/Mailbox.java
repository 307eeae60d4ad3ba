package sample;

import java.util.Queue;
import java.util.Scanner;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** Threads that take from queues, which a thread that nothing covers fills from standard input: "timed 3", "forever 4", "plain 5". */
public class Mailbox {
    static final class Letter {
        final int number;

        Letter(int number) {
            this.number = number;
        }
    }

    /** Can be polled, and nothing else. */
    static final class Sparse extends ArrayBlockingQueue<Letter> {
        private static final long serialVersionUID = 1;

        Sparse() {
            super(10);
        }

        @Override
        public Letter peek() {
            throw new UnsupportedOperationException();
        }
    }

    private final LinkedBlockingQueue<Letter> timed = new LinkedBlockingQueue<>();
    private final BlockingQueue<Letter> forever = new Sparse();
    private final Queue<Letter> plain = new ConcurrentLinkedQueue<>();
    private String heard = "";

    private void pollWithTime() throws InterruptedException {
        while (true) {
            Letter letter = timed.poll(200, TimeUnit.MILLISECONDS);
            hear("t", letter);
        }
    }

    private void takeForever() {
        try {
            while (true) {
                hear("f", forever.take());
            }
        } catch (InterruptedException error) {
            heard += " interrupted";
        }
    }

    /** Polls once; then rests in a sleep. */
    private void pollPlain() throws InterruptedException {
        while (true) {
            Letter letter = plain.poll();
            if (letter != null) {
                hear("p", letter);
            } else {
                Thread.sleep(2);
            }
        }
    }

    private synchronized void hear(String kind, Letter letter) {
        heard += " " + kind + (letter == null ? "-" : "" + letter.number);
    }

    interface Work {
        void run() throws InterruptedException;
    }

    static Thread start(String name, Work work) {
        Thread thread = new Thread(() -> {
            try {
                work.run();
            } catch (InterruptedException error) {
                throw new IllegalStateException(error);
            }
        }, name);
        thread.start();
        return thread;
    }

    private void put(String queue, Letter letter) throws InterruptedException {
        switch (queue) {
            case "timed": timed.put(letter); break;
            case "forever": forever.offer(letter); break;
            default: plain.add(letter);
        }
    }

    public static void main(String[] args) throws Exception {
        Mailbox box = new Mailbox();
        Thread taker = start("Worker-forever", box::takeForever);
        start("Worker-timed", box::pollWithTime);
        if (args.length > 0) {
            start("Worker-timed-too", box::pollWithTime);
        }
        start("Worker-plain", box::pollPlain);
        start("network", () -> {
            try (Scanner in = new Scanner(System.in)) {
                while (in.hasNext()) {
                    String queue = in.next();
                    if (queue.equals("interrupt")) {
                        taker.interrupt();
                    } else {
                        box.put(queue, new Letter(in.nextInt()));
                    }
                }
            }
        });
        Thread.currentThread().join();
    }
}
