//! Waits for the next events, and handles them.

use std::time::{Duration, Instant};

use kilter_protocol::{FromNode, Hello, LineError, VERSION, encode};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::process::Pid;

use super::link::Link;
use super::output;
use super::site::is_same;
use super::transcript::Way;
use super::{Cluster, Node};
use crate::world::{NodeName, Trouble};

/// The most connections that have not said who they are. Beyond that, one of them is closed.
const STRANGERS_MAX: usize = 64;
/// The longest hello. A connection that has not shown a token gets no more room than this.
const HELLO_BYTES_MAX: usize = 4 << 10;
/// While the cluster waits, it checks the size of output files this often.
const LOOK_AFTER: Duration = Duration::from_millis(200);
/// A node that closes its connection has this long to end, so that its exit code can be reported.
const END_WITHIN: Duration = Duration::from_millis(500);

/// All events, in the order in which they are handled when several come at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Event {
    /// The user or another thread wants everything to end.
    Interrupt,
    /// A node has said something, or can be written to again.
    Said(usize),
    /// A new connection has said who it is.
    Introduced(usize),
    /// A new connection has been made.
    Connected,
    /// A program that was run against the nodes has ended.
    ErrandDone(usize),
    /// A node's process has ended.
    Ended(usize),
}

impl Cluster {
    /// Waits for events until the deadline, and handles them.
    pub(super) fn turn(&mut self, deadline: Instant) -> Result<(), Trouble> {
        let left = deadline.saturating_duration_since(Instant::now());
        let events = self.events(left.min(LOOK_AFTER))?;
        if events.is_empty() && !left.is_zero() {
            self.curb_output();
        }
        let mut introduced = 0;
        for event in events {
            match event {
                Event::Interrupt => return Err(Trouble::Interrupted),
                Event::Said(node) => self.listen_to(node)?,
                Event::Introduced(index) => {
                    // Each introduced connection leaves the list, so later indices move down.
                    if self.introduce(index - introduced)? {
                        introduced += 1;
                    }
                }
                Event::Connected => self.accept(),
                Event::ErrandDone(index) => self.errand_done(index),
                Event::Ended(node) => return Err(self.exited(node)),
            }
        }
        Ok(())
    }

    fn events(&self, timeout: Duration) -> Result<Vec<Event>, Trouble> {
        let mut sources = Vec::with_capacity(2 + 2 * self.nodes.len() + self.strangers.len());
        let mut fds = Vec::with_capacity(sources.capacity());
        let mut add = |event, fd, flags| {
            sources.push(event);
            fds.push(PollFd::from_borrowed_fd(fd, flags));
        };
        if let Some(interrupt) = &self.setup.interrupt {
            add(Event::Interrupt, interrupt.fd(), PollFlags::IN);
        }
        let running =
            || self.nodes.iter().enumerate().filter_map(|(index, node)| Some((index, node.as_ref()?)));
        for (index, node) in running() {
            if let Some(link) = node.link.as_ref().filter(|link| !link.ended) {
                let out = if link.is_clogged() { PollFlags::OUT } else { PollFlags::empty() };
                add(Event::Said(index), link.fd(), PollFlags::IN | out);
            }
        }
        for (index, (link, _)) in self.strangers.iter().enumerate() {
            add(Event::Introduced(index), link.fd(), PollFlags::IN);
        }
        if let Some(site) = &self.site {
            add(Event::Connected, site.listener.fd(), PollFlags::IN);
        }
        for (index, errand) in self.errands.iter().enumerate() {
            if let Some(end) = errand.end() {
                add(Event::ErrandDone(index), end, PollFlags::IN);
            }
        }
        for (index, node) in running() {
            add(Event::Ended(index), node.process.end(), PollFlags::IN);
        }
        let timeout = Timespec { tv_sec: timeout.as_secs() as i64, tv_nsec: timeout.subsec_nanos().into() };
        match poll(&mut fds, Some(&timeout)) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(error) => return Err(Trouble::Impossible(format!("can't wait for the nodes: {error}"))),
        }
        let happened = fds.iter().zip(sources).filter(|(fd, _)| !fd.revents().is_empty());
        Ok(happened.map(|(_, event)| event).collect())
    }

    /// Reads and handles what a node says.
    fn listen_to(&mut self, node: usize) -> Result<(), Trouble> {
        let Some(link) = link_of(&mut self.nodes, node) else { return Ok(()) };
        link.flush();
        link.fill();
        loop {
            let Some(link) = link_of(&mut self.nodes, node) else { return Ok(()) };
            let line = link.next_line();
            if !matches!(line, Ok(None)) {
                self.transcript.add(node, Way::Said, link.last_line());
            }
            match line {
                Ok(Some(line)) => {
                    self.board.hear(node, line).map_err(|reason| self.broke_protocol(node, reason))?;
                }
                Ok(None) if link.ended => return Err(self.hung_up(node)),
                Ok(None) => return Ok(()),
                Err(error) => return Err(self.broke_protocol(node, error.to_string())),
            }
        }
    }

    fn accept(&mut self) {
        let Some(site) = &self.site else { return };
        for _ in 0..STRANGERS_MAX {
            let Some(stranger) = site.listener.accept() else { return };
            if self.strangers.len() >= STRANGERS_MAX {
                // Connections from processes that are not ours are closed first, so that a crowd of them cannot keep
                // our nodes out.
                let is_nobody = |(_, group): &(Link, Option<Pid>)| node_of(&self.nodes, *group).is_none();
                let first = self.strangers.iter().position(is_nobody);
                self.strangers.remove(first.unwrap_or(0));
            }
            self.strangers.push(stranger);
        }
    }

    /// Finds out who a new connection is. Returns whether that is decided. A connection that does not show a token is
    /// only noted, because no node is to blame for it.
    fn introduce(&mut self, index: usize) -> Result<bool, Trouble> {
        let (link, group) = &mut self.strangers[index];
        link.fill();
        let line = link.next_line();
        let is_endless = link.n_waiting() > HELLO_BYTES_MAX;
        if matches!(line, Ok(None)) && !link.ended && !is_endless {
            return Ok(false);
        }
        let who = node_of(&self.nodes, *group)
            .map_or_else(|| "somebody".to_owned(), |node| format!("a process of {}", self.setup.nodes[node]));
        let (link, _) = self.strangers.remove(index);
        match line {
            Ok(Some(FromNode::Hello(hello))) => self.hello(&hello, &who, link)?,
            // A connection that was closed without a word does no harm.
            Ok(None) if link.half_line().is_none() => {}
            line => self.board.remark(&format!(
                "{who} connected and did not show the token of a node: {}",
                before_hello(line, is_endless)
            )),
        }
        Ok(true)
    }

    /// Accepts a node if its token is that of one of ours.
    fn hello(&mut self, hello: &Hello, who: &str, link: Link) -> Result<(), Trouble> {
        let name = NodeName::from(hello.node.chars().take(80).collect::<String>());
        let has_token =
            |node: &Option<Node>| node.as_ref().is_some_and(|node| is_same(&node.token, &hello.token));
        let Some(index) = self.nodes.iter().position(has_token) else {
            let is_old = self.site.as_ref().is_some_and(|site| site.is_old(&hello.token));
            // A node may have connected just before it was killed. It is not a stranger, but gone.
            let how = if is_old { "as it was before" } else { "with a wrong token" };
            self.board.remark(&format!("{who} says that it is {name}, {how}"));
            return Ok(());
        };
        if self.setup.nodes[index] != name {
            let is_known = self.setup.nodes.contains(&name);
            let other = if is_known { "another node" } else { "no node" };
            let reason = format!("it says that it is `{name}`, which is {other} of this cluster");
            return Err(self.broke_protocol(index, reason));
        }
        if hello.version != VERSION {
            let reason = format!(
                "it speaks version {} of the protocol, and this testbed speaks version {VERSION}",
                hello.version
            );
            return Err(self.broke_protocol(index, reason));
        }
        let Some(node) = &mut self.nodes[index] else { return Ok(()) };
        if node.link.is_some() {
            return Err(self.broke_protocol(index, "it connected twice".to_owned()));
        }
        // The token is a secret as long as the cluster runs.
        let said = Hello { token: "…".to_owned(), ..hello.clone() };
        self.transcript.add(index, Way::Said, &encode(&FromNode::Hello(said)));
        node.link = Some(link);
        self.board.welcome(index, hello);
        // What it said after its hello may have arrived already.
        self.listen_to(index)
    }

    fn broke_protocol(&self, node: usize, reason: String) -> Trouble {
        Trouble::Protocol { node: self.setup.nodes[node].clone(), reason }
    }

    /// The trouble with a node that has closed its connection. Mostly it has ended.
    fn hung_up(&self, node: usize) -> Trouble {
        let Some(running) = &self.nodes[node] else { return self.exited(node) };
        let mut fds = [PollFd::from_borrowed_fd(running.process.end(), PollFlags::IN)];
        let timeout = Timespec { tv_sec: 0, tv_nsec: END_WITHIN.subsec_nanos().into() };
        if poll(&mut fds, Some(&timeout)).is_ok_and(|n_ready| n_ready > 0) {
            return self.exited(node);
        }
        let half = running.link.as_ref().and_then(Link::half_line);
        let reason = match half {
            Some(half) => LineError::HalfLine(half).to_string(),
            None => "it closed its connection, but goes on running".to_owned(),
        };
        self.broke_protocol(node, reason)
    }

    fn exited(&self, node: usize) -> Trouble {
        let how = self.nodes[node].as_ref().and_then(|node| node.process.how_ended());
        let how = how.unwrap_or_else(|| "unknown how".to_owned());
        Trouble::Exited { node: self.setup.nodes[node].clone(), how, output: self.tail(node) }
    }

    pub(super) fn curb_output(&self) {
        if let Some(site) = &self.site {
            (0..self.nodes.len()).for_each(|node| output::curb(&site.output(node)));
        }
    }
}

fn link_of(nodes: &mut [Option<Node>], node: usize) -> Option<&mut Link> {
    nodes[node].as_mut()?.link.as_mut()
}

/// The node that a process group belongs to.
fn node_of(nodes: &[Option<Node>], group: Option<Pid>) -> Option<usize> {
    let group = group?;
    nodes.iter().position(|node| node.as_ref().is_some_and(|node| node.process.pid() == group))
}

/// What is wrong with a first line that should have been a hello.
fn before_hello(line: Result<Option<FromNode>, LineError>, is_endless: bool) -> String {
    match line {
        Ok(Some(_)) => "its first line is no hello".to_owned(),
        Ok(None) if is_endless => "its first line has no end".to_owned(),
        Ok(None) => "it was cut off in the middle of its first line".to_owned(),
        Err(error) => error.to_string(),
    }
}
