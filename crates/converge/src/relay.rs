//! Relays between nodes, so that nodes can be cut off from each other while they run.
//!
//! Other nodes reach a node through its relay, which has an address of its own. While two nodes are cut off from each
//! other, what one sends to the other waits in the relay, as it would wait in a network that loses packets: connections
//! stay open, and nobody hears anything. A relay has to know who connects. Every node runs on this machine, so it asks
//! the system which process the other end of a connection belongs to.

mod owner;

use std::collections::BTreeSet;
use std::io::{self, Read as _, Write as _};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

use rustix::process::Pid;

/// Who is cut off from whom, and which process each node is.
#[derive(Default)]
struct Gates {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    /// Nodes that nobody reaches, and that reach nobody.
    cut: BTreeSet<usize>,
    pids: Vec<Option<Pid>>,
    is_over: bool,
}

impl Gates {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until nothing is between two nodes. Returns whether the relays still work.
    fn wait(&self, one: usize, other: usize) -> bool {
        let mut state = self.state();
        while !state.is_over && (state.cut.contains(&one) || state.cut.contains(&other)) {
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        !state.is_over
    }
}

/// The relays of a cluster.
pub struct Relays {
    gates: Arc<Gates>,
    addresses: Vec<SocketAddr>,
}

impl Relays {
    /// Starts a relay for each node, in front of this port of it.
    pub fn start(ports: &[u16]) -> io::Result<Self> {
        let gates = Arc::new(Gates::default());
        gates.state().pids = vec![None; ports.len()];
        let mut addresses = Vec::new();
        for (node, port) in ports.iter().copied().enumerate() {
            let listener = TcpListener::bind(("127.0.0.1", 0))?;
            addresses.push(listener.local_addr()?);
            let gates = Arc::clone(&gates);
            thread::spawn(move || listen(&listener, &gates, node, port));
        }
        Ok(Self { gates, addresses })
    }

    /// The port of a node's relay.
    pub fn port(&self, node: usize) -> u16 {
        self.addresses[node].port()
    }

    /// Says which process a node is from now on.
    pub fn know(&self, node: usize, pid: Pid) {
        self.gates.state().pids[node] = Some(pid);
    }

    /// Cuts nodes off: each of them from all others.
    pub fn cut(&self, nodes: &[usize]) {
        self.gates.state().cut.extend(nodes);
    }

    /// Lets nodes reach the others again. What has waited goes on its way.
    pub fn mend(&self, nodes: &[usize]) {
        self.gates.state().cut.retain(|node| !nodes.contains(node));
        self.gates.changed.notify_all();
    }
}

impl Drop for Relays {
    fn drop(&mut self) {
        self.gates.state().is_over = true;
        self.gates.changed.notify_all();
        // Wakes those who wait for connections.
        for address in &self.addresses {
            let _ = TcpStream::connect(address);
        }
    }
}

/// Takes connections to a node for as long as the relays work.
fn listen(listener: &TcpListener, gates: &Arc<Gates>, node: usize, port: u16) {
    for stream in listener.incoming() {
        if gates.state().is_over {
            return;
        }
        let Ok(stream) = stream else { continue };
        let gates = Arc::clone(gates);
        thread::spawn(move || connect(stream, &gates, node, port));
    }
}

/// Passes on what is said on one connection to a node.
fn connect(from: TcpStream, gates: &Arc<Gates>, node: usize, port: u16) -> Option<()> {
    let socket = owner::socket_between(from.peer_addr().ok()?, from.local_addr().ok()?).ok()??;
    let pids = gates.state().pids.clone();
    let source = pids.iter().position(|pid| pid.is_some_and(|pid| owner::owns(pid, &socket)))?;
    if !gates.wait(source, node) {
        return None;
    }
    let to = TcpStream::connect(("127.0.0.1", port)).ok()?;
    to.set_nodelay(true).ok()?;
    from.set_nodelay(true).ok()?;
    let (back_from, back_to) = (to.try_clone().ok()?, from.try_clone().ok()?);
    let back_gates = Arc::clone(gates);
    thread::spawn(move || pass(back_from, back_to, &back_gates, node, source));
    pass(from, to, gates, source, node)
}

/// Passes on in one direction until the connection ends.
fn pass(mut from: TcpStream, mut to: TcpStream, gates: &Gates, source: usize, target: usize) -> Option<()> {
    let mut bytes = vec![0; 64 << 10];
    loop {
        let n_read = from.read(&mut bytes).unwrap_or(0);
        // That a connection has ended is not heard either.
        let goes_on = gates.wait(source, target);
        if n_read == 0 || !goes_on || to.write_all(&bytes[..n_read]).is_err() {
            let _ = to.shutdown(Shutdown::Write);
            let _ = from.shutdown(Shutdown::Read);
            return None;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    /// A connection through the relay of a node that answers with what it hears.
    fn echo() -> (Relays, TcpStream) {
        let node = TcpListener::bind(("127.0.0.1", 0)).expect("a port");
        let port = node.local_addr().expect("an address").port();
        thread::spawn(move || {
            let (mut stream, _) = node.accept().expect("a connection");
            let mut writer = stream.try_clone().expect("a stream");
            io::copy(&mut stream, &mut writer)
        });
        let relays = Relays::start(&[port, port]).expect("relays");
        // This process is the node with number 1.
        relays.know(1, rustix::process::getpid());
        let stream = TcpStream::connect(("127.0.0.1", relays.port(0))).expect("a relay");
        (relays, stream)
    }

    fn hear(stream: &mut TcpStream, within: Duration) -> Option<u8> {
        let mut byte = [0];
        stream.set_read_timeout(Some(within)).expect("a timeout");
        stream.read_exact(&mut byte).ok().map(|()| byte[0])
    }

    #[test]
    fn what_is_said_while_nodes_are_cut_off_waits() {
        let (relays, mut stream) = echo();
        stream.write_all(b"a").expect("a byte is sent");
        assert_eq!(hear(&mut stream, Duration::from_secs(20)), Some(b'a'));
        relays.cut(&[0]);
        stream.write_all(b"b").expect("a byte is sent");
        assert_eq!(hear(&mut stream, Duration::from_millis(100)), None);
        relays.mend(&[0]);
        assert_eq!(hear(&mut stream, Duration::from_secs(20)), Some(b'b'));
    }

    #[test]
    fn who_is_cut_off_does_not_reach_others_either() {
        let (relays, mut stream) = echo();
        relays.cut(&[1]);
        stream.write_all(b"a").expect("a byte is sent");
        assert_eq!(hear(&mut stream, Duration::from_millis(100)), None);
        relays.mend(&[1]);
        assert_eq!(hear(&mut stream, Duration::from_secs(20)), Some(b'a'));
    }
}
