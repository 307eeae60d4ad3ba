package dev.kilter;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;

/**
 * The node's folder as it was when the node began, kept beside it.
 *
 * What is kept outlives this process: a node that is killed and started again has an older beginning.
 */
final class Begin {
    private final Path folder;
    private final Path kept;

    private Begin(Path folder) {
        this.folder = folder;
        this.kept = folder.resolveSibling(folder.getFileName() + ".begin");
    }

    /** Throws TableError. */
    static Begin keep(Path folder) {
        Begin begin = new Begin(folder.toAbsolutePath());
        try {
            if (!Files.exists(begin.kept)) {
                copy(begin.folder, begin.kept);
            }
        } catch (IOException error) {
            throw new TableError("the node's folder " + folder + " can't be kept: " + error);
        }
        return begin;
    }

    void restore() throws IOException {
        remove(folder);
        copy(kept, folder);
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
