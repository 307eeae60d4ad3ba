//! Waiting for whatever comes next, and what follows from it.

use std::time::{Duration, Instant};

use kilter_protocol::{FromNode, Hello, LineError, VERSION};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;

use super::link::Link;
use super::output;
use super::{Cluster, Node};
use crate::world::{NodeName, Trouble};

/// More connections than this that have not said who they are get closed.
const STRANGERS_MAX: usize = 64;
/// While we wait, output files are looked at this often, lest they grow without end.
const LOOK_AFTER: Duration = Duration::from_millis(200);
/// A node that closes its connection is given this long to end, so that its exit code can be told.
const END_WITHIN: Duration = Duration::from_millis(500);

/// All that can happen, in the order in which it is dealt with when several things happen at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Event {
    /// Somebody wants everything to end.
    Interrupt,
    /// A node says something, or listens again.
    Said(usize),
    /// Somebody says who he is.
    Introduced(usize),
    /// Somebody connects.
    Connected,
    /// A program that was run against the nodes has ended.
    ErrandDone(usize),
    /// A node's process has ended.
    Ended(usize),
}

impl Cluster {
    /// Waits for something to happen, until the deadline at most, and deals with it.
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
                    // Each stranger that is dealt with leaves the list.
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

    /// Takes in what a node says.
    fn listen_to(&mut self, node: usize) -> Result<(), Trouble> {
        let Some(link) = link_of(&mut self.nodes, node) else { return Ok(()) };
        link.flush();
        link.fill();
        loop {
            let Some(link) = link_of(&mut self.nodes, node) else { return Ok(()) };
            match link.next_line() {
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
                self.strangers.remove(0);
            }
            self.strangers.push(stranger);
        }
    }

    /// Finds out who a stranger is. True if that is settled, one way or another.
    fn introduce(&mut self, index: usize) -> Result<bool, Trouble> {
        let (link, group) = &mut self.strangers[index];
        link.fill();
        let line = link.next_line();
        if matches!(line, Ok(None)) && !link.ended {
            return Ok(false);
        }
        let group = *group;
        let (link, _) = self.strangers.remove(index);
        let suspect = self.nodes.iter().position(|node| {
            node.as_ref().is_some_and(|node| group.is_some_and(|group| group == node.process.pid()))
        });
        match (line, suspect) {
            (Ok(Some(FromNode::Hello(hello))), _) => self.hello(&hello, suspect, link)?,
            // Whoever connects and says nothing does no harm.
            (Ok(None), _) if link.half_line().is_none() => {}
            (line, Some(node)) => return Err(self.broke_protocol(node, before_hello(line))),
            (line, None) => {
                let text = format!("somebody who is no node connected: {}", before_hello(line));
                self.board.remark(&text);
            }
        }
        Ok(true)
    }

    /// Lets a node in if it is one of ours.
    fn hello(&mut self, hello: &Hello, suspect: Option<usize>, link: Link) -> Result<(), Trouble> {
        let stranger = || NodeName::from(hello.node.chars().take(80).collect::<String>());
        let Some(index) = self.setup.nodes.iter().position(|name| **name == *hello.node) else {
            let node = suspect.map_or_else(stranger, |node| self.setup.nodes[node].clone());
            let reason = format!("it says that it is `{}`, which is no node of this cluster", stranger());
            return Err(Trouble::Protocol { node, reason });
        };
        let Some(node) = &mut self.nodes[index] else {
            self.board.remark(&format!("somebody says that he is {}, which is down", stranger()));
            return Ok(());
        };
        if hello.version != VERSION {
            let reason = format!(
                "it speaks version {} of the protocol, and this testbed speaks version {VERSION}",
                hello.version
            );
            return Err(self.broke_protocol(index, reason));
        }
        if hello.token != node.token {
            if self.site.as_ref().is_some_and(|site| site.is_old(&hello.token)) {
                // It connected just before it was killed.
                self.board.remark(&format!("somebody says that he is {}, as it was before", stranger()));
                return Ok(());
            }
            return Err(self.broke_protocol(index, "its token is wrong".to_owned()));
        }
        if node.link.is_some() {
            return Err(self.broke_protocol(index, "it connected twice".to_owned()));
        }
        node.link = Some(link);
        self.board.welcome(index, hello);
        // What it said after its hello may have arrived already.
        self.listen_to(index)
    }

    fn broke_protocol(&self, node: usize, reason: String) -> Trouble {
        Trouble::Protocol { node: self.setup.nodes[node].clone(), reason }
    }

    /// A node has closed its connection: mostly because it has ended.
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

/// What is wrong with what somebody said who should have said hello.
fn before_hello(line: Result<Option<FromNode>, LineError>) -> String {
    match line {
        Ok(Some(_)) => "its first line is no hello".to_owned(),
        Ok(None) => "it was cut off in the middle of its first line".to_owned(),
        Err(error) => error.to_string(),
    }
}
