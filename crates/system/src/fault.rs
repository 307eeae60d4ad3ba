//! What can be done to a system, and to which part of it.
//!
//! A new fault is a variant here. What it strikes says how mappings, searches and testbeds handle it, so most faults need nothing more
//! than the code that carries them out.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// A fault, or what undoes one. The order is the one in which a search tries them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Fault {
    /// A node is killed at once. What it has stored stays; what it held in memory is gone.
    Crash,
    /// The network loses a message.
    Drop,
    /// The disk fails a node in an action that reads or writes.
    Disk,
    /// The network doubles a message.
    Duplicate,
    /// A node is paused. Its connections stay open.
    Pause,
    /// No message passes between two nodes.
    Cut,
    /// A node that is down is started, on what it has stored.
    Start,
    /// A node is killed and started again.
    Restart,
    /// A paused node goes on.
    Resume,
    /// Messages pass again between two nodes that were cut off from each other.
    Mend,
    /// The clock of a node jumps an hour ahead. Nodes that ask their probe for the time notice it.
    Clock,
}

/// What a fault strikes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Struck {
    /// A node.
    Node,
    /// The link between two nodes.
    Link,
    /// A message under way.
    Message,
    /// An action that a node is about to take.
    Action,
}

impl Fault {
    /// All of them, in their order.
    pub const ALL: [Fault; 11] = [
        Fault::Crash,
        Fault::Drop,
        Fault::Disk,
        Fault::Duplicate,
        Fault::Pause,
        Fault::Cut,
        Fault::Start,
        Fault::Restart,
        Fault::Resume,
        Fault::Mend,
        Fault::Clock,
    ];

    /// What it strikes.
    pub fn strikes(self) -> Struck {
        match self {
            Fault::Crash | Fault::Start | Fault::Restart | Fault::Pause | Fault::Resume | Fault::Clock => {
                Struck::Node
            }
            Fault::Cut | Fault::Mend => Struck::Link,
            Fault::Drop | Fault::Duplicate => Struck::Message,
            Fault::Disk => Struck::Action,
        }
    }

    /// Whether a search can bring it about. It lets nodes come up by themselves, and knows no links.
    pub fn is_searched(self) -> bool {
        match self.strikes() {
            Struck::Node => self == Fault::Crash || self.is_suffered(),
            Struck::Message | Struck::Action => true,
            Struck::Link => false,
        }
    }

    /// Whether only the node itself can bring it about: the testbed asks the node for it.
    pub fn is_suffered(self) -> bool {
        self == Fault::Clock
    }

    /// Whether an event can be kept from happening by it. Searches place such faults where events are.
    pub fn destroys_events(self) -> bool {
        matches!(self, Fault::Crash | Fault::Drop | Fault::Disk)
    }

    /// Whether it strikes a message, not a node.
    pub fn is_about_message(self) -> bool {
        self.strikes() == Struck::Message
    }

    /// The faults that it is made of, one after the other: itself, but for a restart.
    pub fn parts(self) -> impl Iterator<Item = Fault> {
        let (first, second) = match self {
            Fault::Restart => (Fault::Crash, Some(Fault::Start)),
            other => (other, None),
        };
        [first].into_iter().chain(second)
    }

    /// What happens, in a few words.
    pub fn meaning(self) -> &'static str {
        match self {
            Fault::Crash => "a node is killed at once",
            Fault::Drop => "the network loses a message",
            Fault::Disk => "the disk fails a node",
            Fault::Duplicate => "the network doubles a message",
            Fault::Pause => "a node is paused",
            Fault::Cut => "no message passes between two nodes",
            Fault::Start => "a node that is down is started",
            Fault::Restart => "a node is killed and started again",
            Fault::Resume => "a paused node goes on",
            Fault::Mend => "messages pass again between two nodes",
            Fault::Clock => "the clock of a node jumps an hour ahead",
        }
    }

    /// Its word in configurations, options and reports.
    pub fn word(self) -> &'static str {
        match self {
            Fault::Crash => "crash",
            Fault::Drop => "drop",
            Fault::Disk => "disk",
            Fault::Duplicate => "duplicate",
            Fault::Pause => "pause",
            Fault::Cut => "cut",
            Fault::Start => "start",
            Fault::Restart => "restart",
            Fault::Resume => "resume",
            Fault::Mend => "mend",
            Fault::Clock => "clock",
        }
    }
}

/// What a crash is on a real system. Each way is a run of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Crash {
    /// SIGKILL.
    Kill,
    /// SIGTERM: an orderly stop.
    Stop,
    /// SIGKILL, and another node with nothing on its disk takes its place.
    Decommission,
}

impl Crash {
    /// As it is written in configurations.
    pub fn word(self) -> &'static str {
        match self {
            Self::Kill => "kill",
            Self::Stop => "stop",
            Self::Decommission => "decommission",
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

impl FromStr for Fault {
    type Err = String;

    fn from_str(word: &str) -> Result<Fault, String> {
        let found = Fault::ALL.into_iter().find(|fault| fault.word() == word);
        found.ok_or_else(|| {
            let words: Vec<&str> = Fault::ALL.iter().map(|fault| fault.word()).collect();
            format!("there is no fault `{word}`; there are {}", words.join(", "))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_fault_is_listed_once_and_has_a_word_of_its_own() {
        for (place, fault) in Fault::ALL.into_iter().enumerate() {
            assert_eq!(fault as usize, place, "{fault} is not where the search tries it");
            assert_eq!(fault.word().parse(), Ok(fault));
            assert_eq!(serde_json::to_value(fault).expect("a word"), fault.word());
        }
        assert!("omit".parse::<Fault>().is_err());
    }
}
