//! The socket that nodes connect to.

use std::io;
use std::net::{Ipv4Addr, TcpListener};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::net::UnixListener;
use std::path::Path;

use kilter_protocol::Address;
use rustix::net::sockopt::socket_peercred;
use rustix::process::{Pid, getpgid};

use super::link::Link;

/// The kind of socket that nodes connect to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Control {
    /// A Unix socket: faster, and only this user can connect.
    Unix,
    /// TCP on loopback, for languages without Unix sockets.
    Tcp,
}

/// On all systems, the path of a Unix socket must be shorter than this.
const PATH_BYTES_MAX: usize = 100;

/// The name of the socket.
const SOCKET: &str = "control";

/// Whether a socket in this directory would have a path that is short enough.
pub(super) fn has_room_for_socket(dir: &Path) -> bool {
    dir.join(SOCKET).as_os_str().len() < PATH_BYTES_MAX
}

/// A socket that listens for nodes.
pub(super) enum Listener {
    Unix(UnixListener),
    Tcp(TcpListener),
}

impl Listener {
    /// Listens. A Unix socket is made in the given directory. It is an error if its path is too long; TCP is not a way
    /// out, because other users of this machine can connect to it.
    pub(super) fn open(control: Control, dir: &Path) -> io::Result<(Listener, Address)> {
        let path = dir.join(SOCKET);
        if control == Control::Unix {
            if !has_room_for_socket(dir) {
                let text = format!(
                    "{} is too long for a socket, which takes {PATH_BYTES_MAX} bytes; set TMPDIR to a shorter path",
                    path.display()
                );
                return Err(io::Error::other(text));
            }
            let listener = UnixListener::bind(&path)?;
            listener.set_nonblocking(true)?;
            return Ok((Listener::Unix(listener), Address::Unix(path)));
        }
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        listener.set_nonblocking(true)?;
        let address = listener.local_addr()?;
        Ok((Listener::Tcp(listener), Address::Tcp(address)))
    }

    pub(super) fn fd(&self) -> BorrowedFd<'_> {
        match self {
            Listener::Unix(listener) => listener.as_fd(),
            Listener::Tcp(listener) => listener.as_fd(),
        }
    }

    /// The next connection, with the process group at its other end if that is known.
    pub(super) fn accept(&self) -> Option<(Link, Option<Pid>)> {
        match self {
            Listener::Unix(listener) => {
                let (socket, _) = listener.accept().ok()?;
                socket.set_nonblocking(true).ok()?;
                let group = socket_peercred(&socket).and_then(|peer| getpgid(Some(peer.pid))).ok();
                Some((Link::new(OwnedFd::from(socket)), group))
            }
            Listener::Tcp(listener) => {
                let (socket, _) = listener.accept().ok()?;
                socket.set_nonblocking(true).ok()?;
                socket.set_nodelay(true).ok()?;
                Some((Link::new(OwnedFd::from(socket)), None))
            }
        }
    }
}
