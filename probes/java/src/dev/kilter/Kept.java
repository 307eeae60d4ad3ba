package dev.kilter;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;

/** The node's folder as it was at some time, kept beside it. */
final class Kept {
    private final Path folder;
    private final Path copy;

    private Kept(Path folder, String ending) {
        this.folder = folder.toAbsolutePath();
        this.copy = this.folder.resolveSibling(this.folder.getFileName() + ending);
    }

    /**
     * The folder when the node began. The copy outlives this process: a node that is killed and started again has an older beginning. Throws
     * TableError.
     */
    static Kept begin(Path folder) {
        Kept kept = new Kept(folder, ".begin");
        try {
            if (!Files.exists(kept.copy)) {
                copy(kept.folder, kept.copy);
            }
        } catch (IOException error) {
            throw new TableError("the node's folder " + folder + " can't be kept: " + error);
        }
        return kept;
    }

    /** The folder as it is now. Nobody may write meanwhile. */
    static Kept now(Path folder) throws IOException {
        Kept kept = new Kept(folder, ".crash");
        kept.forget();
        copy(kept.folder, kept.copy);
        return kept;
    }

    void restore() throws IOException {
        remove(folder);
        copy(copy, folder);
    }

    void forget() throws IOException {
        if (Files.exists(copy)) {
            remove(copy);
        }
    }

    private static void copy(Path from, Path to) throws IOException {
        Files.walkFileTree(from, new SimpleFileVisitor<Path>() {
            @Override
            public FileVisitResult preVisitDirectory(Path found, BasicFileAttributes attributes) throws IOException {
                Files.createDirectories(to.resolve(from.relativize(found)));
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path found, BasicFileAttributes attributes) throws IOException {
                Files.copy(found, to.resolve(from.relativize(found)));
                return FileVisitResult.CONTINUE;
            }
        });
    }

    private static void remove(Path folder) throws IOException {
        Files.walkFileTree(folder, new SimpleFileVisitor<Path>() {
            @Override
            public FileVisitResult visitFile(Path found, BasicFileAttributes attributes) throws IOException {
                Files.delete(found);
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult postVisitDirectory(Path found, IOException error) throws IOException {
                Files.delete(found);
                return FileVisitResult.CONTINUE;
            }
        });
    }
}
