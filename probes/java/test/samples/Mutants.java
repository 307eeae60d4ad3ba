package sample;

/** Prints what mutations change. */
public class Mutants {
    private static String log = "";

    static void first(String text) {
        log += "first-" + text + " ";
    }

    static void second(String text) {
        log += "second-" + text + " ";
    }

    static boolean isReady(int n) {
        for (int i = 0; i < n; i++) {
            if (i == 5) {
                return true;
            }
        }
        return false;
    }

    static long limit() {
        long limit = 1000;
        return limit + 7;
    }

    static void work() {
        first("a");
        second("b");
        first("c");
    }

    public static void main(String[] args) {
        work();
        System.out.println(log + isReady(3) + " " + limit() + " " + System.getProperty("user.dir").isEmpty());
    }
}
