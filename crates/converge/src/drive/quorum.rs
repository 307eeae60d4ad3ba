//! Plays steps on stores that elect their leader, as signals, restarts and writes.
//!
//! "Only these replicas get the write" means that the others are stopped when it is sent, and killed before they run
//! again. A replica has got the write when it is in the replica's files. Which node leads is the system's choice. All
//! nodes that are up are in the same state of the model, so their parts can be exchanged: the leader plays a replica
//! that gets all writes, or the one that the model calls the leader.

use std::time::{Duration, Instant};

use rustix::process::Signal;

use super::history::Fate;
use super::judge::{self, Wrong};
use super::picture::Frame;
use super::rounds::Rounds;
use super::standing::{Standing, Status};
use super::{Crash, Player, Progress};
use crate::nodes::Seat;
use crate::step::{Blow, Deed, Replica, Step};
use crate::store::{Client, Contents, Quorum, write_of};
use crate::trouble::Trouble;
use crate::watch::Watch;

/// Once all replicas answer, a replica must take over what it lacks within this time. An election may take longer.
const SETTLE: Duration = Duration::from_secs(10);
/// How long a client waits that reads, or tries to write, at a replica that may not be able to answer.
const CLIENT_TIME: Duration = Duration::from_secs(2);

type Outcome = Result<(Option<Wrong>, Progress), Trouble>;

impl Player<'_> {
    pub(super) fn play_quorum(
        &mut self,
        store: &dyn Quorum,
        schedule: &[Step],
        n_known: &mut usize,
    ) -> Outcome {
        let mut progress = match self.restore(schedule)? {
            Some((n_steps, progress)) => {
                *n_known = n_steps;
                progress
            }
            None => self.begin(store)?,
        };
        for (index, step) in schedule.iter().enumerate().skip(*n_known) {
            let mut wrong = None;
            for deed in &step.deeds {
                wrong = wrong.or(self.do_quorum(store, deed, &mut progress)?);
            }
            progress.frames.push(Frame::new(Some(step), &progress.standing, &progress.ledger));
            if wrong.is_some() {
                return Ok((wrong, progress));
            }
            if progress.standing.is_down() {
                self.keep(&schedule[..=index], &progress)?;
            }
        }
        Ok((self.judge_quorum(store, &progress)?, progress))
    }

    /// Starts all replicas, and makes a write that all of them have.
    fn begin(&mut self, store: &dyn Quorum) -> Result<Progress, Trouble> {
        let mut standing = Standing::down(self.beginning.replicas);
        let everybody: Vec<Replica> = standing.names().collect();
        standing.set(&everybody, Status::Up);
        let mut progress = self.progress(standing);
        store.prepare(self.nodes.seats())?;
        for name in &everybody {
            self.start(store, progress.casts[name.index()])?;
        }
        if let Some(wrong) = self.agree(store, &everybody, &progress.casts)? {
            // Nothing has diverged yet, so this is not the kind of failure that is searched for.
            return Err(Trouble::NotDriven(format!("at the start: {wrong}")));
        }
        let leader = self.serving_leader(store, &progress)?;
        let (key, value) = write_of(0);
        let mut client = store.connect(self.nodes.seats(), leader)?;
        client.send(&key, &value)?;
        if !client.is_acknowledged(self.watch.limit) {
            return Err(Trouble::NotDriven("the first write was not acknowledged".to_owned()));
        }
        progress.history.wrote(0, vec![key], Fate::Acknowledged);
        self.wait_stored(&progress.casts.clone(), &value)?;
        Ok(progress)
    }

    fn do_quorum(
        &mut self,
        store: &dyn Quorum,
        deed: &Deed,
        progress: &mut Progress,
    ) -> Result<Option<Wrong>, Trouble> {
        match deed {
            Deed::Spread(received) => self.spread(store, received, progress)?,
            Deed::WriteTo(to, keys) => self.write_to(store, to, keys, progress)?,
            Deed::WriteAt(at, keys) => self.write_at(store, *at, keys, progress)?,
            Deed::Try(at, keys) => self.try_write(store, *at, keys, progress)?,
            Deed::Read(at) => return self.read_as_client(store, *at, progress),
            Deed::Strike(blow, who) => self.strike_quorum(*blow, who, progress),
            Deed::Up(who) => self.come_back(store, who, progress)?,
            Deed::Lead(who) => {
                let leader = self.serving_leader(store, progress)?;
                cast(leader, who.index(), &mut progress.casts);
            }
            Deed::Agree(who) => {
                if !progress.standing.is_majority(who.len()) {
                    return Err(Trouble::NotDriven(format!("`{deed}`: these are no majority")));
                }
                let wrong = self.agree(store, who, &progress.casts)?;
                progress.ledger.agreed(who);
                return Ok(wrong);
            }
            Deed::Say(who, text) => {
                store.say(&self.nodes.seats()[progress.casts[who.index()]], text)?;
            }
            Deed::Wait(ms) => self.watch.rest(Duration::from_millis((*ms).into()))?,
            Deed::Isolate(..) | Deed::Link(_) | Deed::Copy(_) => {
                return Err(Trouble::Unable("links that are set by hand"));
            }
            Deed::Data(_) => return Err(Trouble::Unable("edits of a data type")),
        }
        Ok(None)
    }

    fn start(&mut self, store: &dyn Quorum, node: usize) -> Result<(), Trouble> {
        let command = store.command(self.nodes.seats(), node, None);
        self.nodes.start(node, command)
    }

    /// The node that leads, once all of these replicas serve under it.
    fn leader(
        &mut self,
        store: &dyn Quorum,
        replicas: &[Replica],
        casts: &[usize],
    ) -> Result<Option<usize>, Trouble> {
        let nodes = &self.nodes;
        let seats: Vec<&Seat> = replicas.iter().map(|name| &nodes.seats()[casts[name.index()]]).collect();
        let mut rounds = Rounds::new(&seats, &self.options.seen);
        let found = self.watch.until(|| match nodes.ended_by_itself() {
            Some(_) => Some(None),
            None => store.leader(&seats).map(Some).or_else(|| rounds.are_too_many().then_some(None)),
        })?;
        Ok(found.flatten())
    }

    /// The node that leads those that run.
    fn serving_leader(&mut self, store: &dyn Quorum, progress: &Progress) -> Result<usize, Trouble> {
        let leader = self.leader(store, &progress.standing.up(), &progress.casts)?;
        leader.ok_or_else(|| Trouble::NotDriven("nobody leads those that run".to_owned()))
    }

    /// Waits until replicas serve under one leader. Otherwise returns what is wrong.
    fn agree(
        &mut self,
        store: &dyn Quorum,
        who: &[Replica],
        casts: &[usize],
    ) -> Result<Option<Wrong>, Trouble> {
        if self.leader(store, who, casts)?.is_some() {
            return Ok(None);
        }
        let names: String = who.iter().map(ToString::to_string).collect();
        let what = format!("{names} did not come to serve under one leader");
        Ok(self.died(casts).or(Some(Wrong::Stuck { what })))
    }

    fn come_back(
        &mut self,
        store: &dyn Quorum,
        who: &[Replica],
        progress: &mut Progress,
    ) -> Result<(), Trouble> {
        for name in who {
            let node = progress.casts[name.index()];
            match progress.standing.of(*name) {
                Status::Up => {}
                Status::Paused => self.nodes.signal(node, Signal::CONT),
                Status::Cut => self.nodes.mend(&[node]),
                Status::Down => self.start(store, node)?,
            }
        }
        progress.standing.set(who, Status::Up);
        Ok(())
    }

    fn strike_quorum(&mut self, blow: Blow, who: &[Replica], progress: &mut Progress) {
        let Progress { standing, ledger, casts, .. } = progress;
        let node = |name: &Replica| casts[name.index()];
        if blow == Blow::Pause {
            for name in who {
                self.nodes.pause(node(name));
            }
            standing.set(who, Status::Paused);
        } else if blow == Blow::Cut {
            self.nodes.cut(&who.iter().map(node).collect::<Vec<_>>());
            standing.set(who, Status::Cut);
        } else {
            let is_orderly = blow == Blow::Stop || (blow == Blow::Crash && self.options.crash == Crash::Stop);
            // A node that stands still can't end in order.
            let (orderly, others): (Vec<Replica>, Vec<Replica>) =
                who.iter().partition(|name| is_orderly && standing.is_up(**name));
            self.nodes.crash(&others.iter().map(node).collect::<Vec<_>>());
            // Whoever starts again is reached again.
            self.nodes.mend(&who.iter().map(node).collect::<Vec<_>>());
            for name in &orderly {
                self.nodes.signal(node(name), Signal::TERM);
            }
            standing.set(who, Status::Down);
        }
        ledger.failed(who);
    }

    /// A client of the leader writes, and all of `to` have it in the end.
    fn write_to(
        &mut self,
        store: &dyn Quorum,
        to: &[Replica],
        keys: &[String],
        progress: &mut Progress,
    ) -> Result<(), Trouble> {
        let leader = self.serving_leader(store, progress)?;
        let mut client = store.connect(self.nodes.seats(), leader)?;
        let Progress { standing, ledger, history, casts, .. } = progress;
        let number = ledger.number(keys);
        Self::send(client.as_mut(), ledger, number)?;
        let mut fate = Fate::Open;
        if standing.is_majority(to.len()) {
            if !client.is_acknowledged(self.watch.limit) {
                return Err(Trouble::NotDriven(format!("write {number} was not acknowledged")));
            }
            ledger.must_survive.push(number);
            fate = Fate::Acknowledged;
        }
        history.wrote(number, ledger.keys_of(number).to_vec(), fate);
        let nodes: Vec<usize> = to.iter().map(|name| casts[name.index()]).collect();
        for name in to {
            ledger.got(*name, number);
        }
        self.wait_stored(&nodes, &write_of(number).1)
    }

    /// A client of one replica writes. What the store acknowledges must survive.
    fn write_at(
        &mut self,
        store: &dyn Quorum,
        at: Replica,
        keys: &[String],
        progress: &mut Progress,
    ) -> Result<(), Trouble> {
        match self.try_for(self.watch.limit, store, at, keys, progress)? {
            (_, Fate::Acknowledged) => Ok(()),
            (number, _) => Err(Trouble::NotDriven(format!("{at} did not acknowledge write {number}"))),
        }
    }

    /// A client of one replica tries to write. The replica need not answer.
    fn try_write(
        &mut self,
        store: &dyn Quorum,
        at: Replica,
        keys: &[String],
        progress: &mut Progress,
    ) -> Result<(), Trouble> {
        self.try_for(CLIENT_TIME.min(self.watch.limit), store, at, keys, progress).map(drop)
    }

    /// A client of one replica writes, and waits so long for the answer. What the store acknowledges must survive.
    fn try_for(
        &mut self,
        time: Duration,
        store: &dyn Quorum,
        at: Replica,
        keys: &[String],
        progress: &mut Progress,
    ) -> Result<(u8, Fate), Trouble> {
        let Progress { standing, ledger, history, casts, .. } = progress;
        let number = ledger.number(keys);
        let fate = match store.connect(self.nodes.seats(), casts[at.index()]) {
            Ok(mut client) => match Self::send(client.as_mut(), ledger, number) {
                Ok(()) => fate_of(client.as_mut(), time),
                Err(Trouble::NotDriven(_)) => Fate::Open,
                Err(trouble) => return Err(trouble),
            },
            Err(Trouble::NotDriven(_)) => Fate::Open,
            Err(trouble) => return Err(trouble),
        };
        history.wrote(number, ledger.keys_of(number).to_vec(), fate);
        if fate == Fate::Acknowledged {
            ledger.must_survive.push(number);
            for name in standing.up() {
                ledger.got(name, number);
            }
        }
        Ok((number, fate))
    }

    /// A client of one replica reads. It need not get an answer, but what it gets must be what the store promises.
    fn read_as_client(
        &mut self,
        store: &dyn Quorum,
        at: Replica,
        progress: &mut Progress,
    ) -> Result<Option<Wrong>, Trouble> {
        let (seats, node) = (self.nodes.seats(), progress.casts[at.index()]);
        let mut watch = Watch::new(CLIENT_TIME.min(self.watch.limit), self.watch.end.clone());
        let Some(found) = watch.until(|| store.read_as_client(seats, node))? else {
            self.watch.in_vain += watch.in_vain;
            progress.history.n_unanswered += 1;
            return Ok(None);
        };
        let broken = progress.history.read(at, found, self.options.promise);
        Ok(broken.map(|what| Wrong::WrongRead { what }))
    }

    fn spread(
        &mut self,
        store: &dyn Quorum,
        received: &[Option<u8>],
        progress: &mut Progress,
    ) -> Result<(), Trouble> {
        let n_writes = received.iter().flatten().copied().max().unwrap_or(0);
        let leader = self.serving_leader(store, progress)?;
        cast_leader(received, n_writes, leader, &mut progress.casts);
        let Progress { standing, ledger, history, casts, .. } = progress;
        let nodes: Vec<(usize, u8)> =
            casts.iter().zip(received).filter_map(|(node, got)| got.map(|got| (*node, got))).collect();
        let mut client = store.connect(self.nodes.seats(), leader)?;
        for nth in 1..=n_writes {
            for (node, _) in nodes.iter().filter(|(_, got)| *got + 1 == nth) {
                self.nodes.pause(*node);
            }
            let getting: Vec<usize> =
                nodes.iter().filter(|(_, got)| *got >= nth).map(|(node, _)| *node).collect();
            let number = ledger.number(&[]);
            Self::send(client.as_mut(), ledger, number)?;
            let mut fate = Fate::Open;
            if standing.is_majority(getting.len()) {
                if !client.is_acknowledged(self.watch.limit) {
                    return Err(Trouble::NotDriven(format!("write {number} was not acknowledged")));
                }
                ledger.must_survive.push(number);
                fate = Fate::Acknowledged;
            }
            history.wrote(number, ledger.keys_of(number).to_vec(), fate);
            self.wait_stored(&getting, &write_of(number).1)?;
            let gets = |name: &Replica| received[name.index()].is_some_and(|got| got >= nth);
            standing.names().filter(gets).for_each(|name| ledger.got(name, number));
        }
        // A node that was stopped must not run again, because it would see what it must not see.
        let is_orderly = |(_, got): &(usize, u8)| self.options.crash == Crash::Stop && *got == n_writes;
        let (orderly, others): (Vec<_>, Vec<_>) = nodes.into_iter().partition(is_orderly);
        let others: Vec<usize> = others.into_iter().map(|(node, _)| node).collect();
        self.nodes.crash(&others);
        for (node, _) in orderly {
            self.nodes.signal(node, Signal::TERM);
        }
        let struck: Vec<Replica> = standing.names().filter(|name| received[name.index()].is_some()).collect();
        standing.set(&struck, Status::Down);
        ledger.failed(&struck);
        Ok(())
    }

    fn wait_stored(&mut self, nodes: &[usize], value: &str) -> Result<(), Trouble> {
        for node in nodes {
            let seat = &self.nodes.seats()[*node];
            let stored = self.watch.until(|| seat.has_stored(value).then_some(()))?;
            stored.ok_or_else(|| Trouble::NotDriven(format!("node {node} did not store {value}")))?;
        }
        Ok(())
    }

    fn judge_quorum(&mut self, store: &dyn Quorum, progress: &Progress) -> Result<Option<Wrong>, Trouble> {
        if let Some(absent) = progress.standing.names().find(|name| !progress.standing.is_up(*name)) {
            let what = format!("the schedule ends while {absent} is away; a model's Done has everybody up");
            return Err(Trouble::NotDriven(what));
        }
        let seats = self.nodes.seats();
        let look = || -> Option<Vec<Contents>> {
            progress.casts.iter().map(|node| store.read(&seats[*node])).collect()
        };
        let judge = |found: Vec<Contents>| {
            let differences = judge::differences(&found);
            if differences.is_empty() {
                if !store.keeps_acknowledged() {
                    return None;
                }
                let lost = judge::lost(&found[0], &progress.ledger, None);
                return lost.or_else(|| judge::unexplained(&found[0], &progress.history));
            }
            Some(Wrong::Differ { differences, found })
        };
        let mut wrong_since: Option<Instant> = None;
        let outcome = self.watch.until(|| match judge(look()?) {
            None => Some(None),
            wrong => {
                let since = wrong_since.get_or_insert_with(Instant::now);
                (since.elapsed() >= SETTLE).then_some(wrong)
            }
        })?;
        if let Some(wrong) = outcome {
            self.watch.in_vain += wrong.as_ref().map_or(Duration::ZERO, |_| SETTLE);
            return Ok(wrong);
        }
        let silent = || Wrong::Stuck { what: "in the end, some replica does not answer".to_owned() };
        Ok(self.died(&progress.casts).or_else(|| look().map_or_else(|| Some(silent()), judge)))
    }
}

/// How a write was answered within this time.
fn fate_of(client: &mut dyn Client, time: Duration) -> Fate {
    match (client.is_acknowledged(time), client.is_refused()) {
        (true, _) => Fate::Acknowledged,
        (false, true) => Fate::Refused,
        (false, false) => Fate::Open,
    }
}

/// Exchanges parts so that the node that leads plays this replica.
fn cast(leader: usize, replica: usize, casts: &mut [usize]) {
    if let Some(plays) = casts.iter().position(|node| *node == leader) {
        casts.swap(plays, replica);
    }
}

/// Exchanges parts so that the leader plays a replica that gets all writes.
fn cast_leader(received: &[Option<u8>], n_writes: u8, leader: usize, casts: &mut [usize]) {
    let plays = casts.iter().position(|node| *node == leader);
    let wanted = received.iter().position(|got| *got == Some(n_writes));
    if let (Some(plays), Some(wanted)) = (plays, wanted)
        && received[plays] != Some(n_writes)
    {
        casts.swap(plays, wanted);
    }
}
