//! What a node has said and was told so far, and the rules that hold for every line whatever is checked.

use std::collections::{BTreeMap, BTreeSet};

use kilter_protocol::{Done, FromNode, Hello, Offer, VERSION};
use serde_json::{Map, Value as Json};

/// The name that the kit gives to the node.
pub const NODE: &str = "n1";
/// The kit itself, as a node that the sample knows.
pub const PEER: &str = "n2";
/// The variables of the sample node.
const VARIABLES: [&str; 4] = ["count", "hours", "jobs", "value"];
/// More offers than this may not stand.
const OFFERS_MAX: usize = 10_000;

/// What is known of a node.
#[derive(Debug, Default)]
pub struct Ledger {
    /// The token that the node has to show.
    token: String,
    hello: Option<Hello>,
    is_reported: bool,
    /// The offers that stand.
    offers: BTreeMap<u64, Offer>,
    /// The numbers of all offers, those of old ones included.
    numbers: BTreeSet<u64>,
    /// What the node was told to do, and has not done yet.
    told: Vec<u64>,
    variables: Map<String, Json>,
    is_still: bool,
    received: u64,
    /// How many messages its peer has sent to it.
    n_sent: u64,
    dones: Vec<Done>,
    notes: Vec<String>,
}

impl Ledger {
    /// Knows nothing yet of a node with this token.
    pub fn new(token: String) -> Ledger {
        Ledger { token, ..Ledger::default() }
    }

    /// What the node has promised in its first line.
    pub fn hello(&self) -> Option<&Hello> {
        self.hello.as_ref()
    }

    /// Whether the node has said what its variables are.
    pub fn is_reported(&self) -> bool {
        self.is_reported
    }

    /// The offers that stand, by number.
    pub fn offers(&self) -> impl Iterator<Item = &Offer> {
        self.offers.values()
    }

    /// What the node last said of a variable.
    pub fn variable(&self, name: &str) -> &Json {
        self.variables.get(name).unwrap_or(&Json::Null)
    }

    /// Whether it has said that it waits, and nothing since, and has nothing left to do.
    pub fn is_still(&self) -> bool {
        self.is_still && self.told.is_empty()
    }

    /// Whether all that it was told is done.
    pub fn is_done(&self) -> bool {
        self.told.is_empty()
    }

    /// How many messages have arrived, as the node says.
    pub fn received(&self) -> u64 {
        self.received
    }

    /// How many messages were sent to it.
    pub fn n_sent(&self) -> u64 {
        self.n_sent
    }

    /// All that it has done, in order.
    pub fn dones(&self) -> &[Done] {
        &self.dones
    }

    /// The notes that it has made.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// The peer sends a message to the node.
    pub fn send(&mut self) {
        self.n_sent += 1;
        self.is_still = false;
    }

    /// The node is told something that is no answer and no request, such as `deliver`.
    pub fn disturb(&mut self) {
        self.is_still = false;
    }

    /// The node is told to do something: to take an offer, or a request.
    pub fn tell(&mut self, id: u64, is_offer: bool) {
        if is_offer {
            self.offers.remove(&id);
        }
        self.told.push(id);
        self.is_still = false;
    }

    /// Takes in what the node says. The error says which rule it breaks.
    pub fn hear(&mut self, message: FromNode) -> Result<(), String> {
        let was_still = std::mem::take(&mut self.is_still);
        if self.hello.is_none() && !matches!(message, FromNode::Hello(_)) {
            return Err("its first line is not `hello`".to_owned());
        }
        match message {
            FromNode::Hello(hello) => self.greet(hello),
            FromNode::Report { variables } if self.is_reported => {
                Err(format!("it says `report` twice, now with {}", Json::from(variables)))
            }
            FromNode::Report { variables } => {
                self.is_reported = true;
                self.know(variables)
            }
            FromNode::Note { text } => {
                // A note is no step, and changes nothing.
                self.is_still = was_still;
                self.notes.push(text);
                Ok(())
            }
            _ if !self.is_reported => {
                Err("it must say `report` between `hello` and anything else".to_owned())
            }
            FromNode::Offer(offer) => self.offer(offer),
            FromNode::Withdraw { id } => self.withdraw(id),
            FromNode::Done(done) => self.finish(done),
            FromNode::Still { received } => self.rest(received),
        }
    }

    fn greet(&mut self, hello: Hello) -> Result<(), String> {
        if self.hello.is_some() {
            return Err("it says `hello` twice".to_owned());
        }
        if hello.version != VERSION {
            return Err(format!("`hello` has version {}, which should be {VERSION}", hello.version));
        }
        if hello.node != NODE {
            return Err(format!("`hello` has the node {:?}; KILTER_NODE is {NODE:?}", hello.node));
        }
        if hello.token != self.token {
            return Err(format!("`hello` has the token {:?}; KILTER_TOKEN is {:?}", hello.token, self.token));
        }
        self.hello = Some(hello);
        Ok(())
    }

    fn know(&mut self, variables: Map<String, Json>) -> Result<(), String> {
        if let Some(missing) = VARIABLES.iter().find(|name| !variables.contains_key(**name)) {
            return Err(format!("the variable `{missing}` is missing in {}", Json::from(variables)));
        }
        if let Some(unknown) = variables.keys().find(|name| !VARIABLES.contains(&name.as_str())) {
            return Err(format!("the sample node has no variable `{unknown}`"));
        }
        self.variables = variables;
        Ok(())
    }

    fn offer(&mut self, offer: Offer) -> Result<(), String> {
        let Offer { id, action, args, message } = &offer;
        if !self.numbers.insert(*id) {
            return Err(format!("the offer of {action} has the number {id}, which another offer has had"));
        }
        let takes_message = action == "Take";
        if takes_message != message.is_some() {
            let word = if takes_message { "no" } else { "a" };
            return Err(format!("the offer of {action} has {word} `message`"));
        }
        if args.len() != usize::from(action == "Job") {
            return Err(format!("the offer of {action} has the arguments {}", Json::from(args.clone())));
        }
        if !["Tick", "Take", "Job"].contains(&action.as_str()) {
            return Err(format!("the sample node has no action {action:?}"));
        }
        let looks_like = |other: &Offer| other.action == "Tick" && offer.action == "Tick";
        if let Some(other) = self.offers.values().find(|other| looks_like(other)) {
            return Err(format!("it offers Tick as number {id} while that of number {} stands", other.id));
        }
        self.offers.insert(*id, offer);
        if self.offers.len() > OFFERS_MAX {
            return Err(format!("it has more than {OFFERS_MAX} offers standing"));
        }
        Ok(())
    }

    /// If it was told to take the offer, the answer and the withdrawal have crossed.
    fn withdraw(&mut self, id: u64) -> Result<(), String> {
        let crossing = self.told.iter().position(|told| *told == id && self.numbers.contains(&id));
        match (self.offers.remove(&id), crossing) {
            (Some(_), _) => Ok(()),
            (None, Some(place)) => {
                self.told.remove(place);
                Ok(())
            }
            (None, None) => Err(format!("it withdraws the offer {id}, which does not stand")),
        }
    }

    fn finish(&mut self, done: Done) -> Result<(), String> {
        let id = done.id;
        let Some(place) = self.told.iter().position(|told| *told == id) else {
            return Err(format!("it says `done` with {id}, and was not told to do that"));
        };
        self.told.remove(place);
        if let Some(sent) = done.sent.iter().find(|sent| sent.to != PEER) {
            return Err(format!("it has sent a message to {:?}, and its only peer is {PEER:?}", sent.to));
        }
        self.know(done.variables.clone())?;
        self.dones.push(done);
        Ok(())
    }

    fn rest(&mut self, received: u64) -> Result<(), String> {
        if received < self.received {
            return Err(format!("`received` was {}, and is now {received}", self.received));
        }
        if received > self.n_sent {
            let n_sent = self.n_sent;
            return Err(format!(
                "`received` is {received}, and its peer has sent {n_sent}; what is delivered does not count"
            ));
        }
        self.received = received;
        self.is_still = true;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use kilter_protocol::decode;

    use super::*;

    /// A node that has said these lines, of which all but the last are right.
    fn heard(lines: &[&str]) -> Result<(), String> {
        let mut ledger = Ledger::new("secret".to_owned());
        let (last, before) = lines.split_last().expect("there are lines");
        let read = |line: &str| decode(line.as_bytes()).expect("a line of the protocol");
        for line in before {
            ledger.hear(read(line)).expect("it is right");
        }
        ledger.hear(read(last))
    }

    const HELLO: &str = r#"{"hello":{"version":1,"node":"n1","token":"secret"}}"#;
    const REPORT: &str = r#"{"report":{"variables":{"count":0,"value":null,"jobs":0,"hours":0}}}"#;
    const OFFER: &str = r#"{"offer":{"id":1,"action":"Tick"}}"#;

    #[test]
    fn each_rule_is_held() {
        assert_eq!(heard(&[HELLO, REPORT, OFFER, r#"{"withdraw":{"id":1}}"#]), Ok(()));
        for (lines, wrong) in [
            (&[REPORT][..], "first line is not `hello`"),
            (&[HELLO, HELLO], "`hello` twice"),
            (&[r#"{"hello":{"version":2,"node":"n1","token":"secret"}}"#], "version 2"),
            (&[r#"{"hello":{"version":1,"node":"n2","token":"secret"}}"#], "the node \"n2\""),
            (&[r#"{"hello":{"version":1,"node":"n1","token":"x"}}"#], "the token \"x\""),
            (&[HELLO, OFFER], "must say `report`"),
            (&[HELLO, REPORT, REPORT], "`report` twice"),
            (&[HELLO, r#"{"report":{"variables":{"count":0}}}"#], "`hours` is missing"),
            (&[HELLO, REPORT, OFFER, OFFER], "which another offer has had"),
            (
                &[HELLO, REPORT, OFFER, r#"{"offer":{"id":2,"action":"Tick"}}"#],
                "while that of number 1 stands",
            ),
            (&[HELLO, REPORT, r#"{"offer":{"id":2,"action":"Take"}}"#], "has no `message`"),
            (&[HELLO, REPORT, r#"{"offer":{"id":2,"action":"Fly"}}"#], "no action \"Fly\""),
            (&[HELLO, REPORT, r#"{"withdraw":{"id":1}}"#], "does not stand"),
            (&[HELLO, REPORT, OFFER, r#"{"done":{"id":1,"variables":{}}}"#], "was not told"),
            (&[HELLO, REPORT, r#"{"still":{"received":1}}"#], "has sent 0"),
        ] {
            let said = heard(lines).expect_err("a rule is broken");
            assert!(said.contains(wrong), "{said}");
        }
    }
}
