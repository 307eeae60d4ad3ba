//! `[actions]` of a configuration: what each action of the model is on the store, as words with arguments that are
//! expressions of TLA+.
//!
//! This crate does not evaluate them. It knows what there is to ask, and makes a [`Deed`] of the [`Answer`].

use std::collections::BTreeMap;

use kilter_system::Fault;
use serde::{Deserialize, Serialize};

use crate::step::{Blow, DataDeed, Deed, Link, Replica};

/// The longest time that a word may let pass.
const WAIT_MS_MAX: u32 = 600_000;

/// What all actions of a model are on the store.
pub type Actions = BTreeMap<String, Vec<Word>>;

/// One word of an action, as it is written. It has one verb, and `keys` only beside `write` and `try`, `to` only beside
/// `say`, `edit` and `deliver`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Word {
    /// A client writes: at a replica, or, for a set of replicas, at the leader, so that all of them have it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub write: Option<String>,
    /// A client of each replica tries to write. The store may refuse it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub r#try: Option<String>,
    /// A client of each replica reads.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub read: Option<String>,
    /// The keys of the write. Several are written in one transaction.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub keys: Option<String>,
    /// How many of the new writes each replica gets before all crash: a function from replicas to numbers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spread: Option<String>,
    /// Replicas crash, in the way that `crash` of `[system]` says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub crash: Option<String>,
    /// Replicas are killed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kill: Option<String>,
    /// Replicas are told to end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stop: Option<String>,
    /// Replicas stand still.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pause: Option<String>,
    /// Replicas lose the replica that they copy; where there are no links, each is cut off from all others.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cut: Option<String>,
    /// A pair of a fault and a replica: all others fail, and all links go.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub isolate: Option<String>,
    /// Replicas come back.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub up: Option<String>,
    /// A pair, or a set of pairs: the first replica copies the second.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub link: Option<String>,
    /// A pair, or a set of pairs: the first replica starts on a copy of the second one's snapshot.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub copy: Option<String>,
    /// The replica that leads.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lead: Option<String>,
    /// Waits until replicas agree.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agree: Option<String>,
    /// A request of the store's own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub say: Option<String>,
    /// So many milliseconds pass.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wait: Option<String>,
    /// The replica that is asked, edited, or gets an update.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
    /// A user edits a replica of a data type.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub edit: Option<String>,
    /// A replica of a data type gets the update of an edit, by the edit's number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deliver: Option<String>,
    /// A pair, or a set of pairs: the first replica of a data type gets the state of the second.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pull: Option<String>,
    /// A pair, or a set of pairs: two replicas of a data type give each other what the other lacks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sync: Option<String>,
    /// Replicas of a data type are saved.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub save: Option<String>,
    /// Replicas of a data type start again from what they had saved.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub load: Option<String>,
}

/// The verbs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "they are the fields of `Word`")]
pub enum Verb {
    Write,
    Try,
    Read,
    Spread,
    Crash,
    Kill,
    Stop,
    Pause,
    Cut,
    Isolate,
    Up,
    Link,
    Copy,
    Lead,
    Agree,
    Say,
    Wait,
    Edit,
    Deliver,
    Pull,
    Sync,
    Save,
    Load,
}

/// The kind of store that a verb needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Needs {
    /// Any store will do.
    Any,
    /// A store that elects its leader.
    Quorum,
    /// A store whose links are set by hand.
    Chain,
    /// A data type in process.
    Data,
}

impl Verb {
    /// The verb as it is written.
    pub fn word(self) -> &'static str {
        match self {
            Self::Write => "write",
            Self::Try => "try",
            Self::Read => "read",
            Self::Spread => "spread",
            Self::Crash => "crash",
            Self::Kill => "kill",
            Self::Stop => "stop",
            Self::Pause => "pause",
            Self::Cut => "cut",
            Self::Isolate => "isolate",
            Self::Up => "up",
            Self::Link => "link",
            Self::Copy => "copy",
            Self::Lead => "lead",
            Self::Agree => "agree",
            Self::Say => "say",
            Self::Wait => "wait",
            Self::Edit => "edit",
            Self::Deliver => "deliver",
            Self::Pull => "pull",
            Self::Sync => "sync",
            Self::Save => "save",
            Self::Load => "load",
        }
    }

    /// The kind of store that it needs.
    pub fn needs(self) -> Needs {
        match self {
            Self::Spread | Self::Lead => Needs::Quorum,
            Self::Isolate | Self::Link | Self::Copy => Needs::Chain,
            Self::Edit | Self::Deliver | Self::Pull | Self::Sync | Self::Save | Self::Load => Needs::Data,
            _ => Needs::Any,
        }
    }
}

/// A value that an expression has, as far as words need it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// A replica.
    Replica(Replica),
    /// A text.
    Text(String),
    /// A number.
    Number(i32),
    /// A tuple.
    Tuple(Vec<Answer>),
    /// A set.
    Set(Vec<Answer>),
    /// A function from replicas to numbers.
    Counts(Vec<(Replica, i32)>),
    /// Anything else, as it is printed.
    Other(String),
}

impl Word {
    fn verbs(&self) -> impl Iterator<Item = (Verb, &str)> {
        let all = [
            (Verb::Write, &self.write),
            (Verb::Try, &self.r#try),
            (Verb::Read, &self.read),
            (Verb::Spread, &self.spread),
            (Verb::Crash, &self.crash),
            (Verb::Kill, &self.kill),
            (Verb::Stop, &self.stop),
            (Verb::Pause, &self.pause),
            (Verb::Cut, &self.cut),
            (Verb::Isolate, &self.isolate),
            (Verb::Up, &self.up),
            (Verb::Link, &self.link),
            (Verb::Copy, &self.copy),
            (Verb::Lead, &self.lead),
            (Verb::Agree, &self.agree),
            (Verb::Say, &self.say),
            (Verb::Wait, &self.wait),
            (Verb::Edit, &self.edit),
            (Verb::Deliver, &self.deliver),
            (Verb::Pull, &self.pull),
            (Verb::Sync, &self.sync),
            (Verb::Save, &self.save),
            (Verb::Load, &self.load),
        ];
        all.into_iter().filter_map(|(verb, text)| Some((verb, text.as_deref()?)))
    }

    /// Its verb with the verb's expression. An error says what is wrong with the word.
    pub fn verb(&self) -> Result<(Verb, &str), String> {
        let found: Vec<(Verb, &str)> = self.verbs().collect();
        let [(verb, text)] = found[..] else {
            let words: Vec<&str> = found.iter().map(|(verb, _)| verb.word()).collect();
            if words.is_empty() {
                return Err("a word without a verb, such as { kill = \"r\" }".to_owned());
            }
            return Err(format!("{} in one word; each is a word of its own", words.join(" and ")));
        };
        match (verb, &self.keys, &self.to) {
            (Verb::Write | Verb::Try, _, None) => Ok((verb, text)),
            (Verb::Say | Verb::Edit | Verb::Deliver, None, Some(_)) => Ok((verb, text)),
            (Verb::Say, _, None) => Err("`say` without `to`, the replica that is asked".to_owned()),
            (Verb::Edit | Verb::Deliver, _, None) => {
                Err(format!("`{}` without `to`, the replica that it is for", verb.word()))
            }
            (_, None, None) => Ok((verb, text)),
            (_, Some(_), _) => Err("`keys` without `write` or `try`".to_owned()),
            _ => Err("`to` without `say`, `edit` or `deliver`".to_owned()),
        }
    }

    /// The expression beside the verb's.
    pub fn beside(&self) -> Option<&str> {
        self.keys.as_deref().or(self.to.as_deref())
    }
}

/// Makes deeds of a word's answers. There are none if there is nothing to do, as for an empty set of replicas. The error
/// says what the answer should be.
pub fn deeds(verb: Verb, answer: Answer, beside: Option<Answer>, n: u8) -> Result<Vec<Deed>, String> {
    let of_each = |answer, make: &dyn Fn(Replica) -> Deed| {
        Ok(some_replicas(answer)?.unwrap_or_default().into_iter().map(make).collect())
    };
    let of_all = |answer, make: &dyn Fn(Vec<Replica>) -> Deed| Ok(one(some_replicas(answer)?.map(make)));
    match verb {
        Verb::Write => write(answer, beside).map(one),
        Verb::Try => {
            let keys = keys_of(beside)?;
            of_each(answer, &|at| Deed::Try(at, keys.clone()))
        }
        Verb::Read => of_each(answer, &Deed::Read),
        Verb::Spread => spread(answer, n).map(|deed| vec![deed]),
        Verb::Crash => of_all(answer, &|who| Deed::Strike(Blow::Crash, who)),
        Verb::Kill => of_all(answer, &|who| Deed::Strike(Blow::Kill, who)),
        Verb::Stop => of_all(answer, &|who| Deed::Strike(Blow::Stop, who)),
        Verb::Pause => of_all(answer, &|who| Deed::Strike(Blow::Pause, who)),
        Verb::Cut => of_all(answer, &|who| Deed::Strike(Blow::Cut, who)),
        Verb::Isolate => isolate(answer).map(one),
        Verb::Up => of_all(answer, &Deed::Up),
        Verb::Link => Ok(links(answer)?.into_iter().map(Deed::Link).collect()),
        Verb::Copy => Ok(links(answer)?.into_iter().map(Deed::Copy).collect()),
        Verb::Lead => of_all(answer, &|who| Deed::Lead(who[0])),
        Verb::Agree => of_all(answer, &Deed::Agree),
        Verb::Say => say(answer, beside).map(|deed| vec![deed]),
        Verb::Wait => wait(&answer).map(one),
        Verb::Edit => edit(answer, beside).map(|deed| vec![deed]),
        Verb::Deliver => deliver(answer, beside).map(|deed| vec![deed]),
        Verb::Pull => pairs(answer, DataDeed::Pull),
        Verb::Sync => pairs(answer, DataDeed::Sync),
        Verb::Save => of_all(answer, &|who| Deed::Data(DataDeed::Save(who))),
        Verb::Load => of_all(answer, &|who| Deed::Data(DataDeed::Load(who))),
    }
}

fn one(deed: Option<Deed>) -> Vec<Deed> {
    deed.into_iter().collect()
}

/// Replicas in order. `None` if there are none.
fn some_replicas(answer: Answer) -> Result<Option<Vec<Replica>>, String> {
    let mut replicas = match answer {
        Answer::Replica(one) => vec![one],
        Answer::Set(all) => all.iter().map(replica).collect::<Result<_, _>>()?,
        Answer::Tuple(all) if all.is_empty() => Vec::new(),
        _ => return Err("a replica or a set of replicas".to_owned()),
    };
    replicas.sort_unstable();
    Ok((!replicas.is_empty()).then_some(replicas))
}

fn replica(answer: &Answer) -> Result<Replica, String> {
    match answer {
        Answer::Replica(one) => Ok(*one),
        _ => Err("a replica".to_owned()),
    }
}

fn write(answer: Answer, keys: Option<Answer>) -> Result<Option<Deed>, String> {
    let keys = keys_of(keys)?;
    if let Answer::Replica(at) = answer {
        return Ok(Some(Deed::WriteAt(at, keys)));
    }
    Ok(some_replicas(answer)?.map(|to| Deed::WriteTo(to, keys)))
}

fn keys_of(answer: Option<Answer>) -> Result<Vec<String>, String> {
    match answer {
        None => Ok(Vec::new()),
        Some(Answer::Set(keys) | Answer::Tuple(keys)) => keys.into_iter().map(key).collect(),
        Some(one) => Ok(vec![key(one)?]),
    }
}

fn key(answer: Answer) -> Result<String, String> {
    match answer {
        Answer::Text(text) if !text.is_empty() && !text.contains([' ', '/', '=', ',']) => Ok(text),
        Answer::Number(number) => Ok(format!("n{number}")),
        _ => Err("keys: texts without blanks, or numbers".to_owned()),
    }
}

fn spread(answer: Answer, n: u8) -> Result<Deed, String> {
    let Answer::Counts(counts) = answer else {
        return Err("a function from replicas to numbers of writes".to_owned());
    };
    let mut received = vec![None; n.into()];
    for (replica, count) in counts {
        let count = u8::try_from(count).map_err(|_| "numbers of writes from 0 to 255".to_owned())?;
        received[replica.index()] = Some(count);
    }
    Ok(Deed::Spread(received))
}

fn isolate(answer: Answer) -> Result<Option<Deed>, String> {
    let wanted = || "a pair of a fault (\"crash\", \"pause\" or \"cut\") and a replica".to_owned();
    let Answer::Tuple(pair) = answer else { return Err(wanted()) };
    if pair.is_empty() {
        return Ok(None);
    }
    let [Answer::Text(word), Answer::Replica(who)] = &pair[..] else { return Err(wanted()) };
    let fault = [Fault::Crash, Fault::Pause, Fault::Cut].into_iter().find(|fault| fault.word() == word);
    Ok(Some(Deed::Isolate(fault.ok_or_else(wanted)?, *who)))
}

fn links(answer: Answer) -> Result<Vec<Link>, String> {
    let wanted = || "a pair of replicas, or a set of such pairs".to_owned();
    match answer {
        Answer::Set(pairs) => pairs.into_iter().map(|pair| link(&pair).ok_or_else(wanted)).collect(),
        Answer::Tuple(pair) if pair.is_empty() => Ok(Vec::new()),
        pair => link(&pair).map(|link| vec![link]).ok_or_else(wanted),
    }
}

fn link(answer: &Answer) -> Option<Link> {
    let Answer::Tuple(pair) = answer else { return None };
    match pair[..] {
        [Answer::Replica(target), Answer::Replica(source)] => Some(Link { target, source }),
        _ => None,
    }
}

fn say(text: Answer, to: Option<Answer>) -> Result<Deed, String> {
    let (Answer::Text(text), Some(to)) = (text, to) else { return Err("a text".to_owned()) };
    Ok(Deed::Say(replica(&to)?, text))
}

fn wait(answer: &Answer) -> Result<Option<Deed>, String> {
    let Answer::Number(number) = answer else { return Err("a number of milliseconds".to_owned()) };
    let ms = u32::try_from(*number).ok().filter(|ms| *ms <= WAIT_MS_MAX);
    let ms = ms.ok_or_else(|| format!("a number of milliseconds from 0 to {WAIT_MS_MAX}"))?;
    Ok((ms > 0).then_some(Deed::Wait(ms)))
}

/// An edit is a text: words with blanks between them.
fn edit(text: Answer, at: Option<Answer>) -> Result<Deed, String> {
    let wanted = "a text: words with blanks, and without commas, between them";
    let (Answer::Text(text), Some(at)) = (text, at) else { return Err(wanted.to_owned()) };
    let words: Vec<String> = text.split_whitespace().map(ToOwned::to_owned).collect();
    if words.is_empty() || text.contains([',', '+']) {
        return Err(wanted.to_owned());
    }
    Ok(Deed::Data(DataDeed::Edit(replica(&at)?, words)))
}

fn deliver(number: Answer, to: Option<Answer>) -> Result<Deed, String> {
    let wanted = || "the number of an edit, from 1".to_owned();
    let (Answer::Number(number), Some(to)) = (number, to) else { return Err(wanted()) };
    let number = u32::try_from(number).ok().filter(|number| *number > 0).ok_or_else(wanted)?;
    Ok(Deed::Data(DataDeed::Deliver(replica(&to)?, number)))
}

fn pairs(answer: Answer, make: fn(Replica, Replica) -> DataDeed) -> Result<Vec<Deed>, String> {
    Ok(links(answer)?.into_iter().map(|link| Deed::Data(make(link.target, link.source))).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Word {
        let actions: Actions = toml::from_str(&format!("A = [{{ {text} }}]")).expect("a word");
        actions["A"][0].clone()
    }

    #[test]
    fn a_word_has_one_verb() {
        assert_eq!(parse("kill = \"r\"").verb(), Ok((Verb::Kill, "r")));
        assert_eq!(parse("write = \"r\", keys = \"ks\"").verb(), Ok((Verb::Write, "r")));
        for wrong in ["", "kill = \"r\", up = \"r\"", "kill = \"r\", keys = \"ks\"", "say = \"x\""] {
            assert!(parse(wrong).verb().is_err(), "{wrong}");
        }
    }

    #[test]
    fn answers_become_deeds() {
        let [a, b] = [Replica(0), Replica(1)];
        let set = |all: &[Replica]| Answer::Set(all.iter().map(|one| Answer::Replica(*one)).collect());
        assert_eq!(deeds(Verb::Kill, set(&[]), None, 3), Ok(Vec::new()));
        assert_eq!(deeds(Verb::Up, set(&[b, a]), None, 3), Ok(vec![Deed::Up(vec![a, b])]));
        assert_eq!(deeds(Verb::Write, Answer::Replica(a), None, 3), Ok(vec![Deed::WriteAt(a, Vec::new())]));
        let counts = Answer::Counts(vec![(a, 2), (b, 0)]);
        assert_eq!(
            deeds(Verb::Spread, counts, None, 3),
            Ok(vec![Deed::Spread(vec![Some(2), Some(0), None])])
        );
        assert!(deeds(Verb::Link, Answer::Replica(a), None, 3).is_err());
        assert_eq!(deeds(Verb::Isolate, Answer::Tuple(Vec::new()), None, 3), Ok(Vec::new()));
        let keys = Answer::Set(vec![Answer::Text("x".to_owned()), Answer::Number(2)]);
        let both = vec!["x".to_owned(), "n2".to_owned()];
        assert_eq!(deeds(Verb::Write, Answer::Replica(a), Some(keys), 3), Ok(vec![Deed::WriteAt(a, both)]));
        assert_eq!(deeds(Verb::Wait, Answer::Number(0), None, 3), Ok(Vec::new()));
        assert_eq!(deeds(Verb::Wait, Answer::Number(50), None, 3), Ok(vec![Deed::Wait(50)]));
        assert!(deeds(Verb::Wait, Answer::Number(-1), None, 3).is_err());
        let pair = Answer::Tuple(vec![Answer::Replica(b), Answer::Replica(a)]);
        assert_eq!(deeds(Verb::Pull, pair, None, 3), Ok(vec![Deed::Data(DataDeed::Pull(b, a))]));
        let text = |text: &str| Answer::Text(text.to_owned());
        let words = ["put", "front"].map(str::to_owned).to_vec();
        let edit = Deed::Data(DataDeed::Edit(a, words));
        assert_eq!(edit.to_string(), "edit=A:put+front");
        assert_eq!(deeds(Verb::Edit, text("put  front"), Some(Answer::Replica(a)), 3), Ok(vec![edit]));
        assert!(deeds(Verb::Edit, text("put,front"), Some(Answer::Replica(a)), 3).is_err());
        assert!(deeds(Verb::Deliver, Answer::Number(0), Some(Answer::Replica(a)), 3).is_err());
    }
}
