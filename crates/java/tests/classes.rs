//! Tables against classes that javac has compiled.

use std::fs;
use std::path::Path;
use std::process::Command;

use kilter_java::{Jars, Mistake, Table, changed, check, doubts};
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
    long limits(boolean big) { return (big ? 8000000000L : 70000) + 1000 + (\"late\".isEmpty() ? 1 : 1); }
    synchronized void lock() { }
}
class Loop extends Thread implements Runnable { int turn; Mood mood; void go() { } }
enum Mood { GLAD, SAD; int n; }
abstract class Task implements Runnable { int id; }
class Late extends Task { int due; public void run() { } }
class Vote extends Base { long zxid; void sync() { } String name(int a) { return \"v\" + a; } }
abstract class Base { int epoch; abstract void sync(); }
";

fn compiled(folder: &Path) -> Jars {
    fs::write(folder.join("Peer.java"), PEER).expect("ours");
    let javac = Command::new("javac").args(["-g", "-d", "out", "Peer.java"]).current_dir(folder).output();
    let output = javac.expect("javac can be started");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let mut jars = Jars::default();
    for name in ["Peer", "Vote", "Base", "Loop", "Task", "Late", "Mood"] {
        let path = format!("org/example/{name}.class");
        jars.add_class(&path, fs::read(folder.join("out").join(&path)).expect("compiled"));
    }
    jars
}

fn mistakes(table: &str, jars: &Jars) -> Vec<String> {
    let table: Table = toml::from_str(&format!("threads = [\"Peer\"]\n{table}")).expect("a table");
    let line = |Mistake { text, message, help, .. }: Mistake| {
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
loop = "org.example.Loop"
task = "org.example.Task"
[variables]
turn = ["loop.turn", "loop.getName()", "loop.priority"]
due = ["task.due", "task.id"]
vote = { zxid = "peer.vote.zxid", epoch = "org.example.Peer.self.getVote().epoch", name = "peer.vote.name(1).length()" }
[[points]]
in = "org.example.Peer.handle(Vote)"
action = "Handle"
args = ["$1.zxid", "this.vote.epoch", "'n' + $1.name(2)"]
[[points]]
in = "org.example.Peer.handle(Vote)"
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
            "[[points]]\nin = \"org.example.Peer.handle\"\naction = \"A\"",
            "org.example.Peer.handle: the class `org.example.Peer` has several methods `handle`; \
             add the types of the parameters: handle(org.example.Vote), handle(java.lang.String, int)",
        ),
        (
            "[[points]]\nin = \"org.example.Base.sync\"\naction = \"A\"",
            "org.example.Base.sync: `sync` of the class `org.example.Base` is abstract or native, and has no code; \
             name the class that implements it",
        ),
        (
            "[[points]]\nin = \"org.example.Peer.handle(Vote)\"\ncall = \"LinkedBlockingQueue.put\"\ntakes = \"A\"",
            "LinkedBlockingQueue.put: `takes` is for `poll` and `take` of queues, and not for `LinkedBlockingQueue.put`",
        ),
        (
            "[[points]]\nin = \"org.example.Peer.handle(Vote)\"\nwaits = true",
            "org.example.Peer.handle(Vote): `waits` is about a call, and none is named; add call = \"Class.method\"",
        ),
        (
            "[[points]]\nin = \"org.example.Peer.handle(Vote)\"\naction = \"A\"\ntimeout = \"B\"",
            "B: `timeout` is for `takes`, `polls` and `waits`",
        ),
        (
            "[[points]]\nin = \"org.example.Peer.handle(Vote)\"\ncall = \"LinkedBlockingQueue.take\"\npolls = true\ntimeout-if = \"true\"",
            "true: `timeout-if` says when a `timeout` may come, and there is none",
        ),
        (
            "[[points]]\nin = \"org.example.Peer.handle(Vote)\"\ncall = \"LinkedBlockingQueue.take\"\ntakes = \"A\"\ntimeout = \"B\"\ntimeout-if = \"this.vot == null\"",
            "this.vot == null: the class `org.example.Peer` has no field `vot`; did you mean `vote`?",
        ),
        (
            "[[points]]\nin = \"org.example.Peer.handle(Vote)\"\naction = \"A\"\nany = true\nearly = true",
            "org.example.Peer.handle(Vote): `early` is for `takes` with `timeout`\n\
             org.example.Peer.handle(Vote): `any` is for `takes`",
        ),
        (
            "[[points]]\nin = \"org.example.Peer.handle(Vote)\"\ncall = \"LinkedBlockingQueue.take\"\ntakes = \"A\"\nif = \"true\"\n\
             [[points]]\nin = \"org.example.Peer.handle(Vote)\"\ncall = \"LinkedBlockingQueue.take\"\npolls = true\nif = \"false\"",
            "LinkedBlockingQueue.take: two points, `takes` and `polls`, are about the same call of `LinkedBlockingQueue.take`; \
             one call can have only one such point, whatever its `if` is; `timeout-if` says when a `timeout` may come",
        ),
        (
            "[[points]]\nin = \"org.example.Peer.handle(Vote)\"\ncall = \"LinkedBlockingQueue.take\"\nnth = 2\nskip = true",
            "LinkedBlockingQueue.take: `handle` calls `LinkedBlockingQueue.take` once, so there is no call 2; \
             nth counts from 1, in the order of the code",
        ),
        (
            "[[points]]\nin = \"org.example.Peer.handle(Vote)\"\ncall = \"LinkedBlockingQueue.take\"\nskip = true\nif = \"true\"",
            "true: `skip` leaves a call out always; leave `if` out",
        ),
        (
            "[[points]]\nin = \"org.example.Peer.handle(Vote)\"\naction = \"A\"\ndrops = true",
            "org.example.Peer.handle(Vote): `drops` is about a call that receives, and returns null when its message is dropped; \
             add `call` and `receives`, or leave `drops` out",
        ),
        (
            "[[points]]\nin = \"org.example.Peer.handle(Vote)\"\ncall = \"Queue.poll\"\nskip = true",
            "Queue.poll: `handle` does not call `Queue.poll`; the calls in it are LinkedBlockingQueue.put, LinkedBlockingQueue.take",
        ),
        (
            "[[points]]\nin = \"org.example.Peer.handle(Vote)\"\naction = \"A\"\nargs = [\"$1.zxd\"]",
            "$1.zxd: the class `org.example.Vote` has no field `zxd`; did you mean `zxid`?",
        ),
        (
            "[[points]]\nin = \"org.example.Peer.handle(Vote)\"\ncall = \"LinkedBlockingQueue.take\"\ntakes = \"A\"\nargs = [\"it.epoch\", \"it.zxd\"]",
            "it.zxd: the class `org.example.Vote` has no field `zxd`; did you mean `zxid`?",
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
            "[[points]]\nin = \"org.example.Loop.go\"\naction = \"A\"\nif = \"this.mood == 'GLAT' && this.mood != 'SAD' || this.mood.n == 3\"",
            "this.mood == 'GLAT' && this.mood != 'SAD' || this.mood.n == 3: `org.example.Mood` has no constant `GLAT`; did you mean `GLAD`?",
        ),
        (
            "[objects]\nloop = \"org.example.Loop\"\n[variables]\nv = \"loop.trun\"",
            "loop.trun: the class `org.example.Loop` has no field `trun`; did you mean `turn`?",
        ),
        (
            "[objects]\ntask = \"org.example.Task\"\n[variables]\nv = [\"task.dua\", \"task.stop()\"]",
            "task.dua: the class `org.example.Task` has no field `dua`; its fields are id\n\
             task.stop(): the class `org.example.Task` has no method `stop` of 0 arguments",
        ),
        (
            "[variables]\nv = \"pear.vote\"\n[objects]\npeer = \"org.example.Peer\"",
            "pear.vote: nothing is known that `pear` could stand for; did you mean `peer`?",
        ),
        (
            "[[points]]\nin = \"org.example.Peer.handle(Vote)\"\naction = \"A\"\nrests = true\ncall = \"LinkedBlockingQueue.put\"",
            "org.example.Peer.handle(Vote): a point has one meaning, and this one has action and rests; \
             it is one of action, takes, polls, receives, arrives, sends, rests, waits, skip",
        ),
        (
            "[[mutations]]\nin = \"org.example.Peer.handle(Vote)\"\ndo = \"leave-ut\"\ncall = \"LinkedBlockingQueue.put\"",
            "leave-ut: `leave-ut` is no mutation; did you mean `leave-out`?",
        ),
        (
            "[[mutations]]\nin = \"org.example.Peer.handle(Vote)\"\ndo = \"leave-out\"\ncall = \"put\"",
            "put: `put` is no method of a class; write Class.method",
        ),
        (
            "[[mutations]]\nin = \"org.example.Peer.handle(Vote)\"\ndo = \"swap\"\ncall = \"LinkedBlockingQueue.put\"",
            "org.example.Peer.handle(Vote): `swap` needs the key `with`",
        ),
        (
            "[[mutations]]\nin = \"org.example.Peer.limits\"\ndo = \"constant\"\nfrom = 3\nto = 4",
            "3: `limits` has no constant 3; the constants in it are \"late\", 1, 1000, 70000, 8000000000",
        ),
        (
            "[[mutations]]\nin = \"org.example.Peer.limits\"\ndo = \"constant\"\nnth = 2\nfrom = 1000\nto = 4",
            "1000: `limits` has the constant 1000 once",
        ),
        (
            "[[mutations]]\nin = \"org.example.Peer.limits\"\ndo = \"constant\"\nfrom = 70000\nto = \"late\"",
            "\"late\": 70000 can't become \"late\"",
        ),
        (
            "[[mutations]]\nin = \"org.example.Peer.handle(Vote)\"\ndo = \"swap\"\ncall = \"LinkedBlockingQueue.put\"\nwith = \"LinkedBlockingQueue.take\"",
            "LinkedBlockingQueue.take: `LinkedBlockingQueue.put` and `LinkedBlockingQueue.take` take or give different things; \
             they are void put(java.lang.Object) and java.lang.Object take()",
        ),
    ] {
        assert_eq!(mistakes(table, &jars).join("\n"), expected, "{table}");
    }
}

#[test]
fn mutations_that_fit_are_no_mistakes() {
    let folder = tempfile::tempdir().expect("a folder");
    let jars = compiled(folder.path());
    for change in
        ["from = true\nto = false\nnth = 2", "from = 8000000000\nto = 1", "from = \"late\"\nto = \"\""]
    {
        let table = format!("[[mutations]]\nin = \"org.example.Peer.limits\"\ndo = \"constant\"\n{change}");
        assert_eq!(mistakes(&table, &jars), [""; 0], "{table}");
    }
}

#[test]
fn an_action_at_the_entry_of_a_synchronized_method_is_doubtful() {
    let folder = tempfile::tempdir().expect("a folder");
    let jars = compiled(folder.path());
    let said = |point: &str| {
        let table: Table = toml::from_str(&format!("[[points]]\n{point}\naction = \"A\"")).expect("a table");
        doubts(&table, &jars)
    };
    let locks = said("in = \"org.example.Peer.lock\"");
    assert!(locks.len() == 1 && locks[0].starts_with("`Peer.lock` is synchronized: "), "{locks:?}");
    assert!(locks[0].ends_with("call = \"Peer.lock\""), "{locks:?}");
    assert_eq!(said("in = \"org.example.Peer.getVote\""), [""; 0]);
    assert_eq!(said("in = \"org.example.Peer.none\""), [""; 0]);
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
    static final String BUILD = String.valueOf(\"1.2.3\");
    public void run() { while (true) work(); }
    void work() { System.out.println(1); }
    static void unused() { Runnable task = () -> System.out.println(2); task.run(); }
    static void main(String[] words) { new Actor().start(); new Clerk().start(); greet(\"hello\"); }
    static void greet(String word) { Runnable task = () -> System.out.println(word); task.run(); }
}
class Other extends Thread {
    Other() { System.out.println(4); }
    public void run() { System.out.println(5); }
}
";

/// The program with each of these changes, compiled all at once: each in a package of its own, whose name is as long as the right one and
/// is replaced by it in the class files.
fn actors(folder: &Path, changes: &[(&str, &str)]) -> Vec<Jars> {
    let packages: Vec<String> = ('a'..='z').map(|letter| format!("exampl{letter}")).collect();
    let packages = || packages.iter().filter(|package| *package != "example").zip(changes);
    let mut files = Vec::new();
    for (package, (from, to)) in packages() {
        let changed = ACTORS.replacen(from, to, 1).replacen("org.example", &format!("org.{package}"), 1);
        files.push(format!("{package}.java"));
        fs::write(folder.join(format!("{package}.java")), changed).expect("ours");
    }
    let javac = Command::new("javac").args(["-d", "out"]).args(&files).current_dir(folder).status();
    assert!(javac.expect("javac can be started").success());
    let load = |(package, _): (&String, _)| {
        let mut jars = Jars::default();
        for name in ["Rule", "Twice", "Actor", "Clerk", "Other"] {
            let mut class =
                fs::read(folder.join(format!("out/org/{package}/{name}.class"))).expect("compiled");
            let name_of_package = format!("org/{package}").into_bytes();
            for at in 0..class.len() - name_of_package.len() {
                let place = at..at + name_of_package.len();
                if class[place.clone()] == name_of_package {
                    class[place].copy_from_slice(b"org/example");
                }
            }
            jars.add_class(&format!("org/example/{name}.class"), class);
        }
        jars
    };
    packages().map(load).collect()
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
    let expected = [
        ("package", "package", &[][..], 0, 0),
        ("// no", "", &[], 0, 0),
        ("return 2 * n", "return 3 * n", &["Step"], 0, 0),
        ("println(n)", "println(n + 1)", &["Report"], 0, 0),
        ("{ step(); report(); }", "{ report(); step(); }", &["Report", "Step"], 0, 0),
        ("println(1)", "println(3)", &["Work"], 0, 0),
        // Nobody makes one of these, and nobody calls that.
        ("println(4)", "println(6)", &[], 0, 1),
        ("println(5)", "println(6)", &[], 0, 1),
        ("println(2)", "println(3)", &[], 0, 1),
        // One lambda more: those behind it have other numbers, and are the same.
        ("println(2)", "println((java.util.function.IntSupplier) () -> 2)", &[], 0, 3),
        ("println(word)", "println(word + 1)", &[], 1, 0),
        ("\"hello\"", "\"bye\"", &[], 1, 0),
        // A version says which build it is, and no more.
        ("1.2.3", "1.2.4", &[], 0, 0),
    ];
    let changes = expected.map(|(from, to, ..)| (from, to));
    let versions = actors(folder.path(), &changes);
    for ((from, _, touched, started, unused), new) in expected.iter().zip(&versions) {
        let found = changed(&versions[0], new, &table);
        let names: Vec<&str> = found.actions.keys().map(String::as_str).collect();
        let n_others = (found.start.len(), found.unused.len());
        assert_eq!((&names[..], n_others), (*touched, (*started, *unused)), "{from} {found:?}");
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
