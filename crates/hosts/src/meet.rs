//! The connections between all processes of a search. They agree on what they search before they begin.

#![expect(clippy::disallowed_methods, reason = "gives up waiting for the others after a while")]

use std::io::{self, Read, Write};
use std::net::{TcpListener, TcpStream, ToSocketAddrs as _};
use std::thread;
use std::time::{Duration, Instant};

use crate::Addresses;

/// The first bytes of a connection. The number changes with what the processes say to each other.
const GREETING: &[u8; 16] = b"kilter hosts  1\n";
/// How often a process looks for the others.
const PAUSE: Duration = Duration::from_millis(50);
/// How long to wait for a connection. A machine that is not there does not answer at all.
const ANSWER: Duration = Duration::from_secs(1);
/// How long a process may take to say who it is.
const PATIENCE: Duration = Duration::from_secs(10);
/// The longest description of a search.
const SEARCH_MAX: usize = 1 << 16;

/// What a process needs to meet the others.
pub struct Meeting<'m> {
    /// Where all processes are.
    pub addresses: &'m Addresses,
    /// The number of this one.
    pub me: usize,
    /// What is searched, and by which program: names with contents, the same in all processes.
    pub search: &'m [(String, String)],
    /// How long to wait for them.
    pub patience: Duration,
    /// Whether to give up.
    pub is_over: &'m dyn Fn() -> bool,
    /// Told from time to time which processes are missing.
    pub waiting: &'m mut dyn FnMut(&[usize]),
}

/// Why processes have not met.
#[derive(Debug, thiserror::Error)]
pub enum Unmet {
    /// Nobody can connect to this process.
    #[error(
        "cannot listen at {address}, which is process {me}: {error}; each process runs on the machine that its line names, with `--host` and the number of its line, from 0"
    )]
    Listen {
        /// The address.
        address: String,
        /// The number of this process.
        me: usize,
        /// What is wrong.
        error: io::Error,
    },
    /// Another process searches something else.
    #[error(
        "process {process} at {address} has another {what}; all processes search the same, with the same options"
    )]
    Other {
        /// Its number.
        process: usize,
        /// Its address.
        address: String,
        /// What differs.
        what: String,
    },
    /// Two processes have one number.
    #[error("two processes say that they are number {0}; each needs the number of its own line")]
    Twice(usize),
    /// The user does not want to wait any longer.
    #[error("the user has interrupted the wait for other processes")]
    Over,
    /// Others have not come in time.
    #[error(
        "not there after {waited_s} s: process {missing}; start each of them on its machine, and see that every machine reaches the addresses of the others"
    )]
    Missing {
        /// How long this process has waited, in seconds.
        waited_s: u64,
        /// Their numbers and addresses.
        missing: String,
    },
    /// A connection breaks.
    #[error("the connection to process {process} breaks: {error}")]
    Io {
        /// Its number.
        process: usize,
        /// How.
        error: io::Error,
    },
}

/// What a process says of itself.
struct Hello {
    process: usize,
    search: Vec<(String, String)>,
}

/// Connects this process to all others. Returns the connections by number.
pub fn meet(meeting: &mut Meeting<'_>) -> Result<Vec<Option<TcpStream>>, Unmet> {
    let Meeting { addresses, me, .. } = *meeting;
    let address = addresses.of(me);
    let listen = |error| Unmet::Listen { address: address.to_owned(), me, error };
    let listener = TcpListener::bind(address).map_err(listen)?;
    listener.set_nonblocking(true).map_err(listen)?;
    let mut streams: Vec<Option<TcpStream>> = (0..addresses.len()).map(|_| None).collect();
    let begun = Instant::now();
    for round in 0u32.. {
        // Processes with smaller numbers wait for those with larger ones.
        for (process, known) in streams.iter_mut().enumerate().take(me) {
            if known.is_none()
                && let Some(stream) = connect(addresses.of(process))
            {
                *known = meeting.greet(stream, Some(process))?.map(|(stream, _)| stream);
            }
        }
        while let Ok((stream, _)) = listener.accept() {
            let Some((stream, process)) = meeting.greet(stream, None)? else { continue };
            if process <= me || process >= streams.len() || streams[process].is_some() {
                return Err(Unmet::Twice(process));
            }
            streams[process] = Some(stream);
        }
        let missing: Vec<usize> = (0..streams.len()).filter(|n| *n != me && streams[*n].is_none()).collect();
        if missing.is_empty() {
            break;
        }
        if (meeting.is_over)() {
            return Err(Unmet::Over);
        }
        if begun.elapsed() >= meeting.patience {
            let names: Vec<String> = missing.iter().map(|n| format!("{n} at {}", addresses.of(*n))).collect();
            return Err(Unmet::Missing { waited_s: meeting.patience.as_secs(), missing: names.join(", ") });
        }
        if round % 100 == 20 {
            (meeting.waiting)(&missing);
        }
        thread::sleep(PAUSE);
    }
    Ok(streams)
}

/// A connection to this address. `None` if nobody answers there.
fn connect(address: &str) -> Option<TcpStream> {
    address.to_socket_addrs().ok()?.find_map(|one| TcpStream::connect_timeout(&one, ANSWER).ok())
}

impl Meeting<'_> {
    /// Exchanges greetings. `None` if the other side is no process of a search.
    fn greet(
        &self,
        mut stream: TcpStream,
        expected: Option<usize>,
    ) -> Result<Option<(TcpStream, usize)>, Unmet> {
        let prepared = stream
            .set_nonblocking(false)
            .and_then(|()| stream.set_nodelay(true))
            .and_then(|()| stream.set_read_timeout(Some(PATIENCE.min(self.patience))))
            .and_then(|()| stream.write_all(&self.hello()));
        let Some(hello) = prepared.ok().and_then(|()| Hello::read(&mut stream).ok()) else { return Ok(None) };
        let process = hello.process;
        if process >= self.addresses.len() {
            return Err(Unmet::Twice(process));
        }
        if expected.is_some_and(|expected| expected != process) {
            return Err(Unmet::Twice(process));
        }
        let other = |what: &str| Unmet::Other {
            process,
            address: self.addresses.of(process).to_owned(),
            what: what.to_owned(),
        };
        for (name, content) in self.search {
            let theirs = hello.search.iter().find(|(other, _)| other == name);
            if theirs.is_none_or(|(_, theirs)| theirs != content) {
                return Err(other(name));
            }
        }
        stream.set_read_timeout(None).map_err(|error| Unmet::Io { process, error })?;
        Ok(Some((stream, process)))
    }

    fn hello(&self) -> Vec<u8> {
        let mut search = Vec::new();
        for text in self.search.iter().flat_map(|(name, content)| [name, content]) {
            search.extend((text.len() as u32).to_be_bytes());
            search.extend(text.as_bytes());
        }
        let mut bytes = GREETING.to_vec();
        bytes.extend((self.me as u32).to_be_bytes());
        bytes.extend((search.len() as u32).to_be_bytes());
        bytes.extend(search);
        bytes
    }
}

impl Hello {
    fn read(stream: &mut impl Read) -> io::Result<Hello> {
        let mut greeting = [0; GREETING.len()];
        stream.read_exact(&mut greeting)?;
        if &greeting != GREETING {
            return Err(io::ErrorKind::InvalidData.into());
        }
        let process = read_number(stream)? as usize;
        let n_bytes = read_number(stream)? as usize;
        if n_bytes > SEARCH_MAX {
            return Err(io::ErrorKind::InvalidData.into());
        }
        let mut bytes = vec![0; n_bytes];
        stream.read_exact(&mut bytes)?;
        let mut rest = bytes.as_slice();
        let mut search = Vec::new();
        while !rest.is_empty() {
            search.push((read_text(&mut rest)?, read_text(&mut rest)?));
        }
        Ok(Hello { process, search })
    }
}

fn read_number(stream: &mut impl Read) -> io::Result<u32> {
    let mut bytes = [0; 4];
    stream.read_exact(&mut bytes)?;
    Ok(u32::from_be_bytes(bytes))
}

fn read_text(bytes: &mut &[u8]) -> io::Result<String> {
    let length = read_number(bytes)? as usize;
    let (text, rest) = bytes.split_at_checked(length).ok_or(io::ErrorKind::InvalidData)?;
    *bytes = rest;
    String::from_utf8(text.to_vec()).map_err(|_| io::ErrorKind::InvalidData.into())
}
