package dev.kilter;

import java.util.regex.Pattern;

/** A name with `*` in it. In class names, `*` stops at a dot and `**` does not; in names of threads they are the same. */
final class Glob {
    /** As the table has it. */
    final String text;
    private final Pattern pattern;

    private Glob(String text, String star) {
        this.text = text;
        StringBuilder regex = new StringBuilder();
        for (int i = 0; i < text.length(); i++) {
            if (text.startsWith("**", i)) {
                regex.append(".*");
                i++;
            } else {
                regex.append(text.charAt(i) == '*' ? star : Pattern.quote(text.substring(i, i + 1)));
            }
        }
        pattern = Pattern.compile(regex.toString(), Pattern.DOTALL);
    }

    static Glob ofClasses(String text) {
        return new Glob(text, "[^.]*");
    }

    static Glob ofThreads(String text) {
        return new Glob(text, ".*");
    }

    boolean matches(String name) {
        return pattern.matcher(name).matches();
    }
}
