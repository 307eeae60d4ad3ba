package dev.kilter;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;

/** Class files as bytes. */
final class ClassFile {
    private static final int MAJOR_AT = 6;
    private static final byte[] OURS = "Ldev/kilter/".getBytes(StandardCharsets.US_ASCII);

    private ClassFile() {}

    static byte[] bytes(InputStream in) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        byte[] part = new byte[8192];
        for (int n = in.read(part); n >= 0; n = in.read(part)) {
            out.write(part, 0, n);
        }
        return out.toByteArray();
    }

    static int major(byte[] file) {
        return (file[MAJOR_AT] & 0xff) << 8 | file[MAJOR_AT + 1] & 0xff;
    }

    static byte[] withMajor(byte[] file, int major) {
        byte[] copy = file.clone();
        copy[MAJOR_AT] = (byte) (major >> 8);
        copy[MAJOR_AT + 1] = (byte) major;
        return copy;
    }

    /** Whether it may bear an annotation of ours; much faster than to parse it. */
    static boolean mentionsUs(byte[] file) {
        for (int i = 0; i + OURS.length <= file.length; i++) {
            int n = 0;
            while (n < OURS.length && file[i + n] == OURS[n]) {
                n++;
            }
            if (n == OURS.length) {
                return true;
            }
        }
        return false;
    }
}
