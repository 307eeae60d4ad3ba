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
/// What is in the way where somebody else answers.
const STRANGER: &str = " (what listens there is no process of a search, or kilter in another version)";
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
    // What is in the way of a connection to each process, as far as that is known.
    let mut obstacles = vec![String::new(); addresses.len()];
    let begun = Instant::now();
    for round in 0u32.. {
        // Processes with smaller numbers wait for those with larger ones.
        for (process, known) in streams.iter_mut().enumerate().take(me) {
            if known.is_some() {
                continue;
            }
            match connect(addresses.of(process)) {
                Ok(stream) => {
                    *known = meeting.greet(stream, Some(process))?.map(|(stream, _)| stream);
                    STRANGER.clone_into(&mut obstacles[process]);
                }
                Err(error) => obstacles[process] = format!(" ({error})"),
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
            let name = |n: &usize| format!("{n} at {}{}", addresses.of(*n), obstacles[*n]);
            let names: Vec<String> = missing.iter().map(name).collect();
            return Err(Unmet::Missing { waited_s: meeting.patience.as_secs(), missing: names.join(", ") });
        }
        if round % 100 == 20 {
            (meeting.waiting)(&missing);
        }
        thread::sleep(PAUSE);
    }
    Ok(streams)
}

/// A connection to this address. The error says why nobody answers there.
fn connect(address: &str) -> io::Result<TcpStream> {
    let mut last = Err(io::ErrorKind::AddrNotAvailable.into());
    for one in address.to_socket_addrs()? {
        last = TcpStream::connect_timeout(&one, ANSWER);
        if last.is_ok() {
            break;
        }
    }
    last
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

#[cfg(test)]
mod tests {
    use super::*;

    /// What process 1 says if it does not meet process 0, which should be at the first address.
    fn unmet(first: &str) -> String {
        let free = TcpListener::bind("127.0.0.1:0")
            .and_then(|free| free.local_addr())
            .expect("there is a free port");
        let addresses = Addresses::parse(&format!("{first}\n{free}\n")).expect("two addresses");
        let mut meeting = Meeting {
            addresses: &addresses,
            me: 1,
            search: &[],
            patience: Duration::from_millis(300),
            is_over: &|| false,
            waiting: &mut |_| {},
        };
        meet(&mut meeting).expect_err("nobody is there").to_string()
    }

    #[test]
    fn it_is_told_why_a_process_is_missing() {
        let gone = TcpListener::bind("127.0.0.1:0")
            .and_then(|gone| gone.local_addr())
            .expect("there is a free port");
        let found = unmet(&gone.to_string());
        assert!(found.contains(&format!("process 0 at {gone} (")), "{found}");
        let stranger = TcpListener::bind("127.0.0.1:0").expect("there is a free port");
        let address = stranger.local_addr().expect("it listens");
        // Whoever connects is greeted in another way, and left alone.
        thread::spawn(move || {
            while let Ok((mut stream, _)) = stranger.accept() {
                let _ = stream.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n");
            }
        });
        let found = unmet(&address.to_string());
        assert!(found.contains("is no process of a search"), "{found}");
    }
}
