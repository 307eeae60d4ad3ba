package sample;

import dev.kilter.Action;
import dev.kilter.Kilter;
import dev.kilter.Receives;
import dev.kilter.Sends;
import dev.kilter.Variable;
import java.io.IOException;
import java.util.Collections;

/** A program whose owner uses annotations. */
public class Owned {
    @Variable("n")
    private int n;

    @Variable("all")
    private static int all = 10;

    @Action("Step")
    private void step(int by, String why) {
        n += by;
        all += by;
        send("n2", n);
        Kilter.action("Half", n, "x");
        n++;
        Kilter.sent("n3", Collections.singletonMap("n", n));
    }

    @Action(value = "Quiet", args = {})
    private void quiet(Object anything) {}

    @Sends(to = "$1", message = {"kind='count'", "n=$2"})
    private void send(String to, int value) {}

    @Receives(value = "Got", message = {"byte=$result"})
    private int receive() throws IOException {
        return System.in.read();
    }

    private void loop() {
        try {
            step(2, "because");
            quiet(new Object());
            n = receive();
            step(1, "end");
        } catch (IOException error) {
            throw new IllegalStateException(error);
        }
    }

    public static void main(String[] args) throws Exception {
        Thread thread = new Thread(new Owned()::loop, "anything");
        thread.start();
        thread.join();
        System.out.println("over " + all);
    }
}
