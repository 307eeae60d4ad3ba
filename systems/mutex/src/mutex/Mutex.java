package mutex;

/** Whoever has the token may be inside. A node that wants it asks the other one. */
final class Mutex {
    private final String me;
    private final String other;
    private final Network network;
    private boolean token;
    private boolean inside;
    /** Whether the other node waits for the token. */
    private boolean wanted;

    Mutex(String me, String other, Network network, boolean token) {
        this.me = me;
        this.other = other;
        this.network = network;
        this.token = token;
    }

    synchronized void acquire() throws InterruptedException {
        if (!token) {
            network.send(new Packet("request", me, other));
            while (!token) {
                wait();
            }
        }
        inside = true;
    }

    synchronized void release() {
        inside = false;
        if (wanted) {
            pass();
        }
    }

    synchronized void onRequest() {
        if (token && !inside) {
            pass();
        } else {
            wanted = true;
        }
    }

    synchronized void onToken() {
        token = true;
        notifyAll();
    }

    private void pass() {
        wanted = false;
        token = false;
        network.send(new Packet("token", me, other));
    }
}
