//! Whom a connection belongs to.
//!
//! The kernel is asked for the one socket with these two addresses (`sock_diag`). Its table in `/proc/net/tcp` says the
//! same, but is written anew for every reader, with thousands of connections that have ended lately.

use std::fs;
use std::io;
use std::net::{SocketAddr, SocketAddrV4};
use std::path::Path;

use rustix::net::{
    AddressFamily, RecvFlags, SendFlags, SocketFlags, SocketType, netlink, recv, send, socket_with,
};
use rustix::process::Pid;

/// The type of a question for a socket, and of its answer.
const SOCK_DIAG_BY_FAMILY: u16 = 20;
const NLM_F_REQUEST: u16 = 1;
const AF_INET: u8 = 2;
const IPPROTO_TCP: u8 = 6;
/// The length of what every message begins with.
const HEADER_BYTES: u32 = 16;
const QUESTION_BYTES: u32 = HEADER_BYTES + 8 + 48;
/// Where the number of the socket is in an answer.
const NUMBER_AT: usize = HEADER_BYTES as usize + 4 + 48 + 16;

/// The socket with these two addresses, as the folders of processes name it. `None` if there is none any more.
pub(super) fn socket_between(local: SocketAddr, remote: SocketAddr) -> io::Result<Option<String>> {
    let (SocketAddr::V4(local), SocketAddr::V4(remote)) = (local, remote) else { return Ok(None) };
    let protocol = Some(netlink::SOCK_DIAG);
    let kernel = socket_with(AddressFamily::NETLINK, SocketType::RAW, SocketFlags::CLOEXEC, protocol)?;
    send(&kernel, &question(local, remote), SendFlags::empty())?;
    let mut answer = [0; 512];
    let (_, n_bytes) = recv(&kernel, &mut answer[..], RecvFlags::empty())?;
    let answer = &answer[..n_bytes];
    let is_found = answer.get(4..6) == Some(&SOCK_DIAG_BY_FAMILY.to_ne_bytes()[..]);
    let number = answer.get(NUMBER_AT..NUMBER_AT + 4).and_then(|bytes| bytes.try_into().ok());
    // A socket that is over has no number.
    let number = number.filter(|_| is_found).map(u32::from_ne_bytes).filter(|number| *number != 0);
    Ok(number.map(|number| format!("socket:[{number}]")))
}

/// Asks for the socket of one connection.
fn question(local: SocketAddrV4, remote: SocketAddrV4) -> Vec<u8> {
    let mut bytes = Vec::new();
    bytes.extend(QUESTION_BYTES.to_ne_bytes());
    bytes.extend(SOCK_DIAG_BY_FAMILY.to_ne_bytes());
    bytes.extend(NLM_F_REQUEST.to_ne_bytes());
    bytes.extend([0; 8]);
    bytes.extend([AF_INET, IPPROTO_TCP, 0, 0]);
    // In whatever state it is.
    bytes.extend(u32::MAX.to_ne_bytes());
    bytes.extend(local.port().to_be_bytes());
    bytes.extend(remote.port().to_be_bytes());
    for address in [local.ip(), remote.ip()] {
        bytes.extend(address.octets());
        bytes.extend([0; 12]);
    }
    // On any interface, and known by no cookie.
    bytes.extend([0; 4]);
    bytes.extend([u8::MAX; 8]);
    bytes
}

/// Whether a process has this socket.
pub(super) fn owns(pid: Pid, socket: &str) -> bool {
    let files = fs::read_dir(Path::new("/proc").join(pid.as_raw_nonzero().to_string()).join("fd"));
    let mut links = files.into_iter().flatten().flatten().filter_map(|file| fs::read_link(file.path()).ok());
    links.any(|link| link.to_string_lossy() == socket)
}

#[cfg(test)]
mod tests {
    use std::net::{TcpListener, TcpStream};

    use super::*;

    #[test]
    fn both_ends_of_a_connection_belong_to_this_process() {
        let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a port");
        let one = TcpStream::connect(listener.local_addr().expect("an address")).expect("a connection");
        let (other, _) = listener.accept().expect("a connection");
        let ends = [&one, &other].map(|end| {
            let (local, remote) = (end.local_addr().expect("an address"), end.peer_addr().expect("another"));
            socket_between(local, remote).expect("the kernel answers").expect("it is there")
        });
        assert_ne!(ends[0], ends[1]);
        let me = rustix::process::getpid();
        assert!(ends.iter().all(|end| owns(me, end)), "{ends:?}");
        assert!(!owns(me, "socket:[0]"));
    }

    #[test]
    fn where_there_is_no_connection_there_is_no_socket() {
        let nobody = |port: u16| SocketAddr::from(([127, 0, 0, 1], port));
        assert_eq!(socket_between(nobody(1), nobody(2)).expect("the kernel answers"), None);
    }
}
