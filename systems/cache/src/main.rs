//! A server that keeps every number that its client sends, and answers whether the latest is the largest so far.
//!
//! Start it with `cache server server=127.0.0.1:4000`, and likewise `cache client`. The client reads numbers, one on
//! each line, and prints the answers. With `CACHE_BUG=strict` in its environment, the server makes a mistake.
//!
//! Code for Kilter is marked with "probe".

use std::collections::BTreeSet;
use std::env;
use std::io::{self, BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::process::ExitCode;

use kilter_probe::{Json, Probe, Variables, action}; // probe
use serde::{Deserialize, Serialize};

#[derive(Clone, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "lowercase")]
enum Message {
    Request { number: u64 },
    Answer { text: String },
}

#[derive(Variables)] // probe
struct Server {
    #[variable] // probe
    cache: BTreeSet<u64>,
    /// The bug: a number counts as the largest only if it is larger than all numbers, including itself.
    strict: bool,
}

impl Server {
    #[action("Respond", message = request, dropped = Ok(()))] // probe
    fn respond(&mut self, request: Message, client: &mut Connection) -> io::Result<()> {
        let Message::Request { number } = request else { return Ok(()) };
        let beaten = |seen: &u64| if self.strict { *seen < number } else { *seen <= number };
        let text = if self.cache.iter().all(beaten) { "Max" } else { "NotMax" };
        self.cache.insert(number);
        client.send("client", &Message::Answer { text: text.to_owned() })
    }

    fn serve(&mut self, listener: &TcpListener) -> io::Result<()> {
        Probe::global().report(self); // probe
        loop {
            let (stream, _) = Probe::global().idle(|| listener.accept())?; // probe
            let mut client = Connection::new(stream)?;
            while let Some(request) = client.receive()? {
                self.respond(request, &mut client)?;
            }
        }
    }
}

#[derive(Variables)] // probe
struct Client {
    #[variable] // probe
    answer: Option<String>,
    server: String,
    connection: Option<Connection>,
}

impl Client {
    fn request(&mut self, number: u64) -> io::Result<()> {
        let connection = match self.connection.take() {
            Some(connection) => connection,
            None => Connection::new(TcpStream::connect(&self.server)?)?,
        };
        self.connection.insert(connection).send("server", &Message::Request { number })
    }

    fn wait_for_answer(&mut self) -> io::Result<()> {
        let answer = self.connection.as_mut().map(Connection::receive).transpose()?.flatten();
        self.receive(answer.ok_or(io::ErrorKind::UnexpectedEof)?);
        Ok(())
    }

    #[action("Receive", message = answer)] // probe
    fn receive(&mut self, answer: Message) {
        if let Message::Answer { text } = answer {
            self.answer = Some(text);
        }
    }

    fn run(&mut self) -> io::Result<()> {
        Probe::global().report(self); // probe
        for line in io::stdin().lines() {
            let Ok(number) = line?.trim().parse::<u64>() else { continue };
            let step = Probe::global().action("Request").arg(number).begin(); // probe
            self.request(number)?;
            step.end(self); // probe
            self.wait_for_answer()?;
            writeln!(io::stdout(), "{}", self.answer.as_deref().unwrap_or_default())?;
        }
        Ok(())
    }

    /// Like `run`, with numbers from the testbed. (probe)
    fn run_controlled(&mut self) -> io::Result<()> {
        Probe::global().report(self);
        while let Some(asked) = Probe::global().next_request() {
            self.request(asked.args.first().and_then(Json::as_u64).unwrap_or_default())?;
            asked.step.end(self);
            self.wait_for_answer()?;
        }
        Ok(())
    }
}

/// A connection that carries messages as lines of JSON.
struct Connection {
    reader: BufReader<TcpStream>,
    writer: TcpStream,
}

impl Connection {
    fn new(stream: TcpStream) -> io::Result<Connection> {
        stream.set_nodelay(true)?;
        Ok(Connection { reader: BufReader::new(stream.try_clone()?), writer: stream })
    }

    fn send(&mut self, to: &str, message: &Message) -> io::Result<()> {
        Probe::global().sent(to, message); // probe
        self.writer.write_all(format!("{}\n", serde_json::to_string(message)?).as_bytes())
    }

    fn receive(&mut self) -> io::Result<Option<Message>> {
        let mut line = String::new();
        let n_read = Probe::global().idle(|| self.reader.read_line(&mut line))?; // probe
        if n_read == 0 {
            return Ok(None);
        }
        Probe::global().received(); // probe
        Ok(Some(serde_json::from_str(&line)?))
    }
}

fn run(role: &str, peers: &str) -> io::Result<()> {
    Probe::global().parties(1); // probe
    let server = peers.split(',').find_map(|peer| peer.strip_prefix("server="));
    let server = server.ok_or_else(|| io::Error::other("where is the server?"))?;
    match role {
        "server" => {
            let strict = env::var("CACHE_BUG").is_ok_and(|bug| bug == "strict");
            Server { cache: BTreeSet::new(), strict }.serve(&TcpListener::bind(server)?)
        }
        _ => {
            let mut client = Client { answer: None, server: server.to_owned(), connection: None };
            if Probe::global().is_controlled() { client.run_controlled() } else { client.run() } // probe
        }
    }
}

fn main() -> ExitCode {
    let args: Vec<String> = env::args().skip(1).collect();
    let result = match &args[..] {
        [role, peers] if role == "server" || role == "client" => run(role, peers),
        _ => Err(io::Error::other("usage: cache server|client server=ADDRESS")),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // If standard error is closed, nobody wants to read the error.
            let _ = writeln!(io::stderr(), "cache: {error}");
            ExitCode::FAILURE
        }
    }
}
