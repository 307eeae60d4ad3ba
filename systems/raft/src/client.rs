//! The protocol between clients and nodes, and a client.

use std::io::{self, BufRead as _, BufReader, Write as _};
use std::net::TcpStream;
use std::thread;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::machine::{Command, RequestId};
use crate::transport::Frame;

/// A request of a client.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
pub enum Request {
    /// A command for the store.
    Command {
        /// Its number. A request that is repeated has the same number.
        request: RequestId,
        /// The command.
        command: Command,
    },
    /// A question about the state of the node.
    Status,
}

/// The answer of a node.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
pub enum Response {
    /// The command has been carried out, and this is the value at its key.
    Done(Option<String>),
    /// Another node leads. This is its address, if it is known.
    Elsewhere(Option<String>),
    /// The leader has lost its office. The command may have been carried out, or may still be, or not. The client
    /// should ask again.
    Unsure,
    /// The state of the node.
    Status(Status),
}

/// The state of a node.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Status {
    /// Its name.
    pub node: String,
    /// follower, candidate or leader.
    pub role: String,
    /// The term.
    pub term: u64,
    /// The index up to which its log is committed.
    pub commit: u64,
    /// The index of the last entry in its snapshot.
    pub snapshot: u64,
    /// The number of other nodes' snapshots that it has installed since it started.
    pub installed: u64,
}

/// Why a request has no answer.
#[derive(Debug, Error)]
pub enum ClientError {
    /// There are no addresses to try.
    #[error("there is nobody to ask")]
    NoServers,
    /// No node could answer in time.
    #[error("no leader has answered within {} s", .0.as_secs())]
    NoLeader(Duration),
    /// The connection failed.
    #[error("{address}: {error}")]
    Connection {
        /// The address of the node.
        address: String,
        /// What went wrong.
        error: io::Error,
    },
}

/// A client of all nodes.
pub struct Client {
    servers: Vec<String>,
    id: u32,
    n_requests: u32,
    patience: Duration,
}

impl Client {
    /// Makes a client that knows addresses of nodes. `id` should be different for each client.
    pub fn new(servers: Vec<String>, id: u32, patience: Duration) -> Client {
        Client { servers, id, n_requests: 0, patience }
    }

    /// Has a command carried out, exactly once, by the leader.
    pub fn command(&mut self, command: Command) -> Result<Option<String>, ClientError> {
        self.n_requests += 1;
        let request = Request::Command { request: RequestId::new(self.id, self.n_requests), command };
        let started = Instant::now();
        let mut server = self.servers.first().ok_or(ClientError::NoServers)?.clone();
        let mut turn = 0;
        while started.elapsed() < self.patience {
            match ask(&server, &request, self.patience) {
                Ok(Response::Done(value)) => return Ok(value),
                Ok(Response::Elsewhere(Some(leader))) if leader != server => server = leader,
                _ => {
                    turn += 1;
                    server.clone_from(&self.servers[turn % self.servers.len()]);
                    // There is no leader at the moment. An election takes about this long.
                    thread::sleep(Duration::from_millis(20));
                }
            }
        }
        Err(ClientError::NoLeader(self.patience))
    }
}

/// Asks one node, once.
pub fn ask(address: &str, request: &Request, patience: Duration) -> Result<Response, ClientError> {
    exchange(address, request, patience)
        .map_err(|error| ClientError::Connection { address: address.to_owned(), error })
}

fn exchange(address: &str, request: &Request, patience: Duration) -> io::Result<Response> {
    let mut stream = TcpStream::connect(address)?;
    stream.set_read_timeout(Some(patience))?;
    stream.set_nodelay(true)?;
    let mut line = serde_json::to_vec(&Frame::Client(request.clone()))?;
    line.push(b'\n');
    stream.write_all(&line)?;
    let mut answer = String::new();
    BufReader::new(stream).read_line(&mut answer)?;
    Ok(serde_json::from_str(&answer)?)
}
