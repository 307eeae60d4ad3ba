//! The steps of a schedule: which action of the model it is, and what that is on the store.
//!
//! A schedule is written as words, one for each step. A word says what is done to the store, so that the line that
//! repeats a schedule can be read without the model:
//!
//! | word | step |
//! | --- | --- |
//! | `write=A2,B1,C0` | two writes; A gets both, B the first, C none; then all crash |
//! | `up=AB` | A and B come back, whatever had happened to them |
//! | `cut=B,write=A` | B loses its source, then A is written to |
//! | `isolate-crash,write=A` | everybody but A crashes, then A is written to |
//! | `up=A,link=B>A` | A comes back, B becomes a replica of A |
//! | `link=B>A,offline` | B starts on a copy of A's snapshot and becomes a replica of A |
//! | `lead=A,kill=AB` | A leads, and is killed together with B |
//! | `write=BC` | a write that B and C get |
//! | `up=A,read=A` | A comes back, and a client reads there at once |
//! | `try=A` | a client writes at A, whatever A answers |
//! | `write=A:x+y` | a transaction on the keys x and y at A |
//! | `cut=B,wait=2500,write=A` | B loses its source, and 2.5 seconds later A is written to |
//!
//! Those of [data types](crate::datatype) are
//!
//! | word | step |
//! | --- | --- |
//! | `edit=A:insert+front` | a user of A edits it; the edit has these words |
//! | `deliver=C:2` | C gets the update that the second edit has made |
//! | `pull=B>A` | B gets the whole state of A |
//! | `sync=A-B` | A and B give each other what the other lacks |
//! | `save=A`, `load=A` | A is saved; A starts again from what it had saved |

use std::fmt;

use kilter_system::Fault;

/// A replica, numbered from 0 and written as a letter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Replica(pub u8);

impl Replica {
    /// Its index in a list of all replicas.
    pub fn index(self) -> usize {
        self.0.into()
    }

    /// The replicas of a model with so many.
    pub fn all(n: u8) -> impl Iterator<Item = Replica> {
        (0..n).map(Replica)
    }
}

impl fmt::Display for Replica {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", char::from(b'A' + self.0))
    }
}

/// A link by which `target` copies `source`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Link {
    /// The replica that copies.
    pub target: Replica,
    /// The replica that is copied.
    pub source: Replica,
}

impl fmt::Display for Link {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "link={}>{}", self.target, self.source)
    }
}

/// What happens to replicas that fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Blow {
    /// They crash, in the way that the run is about.
    Crash,
    /// They are killed.
    Kill,
    /// They are told to end, and do so in their own time.
    Stop,
    /// They stand still. Their connections stay open.
    Pause,
    /// They lose the replica that they copy; where there are no links, each is cut off from all others.
    Cut,
}

impl Blow {
    /// Its word.
    pub fn word(self) -> &'static str {
        match self {
            Self::Crash => "crash",
            Self::Kill => "kill",
            Self::Stop => "stop",
            Self::Pause => "pause",
            Self::Cut => "cut",
        }
    }
}

/// One thing that is done to the store.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Deed {
    /// A client of this replica writes. With several keys, it does so in one transaction; with none, the write has a key
    /// of its own.
    WriteAt(Replica, Vec<String>),
    /// A client of this replica writes, and the store may refuse it.
    Try(Replica, Vec<String>),
    /// A client of this replica reads, and must see what the store promises.
    Read(Replica),
    /// A client of the leader writes, and all of these replicas have it when the deed is done.
    WriteTo(Vec<Replica>, Vec<String>),
    /// How many of the new writes each replica gets, or `None` for replicas that do not run. Then all crash.
    Spread(Vec<Option<u8>>),
    /// Replicas fail.
    Strike(Blow, Vec<Replica>),
    /// Every replica but this one fails, and all links go.
    Isolate(Fault, Replica),
    /// Replicas come back: started, or resumed, depending on what had happened to them.
    Up(Vec<Replica>),
    /// A link is set by hand.
    Link(Link),
    /// A replica starts on a copy of another one's snapshot, and is linked to it.
    Copy(Link),
    /// The replica that leads is called this from now on.
    Lead(Replica),
    /// Waits until these replicas agree, as far as the store says so.
    Agree(Vec<Replica>),
    /// A request of the store's own to one replica.
    Say(Replica, String),
    /// So many milliseconds pass, for what the store does by the clock.
    Wait(u32),
    /// Something that is done to a data type in process.
    Data(DataDeed),
}

/// One thing that is done to a replica of a data type in process.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum DataDeed {
    /// A user of this replica edits it. The data type knows what the words mean.
    Edit(Replica, Vec<String>),
    /// The replica gets the update that the edit with this number has made. Edits are numbered from 1.
    Deliver(Replica, u32),
    /// The first replica gets the whole state of the second.
    Pull(Replica, Replica),
    /// Two replicas give each other what the other lacks. The first begins.
    Sync(Replica, Replica),
    /// Replicas are saved.
    Save(Vec<Replica>),
    /// Replicas start again from what they had saved.
    Load(Vec<Replica>),
}

impl DataDeed {
    /// The replica at which it happens. `None` if it happens at several.
    pub fn place(&self) -> Option<Replica> {
        match self {
            Self::Edit(at, _) | Self::Deliver(at, _) | Self::Pull(at, _) => Some(*at),
            Self::Save(who) | Self::Load(who) if who.len() == 1 => Some(who[0]),
            _ => None,
        }
    }
}

impl fmt::Display for DataDeed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Edit(at, words) => write!(f, "edit={at}:{}", words.join("+")),
            Self::Deliver(to, number) => write!(f, "deliver={to}:{number}"),
            Self::Pull(to, from) => write!(f, "pull={to}>{from}"),
            Self::Sync(first, second) => write!(f, "sync={first}-{second}"),
            Self::Save(who) => write!(f, "save={}", names(who)),
            Self::Load(who) => write!(f, "load={}", names(who)),
        }
    }
}

fn names(replicas: &[Replica]) -> String {
    replicas.iter().map(ToString::to_string).collect()
}

fn keyed(keys: &[String]) -> String {
    if keys.is_empty() { String::new() } else { format!(":{}", keys.join("+")) }
}

impl Deed {
    /// The number of writes.
    pub fn writes(&self) -> u8 {
        match self {
            Self::WriteAt(..) | Self::WriteTo(..) | Self::Try(..) | Self::Data(DataDeed::Edit(..)) => 1,
            Self::Spread(received) => received.iter().flatten().copied().max().unwrap_or(0),
            _ => 0,
        }
    }
}

impl fmt::Display for Deed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::WriteAt(at, keys) => write!(f, "write={at}{}", keyed(keys)),
            Self::Try(at, keys) => write!(f, "try={at}{}", keyed(keys)),
            Self::Read(at) => write!(f, "read={at}"),
            Self::WriteTo(to, keys) => write!(f, "write={}{}", names(to), keyed(keys)),
            Self::Spread(received) => {
                let parts: Vec<String> = (0u8..)
                    .zip(received)
                    .filter_map(|(index, count)| count.map(|count| format!("{}{count}", Replica(index))))
                    .collect();
                write!(f, "write={}", parts.join(","))
            }
            Self::Strike(blow, who) => write!(f, "{}={}", blow.word(), names(who)),
            Self::Isolate(fault, _) => write!(f, "isolate-{}", fault.word()),
            Self::Up(who) => write!(f, "up={}", names(who)),
            Self::Link(link) => write!(f, "{link}"),
            Self::Copy(link) => write!(f, "{link},offline"),
            Self::Lead(who) => write!(f, "lead={who}"),
            Self::Agree(who) => write!(f, "agree={}", names(who)),
            Self::Say(who, text) => write!(f, "say={who}:{}", text.replace([' ', ','], "+")),
            Self::Wait(ms) => write!(f, "wait={ms}"),
            Self::Data(deed) => write!(f, "{deed}"),
        }
    }
}

/// One step of a schedule.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Step {
    /// The action of the model, with its arguments.
    pub action: String,
    /// What it is on the store, in order.
    pub deeds: Vec<Deed>,
    text: String,
}

impl Step {
    /// Makes a step. Its text leaves waits out, as far as something else is left.
    pub fn new(action: String, deeds: Vec<Deed>) -> Self {
        let shown: Vec<String> =
            deeds.iter().filter(|deed| !matches!(deed, Deed::Agree(_))).map(ToString::to_string).collect();
        let text = match (shown.is_empty(), deeds.is_empty()) {
            (false, _) => shown.join(","),
            (true, false) => deeds.iter().map(ToString::to_string).collect::<Vec<_>>().join(","),
            (true, true) => action.replace(' ', ""),
        };
        Self { action, deeds, text }
    }

    /// The number of writes in the step.
    pub fn writes(&self) -> u8 {
        self.deeds.iter().map(Deed::writes).sum()
    }

    /// The replica at which the step happens. `None` if it happens at several.
    pub fn place(&self) -> Option<Replica> {
        self.deeds.iter().rev().find_map(|deed| match deed {
            Deed::WriteAt(at, _) | Deed::Try(at, _) | Deed::Read(at) => Some(*at),
            Deed::Link(link) | Deed::Copy(link) => Some(link.target),
            Deed::Up(who) if who.len() == 1 => Some(who[0]),
            Deed::Data(deed) => deed.place(),
            _ => None,
        })
    }
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// Writes a schedule as text.
pub fn text(schedule: &[Step]) -> String {
    let words: Vec<&str> = schedule.iter().map(|step| step.text.as_str()).collect();
    words.join(" ")
}

/// The words of a schedule, as steps write them. People may list replicas in any order, and say `wake` for `up`.
pub fn words(text: &str) -> Vec<String> {
    text.split_whitespace().map(normal).collect()
}

fn normal(word: &str) -> String {
    let mut parts: Vec<String> = Vec::new();
    let mut counts: Vec<String> = Vec::new();
    for part in word.split(',') {
        let (verb, rest) = part.split_once('=').unwrap_or(("", part));
        if is_count(rest) && (verb == "write" || (verb.is_empty() && !counts.is_empty())) {
            counts.push(rest.to_owned());
        } else {
            parts.push(normal_part(verb, rest));
        }
    }
    if !counts.is_empty() {
        counts.sort();
        parts.insert(0, format!("write={}", counts.join(",")));
    }
    parts.join(",")
}

/// Whether a text is a replica with the number of writes that it gets.
fn is_count(text: &str) -> bool {
    let mut letters = text.chars();
    letters.next().is_some_and(|letter| letter.is_ascii_uppercase())
        && text.len() > 1
        && letters.all(|letter| letter.is_ascii_digit())
}

fn normal_part(verb: &str, rest: &str) -> String {
    let verb = if verb == "wake" { "up" } else { verb };
    let mut names: Vec<char> = rest.chars().collect();
    if names.iter().all(char::is_ascii_uppercase) {
        names.sort_unstable();
    }
    let rest: String = names.into_iter().collect();
    if verb.is_empty() { rest } else { format!("{verb}={rest}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn people_may_write_it_in_several_ways() {
        let said =
            "write=B1,A0,C2 up=CA wake=A,link=B>A link=B>A,offline isolate-crash,write=A lead=A,kill=BA";
        let normal = [
            "write=A0,B1,C2",
            "up=AC",
            "up=A,link=B>A",
            "link=B>A,offline",
            "isolate-crash,write=A",
            "lead=A,kill=AB",
        ];
        assert_eq!(words(said), normal);
    }

    #[test]
    fn waits_are_left_out_of_a_word() {
        let [a, b] = [Replica(0), Replica(1)];
        let step = |deeds: &[Deed]| Step::new("Go(r = A)".to_owned(), deeds.to_vec()).to_string();
        assert_eq!(step(&[Deed::Up(vec![a]), Deed::Agree(vec![a, b])]), "up=A");
        assert_eq!(step(&[Deed::Agree(vec![a, b])]), "agree=AB");
        assert_eq!(step(&[]), "Go(r=A)");
        assert_eq!(step(&[Deed::WriteAt(a, vec!["x".to_owned(), "y".to_owned()])]), "write=A:x+y");
    }
}
