package mutex;

/** What nodes say to each other: a line of three words. */
final class Packet {
    final String kind;
    final String from;
    final String to;

    Packet(String kind, String from, String to) {
        this.kind = kind;
        this.from = from;
        this.to = to;
    }

    static Packet parse(String line) {
        String[] words = line.split(" ");
        return new Packet(words[0], words[1], words[2]);
    }

    String line() {
        return kind + " " + from + " " + to;
    }
}
