//! The connection to the testbed. One thread reads from it, and any thread may write.

#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "connects with the testbed, and ends the process when that goes away"
)]

use std::env;
use std::io::{self, BufReader, Read, Write};
use std::net::TcpStream;
use std::process;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;

use kilter_protocol::{Address, Environment, FromNode, Hello, Sent, ToNode, VERSION, encode, read_line};
use serde_json::Value as Json;

use crate::{Ending, LOST_EXIT_CODE};

/// What a node announces in its `hello`.
#[derive(Clone, Copy)]
pub(crate) struct Manner {
    pub(crate) says_still: bool,
    pub(crate) takes_delivery: bool,
}

/// The writing half of the connection, and what threads share.
pub(crate) struct Link {
    writer: Mutex<Box<dyn Write + Send>>,
    /// The number of the last offer.
    last_id: AtomicU64,
    /// The messages that were sent since the last action was done.
    sent: Mutex<Vec<Sent>>,
    lost: fn(&Ending),
}

impl Link {
    /// Connects, and says hello. A thread calls `heard` with everything that the testbed says, and with `None` when the
    /// testbed is gone. If the testbed can't be reached or goes away, `lost` is called. Returns `None` if it can't be
    /// reached and `lost` returns.
    pub(crate) fn connect(
        environment: &Environment,
        manner: Manner,
        lost: fn(&Ending),
        heard: impl FnMut(Option<ToNode>) + Send + 'static,
    ) -> Option<Arc<Link>> {
        let (reader, writer) = match open(&environment.address) {
            Ok(halves) => halves,
            Err(error) => {
                lost(&Ending::Lost(format!("no testbed at {}: {error}", environment.address)));
                return None;
            }
        };
        let link = Arc::new(Link {
            writer: Mutex::new(writer),
            last_id: AtomicU64::new(0),
            sent: Mutex::new(Vec::new()),
            lost,
        });
        link.say(&[FromNode::Hello(Hello {
            version: VERSION,
            node: environment.node.clone(),
            token: environment.token.clone(),
            says_still: manner.says_still,
            takes_delivery: manner.takes_delivery,
        })]);
        thread::spawn(move || listen(reader, heard, lost));
        Some(link)
    }

    /// Writes messages, all in one piece.
    pub(crate) fn say(&self, messages: &[FromNode]) {
        let lines: Vec<u8> = messages.iter().flat_map(encode).collect();
        let written = held(&self.writer).write_all(&lines);
        if let Err(error) = written {
            (self.lost)(&Ending::Lost(format!("the testbed is gone: {error}")));
        }
    }

    /// The number for a new offer.
    pub(crate) fn next_id(&self) -> u64 {
        self.last_id.fetch_add(1, Ordering::Relaxed) + 1
    }

    /// Remembers a message until the action that sent it is done.
    pub(crate) fn sent(&self, to: &str, message: Json) {
        held(&self.sent).push(Sent { to: to.to_owned(), message });
    }

    /// The messages that were sent since the last call.
    pub(crate) fn take_sent(&self) -> Vec<Sent> {
        std::mem::take(&mut *held(&self.sent))
    }
}

/// Locks a mutex. If a thread has panicked while it held the lock, the content still consists of complete messages.
pub(crate) fn held<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

type Halves = (Box<dyn Read + Send>, Box<dyn Write + Send>);

fn open(address: &Address) -> io::Result<Halves> {
    match address {
        Address::Tcp(address) => {
            let stream = TcpStream::connect(address)?;
            // Lines are short, and the other side waits for each.
            stream.set_nodelay(true)?;
            Ok((Box::new(stream.try_clone()?), Box::new(stream)))
        }
        #[cfg(unix)]
        Address::Unix(path) => {
            let stream = std::os::unix::net::UnixStream::connect(path)?;
            Ok((Box::new(stream.try_clone()?), Box::new(stream)))
        }
        #[cfg(not(unix))]
        Address::Unix(_) => Err(io::Error::new(io::ErrorKind::Unsupported, "no Unix sockets here")),
    }
}

/// Reads until the testbed says stop. If it goes away and `lost` returns, nothing more will be heard.
fn listen(reader: impl Read, mut heard: impl FnMut(Option<ToNode>), lost: fn(&Ending)) {
    let mut reader = BufReader::new(reader);
    let ending = loop {
        match read_line::<ToNode>(&mut reader) {
            Ok(Some(ToNode::Stop {})) => return heard(Some(ToNode::Stop {})),
            Ok(Some(told)) => heard(Some(told)),
            Ok(None) => break Ending::Lost("the testbed is gone".into()),
            Err(error) => break Ending::Lost(error.to_string()),
        }
    };
    lost(&ending);
    heard(None);
}

/// The testbed that the environment of this process names, if any. An invalid address ends the process.
pub(crate) fn environment() -> Option<Environment> {
    match Environment::look_up(|name| env::var(name).ok()) {
        Ok(environment) => environment,
        Err(error) => {
            exit(&Ending::Lost(error.to_string()));
            None
        }
    }
}

/// Ends the process, because nobody is left to control it. If the testbed has not asked for that, the reason goes to
/// standard error. The testbed may be gone, so there is no other way to report it.
#[expect(
    clippy::print_stderr,
    reason = "the last words of a process that a library ends must be heard somewhere"
)]
pub(crate) fn exit(ending: &Ending) {
    match ending {
        Ending::Stopped => process::exit(0),
        Ending::Lost(reason) => {
            eprintln!("kilter-probe: {reason}");
            process::exit(LOST_EXIT_CODE);
        }
    }
}
