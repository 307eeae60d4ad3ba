//! Runs a protocol's node as a process. It is the same state machine, with messages over TCP. A testbed controls it, if
//! one has started it.

use std::collections::BTreeMap;
use std::io::{self, BufRead as _, BufReader, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use kilter_explore::Peer;
use kilter_probe::{Action, Event, Gate, Inbox, Json, Wish};
use kilter_testbed::{Addressee, NodeName, Outbox};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// The time after which a timer fires, if no testbed decides.
const TIMEOUT: Duration = Duration::from_millis(500);

/// The addresses of a node and of the others.
#[derive(Clone, Debug)]
pub struct Place {
    /// The index of the node.
    pub me: usize,
    /// The address at which it listens.
    pub listen: String,
    /// The names and addresses of all nodes, in order.
    pub peers: Vec<(String, String)>,
}

/// The events of a node.
#[derive(Clone)]
enum Happening<A, M> {
    /// The node has just been started.
    Wake,
    /// The node takes an action by itself.
    Act(A),
    /// A message has arrived.
    Receive(M),
    /// A client makes a request.
    Request(String, Vec<Json>),
    /// The node goes back to its initial state.
    Reset,
}

impl<A: Clone + Send + 'static, M: Clone + Send + Serialize + 'static> Event for Happening<A, M> {
    fn action(&self) -> Action {
        match self {
            Happening::Wake => Action::new("wake"),
            Happening::Act(_) => Action::new("act"),
            Happening::Receive(message) => Action::new("receive").message(message),
            Happening::Request(action, _) => Action::new(action.clone()),
            Happening::Reset => Action::new("reset"),
        }
    }

    fn from_request(action: &str, args: &[Json]) -> Option<Self> {
        Some(match action {
            "reset" => Happening::Reset,
            _ => Happening::Request(action.to_owned(), args.to_vec()),
        })
    }
}

/// Runs a node until it is told to end. `boot` makes it in its initial state.
pub fn run<P: Peer + 'static>(boot: impl Fn() -> P, place: &Place) -> io::Result<()>
where
    P::Action: 'static,
    P::Message: Serialize + DeserializeOwned + 'static,
{
    let listener = TcpListener::bind(&place.listen)?;
    let mut gate: Gate<Happening<P::Action, P::Message>> = Gate::from_environment();
    let inbox = gate.inbox();
    thread::spawn(move || accept(&listener, &inbox));
    let told = gate.outbox();
    let names: Arc<[NodeName]> = place.peers.iter().map(|(name, _)| name.as_str().into()).collect();
    let mut links = Links { peers: &place.peers, streams: BTreeMap::new() };
    let mut machine = boot();
    let mut awake = false;
    loop {
        let wishes: Vec<Wish<_>> = if awake {
            let due = Instant::now() + TIMEOUT;
            machine.actions().into_iter().map(|action| Wish::at(due, Happening::Act(action))).collect()
        } else {
            vec![Wish::now(Happening::Wake)]
        };
        let show = |happening: &Happening<P::Action, P::Message>| shown(&machine, happening);
        let Some(happening) = gate.next_as(&machine.variables(), wishes, show) else { return Ok(()) };
        let mut outbox = Outbox::new(names.clone());
        let done = match happening {
            Happening::Wake => {
                awake = true;
                machine.wake(&mut outbox)
            }
            Happening::Act(action) => machine.act(action, &mut outbox),
            Happening::Receive(message) => machine.handle(message, &mut outbox),
            Happening::Request(action, args) => machine.request(&action, &args, &mut outbox),
            Happening::Reset => {
                (machine, awake) = (boot(), false);
                Ok(())
            }
        };
        done.map_err(io::Error::other)?;
        for (to, message) in outbox.into_sent() {
            if let Addressee::Node(to) = to {
                told.sent(&place.peers[to].0, &message);
                links.send(to, &message);
            }
        }
    }
}

fn shown<P: Peer>(machine: &P, happening: &Happening<P::Action, P::Message>) -> Option<Action>
where
    P::Action: 'static,
    P::Message: Serialize + 'static,
{
    match happening {
        Happening::Act(action) => {
            let call = machine.call(action);
            Some(Action { name: call.action, args: call.args, message: None })
        }
        Happening::Receive(message) if !machine.accepts(message) => None,
        happening => Some(happening.action()),
    }
}

fn accept<A, M>(listener: &TcpListener, inbox: &Inbox<Happening<A, M>>)
where
    A: Clone + Send + 'static,
    M: Clone + Send + DeserializeOwned + 'static,
{
    for stream in listener.incoming().flatten() {
        let inbox = inbox.clone();
        thread::spawn(move || {
            for line in BufReader::new(stream).lines().map_while(Result::ok) {
                // A connection that sends nonsense is not read any more.
                let Ok(message) = serde_json::from_str(&line) else { return };
                inbox.message(Happening::Receive(message));
            }
        });
    }
}

/// One outgoing connection to each other node.
struct Links<'a> {
    peers: &'a [(String, String)],
    streams: BTreeMap<usize, TcpStream>,
}

impl Links<'_> {
    /// Sends a message. It is lost if the other node is gone.
    fn send(&mut self, to: usize, message: &impl Serialize) {
        let Ok(mut line) = serde_json::to_vec(message) else { return };
        line.push(b'\n');
        if !self.put(to, &line) {
            self.streams.remove(&to);
            self.put(to, &line);
        }
    }

    fn put(&mut self, to: usize, line: &[u8]) -> bool {
        if !self.streams.contains_key(&to) {
            let Ok(stream) = TcpStream::connect(&self.peers[to].1) else { return false };
            let _ = stream.set_nodelay(true);
            self.streams.insert(to, stream);
        }
        self.streams.get_mut(&to).is_some_and(|stream| stream.write_all(line).is_ok())
    }
}
