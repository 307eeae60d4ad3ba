//! A leader election in the style of ZooKeeper's. Every node tells all others the best candidate that it has heard of.
//! A node that sees a majority agree with it is done.
//!
//! A candidate is better if it has seen more of the log, or as much and has the higher number. The bug: a node that
//! hears of another candidate in its round, better or not, takes that for a conflict and begins a new round with
//! itself. Nodes whose votes cross do so again and again.

use kilter_explore::{Kind, Machines, Peer, Properties, View, swap};
use kilter_testbed::{Call, Machine, Outbox};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json, json};

use crate::{Me, Shape, name, swapped};

/// A candidate, as a vote names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Vote {
    /// How much of the log the candidate has seen.
    zxid: u32,
    /// The index of the candidate.
    leader: usize,
}

/// The role of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// It has no leader, and looks for one.
    Looking,
    /// It follows a leader.
    Following,
    /// It leads.
    Leading,
}

/// The message of the election.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Notification {
    from: usize,
    round: u32,
    vote: Vote,
    role: Role,
}

/// How often a node that hears nothing tells everyone its vote. Then it waits to be told.
const TRIES_MAX: u8 = 2;

/// The timers of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Timeout {
    /// The node looks for a leader, and tells everyone its vote again.
    Resend,
    /// The node has not heard from its leader, or as a leader from too few nodes. It looks for a leader again.
    GiveUp,
}

/// A node of the broadcast.
#[derive(Clone, Hash)]
pub struct Node {
    me: Me,
    zxid: u32,
    role: Role,
    round: u32,
    vote: Vote,
    /// How often it has told everyone in this round since it last heard something.
    tries: u8,
    /// The last vote of each node in this round.
    heard: Vec<Option<(Vote, Role)>>,
}

impl Node {
    /// Makes a node in its initial state.
    pub fn new(place: usize, shape: Shape) -> Node {
        let mut node = Node {
            me: Me { place, shape },
            zxid: 0,
            role: Role::Looking,
            round: 1,
            vote: Vote { zxid: 0, leader: place },
            tries: 0,
            heard: Vec::new(),
        };
        node.forget();
        node
    }

    fn forget(&mut self) {
        self.heard = self.me.each(None);
        self.heard[self.me.place] = Some((self.vote, Role::Looking));
    }

    fn notification(&self) -> Notification {
        Notification { from: self.me.place, round: self.round, vote: self.vote, role: self.role }
    }

    fn tell_all(&self, outbox: &mut Outbox<Notification>) {
        self.me.tell_all(&self.notification(), outbox);
    }

    fn adopt(&mut self, vote: Vote, outbox: &mut Outbox<Notification>) {
        self.vote = vote;
        self.heard[self.me.place] = Some((vote, Role::Looking));
        self.tell_all(outbox);
    }

    /// Begins a new round with itself as the candidate.
    fn give_up(&mut self, outbox: &mut Outbox<Notification>) {
        self.role = Role::Looking;
        self.tries = 0;
        self.round += 1;
        self.vote = Vote { zxid: self.zxid, leader: self.me.place };
        self.forget();
        self.tell_all(outbox);
    }

    /// Handles a vote of a node that also looks for a leader.
    fn hear_looking(&mut self, told: Notification, outbox: &mut Outbox<Notification>) {
        if told.round < self.round {
            outbox.send_to(told.from, self.notification());
            return;
        }
        if told.round > self.round {
            self.round = told.round;
            let mine = Vote { zxid: self.zxid, leader: self.me.place };
            self.vote = mine;
            self.forget();
            self.adopt(told.vote.max(mine), outbox);
        } else if self.me.shape.bug && told.vote != self.vote {
            self.give_up(outbox);
            return;
        } else if told.vote > self.vote {
            self.adopt(told.vote, outbox);
        }
        self.heard[told.from] = Some((told.vote, told.role));
        self.settle();
    }

    /// Handles a vote of a node that has a leader. It counts in its round, if it is the same vote, or if the leader
    /// itself has said that it leads.
    fn hear_settled(&mut self, told: Notification) {
        if told.round < self.round {
            return;
        }
        if told.round > self.round {
            self.round = told.round;
            self.vote = told.vote;
            self.forget();
        }
        self.heard[told.from] = Some((told.vote, told.role));
        let leads = self.heard[told.vote.leader] == Some((told.vote, Role::Leading));
        if leads || told.vote == self.vote {
            self.vote = told.vote;
            self.heard[self.me.place] = Some((told.vote, Role::Looking));
            self.settle();
        }
    }

    fn settle(&mut self) {
        let n_agree = self.heard.iter().flatten().filter(|(vote, _)| *vote == self.vote).count();
        if self.me.is_quorum(n_agree) {
            self.role = if self.vote.leader == self.me.place { Role::Leading } else { Role::Following };
        }
    }
}

impl Machine for Node {
    type Action = Timeout;
    type Message = Notification;

    fn actions(&self) -> Vec<Timeout> {
        match self.role {
            Role::Looking if self.tries < TRIES_MAX => vec![Timeout::Resend],
            Role::Looking => Vec::new(),
            Role::Following | Role::Leading => vec![Timeout::GiveUp],
        }
    }

    fn call(&self, timeout: &Timeout) -> Call {
        Call::new(if *timeout == Timeout::Resend { "resend" } else { "give up" }, [])
    }

    fn act(&mut self, timeout: Timeout, outbox: &mut Outbox<Notification>) -> Result<(), String> {
        match timeout {
            Timeout::Resend => {
                self.tries += 1;
                self.tell_all(outbox);
            }
            Timeout::GiveUp => self.give_up(outbox),
        }
        Ok(())
    }

    fn handler(&self, _: &Notification) -> Option<Call> {
        Some(Call::new("hear", []))
    }

    fn handle(&mut self, told: Notification, outbox: &mut Outbox<Notification>) -> Result<(), String> {
        self.tries = 0;
        match (self.role, told.role) {
            (Role::Looking, Role::Looking) => self.hear_looking(told, outbox),
            (Role::Looking, _) => self.hear_settled(told),
            (_, Role::Looking) => outbox.send_to(told.from, self.notification()),
            _ => {}
        }
        Ok(())
    }

    fn request(&mut self, action: &str, _: &[Json], _: &mut Outbox<Notification>) -> Result<(), String> {
        Err(format!("nobody asks an election for {action}"))
    }

    fn variables(&self) -> Map<String, Json> {
        Map::from_iter([
            ("role".to_owned(), json!(self.role)),
            ("round".to_owned(), json!(self.round)),
            ("vote".to_owned(), name(self.vote.leader)),
        ])
    }

    fn show(told: &Notification) -> Json {
        let Notification { round, vote, role, .. } = told;
        if *role == Role::Looking {
            json!(format!("round {round}: n{}?", vote.leader + 1))
        } else {
            let role = if *role == Role::Leading { "leading" } else { "following" };
            json!(format!("round {round}: n{}, {role}", vote.leader + 1))
        }
    }

    fn restart(&mut self) -> Result<(), String> {
        *self = Node::new(self.me.place, self.me.shape);
        Ok(())
    }
}

impl Peer for Node {
    fn wake(&mut self, outbox: &mut Outbox<Notification>) -> Result<(), String> {
        self.tell_all(outbox);
        Ok(())
    }

    fn accepts(&self, _: &Notification) -> bool {
        true
    }

    fn kind(_: &Timeout) -> Kind {
        Kind::Timer
    }

    fn role(&self) -> u64 {
        self.role as u64
    }

    /// All nodes that look for a leader have the same functions.
    fn functions(&self) -> Option<u64> {
        Some(Peer::role(self))
    }

    /// The round, the candidate and the role: a vote is about its candidate.
    fn content(told: &Notification) -> u64 {
        (u64::from(told.round) << 32) | ((told.vote.leader as u64) << 8) | told.role as u64
    }

    fn swapped(&self, one: usize, other: usize) -> Node {
        let renamed = |(vote, role)| (rename(vote, one, other), role);
        let heard: Vec<Option<(Vote, Role)>> = self.heard.iter().map(|heard| heard.map(renamed)).collect();
        Node {
            me: self.me.swapped(one, other),
            vote: rename(self.vote, one, other),
            heard: swapped(&heard, one, other),
            ..self.clone()
        }
    }

    fn swapped_message(told: &Notification, one: usize, other: usize) -> Notification {
        Notification { from: swap(told.from, one, other), vote: rename(told.vote, one, other), ..*told }
    }

    fn summary(&self) -> String {
        format!("{:?} in round {} for n{}", self.role, self.round, self.vote.leader + 1)
    }
}

fn rename(vote: Vote, one: usize, other: usize) -> Vote {
    Vote { leader: swap(vote.leader, one, other), ..vote }
}

/// A system whose nodes have all just started. Its goal: a leader that a majority follows, itself included. Its safety
/// property: no two nodes lead in one round.
pub fn system(shape: Shape) -> Machines<Node> {
    let settled = |view: &View<'_, Node>| {
        view.up().any(|(leader, node)| {
            let follows = |other: &Node| other.role != Role::Looking && other.vote.leader == leader;
            let n_followers = view.up().filter(|(_, other)| follows(other)).count();
            node.role == Role::Leading && node.me.is_quorum(n_followers)
        })
    };
    let one_leader = |view: &View<'_, Node>| {
        let leads = |node: &&Node| node.role == Role::Leading;
        let rounds: Vec<u32> = view.up().map(|(_, node)| node).filter(leads).map(|node| node.round).collect();
        rounds.iter().enumerate().all(|(n, round)| !rounds[..n].contains(round))
    };
    let sight = |node: &Node| if node.role == Role::Leading { u64::from(node.round) } else { 0 };
    let properties = Properties {
        safety: vec![("one leader a round".to_owned(), Box::new(one_leader))],
        goal: Some(Box::new(settled)),
        sight: Some(Box::new(sight)),
    };
    crate::system(shape, Node::new, Vec::new(), properties)
}
