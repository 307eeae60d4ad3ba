package sample;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;

/** One thread that counts; has a field of each kind. */
public class Counter {
    enum State { LOW, HIGH }

    static class Base {
        private final int inherited = 7;
    }

    static class Vote extends Base {
        private final long id;

        Vote(long id) {
            this.id = id;
        }

        private long plus(int n) {
            return id + n;
        }
    }

    static int total;
    private int count;
    private State state = State.LOW;
    private Vote vote;
    private final Map<Integer, String> names = new HashMap<>();
    private final Set<String> set = new LinkedHashSet<>(Arrays.asList("b", "a"));
    private final byte[] bytes = {1, -1};
    private final ByteBuffer buffer = ByteBuffer.wrap(new byte[] {3, 4});
    private final Optional<String> maybe = Optional.of("yes");
    private final int luck = new Random().nextInt(1_000_000);
    private final AtomicLong atomic = new AtomicLong(5);
    private final ArrayDeque<Integer> deque = new ArrayDeque<>(Arrays.asList(8, 9));
    private final int[][] grid = {{1}, {2, 3}};

    void tick(int by, String who) throws InterruptedException {
        int before = count;
        Thread.sleep(600_000);
        add(by);
        names.put(count, who);
        vote = new Vote(before);
    }

    void tick(String onlyAnOverload) {}

    private int add(int by) {
        count += by;
        total += by;
        state = count > 3 ? State.HIGH : State.LOW;
        return count;
    }

    public static void main(String[] args) throws Exception {
        Counter counter = new Counter();
        Thread worker = new Thread(() -> {
            try {
                for (int i = 1; i < 100_000; i++) {
                    counter.tick(i, "w" + i);
                }
            } catch (InterruptedException error) {
                throw new IllegalStateException(error);
            }
        }, "Worker-1");
        worker.start();
        worker.join();
    }
}
