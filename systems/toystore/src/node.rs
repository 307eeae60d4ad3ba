//! The election of a leader, and the protocol between leader and followers. A message is one line.
//!
//! | to a node | answer |
//! | --- | --- |
//! | `status` | `leading N`, `following N` or `looking`, with the number of who leads |
//! | `vote` | the moment of the last write, the epoch, and `leading` for a leader |
//! | `put KEY VALUE` | `ok` when a majority has it, `no` if it is not made |
//! | `all` | a line for each pair that this node has, then `.` |
//! | `read` | the same of the leader, once a majority has said that it still leads; followers ask it; `no` from others |
//! | `follow EPOCH INDEX` | `diff` or `snap N` with what is missing, then `serve EPOCH`, then each new write, and `ping` now and then; or `trunc EPOCH INDEX` |

use std::io::{self, BufRead as _, BufReader, Write as _};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use crate::Bug;
use crate::disk::{self, Disk, Entry, Moment, lines};

/// The pause between two looks at the other nodes.
const PAUSE: Duration = Duration::from_millis(5);
/// The time after which a leader without a majority of followers gives up.
const LONELY: Duration = Duration::from_secs(1);
/// How long to wait for an answer of a node that may be stopped.
const PATIENCE: Duration = Duration::from_millis(500);
/// How often a leader says that it is there, and after which silence its followers look for another one.
const PING: Duration = Duration::from_millis(100);
const SILENCE: Duration = Duration::from_millis(700);

#[derive(Clone, Copy, Debug, PartialEq)]
enum Role {
    Looking,
    Leading,
    Following(usize),
}

/// A follower that has caught up.
struct Follower {
    stream: TcpStream,
    /// The port of its end of the connection, which tells followers apart.
    port: u16,
    /// The last write that it has acknowledged.
    has: Moment,
    /// How many lines it was sent that it answers, and how many it has answered.
    n_sent: u32,
    n_answered: u32,
}

impl Follower {
    fn send(&mut self, line: &str) {
        self.n_sent += 1;
        let _ = writeln!(self.stream, "{line}");
    }
}

struct State {
    disk: Disk,
    /// The time at which it got its role.
    since: Instant,
    role: Role,
    epoch: u32,
    followers: Vec<Follower>,
}

struct Node {
    number: usize,
    ports: Vec<u16>,
    bug: Option<Bug>,
    state: Mutex<State>,
    acknowledged: Condvar,
}

/// Runs a node until it is killed.
pub fn run(number: usize, ports: Vec<u16>, bug: Option<Bug>) -> io::Result<()> {
    let listener = TcpListener::bind(("127.0.0.1", ports[number]))?;
    let disk = Disk::open()?;
    let epoch = disk::epoch().max(disk.last().0);
    let state =
        Mutex::new(State { disk, since: Instant::now(), role: Role::Looking, epoch, followers: Vec::new() });
    let node = Arc::new(Node { number, ports, bug, state, acknowledged: Condvar::new() });
    let looking = Arc::clone(&node);
    thread::spawn(move || looking.look());
    for stream in listener.incoming() {
        let node = Arc::clone(&node);
        thread::spawn(move || node.serve(stream?));
    }
    Ok(())
}

fn ask(port: u16, question: &str) -> io::Result<String> {
    let address = ([127, 0, 0, 1], port).into();
    let mut stream = TcpStream::connect_timeout(&address, PATIENCE)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    writeln!(stream, "{question}")?;
    let mut answer = String::new();
    BufReader::new(stream).read_line(&mut answer)?;
    Ok(answer.trim_end().to_owned())
}

/// What a node has, as clients read it.
fn pairs(state: &State) -> String {
    let pairs: String = state.disk.all().flat_map(|entry| [entry.pair.clone(), "\n".to_owned()]).collect();
    format!("{pairs}.\n")
}

/// Says how the node resynchronises.
fn log(how: &str) -> io::Result<()> {
    writeln!(io::stdout(), "resynchronised: {how}")
}

fn numbers(text: &str) -> Vec<u32> {
    text.split(' ').filter_map(|word| word.parse().ok()).collect()
}

impl Node {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_majority(&self, count: usize) -> bool {
        2 * count > self.ports.len()
    }

    /// Looks for a leader whenever there is none.
    fn look(&self) {
        let (mut last_look, mut last_ping) = (Instant::now(), Instant::now());
        loop {
            thread::sleep(PAUSE);
            let mut state = self.state();
            let is_lonely = !self.is_majority(state.followers.len() + 1) && state.since.elapsed() > LONELY;
            // Who was stopped for so long has other leaders now.
            let was_stopped = last_look.elapsed() >= SILENCE;
            last_look = Instant::now();
            if state.role == Role::Leading && last_ping.elapsed() >= PING {
                last_ping = Instant::now();
                state.followers.iter_mut().for_each(|follower| follower.send("ping"));
            }
            if state.role == Role::Leading && (is_lonely || was_stopped) {
                state.role = Role::Looking;
                state.followers.iter().for_each(|follower| drop(follower.stream.shutdown(Shutdown::Both)));
                state.followers.clear();
                self.acknowledged.notify_all();
            }
            let (last, epoch, is_looking) = (state.disk.last(), state.epoch, state.role == Role::Looking);
            drop(state);
            if !is_looking {
                continue;
            }
            // Looking, and following for as long as that goes well, takes its time.
            let mut best = (last, self.number);
            let (mut epoch_max, mut n_seen, mut leader) = (epoch, 1, None);
            for (other, port) in self.ports.iter().enumerate().filter(|(other, _)| *other != self.number) {
                let Ok(answer) = ask(*port, "vote") else { continue };
                let [last_epoch, last_index, epoch, ..] = numbers(&answer)[..] else { continue };
                n_seen += 1;
                epoch_max = epoch_max.max(epoch);
                best = best.max(((last_epoch, last_index), other));
                leader = leader.or(answer.ends_with("leading").then_some(other));
            }
            let leads = self.is_majority(n_seen) && leader.is_none() && best.1 == self.number;
            if leads {
                let mut state = self.state();
                state.epoch = epoch_max + 1;
                let _ = disk::keep_epoch(state.epoch);
                state.role = Role::Leading;
                state.since = Instant::now();
                // A leader starts with everything in its snapshot.
                let _ = state.disk.compact();
            } else if let Some(leader) = leader.or((best.1 != self.number).then_some(best.1)) {
                let _ = self.follow(leader);
                self.state().role = Role::Looking;
            }
            last_look = Instant::now();
        }
    }

    fn follow(&self, leader: usize) -> io::Result<()> {
        let mut stream = TcpStream::connect(("127.0.0.1", self.ports[leader]))?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(SILENCE))?;
        let (epoch, index) = self.state().disk.last();
        writeln!(stream, "follow {epoch} {index}")?;
        let mut lines = BufReader::new(stream.try_clone()?).lines();
        let mut next = || lines.next().unwrap_or(Err(io::ErrorKind::UnexpectedEof.into()));
        let first = next()?;
        let how = numbers(&first);
        match (first.split(' ').next(), &how[..]) {
            (Some("snap"), [count]) => {
                let all: io::Result<Vec<Option<Entry>>> =
                    (0..*count).map(|_| next().map(|line| Entry::parse(&line))).collect();
                self.state().disk.replace(all?.into_iter().flatten().collect())?;
                log("snap")?;
            }
            (Some("trunc"), [epoch, index]) => {
                self.state().disk.truncate((*epoch, *index), self.bug)?;
                return log(&format!("trunc, {} since the node was new", disk::count_truncation()?));
            }
            (Some("diff"), _) => log("diff")?,
            _ => return Ok(()),
        }
        loop {
            let line = next()?;
            let mut state = self.state();
            if let Some(epoch) = line.strip_prefix("serve ") {
                let epoch = epoch.parse().map_err(io::Error::other)?;
                if epoch < state.epoch {
                    return Ok(());
                }
                state.epoch = epoch;
                disk::keep_epoch(state.epoch)?;
                state.role = Role::Following(leader);
            } else if let Some(entry) = Entry::parse(&line) {
                state.disk.push(entry)?;
            }
            let (epoch, index) = state.disk.last();
            drop(state);
            writeln!(stream, "{epoch} {index}")?;
        }
    }

    fn serve(&self, mut stream: TcpStream) -> io::Result<()> {
        stream.set_nodelay(true)?;
        let mut line = String::new();
        let mut reader = BufReader::new(stream.try_clone()?);
        reader.read_line(&mut line)?;
        let (word, rest) = line.trim_end().split_once(' ').unwrap_or((line.trim_end(), ""));
        match word {
            "status" => writeln!(stream, "{}", self.status()),
            "vote" => {
                let state = self.state();
                let (last, leads) = (state.disk.last(), state.role == Role::Leading);
                let leading = if leads { " leading" } else { "" };
                writeln!(stream, "{} {} {}{leading}", last.0, last.1, state.epoch)
            }
            "all" => stream.write_all(pairs(&self.state()).as_bytes()),
            "read" => self.read(&mut stream),
            "put" => self.put(rest, &mut stream),
            "follow" => self.lead(&numbers(rest), stream, reader),
            _ => Ok(()),
        }
    }

    fn status(&self) -> String {
        let state = self.state();
        match state.role {
            Role::Leading if self.is_majority(state.followers.len() + 1) => {
                format!("leading {}", self.number)
            }
            Role::Following(leader) => format!("following {leader}"),
            _ => "looking".to_owned(),
        }
    }

    fn put(&self, pair: &str, stream: &mut TcpStream) -> io::Result<()> {
        let mut state = self.state();
        if state.role != Role::Leading {
            return writeln!(stream, "no");
        }
        let entry = Entry { at: (state.epoch, state.disk.last().1 + 1), pair: pair.to_owned() };
        state.disk.push(entry.clone())?;
        state.followers.iter_mut().for_each(|follower| follower.send(&entry.line()));
        while !self.is_majority(1 + state.followers.iter().filter(|one| one.has >= entry.at).count()) {
            if state.role != Role::Leading {
                // Nobody knows whether the next leader has the write. The bug: this one says that it is not made.
                return if self.bug == Some(Bug::HastyNo) { writeln!(stream, "no") } else { Ok(()) };
            }
            state = self.acknowledged.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        writeln!(stream, "ok")
    }

    /// Tells a client what there is, once a majority has answered a ping: so nobody else has led in between.
    fn read(&self, stream: &mut TcpStream) -> io::Result<()> {
        let mut state = self.state();
        if self.bug == Some(Bug::StaleRead) {
            return stream.write_all(pairs(&state).as_bytes());
        }
        if let Role::Following(leader) = state.role {
            drop(state);
            return self.pass_on(leader, stream);
        }
        state.followers.iter_mut().for_each(|follower| follower.send("ping"));
        let asked: Vec<(u16, u32)> = state.followers.iter().map(|one| (one.port, one.n_sent)).collect();
        let (epoch, now) = (state.epoch, pairs(&state));
        loop {
            if state.role != Role::Leading || state.epoch != epoch {
                return writeln!(stream, "no");
            }
            let answered = |(port, n_sent): &&(u16, u32)| {
                state.followers.iter().any(|one| one.port == *port && one.n_answered >= *n_sent)
            };
            if self.is_majority(1 + asked.iter().filter(answered).count()) {
                return stream.write_all(now.as_bytes());
            }
            state = self.acknowledged.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Asks the leader for what a client wants to read.
    fn pass_on(&self, leader: usize, client: &mut TcpStream) -> io::Result<()> {
        let mut stream = TcpStream::connect(("127.0.0.1", self.ports[leader]))?;
        stream.set_read_timeout(Some(PATIENCE))?;
        writeln!(stream, "read")?;
        io::copy(&mut stream, client).map(drop)
    }

    /// Brings a follower up to date, then reads its acknowledgements.
    fn lead(&self, last: &[u32], mut stream: TcpStream, reader: BufReader<TcpStream>) -> io::Result<()> {
        let [epoch, index] = *last else { return Ok(()) };
        let mut state = self.state();
        if state.role != Role::Leading {
            return Ok(());
        }
        let missing = self.missing(&state, (epoch, index));
        stream.write_all(missing.as_bytes())?;
        if !missing.contains("serve") {
            return Ok(());
        }
        // The first line is not answered, nor are those of a snapshot.
        let n_lines = missing.lines().count() as u32;
        let n_sent = if missing.starts_with("snap") { 1 } else { n_lines - 1 };
        let port = stream.peer_addr()?.port();
        state.followers.push(Follower { stream, port, has: (0, 0), n_sent, n_answered: 0 });
        drop(state);
        for line in reader.lines().map_while(Result::ok) {
            let [epoch, index] = numbers(&line)[..] else { break };
            let mut state = self.state();
            if let Some(follower) = state.followers.iter_mut().find(|follower| follower.port == port) {
                follower.has = (epoch, index);
                follower.n_answered += 1;
            }
            self.acknowledged.notify_all();
        }
        let mut state = self.state();
        state.followers.retain(|follower| follower.port != port);
        Ok(())
    }

    /// What to send to a follower whose last write has this moment. If it does not end with `serve`, the follower has
    /// to ask again.
    fn missing(&self, state: &State, last: Moment) -> String {
        let disk = &state.disk;
        let serve = format!("serve {}\n", state.epoch);
        let known = match self.bug {
            // The bug: writes with the same number are taken for the same writes.
            Some(Bug::LostEpoch) => disk.all().map(|entry| entry.at).find(|at| at.1 == last.1),
            _ => disk.has(last).then_some(last),
        };
        let log_reaches_back = last >= disk.base() || self.bug == Some(Bug::IncompleteLog);
        match known {
            Some(known) if log_reaches_back => format!("diff\n{}{serve}", lines(&disk.since(known))),
            None if last > disk.base() => {
                let earlier =
                    disk.all().map(|entry| entry.at).filter(|at| *at < last).last().unwrap_or((0, 0));
                format!("trunc {} {}\n", earlier.0, earlier.1)
            }
            _ => {
                let all: Vec<Entry> = disk.all().cloned().collect();
                format!("snap {}\n{}{serve}", all.len(), lines(&all))
            }
        }
    }
}
