//! The Python probe and its example node speak the protocol.

mod common;

use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use common::{Bed, Node};
use kilter_probe::{Json, LOST_EXIT_CODE, json};
use kilter_protocol::{Environment, ToNode};

fn python() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../probes/python")
}

/// The example node as n1, under control; n2 is a socket of ours.
struct Pair {
    child: Child,
    node: Node,
    n1: SocketAddr,
    n2: TcpListener,
}

impl Pair {
    fn start() -> Pair {
        let bed = Bed::new();
        let n1 = Bed::new().address(); // a port that was free a moment ago
        let n2 = TcpListener::bind(("127.0.0.1", 0)).expect("a free port on loopback");
        let n2_address = n2.local_addr().expect("a bound socket");
        let environment = bed.environment();
        let child = Command::new("python3")
            .arg(python().join("example_node.py"))
            .args(["--node", "n1", "--listen", &n1.to_string()])
            .args(["--peers", &format!("n1={n1},n2={n2_address}")])
            .env(Environment::ADDRESS, environment.address.to_string())
            .env(Environment::NODE, "n1")
            .env(Environment::TOKEN, "secret")
            .env("PYTHONDONTWRITEBYTECODE", "1")
            .stderr(Stdio::piped())
            .spawn()
            .expect("python3 is installed");
        let (hello, node) = bed.accept();
        assert_eq!((hello.node.as_str(), hello.token.as_str()), ("n1", "secret"));
        assert!(hello.says_still && hello.takes_delivery);
        Pair { child, node, n1, n2 }
    }

    #[track_caller]
    fn check(&mut self, said: &[&str], received: u64) {
        let said: Vec<String> = said.iter().map(|line| (*line).to_owned()).collect();
        assert_eq!(self.node.hear_until_still(), (said, received));
    }

    /// What n1 has really sent to n2.
    fn arrived(&self) -> Json {
        let (stream, _) = self.n2.accept().expect("n1 connects");
        let mut line = String::new();
        BufReader::new(stream).read_line(&mut line).expect("n1 sends a line");
        serde_json::from_str(&line).expect("n1 sends JSON")
    }

    fn send(&self, message: &Json) {
        let mut stream = TcpStream::connect(self.n1).expect("n1 listens");
        stream.write_all(format!("{message}\n").as_bytes()).expect("n1 reads");
    }

    #[track_caller]
    fn check_ended(self, code: i32, word: &str) {
        let Pair { child, node, .. } = self;
        drop(node);
        let output = child.wait_with_output().expect("the node ends");
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{stderr}");
        assert!(stderr.contains(word), "{word} is not in {stderr:?}");
    }
}

#[test]
fn the_example_node_is_held_and_let_go() {
    let mut pair = Pair::start();
    pair.check(&[r#"report {"count":0}"#, "offer 1 Tick()"], 0);
    pair.node.go(1);
    let tick = r#"done 1 {"count":1} sent {"count":1,"from":"n1","to":"n2"} to n2"#;
    pair.check(&[tick, "offer 2 Tick()"], 0);
    assert_eq!(pair.arrived(), json!({"from": "n1", "to": "n2", "count": 1}));

    // A message that comes twice, and then is lost.
    pair.send(&json!({"count": 2}));
    pair.check(&[r#"offer 3 Take() of {"count":2}"#], 1);
    pair.node.tell(&ToNode::Twice { id: 3 });
    pair.check(&[r#"done 3 {"count":2}"#, r#"offer 4 Take() of {"count":2}"#], 1);
    pair.node.tell(&ToNode::Drop { id: 4 });
    pair.check(&[r#"done 4 {"count":2}"#], 1);

    // One that the testbed gives back; with it the tick is no longer wished for.
    pair.node.tell(&ToNode::Deliver { from: "n2".into(), message: json!({"count": 7}) });
    pair.check(&[r#"offer 5 Take() of {"count":7}"#], 1);
    pair.node.go(5);
    pair.check(&[r#"done 5 {"count":7}"#, "withdraw 2"], 1);

    pair.node.request(40, "Set", &[json!(1)]);
    pair.check(&[r#"done 40 {"count":1}"#, "offer 6 Tick()"], 1);
    pair.node.request(41, "Get", &[]);
    pair.check(&[r#"done 41 {"count":1}, which it does not know"#], 1);
    pair.node.tell(&ToNode::Stop {});
    pair.check_ended(0, "");
}

#[test]
fn the_example_node_ends_with_its_testbed() {
    let mut gone = Pair::start();
    gone.check(&[r#"report {"count":0}"#, "offer 1 Tick()"], 0);
    gone.check_ended(LOST_EXIT_CODE, "kilter_probe: the testbed is gone");

    let mut wild = Pair::start();
    wild.check(&[r#"report {"count":0}"#, "offer 1 Tick()"], 0);
    wild.node.tell_raw(b"gibberish\n");
    wild.check_ended(LOST_EXIT_CODE, "kilter_probe: Expecting value");
}

#[test]
fn the_probe_is_short() {
    let text = std::fs::read_to_string(python().join("kilter_probe.py")).expect("it is there");
    assert!(text.lines().count() < 200, "an afternoon's work has less than 200 lines");
}
