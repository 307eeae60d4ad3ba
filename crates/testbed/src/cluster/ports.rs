//! Reserves ports for the nodes of a cluster, which no other cluster of this or another process uses.
//!
//! A port has to be free when the node binds it, so nobody can hold it for the node. Instead, each cluster has a block
//! of ports and holds the block by listening on its first port. The blocks lie below the ports that systems use for
//! outgoing connections.

use std::io;
use std::net::{Ipv4Addr, TcpListener};

const FIRST: u16 = 10_240;
const BLOCKS: u16 = 352;
const BLOCK_PORTS: u16 = 64;

/// A block of ports.
pub struct Ports {
    /// Listens on the first port, and never accepts. Whoever has bound that port has the block.
    _lock: TcpListener,
    first: u16,
    next: u16,
}

impl Ports {
    /// Reserves a free block. The search starts at a block that depends on the process id.
    pub fn reserve() -> io::Result<Ports> {
        let hint = (std::process::id() % u32::from(BLOCKS)) as u16;
        for index in 0..BLOCKS {
            let lock = FIRST + (hint + index) % BLOCKS * BLOCK_PORTS;
            if let Ok(listener) = listen(lock) {
                return Ok(Ports { _lock: listener, first: lock + 1, next: 0 });
            }
        }
        Err(io::Error::other("all ports for nodes are taken"))
    }

    /// Takes `n_ports` different ports that are free now. The ports are used in turn, so that the kernel's memory of
    /// closed connections does not block the next case.
    pub fn take(&mut self, n_ports: usize) -> io::Result<Vec<u16>> {
        let mut ports = Vec::with_capacity(n_ports);
        for _ in 0..BLOCK_PORTS - 1 {
            if ports.len() == n_ports {
                break;
            }
            let port = self.first + self.next;
            self.next = (self.next + 1) % (BLOCK_PORTS - 1);
            if listen(port).is_ok() {
                ports.push(port);
            }
        }
        if ports.len() == n_ports { Ok(ports) } else { Err(io::Error::other("too few free ports")) }
    }
}

fn listen(port: u16) -> io::Result<TcpListener> {
    TcpListener::bind((Ipv4Addr::LOCALHOST, port))
}
