//! The key-value store that is replicated: a pure state machine.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// The number of a client's request: the client's number, and how many requests it has made. 0 belongs to no client.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct RequestId(pub u64);

impl RequestId {
    const COUNT_BITS: u32 = 20;

    /// The number of a client's request. `count` begins with 1.
    pub fn new(client: u32, count: u32) -> RequestId {
        RequestId(u64::from(client) << Self::COUNT_BITS | u64::from(count) & ((1 << Self::COUNT_BITS) - 1))
    }

    /// The client's number as text, because keys of JSON are texts.
    fn client(self) -> String {
        (self.0 >> Self::COUNT_BITS).to_string()
    }
}

/// A command for the store.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
pub enum Command {
    /// Does nothing. A leader writes it first.
    Noop,
    /// Writes a value.
    Put {
        /// The key to write.
        key: String,
        /// The new value.
        value: String,
    },
    /// Reads a value.
    Get {
        /// The key to write.
        key: String,
    },
}

/// The key-value store.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Machine {
    values: BTreeMap<String, String>,
    /// The last request of each client and its answer, so that a repeated request is not carried out again.
    answers: BTreeMap<String, (RequestId, Option<String>)>,
}

impl Machine {
    /// Carries out a command. Returns the value at the key afterwards.
    pub fn apply(&mut self, request: RequestId, command: &Command) -> Option<String> {
        if let Some((last, answer)) = self.answers.get(&request.client())
            && *last >= request
        {
            return answer.clone();
        }
        let answer = match command {
            Command::Noop => return None,
            Command::Put { key, value } => {
                self.values.insert(key.clone(), value.clone());
                Some(value.clone())
            }
            Command::Get { key } => self.values.get(key).cloned(),
        };
        self.answers.insert(request.client(), (request, answer.clone()));
        answer
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn put(value: &str) -> Command {
        Command::Put { key: "x".into(), value: value.into() }
    }

    #[test]
    fn a_request_that_is_made_again_is_not_carried_out_again() {
        let mut machine = Machine::default();
        machine.apply(RequestId::new(1, 1), &put("old"));
        machine.apply(RequestId::new(2, 1), &put("new"));
        assert_eq!(machine.apply(RequestId::new(1, 1), &put("old")), Some("old".into()));
        assert_eq!(
            machine.apply(RequestId::new(3, 1), &Command::Get { key: "x".into() }),
            Some("new".into())
        );
    }

    #[test]
    fn noops_are_nobodys_requests() {
        let mut machine = Machine::default();
        assert_eq!(machine.apply(RequestId(0), &Command::Noop), None);
        assert_eq!(machine, Machine::default());
    }
}
