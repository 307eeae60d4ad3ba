//! Tables against classes that javac has compiled.

use std::fs;
use std::path::Path;
use std::process::Command;

use kilter_java::{Jars, Mistake, Table, changed, check};
use proptest::prelude::*;

const PEER: &str = "package org.example;
import java.util.concurrent.LinkedBlockingQueue;
public class Peer {
    static Peer self;
    private Vote vote = new Vote();
    private final LinkedBlockingQueue<Vote> queue = new LinkedBlockingQueue<>();
    void handle(Vote vote) throws InterruptedException { queue.put(vote); this.vote = queue.take(); }
    void handle(String text, int n) { }
    Vote getVote() { return vote; }
}
class Vote extends Base { long zxid; String name(int a) { return \"v\" + a; } }
class Base { int epoch; }
";

fn compiled(folder: &Path) -> Jars {
    fs::write(folder.join("Peer.java"), PEER).expect("ours");
    let javac = Command::new("javac").args(["-g", "-d", "out", "Peer.java"]).current_dir(folder).output();
    let output = javac.expect("javac can be started");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let mut jars = Jars::default();
    for name in ["Peer", "Vote", "Base"] {
        let path = format!("org/example/{name}.class");
        jars.add_class(&path, fs::read(folder.join("out").join(&path)).expect("compiled"));
    }
    jars
}

fn mistakes(table: &str, jars: &Jars) -> Vec<String> {
    let table: Table = toml::from_str(&format!("threads = [\"Peer\"]\n{table}")).expect("a table");
    let line = |Mistake { text, message, help }: Mistake| {
        format!("{text}: {message}{}", help.map(|help| format!("; {help}")).unwrap_or_default())
    };
    check(&table, Some(jars)).into_iter().map(line).collect()
}

#[test]
fn what_is_there_is_found() {
    let folder = tempfile::tempdir().expect("a folder");
    let jars = compiled(folder.path());
    let table = r#"
[objects]
peer = "org.example.Peer"
[variables]
vote = { zxid = "peer.vote.zxid", epoch = "org.example.Peer.self.getVote().epoch", name = "peer.vote.name(1).length()" }
[[points]]
in = "org.example.Peer.handle(Vote)"
action = "Handle"
args = ["$1.zxid", "this.vote.epoch", "'n' + $1.name(2)"]
[[points]]
in = "org.example.Peer.handle"
call = "LinkedBlockingQueue.take"
polls = true
"#;
    assert_eq!(mistakes(table, &jars), Vec::<String>::new());
}

#[test]
fn what_is_misspelt_is_found_with_what_is_similar() {
    let folder = tempfile::tempdir().expect("a folder");
    let jars = compiled(folder.path());
    for (table, expected) in [
        (
            "[objects]\npeer = \"org.exmple.Peer\"",
            "org.exmple.Peer: there is no class `org.exmple.Peer` in the jars; did you mean `org.example.Peer`?",
        ),
        (
            "[[points]]\nin = \"org.example.Peer.handel\"\naction = \"A\"",
            "org.example.Peer.handel: the class `org.example.Peer` has no method `handel`; did you mean `handle`?",
        ),
        (
            "[[points]]\nin = \"org.example.Peer.handle(int)\"\naction = \"A\"",
            "org.example.Peer.handle(int): no method `handle` has these parameters; \
             there is handle(org.example.Vote), handle(java.lang.String, int)",
        ),
        (
            "[[points]]\nin = \"org.example.Peer.handle\"\ncall = \"LinkedBlockingQueue.take\"\nnth = 2\nskip = true",
            "LinkedBlockingQueue.take: `handle` calls `LinkedBlockingQueue.take` once, so there is no call 2; \
             nth counts from 1, in the order of the code",
        ),
        (
            "[[points]]\nin = \"org.example.Peer.handle\"\ncall = \"Queue.poll\"\nskip = true",
            "Queue.poll: `handle` does not call `Queue.poll`; the calls in it are LinkedBlockingQueue.put, LinkedBlockingQueue.take",
        ),
        (
            "[[points]]\nin = \"org.example.Peer.handle(Vote)\"\naction = \"A\"\nargs = [\"$1.zxd\"]",
            "$1.zxd: the class `org.example.Vote` has no field `zxd`; did you mean `zxid`?",
        ),
        (
            "[[points]]\nin = \"org.example.Peer.handle(Vote)\"\naction = \"A\"\nargs = [\"$2\"]",
            "$2: `handle` has no argument $2; it has 1",
        ),
        (
            "[objects]\npeer = \"org.example.Peer\"\n[variables]\nv = \"peer.getVotes()\"",
            "peer.getVotes(): the class `org.example.Peer` has no method `getVotes` of 0 arguments; did you mean `getVote`?",
        ),
        (
            "[variables]\nv = \"pear.vote\"\n[objects]\npeer = \"org.example.Peer\"",
            "pear.vote: nothing is known that `pear` could stand for; did you mean `peer`?",
        ),
        (
            "[[points]]\nin = \"org.example.Peer.handle\"\naction = \"A\"\nrests = true\ncall = \"LinkedBlockingQueue.put\"",
            "org.example.Peer.handle: a point has one meaning, and this one has action and rests; \
             it is one of action, takes, polls, receives, arrives, sends, rests, waits, skip",
        ),
        (
            "[[mutations]]\nin = \"org.example.Peer.handle\"\ndo = \"leave-ut\"\ncall = \"LinkedBlockingQueue.put\"",
            "leave-ut: `leave-ut` is no mutation; did you mean `leave-out`?",
        ),
        (
            "[[mutations]]\nin = \"org.example.Peer.handle\"\ndo = \"leave-out\"\ncall = \"put\"",
            "put: `put` is no method of a class; write Class.method",
        ),
        (
            "[[mutations]]\nin = \"org.example.Peer.handle\"\ndo = \"swap\"\ncall = \"LinkedBlockingQueue.put\"",
            "org.example.Peer.handle: `swap` needs the key `with`",
        ),
    ] {
        assert_eq!(mistakes(table, &jars), [expected], "{table}");
    }
}

#[test]
fn code_is_the_same_whatever_else_is_in_the_class() {
    let folder = tempfile::tempdir().expect("a folder");
    let before = compiled(folder.path()).class("org.example.Peer").expect("there").expect("readable");
    let more = PEER.replace("static Peer self;", "static Peer self; static String more = \"a\" + self;\n\n");
    fs::write(folder.path().join("Peer.java"), more).expect("ours");
    let javac = Command::new("javac").args(["-d", "out", "Peer.java"]).current_dir(folder.path()).status();
    assert!(javac.expect("javac can be started").success());
    let mut jars = Jars::default();
    let path = "org/example/Peer.class";
    jars.add_class(path, fs::read(folder.path().join("out").join(path)).expect("compiled"));
    let after = jars.class("org.example.Peer").expect("there").expect("readable");
    for method in before.methods.iter().filter(|method| method.name != "<clinit>") {
        let same =
            after.methods.iter().find(|other| other.text() == method.text()).expect("it is still there");
        assert_eq!(same.code, method.code, "{}", method.name);
    }
    assert_ne!(before.methods.len(), after.methods.len());
}

/// Two versions of a program of two threads. One of them calls through an interface.
const ACTORS: &str = "package org.example;
interface Rule { int next(int n); }
class Twice implements Rule { public int next(int n) { return 2 * n; } }
class Actor extends Thread {
    Rule rule = new Twice();
    int n;
    public void run() { while (true) { step(); report(); } }
    void step() { n = rule.next(n); }
    void report() { System.out.println(n); }
}
class Clerk extends Thread {
    public void run() { while (true) work(); }
    void work() { System.out.println(1); }
    static void unused() { System.out.println(2); }
}
";

fn actors(folder: &Path, change: (&str, &str)) -> Jars {
    fs::write(folder.join("Actors.java"), ACTORS.replacen(change.0, change.1, 1)).expect("ours");
    let javac = Command::new("javac").args(["-d", "out", "Actors.java"]).current_dir(folder).status();
    assert!(javac.expect("javac can be started").success());
    let mut jars = Jars::default();
    for name in ["Rule", "Twice", "Actor", "Clerk"] {
        let path = format!("org/example/{name}.class");
        jars.add_class(&path, fs::read(folder.join("out").join(&path)).expect("compiled"));
    }
    jars
}

#[test]
fn a_change_touches_the_actions_that_may_run_it() {
    let table: Table = toml::from_str(
        "threads = [\"*\"]\n[[points]]\nin = \"org.example.Actor.step\"\naction = \"Step\"\n\
         [[points]]\nin = \"org.example.Actor.run\"\ncall = \"Actor.report\"\naction = \"Report\"\n\
         [[points]]\nin = \"org.example.Clerk.work\"\naction = \"Work\"\n",
    )
    .expect("a table");
    let folder = tempfile::tempdir().expect("a folder");
    let old = actors(folder.path(), ("", ""));
    for (from, to, touched, elsewhere) in [
        ("package", "package", &[][..], 0),
        ("// no", "", &[], 0),
        ("return 2 * n", "return 3 * n", &["Step"], 0),
        ("println(n)", "println(n + 1)", &["Report"], 0),
        ("{ step(); report(); }", "{ report(); step(); }", &["Report", "Step"], 0),
        ("println(1)", "println(3)", &["Work"], 0),
        ("println(2)", "println(3)", &[], 1),
    ] {
        let found = changed(&old, &actors(folder.path(), (from, to)), &table);
        let names: Vec<&str> = found.actions.keys().map(String::as_str).collect();
        assert_eq!((&names[..], found.elsewhere.len()), (touched, elsewhere), "{from} {found:?}");
    }
}

proptest! {
    #[test]
    fn garbage_is_refused_and_no_more(bytes: Vec<u8>, text: String) {
        let mut jars = Jars::default();
        let _ = jars.add_jar(&bytes);
        jars.add_class("A.class", [&[0xCA, 0xFE, 0xBA, 0xBE, 0, 0, 0, 52][..], &bytes].concat());
        prop_assert!(jars.class("A").is_some_and(|class| class.is_err()));
        let _ = kilter_java::expression::read(&text);
    }
}
