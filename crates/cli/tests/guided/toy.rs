//! The cache of the tests as two state machines, with bugs that can be switched on.

use std::collections::BTreeSet;

use kilter_testbed::{Call, InProcess, Machine, Outbox};
use serde_json::{Map, Value as Json, json};

/// A bug of the cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bug {
    None,
    /// The server does not remember 2.
    ForgetsTwo,
    /// The client does not take an answer while it has one.
    TakesOneAnswer,
    /// The client offers to forget an answer even if it has none.
    ForgetsNothing,
    /// The server fails on a request for 3 if it knows 3.
    Panics,
    /// The server loses its cache when it restarts.
    LosesData,
    /// The cache is not empty at the beginning.
    BeginsWrong,
    /// [`Bug::ForgetsTwo`] and [`Bug::Panics`].
    Two,
    /// One answer in seven is wrong, whatever happens.
    Moody,
    /// One answer is wrong, and no other.
    Once,
}

/// A message between the client and the server.
#[derive(Clone, Debug, PartialEq)]
pub enum Message {
    Request(i64),
    Response(bool),
}

/// A client or a server.
#[derive(Clone, Debug)]
pub struct Toy {
    is_server: bool,
    bug: Bug,
    cache: BTreeSet<i64>,
    answer: Option<bool>,
    mood: std::sync::Arc<std::sync::atomic::AtomicU64>,
}

/// A client and a server with a bug.
pub fn world(bug: Bug) -> InProcess<Toy> {
    let mood = std::sync::Arc::new(std::sync::atomic::AtomicU64::new(0));
    InProcess::new(["client", "server"], move |name| Toy {
        is_server: **name == *"server",
        bug,
        cache: if bug == Bug::BeginsWrong { BTreeSet::from([1]) } else { BTreeSet::new() },
        answer: None,
        mood: mood.clone(),
    })
}

fn word(is_greatest: bool) -> &'static str {
    if is_greatest { "greatest" } else { "other" }
}

impl Toy {
    /// Whether the answer with this number is wrong for no reason.
    fn is_wrong(&self, mood: u64) -> bool {
        match self.bug {
            Bug::Moody => mood % 7 == 3,
            Bug::Once => mood == 9,
            _ => false,
        }
    }
}

impl Machine for Toy {
    type Action = ();
    type Message = Message;

    fn actions(&self) -> Vec<()> {
        let may_forget = !self.is_server && (self.answer.is_some() || self.bug == Bug::ForgetsNothing);
        if may_forget { vec![()] } else { Vec::new() }
    }

    fn call(&self, (): &()) -> Call {
        Call::new("Forget", [])
    }

    fn act(&mut self, (): (), _: &mut Outbox<Message>) -> Result<(), String> {
        self.answer = None;
        Ok(())
    }

    fn handler(&self, message: &Message) -> Option<Call> {
        match message {
            Message::Request(_) => Some(Call::new("Respond", [])),
            Message::Response(_) if self.bug == Bug::TakesOneAnswer && self.answer.is_some() => None,
            Message::Response(_) => Some(Call::new("TakeAnswer", [])),
        }
    }

    fn handle(&mut self, message: Message, outbox: &mut Outbox<Message>) -> Result<(), String> {
        match message {
            Message::Request(data) => {
                if matches!(self.bug, Bug::Panics | Bug::Two) && data == 3 && self.cache.contains(&3) {
                    return Err("no room for another 3".to_owned());
                }
                if !matches!(self.bug, Bug::ForgetsTwo | Bug::Two) || data != 2 {
                    self.cache.insert(data);
                }
                let mood = self.mood.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                let greatest = self.cache.iter().all(|known| data >= *known);
                outbox.send("client", Message::Response(greatest ^ self.is_wrong(mood)));
            }
            Message::Response(is_greatest) => self.answer = Some(is_greatest),
        }
        Ok(())
    }

    fn request(&mut self, action: &str, args: &[Json], outbox: &mut Outbox<Message>) -> Result<(), String> {
        let data = args.first().and_then(Json::as_i64).ok_or_else(|| format!("{action} of what?"))?;
        outbox.send("server", Message::Request(data));
        Ok(())
    }

    fn variables(&self) -> Map<String, Json> {
        let mut variables = Map::new();
        if self.is_server {
            variables.insert("cache".to_owned(), json!(self.cache));
        } else {
            variables.insert("answer".to_owned(), json!(self.answer.map(word)));
        }
        variables
    }

    fn show(message: &Message) -> Json {
        match message {
            Message::Request(data) => json!({ "type": "request", "data": data }),
            Message::Response(is_greatest) => json!({ "type": "response", "rank": word(*is_greatest) }),
        }
    }

    fn restart(&mut self) -> Result<(), String> {
        if self.bug == Bug::LosesData {
            self.cache.clear();
        }
        Ok(())
    }
}
