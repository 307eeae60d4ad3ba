//! A cluster of real processes.
//!
//! Nodes connect to one socket. One thread waits with `poll` for what they say, for their ends, and for Ctrl-C. The
//! kernel's buffers are the queue, and a node that floods us has to wait.
//!
//! - [`setup`]    the options for starting a cluster
//! - [`board`]    the state of the nodes, derived from what they have said; no sockets, no processes
//! - [`events`]   waiting for the next events, and handling them
//! - [`rest`]     waiting until all nodes stand still, and for how long
//! - [`site`]     the directory, socket and ports of a cluster
//! - [`process`]  a node's process and its children
//! - [`guard`]    cleans up if this process is killed
//! - [`transcript`] what nodes have said and were told in a case
//! - [`errand`]   programs that are run against the cluster
//! - [`strays`]   children of nodes that have left their process group

mod board;
mod errand;
mod events;
mod flights;
#[cfg(test)]
mod fuzz;
mod guard;
mod interrupt;
mod link;
mod listen;
mod output;
mod patience;
mod ports;
mod process;
mod rest;
mod seat;
mod setup;
mod site;
mod strays;
mod strike;
mod template;
mod transcript;

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write as _};
use std::path::Path;
use std::time::{Duration, Instant};

use kilter_system::Fault;
use rustix::process::{Pid, Signal};
use rustix::time::{ClockId, clock_gettime};
use serde_json::{Map, Value as Json};

use self::board::Board;
use self::errand::Errand;
use self::link::Link;
use self::patience::Patience;
use self::seat::Presence;
use self::site::Site;
use self::transcript::{Transcript, Way};
use crate::notes;
use crate::remains::{copy_dir, read_tail};
use crate::world::{Command, Flight, Offer, OfferId, Trouble, Waited, World};

pub use guard::Guard;
pub use interrupt::Interrupt;
pub use listen::Control;
pub use ports::Ports;
pub use process::{Process, become_reaper};
pub use setup::{Agent, Lives, Setup};
pub use template::fill;

/// The file with what nodes have said and were told.
const CONVERSATION: &str = "conversation.txt";
/// How requests begin that are faults which only the node itself can bring about.
const FAULT_REQUEST: &str = "kilter.";
/// What the agent for Java is asked when others have crashed. It does nothing, and answers when the node is still.
const REST_REQUEST: &str = "kilter.rest";

/// A node whose process runs.
struct Node {
    process: Process,
    token: String,
    link: Option<Link>,
}

/// Whether a cluster can take commands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Health {
    Stopped,
    Fine,
    /// Something went wrong, and the cluster has to be started again.
    Broken,
}

/// A cluster of real processes. Everything that it has started ends when it is stopped or dropped, and also when this
/// process ends, even if it is killed.
pub struct Cluster {
    setup: Setup,
    site: Option<Site>,
    nodes: Vec<Option<Node>>,
    /// Connections that have not said who they are, with the process group at the other end.
    strangers: Vec<(Link, Option<Pid>)>,
    /// Programs that are run against the nodes.
    errands: Vec<Errand>,
    /// Whether one of these programs should still make a node offer something.
    expects_offer: bool,
    board: Board,
    transcript: Transcript,
    /// For each node, how long its output was when the case began. It is not empty if the cluster is reused.
    printed_before: Vec<u64>,
    health: Health,
    patience: Patience,
    /// For messages that have been sent to nodes that wait.
    arrivals: Patience,
    /// Since when the cluster has only waited. `None` if it does not wait.
    waiting_since: Option<Instant>,
    waited: Duration,
    /// The processor time of this thread, without the nodes. The wall clock would be wrong, because a node that wakes
    /// up may take our processor.
    own_time: Duration,
}

impl Cluster {
    /// Makes a cluster that has to be started.
    pub fn new(setup: Setup) -> Cluster {
        Cluster {
            site: None,
            nodes: setup.nodes.iter().map(|_| None).collect(),
            strangers: Vec::new(),
            errands: Vec::new(),
            expects_offer: false,
            board: Board::new(&setup.nodes),
            transcript: Transcript::new(),
            printed_before: vec![0; setup.nodes.len()],
            health: Health::Stopped,
            patience: Patience::new(setup.patience),
            arrivals: Patience::new(setup.patience),
            waiting_since: None,
            waited: Duration::ZERO,
            own_time: Duration::ZERO,
            setup,
        }
    }

    /// Brings the nodes back to their initial state, without new processes where they run. Returns `false` if that is not possible.
    fn reset(&mut self) -> bool {
        if self.setup.reset.is_empty() || self.health != Health::Fine || self.board.is_any_paused() {
            return false;
        }
        self.curb_output();
        self.note_output();
        self.end_errands();
        let result = self.begin_again();
        if let Err(trouble) = &result {
            self.board.remark(&format!("{}{trouble}", notes::NOT_REUSED));
        }
        result.is_ok()
    }

    /// Nodes that run get the requests, one after the other. Those that are down begin with the last of them, as all nodes do at the
    /// first start.
    fn begin_again(&mut self) -> Result<(), Trouble> {
        let (up, down): (Vec<usize>, Vec<usize>) =
            (0..self.nodes.len()).partition(|node| self.board.is_up(*node));
        let (ended, dormant): (Vec<usize>, Vec<usize>) =
            down.into_iter().partition(|node| self.nodes[*node].is_none());
        let requests = self.setup.reset.clone();
        let Some((last, earlier)) = requests.split_last() else { return Ok(()) };
        self.board.clear_traffic();
        let lives = self.setup.lives.clone();
        if let Some(lives) = &lives {
            dormant.iter().try_for_each(|node| self.board.wake(*node, &lives.clean))?;
        }
        for request in earlier {
            up.iter().try_for_each(|node| self.board.request(*node, request, &[]))?;
            self.come_to_rest(self.setup.patience)?;
        }
        self.come_to_rest(self.setup.patience)?;
        up.iter().try_for_each(|node| self.board.request(*node, last, &[]))?;
        if let Some(lives) = &lives {
            dormant.iter().try_for_each(|node| self.board.request(*node, &lives.begin, &[]))?;
        }
        for node in &ended {
            self.clean(*node)?;
            self.launch(*node)?;
        }
        let patience = if ended.is_empty() { self.setup.patience } else { self.setup.start_patience };
        self.come_to_rest(patience)
    }

    /// Gives a node that is down an empty directory.
    fn clean(&mut self, node: usize) -> Result<(), Trouble> {
        let site = self.site.as_mut().ok_or_else(not_started)?;
        site.clean(node).map_err(|error| cannot("make a directory for a node", &error))?;
        self.printed_before[node] = 0;
        Ok(())
    }

    /// Starts all nodes with empty directories.
    fn start_afresh(&mut self) -> Result<(), Trouble> {
        self.end_case();
        self.board.clear();
        self.printed_before.fill(0);
        let mut site = match self.site.take() {
            Some(site) => site,
            None => {
                Site::open(&self.setup).map_err(|error| cannot("prepare a place for the cluster", &error))?
            }
        };
        let begun = site.begin_case(&self.setup);
        self.site = Some(site);
        begun.map_err(|error| cannot("make directories and find ports for the nodes", &error))?;
        (0..self.nodes.len()).try_for_each(|node| self.launch(node))?;
        self.come_to_rest(self.setup.start_patience)
    }

    /// Starts a node's process.
    fn launch(&mut self, node: usize) -> Result<(), Trouble> {
        let site = self.site.as_mut().ok_or_else(not_started)?;
        let program = self.setup.command.first().map_or("", String::as_str);
        let started = site.start(&self.setup, node);
        let (process, token) = started.map_err(|error| cannot(&format!("start `{program}`"), &error))?;
        self.nodes[node] = Some(Node { process, token, link: None });
        self.board.begin(node);
        self.transcript.add(node, Way::Done, b"its process is started");
        self.tell_guard();
        Ok(())
    }

    fn tell_guard(&mut self) {
        let nodes = self.nodes.iter().flatten().map(|node| node.process.pid());
        let groups = nodes.chain(self.errands.iter().filter_map(Errand::pid));
        if let Some(site) = &mut self.site {
            site.guard.watch(groups);
        }
    }

    /// Kills nodes and waits for their ends.
    fn kill(&mut self, nodes: impl Iterator<Item = usize>) {
        let killed: Vec<Node> = nodes.filter_map(|node| self.nodes[node].take()).collect();
        for node in &killed {
            node.process.signal(Signal::KILL);
        }
        if !killed.is_empty() {
            // This has to happen before other processes can get these group ids.
            self.tell_guard();
        }
        for node in killed {
            node.process.reap();
        }
    }

    fn end_case(&mut self) {
        self.strangers.clear();
        self.end_errands();
        self.kill(0..self.nodes.len());
        if let Some(site) = &mut self.site {
            site.end_case();
        }
    }

    /// Notes how long the output of each node is.
    fn note_output(&mut self) {
        let Some(site) = &self.site else { return };
        for (node, printed) in self.printed_before.iter_mut().enumerate() {
            *printed = fs::metadata(site.output(node)).map_or(0, |file| file.len());
        }
    }

    /// The last lines that a node has printed.
    fn tail(&self, node: usize) -> String {
        self.site.as_ref().map(|site| output::tail(&site.output(node))).unwrap_or_default()
    }

    fn expect_up(&self, node: usize) -> Result<(), Trouble> {
        if self.board.seat(node).presence == Presence::Down {
            return Err(Trouble::Impossible(format!("node {} is down", self.setup.nodes[node])));
        }
        Ok(())
    }

    /// Begins to carry out a command.
    fn begin(&mut self, command: &Command) -> Result<(), Trouble> {
        match command {
            Command::Go(id) => self.board.go(*id),
            Command::Request { node, action, args } => {
                let node = self.board.find(node)?;
                self.board.request(node, action, args)
            }
            Command::Run { node, words, until } => self.run(self.board.find(node)?, words, *until),
            Command::Fault(fault, target) => self.strike(*fault, target),
        }
    }

    /// Marks the cluster as broken after an error, unless the error was in the command.
    fn judge<T>(&mut self, result: Result<T, Trouble>) -> Result<T, Trouble> {
        if let Err(trouble) = &result
            && !matches!(trouble, Trouble::Impossible(_) | Trouble::Refused { .. })
        {
            self.health = Health::Broken;
        }
        result
    }
}

impl World for Cluster {
    fn start(&mut self) -> Result<(), Trouble> {
        let begun = processor_time();
        self.waited = Duration::ZERO;
        self.waiting_since = None;
        self.transcript.clear();
        let mut result = if self.reset() { Ok(()) } else { self.start_afresh() };
        if let Err(Trouble::Exited { .. }) = result {
            // One failure may be bad luck, such as a port that another process took first.
            result = self.start_afresh();
        }
        self.health = if result.is_ok() { Health::Fine } else { Health::Broken };
        if result.is_err() {
            self.end_case();
        }
        self.own_time += processor_time().saturating_sub(begun);
        result.map_err(|trouble| match trouble {
            Trouble::Interrupted | Trouble::NotStarted(_) => trouble,
            other => Trouble::NotStarted(other.to_string()),
        })
    }

    fn offers(&self) -> &BTreeMap<OfferId, Offer> {
        self.board.offers()
    }

    fn flights(&self) -> &[Flight] {
        self.board.flights()
    }

    fn variables(&self, node: &str) -> Option<&Map<String, Json>> {
        self.board.variables(self.board.find(node).ok()?)
    }

    fn perform(&mut self, command: &Command) -> Result<(), Trouble> {
        if self.health != Health::Fine {
            return Err(not_started());
        }
        let begun = processor_time();
        self.waiting_since = None;
        self.expects_offer = false;
        let patience = match command {
            Command::Fault(Fault::Start, _) => self.setup.start_patience,
            _ => self.setup.patience,
        };
        let result = self.begin(command).and_then(|()| self.come_to_rest(patience));
        self.own_time += processor_time().saturating_sub(begun);
        self.judge(result)
    }

    fn wait(&mut self) -> Result<Waited, Trouble> {
        if self.health != Health::Fine {
            return Err(not_started());
        }
        let result = self.wait_for_news();
        self.judge(result)
    }

    fn stop(&mut self) {
        self.end_case();
        self.site = None;
        self.board.clear();
        self.health = Health::Stopped;
    }

    fn waited(&self) -> Duration {
        self.waited
    }

    fn own_time(&self) -> Duration {
        self.own_time
    }

    fn keep(&self, dir: &Path) -> io::Result<()> {
        let Some(site) = &self.site else { return Ok(()) };
        for (node, name) in self.setup.nodes.iter().enumerate() {
            copy_dir(&site.home(node), &dir.join(&**name))?;
        }
        Ok(())
    }

    fn has_logs(&self) -> bool {
        self.site.is_some()
    }

    fn write_logs(&self, dir: &Path) -> io::Result<()> {
        let Some(site) = &self.site else { return Ok(()) };
        for (node, name) in self.setup.nodes.iter().enumerate() {
            let target = dir.join(format!("{}.output.txt", name.replace('/', "_")));
            // A node that was never started has printed nothing.
            let printed = read_tail(&site.output(node), self.printed_before[node]).unwrap_or_default();
            fs::write(target, printed)?;
        }
        for (number, errand) in self.errands.iter().enumerate() {
            let printed = read_tail(errand.output(), 0).unwrap_or_default();
            fs::write(dir.join(format!("command-{}.txt", number + 1)), printed)?;
        }
        let mut file = BufWriter::new(File::create(dir.join(CONVERSATION))?);
        self.transcript.write(&self.setup.nodes, &mut file)?;
        file.flush()
    }

    fn take_notes(&mut self) -> Vec<String> {
        self.board.take_notes()
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        self.stop();
    }
}

/// The processor time of this thread.
fn processor_time() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec.unsigned_abs(), u32::try_from(time.tv_nsec).unwrap_or(0))
}

fn cannot(what: &str, error: &std::io::Error) -> Trouble {
    Trouble::NotStarted(format!("can't {what}: {error}"))
}

fn not_started() -> Trouble {
    Trouble::Impossible("the cluster has to be started first".to_owned())
}
