//! The program by itself, without a testbed.

use std::io::Write;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};

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
    let free = TcpListener::bind(("127.0.0.1", 0)).and_then(|listener| listener.local_addr());
    let address = free.expect("a free port on loopback");
    let child = cache("server", address).envs(bug.map(|bug| ("CACHE_BUG", bug))).spawn();
    let mut server = Server { child: child.expect("the server starts"), address };
    while TcpStream::connect(address).is_err() {
        assert!(server.child.try_wait().expect("a child of ours").is_none(), "the server has ended");
    }
    server
}

fn ask(server: &Server, numbers: &str) -> String {
    let mut command = cache("client", server.address);
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
