//! A node of a library of consensus as a machine. An action is a timer, a message or a client's request, and everything
//! that the library's tasks then do until all of them wait.

use std::sync::Arc;

use kilter_testbed::{Call, InProcess, Machine, NodeName, Outbox};
use serde_json::{Map, Value as Json};

use crate::calls::{Key, Kind, Wires};
use crate::library::{Library, Running, WiresOf};
use crate::names::{Names, place};
use crate::runtime::Runtime;
use crate::time::TimerId;

/// A node of the cluster.
pub struct Node<L: Library> {
    id: u64,
    names: Names,
    library: L,
    wires: WiresOf<L>,
    /// `None` after a crash, until it starts again.
    running: Option<Running<L::Raft>>,
}

/// What a node does by itself, with the library's types of timers and terms.
#[derive(Clone, PartialEq)]
pub enum Action<M, T> {
    /// A timer of the library runs out.
    Timer(M),
    /// The time for an answer is over.
    GiveUp(Key<T>, TimerId),
    /// It starts after a crash.
    Boot,
}

/// A message to another node.
pub struct Message<L: Library> {
    /// How it is shown; this is all that tells messages apart.
    shown: Json,
    from: u64,
    key: Key<L::Term>,
    body: Arc<Body<L>>,
}

enum Body<L: Library> {
    Question(L::Question),
    Answer(L::Answer),
}

/// Makes a cluster of nodes with these names. All of them are voters.
pub fn world<L: Library>(names: &[String]) -> InProcess<Node<L>> {
    let all = Names::new(names);
    InProcess::new(names.iter().map(String::as_str), move |name| Node::new(name, &all))
}

impl<L: Library> Node<L> {
    /// Makes a node that knows the members of the cluster and has done nothing yet.
    pub fn new(name: &NodeName, names: &Names) -> Node<L> {
        let id = names.id(name);
        let library = L::new(id, names);
        let mut node = Node { id, names: names.clone(), library, wires: Wires::default(), running: None };
        node.start().expect("the library starts on what it has at first");
        node
    }

    fn start(&mut self) -> Result<(), String> {
        let runtime = Runtime::default();
        let raft = self.library.start(&runtime, &self.wires)?;
        runtime.settle()?;
        let running = self.running.insert(Running { runtime, raft });
        self.library.look(running)
    }

    /// Runs until all tasks wait, and sends what they have asked others.
    fn settle(&mut self, outbox: &mut Outbox<Message<L>>) -> Result<(), String> {
        let running = self.running.as_mut().ok_or_else(is_down)?;
        running.runtime.settle()?;
        self.library.look(running)?;
        for (key, question) in self.wires.take_sent() {
            let shown = self.library.show_question(&key, &question);
            self.send(key.to, shown, key, Body::Question(question), outbox);
        }
        Ok(())
    }

    fn send(&self, to: u64, shown: Json, key: Key<L::Term>, body: Body<L>, outbox: &mut Outbox<Message<L>>) {
        outbox.send_to(place(to), Message { shown, from: self.id, key, body: Arc::new(body) });
    }
}

fn is_down() -> String {
    "it is down".to_owned()
}

impl<L: Library> Machine for Node<L> {
    type Action = Action<L::Timer, L::Term>;
    type Message = Message<L>;

    fn actions(&self) -> Vec<Self::Action> {
        let Some(running) = &self.running else { return vec![Action::Boot] };
        let timers = self.library.timers(running).into_iter().map(Action::Timer);
        // Nobody waits for votes any longer when the timer for elections has run out, so these calls are never given up.
        let calls = self.wires.timed().into_iter().filter(|(key, _)| key.kind != Kind::Vote);
        timers.chain(calls.map(|(key, timer)| Action::GiveUp(key, timer))).collect()
    }

    fn call(&self, action: &Self::Action) -> Call {
        match action {
            Action::Timer(timer) => self.library.call(timer),
            Action::GiveUp(key, _) => Call::new("GiveUp", [self.names.show(key.to)]),
            Action::Boot => Call::new("Boot", []),
        }
    }

    fn act(&mut self, action: Self::Action, outbox: &mut Outbox<Message<L>>) -> Result<(), String> {
        match (action, &mut self.running) {
            (Action::Boot, _) => self.start()?,
            (Action::Timer(timer), Some(running)) => self.library.run_out(timer, running)?,
            (Action::GiveUp(_, timer), Some(running)) => {
                self.wires.next_era();
                running.runtime.run_out(timer);
            }
            (_, None) => return Err(is_down()),
        }
        self.settle(outbox)
    }

    fn handler(&self, message: &Message<L>) -> Option<Call> {
        self.running.as_ref()?;
        let kind = message.key.kind;
        Some(match &*message.body {
            Body::Question(_) => Call::new(format!("Handle{kind:?}"), []),
            Body::Answer(_) => Call::new(format!("Handle{kind:?}Answer"), []),
        })
    }

    fn handle(&mut self, message: Message<L>, outbox: &mut Outbox<Message<L>>) -> Result<(), String> {
        let running = self.running.as_mut().ok_or_else(is_down)?;
        let (to, key) = (message.from, message.key);
        match &*message.body {
            Body::Question(question) => {
                let answer = self.library.answer(question, running)?;
                let shown = self.library.show_answer(to, &key, &answer);
                self.send(to, shown, key, Body::Answer(answer), outbox);
            }
            Body::Answer(answer) => self.wires.answer(&key, answer.clone()),
        }
        self.settle(outbox)
    }

    fn request(
        &mut self,
        action: &str,
        args: &[Json],
        outbox: &mut Outbox<Message<L>>,
    ) -> Result<(), String> {
        let running = self.running.as_ref().ok_or_else(is_down)?;
        self.library.request(action, args, running)?;
        self.settle(outbox)
    }

    fn variables(&self) -> Map<String, Json> {
        self.library.variables(self.running.as_ref())
    }

    fn show(message: &Message<L>) -> Json {
        message.shown.clone()
    }

    /// Only what is stored stays. The library starts with the next action, since it may send messages then.
    fn restart(&mut self) -> Result<(), String> {
        self.running = None;
        self.library.crash();
        self.wires.next_era();
        // Nobody waits for the answers to what was about to be sent, and it was not sent.
        self.wires.take_sent();
        Ok(())
    }
}

// Derived, it would ask for `L: Clone`.
impl<L: Library> Clone for Message<L> {
    fn clone(&self) -> Self {
        Message { shown: self.shown.clone(), from: self.from, key: self.key, body: Arc::clone(&self.body) }
    }
}

impl<L: Library> PartialEq for Message<L> {
    fn eq(&self, other: &Self) -> bool {
        self.shown == other.shown
    }
}
