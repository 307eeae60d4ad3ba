//! A directory and a git revision of it give the same tree.

use std::fs;
use std::path::Path;
use std::process::Command;

use kilter_source::Tree;

fn git(directory: &Path, arguments: &[&str]) {
    let output = Command::new("git").arg("-C").arg(directory).args(arguments).output().expect("git is there");
    assert!(output.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
}

fn commit(directory: &Path) {
    git(directory, &["add", "."]);
    git(directory, &["-c", "user.name=n", "-c", "user.email=e@e", "commit", "-q", "-m", "a commit"]);
}

#[test]
fn a_revision_is_what_the_directory_was() {
    let root = tempfile::tempdir().expect("a directory");
    let system = root.path().join("system");
    fs::create_dir_all(system.join("src")).expect("a folder");
    git(root.path(), &["init", "-q"]);
    fs::write(root.path().join("outside.rs"), "fn f() {}").expect("a file");
    fs::write(system.join("src/main.rs"), "fn main() {}\n").expect("a file");
    fs::write(system.join("empty"), "").expect("a file");
    fs::write(system.join("with space.bin"), [0, 159, 146, 150, 10, 10]).expect("a file");
    commit(root.path());
    let before = Tree::from_directory(&system).expect("readable");
    assert_eq!(before.files.keys().collect::<Vec<_>>(), ["empty", "src/main.rs", "with space.bin"]);
    assert_eq!(Tree::from_revision(&system, "HEAD").expect("a revision"), before);

    fs::write(system.join("src/main.rs"), "fn main() { other(); }\n").expect("a file");
    fs::create_dir_all(system.join("target")).expect("a folder");
    fs::write(system.join("target/made"), "made").expect("a file");
    commit(root.path());
    let after = Tree::from_directory(&system).expect("readable");
    assert_ne!(after, before);
    assert_eq!(Tree::from_revision(&system, "HEAD").expect("a revision"), after);
    assert_eq!(Tree::from_revision(&system, "HEAD~1").expect("a revision"), before);
}

#[test]
fn what_runs_have_written_is_no_code() {
    let root = tempfile::tempdir().expect("a directory");
    let put = |name: &str, text: &str| {
        let path = root.path().join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, text).expect("a file");
    };
    put("node.py", "pass\n");
    put("parts/1/record.jsonl", "{\"format\": \"kilter-run\", \"version\": 2}\n");
    put("parts/1/kilter-logs/e1/n1.output.txt", "node.py");
    // A file of the system may have this name.
    put("lib/record.jsonl", "{\"song\": 1}\n");
    let kept = ["lib/record.jsonl", "node.py"];
    let tree = Tree::from_directory(root.path()).expect("readable");
    assert_eq!(tree.files.keys().collect::<Vec<_>>(), kept);
    git(root.path(), &["init", "-q"]);
    commit(root.path());
    assert_eq!(Tree::from_revision(root.path(), "HEAD").expect("a revision"), tree);
}

#[test]
fn what_is_no_revision_is_an_error_that_says_so() {
    let root = tempfile::tempdir().expect("a directory");
    git(root.path(), &["init", "-q"]);
    for revision in ["nothing", "--help", ""] {
        let error = Tree::from_revision(root.path(), revision).expect_err("there is no commit");
        assert!(error.to_string().contains("there is no such commit"), "{error}");
    }
    assert!(Tree::from_directory(&root.path().join("missing")).is_err());
}
