package sample;

import dev.kilter.Kilter;
import java.util.Collections;
import java.util.Map;

/** One thread that uses vector clocks from its second action on, and then takes in two that others have sent. */
public class Vectors {
    private Map<String, Long> sent;

    public static void main(String[] args) throws Exception {
        Vectors vectors = new Vectors();
        Thread worker = new Thread(vectors::work, "Worker-1");
        worker.start();
        worker.join();
    }

    private void work() {
        Kilter.action("Alone");
        Kilter.action("Send");
        sent = Kilter.clock();
        Kilter.action("Take");
        Kilter.heard(Collections.singletonMap("n2", 40));
        Kilter.action("TakeOld");
        Kilter.heard(Collections.singletonMap("n2", 39L));
        Kilter.heard(null);
        Kilter.action("Over");
    }
}
