package dev.kilter;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;

/** Says which of the names that exist look like one that does not. */
final class Similar {
    private static final int SHOWN_MAX = 8;

    private Similar() {}

    /** "; similar: `a`, `b`", or "; there are: `x`, `y`" if none is similar, or nothing if there are none. */
    static String hint(String wrong, Collection<String> names) {
        List<String> similar = new ArrayList<>();
        for (String name : new LinkedHashSet<>(names)) {
            if (distance(wrong.toLowerCase(), name.toLowerCase()) <= Math.max(2, wrong.length() / 3)) {
                similar.add(name);
            }
        }
        if (!similar.isEmpty()) {
            return "; similar: " + quoted(similar);
        }
        return names.isEmpty() ? "" : "; there are: " + quoted(new ArrayList<>(new LinkedHashSet<>(names)));
    }

    private static String quoted(List<String> names) {
        String shown = "`" + String.join("`, `", names.subList(0, Math.min(SHOWN_MAX, names.size()))) + "`";
        return names.size() > SHOWN_MAX ? shown + " and " + (names.size() - SHOWN_MAX) + " more" : shown;
    }

    private static int distance(String a, String b) {
        int[] row = new int[b.length() + 1];
        for (int j = 0; j <= b.length(); j++) {
            row[j] = j;
        }
        for (int i = 1; i <= a.length(); i++) {
            int diagonal = row[0];
            row[0] = i;
            for (int j = 1; j <= b.length(); j++) {
                int changed = diagonal + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
                diagonal = row[j];
                row[j] = Math.min(changed, 1 + Math.min(row[j], row[j - 1]));
            }
        }
        return row[b.length()];
    }
}
