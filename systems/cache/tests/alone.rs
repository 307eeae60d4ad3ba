//! The program by itself, without a testbed.

use std::io::Write;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use kilter::follow::FollowOptions;
use kilter::run::Ended;

/// A server that is ended with the test.
struct Server {
    child: Child,
    address: SocketAddr,
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended, which the test finds out in another way.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn cache(role: &str, address: SocketAddr) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cache"));
    command.args([role, &format!("server={address}")]).env_remove("CACHE_BUG");
    command
}

fn serve(bug: Option<&str>) -> Server {
    serve_traced(bug, None)
}

fn serve_traced(bug: Option<&str>, folder: Option<&Path>) -> Server {
    let free = TcpListener::bind(("127.0.0.1", 0)).and_then(|listener| listener.local_addr());
    let address = free.expect("a free port on loopback");
    let mut command = cache("server", address);
    command.envs(bug.map(|bug| ("CACHE_BUG", bug))).envs(trace("server", folder));
    let child = command.spawn();
    let mut server = Server { child: child.expect("the server starts"), address };
    while TcpStream::connect(address).is_err() {
        assert!(server.child.try_wait().expect("a child of ours").is_none(), "the server has ended");
    }
    server
}

/// The variable that makes a node write a trace.
fn trace(node: &str, folder: Option<&Path>) -> Option<(&'static str, std::path::PathBuf)> {
    folder.map(|folder| ("KILTER_TRACE", folder.join(node).with_extension("log")))
}

fn ask(server: &Server, numbers: &str) -> String {
    ask_traced(server, numbers, None)
}

fn ask_traced(server: &Server, numbers: &str, folder: Option<&Path>) -> String {
    let mut command = cache("client", server.address);
    command.envs(trace("client", folder));
    let client = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
    let mut client = client.expect("the client starts");
    let mut stdin = client.stdin.take().expect("it is piped");
    stdin.write_all(numbers.as_bytes()).expect("the client reads");
    drop(stdin);
    let output = client.wait_with_output().expect("the client ends");
    String::from_utf8(output.stdout).expect("the client prints text")
}

#[test]
fn the_server_knows_the_largest() {
    assert_eq!(ask(&serve(None), "2\n1\n3\n3\n"), "Max\nNotMax\nMax\nMax\n");
}

#[test]
fn the_bug_is_that_a_number_must_beat_itself() {
    assert_eq!(ask(&serve(Some("strict")), "2\n1\n3\n3\n"), "Max\nNotMax\nMax\nNotMax\n");
}

/// The exit code and the answer of `kilter follow` for what a client and a server write about these numbers.
fn followed(bug: Option<&str>) -> (i32, String) {
    let folder = tempfile::tempdir().expect("a folder");
    ask_traced(&serve_traced(bug, Some(folder.path())), "2\n1\n3\n3\n", Some(folder.path()));
    let mapping = Path::new(env!("CARGO_MANIFEST_DIR")).join("follow.toml");
    let logs = ["client", "server"].map(|node| folder.path().join(node).with_extension("log"));
    let options = FollowOptions::of([mapping].into_iter().chain(logs));
    match kilter::follow::run(&options, &mut kilter::Host::default()).expect("the traces can be read") {
        Ended::Said { text, code, .. } => (i32::from(code), text),
        Ended::Ran(_) => panic!("nothing is run"),
    }
}

#[test]
fn what_they_do_is_a_behavior() {
    let (code, text) = followed(None);
    assert_eq!(code, 0, "{text}");
}

#[test]
fn the_bug_is_no_behavior() {
    let (code, text) = followed(Some("strict"));
    assert_eq!(code, 1, "{text}");
    assert!(text.contains("server.log:9"), "{text}");
}
