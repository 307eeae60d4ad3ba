//! Plays a schedule on replicas of a data type.

use std::fmt::Write as _;
use std::sync::Arc;

use super::guard;
use super::history::{EDITS_MAX, Edits, History};
use super::judge::{self, Check, Flaw};
use super::{DataType, Edit, Name, Reading};
use crate::step::{DataDeed, Deed, Replica, Step};

/// How often everybody syncs with everybody in the end. Edits get round in two rounds; the third shows that nothing
/// changes any more.
const ROUNDS: usize = 3;

/// How a schedule went.
#[derive(Clone, Debug, Default)]
pub struct Played {
    /// What is wrong, if anything.
    pub flaw: Option<Flaw>,
    /// What the replicas showed after each step, if it was wanted.
    pub picture: String,
}

/// A data type on which schedules can be played.
pub trait Playable: Send + Sync {
    /// Plays a schedule from its beginning to the verdict, with so many replicas. The error says which step the data type does
    /// not know.
    fn play(&self, replicas: u8, schedule: &[Arc<Step>], draws: bool) -> Result<Played, String>;
}

impl<T: DataType> Playable for T {
    fn play(&self, replicas: u8, schedule: &[Arc<Step>], draws: bool) -> Result<Played, String> {
        let mut table = match Table::new(self, replicas) {
            Ok(table) => table,
            Err(flaw) => return Ok(Played { flaw: Some(flaw), picture: String::new() }),
        };
        let mut picture = String::new();
        let flaw = table.play(schedule, draws.then_some(&mut picture));
        // Replicas that have panicked may panic again when they go.
        let _ = guard::run(|| {
            drop(table.replicas);
            Ok(())
        });
        match flaw {
            Ok(()) => Ok(Played { flaw: None, picture }),
            Err(Halt::Flaw(flaw)) => Ok(Played { flaw: Some(flaw), picture }),
            Err(Halt::Unknown(why)) => Err(why),
        }
    }
}

/// Why a schedule is not played to its end.
enum Halt {
    Flaw(Flaw),
    Unknown(String),
}

impl From<Flaw> for Halt {
    fn from(flaw: Flaw) -> Halt {
        Halt::Flaw(flaw)
    }
}

/// The replicas of one schedule.
struct Table<'t, T: DataType> {
    data: &'t T,
    replicas: Vec<T::Replica>,
    saved: Vec<Option<(Vec<u8>, Edits)>>,
    lives: Vec<u32>,
    history: History,
}

/// Runs code of the data type. `doing` says what Kilter does.
fn guarded<R>(doing: &str, code: impl FnOnce() -> Result<R, String>) -> Result<R, Flaw> {
    guard::run(code).map_err(|error| Flaw::failure(doing, &error))
}

impl<'t, T: DataType> Table<'t, T> {
    fn new(data: &'t T, n: u8) -> Result<Self, Flaw> {
        let start = |replica| guarded("start", || data.start(Name { replica, life: 0 }));
        Ok(Self {
            data,
            replicas: Replica::all(n).map(start).collect::<Result<_, _>>()?,
            saved: vec![None; n.into()],
            lives: vec![0; n.into()],
            history: History::new(n, data.beginning()),
        })
    }

    fn play(&mut self, schedule: &[Arc<Step>], mut picture: Option<&mut String>) -> Result<(), Halt> {
        for step in schedule {
            for deed in &step.deeds {
                let Deed::Data(deed) = deed else {
                    return Err(Halt::Unknown(format!("a data type can't do `{deed}`")));
                };
                self.act(deed)?;
                if let Some(picture) = picture.as_deref_mut() {
                    self.draw(&deed.to_string(), picture)?;
                }
            }
        }
        self.converge()?;
        if let Some(picture) = picture {
            self.draw("all sync", picture)?;
        }
        Ok(self.judge()?)
    }

    fn act(&mut self, deed: &DataDeed) -> Result<(), Halt> {
        match deed {
            DataDeed::Edit(at, words) => self.edit(*at, words)?,
            DataDeed::Deliver(to, number) => {
                let Some(update) = self.history.update(*number) else {
                    return Err(Halt::Unknown(format!("`{deed}`: there was no such edit yet")));
                };
                if !update.is_empty() {
                    let replica = &mut self.replicas[to.index()];
                    guarded(&deed.to_string(), || self.data.receive(replica, update))?;
                }
                self.history.delivered(*to, *number);
            }
            DataDeed::Pull(to, from) => {
                let doing = deed.to_string();
                let state = guarded(&doing, || self.data.save(&mut self.replicas[from.index()]))?;
                guarded(&doing, || self.data.receive(&mut self.replicas[to.index()], &state))?;
                self.history.pulled(*to, *from);
            }
            DataDeed::Sync(first, second) => self.sync(*first, *second)?,
            DataDeed::Save(who) => {
                for who in who {
                    let state = guarded("save", || self.data.save(&mut self.replicas[who.index()]))?;
                    self.saved[who.index()] = Some((state, self.history.edits(*who)));
                }
            }
            DataDeed::Load(who) => who.iter().try_for_each(|who| self.load(*who))?,
        }
        Ok(())
    }

    fn edit(&mut self, at: Replica, words: &[String]) -> Result<(), Halt> {
        let number = self.history.next();
        if number > EDITS_MAX {
            return Err(Halt::Unknown(format!("a schedule has at most {EDITS_MAX} edits")));
        }
        let doing = format!("edit {number} at {at}, `{}`", words.join(" "));
        let edited =
            guarded(&doing, || self.data.edit(&mut self.replicas[at.index()], Edit { number, words }))?;
        let edited = edited.ok_or_else(|| {
            Halt::Unknown(format!("the data type does not know the edit `{}`", words.join(" ")))
        })?;
        self.history.edited(at, edited.update, edited.effects);
        Ok(())
    }

    /// A replica starts again, from what it has saved or from nothing.
    fn load(&mut self, who: Replica) -> Result<(), Flaw> {
        self.lives[who.index()] += 1;
        let name = Name { replica: who, life: self.lives[who.index()] };
        let (replica, edits) = match &self.saved[who.index()] {
            Some((state, edits)) => (guarded("load", || self.data.load(name, state))?, *edits),
            None => {
                let mut edits = Edits::default();
                edits.insert(0);
                (guarded("start", || self.data.start(name))?, edits)
            }
        };
        self.replicas[who.index()] = replica;
        self.history.loaded(who, edits);
        Ok(())
    }

    fn sync(&mut self, first: Replica, second: Replica) -> Result<(), Flaw> {
        let doing = DataDeed::Sync(first, second).to_string();
        let Ok([one, other]) = self.replicas.get_disjoint_mut([first.index(), second.index()]) else {
            return Ok(());
        };
        guarded(&doing, || self.data.sync(one, other))?;
        self.history.pulled(first, second);
        self.history.pulled(second, first);
        Ok(())
    }

    fn converge(&mut self) -> Result<(), Flaw> {
        let n = self.replicas.len() as u8;
        for _ in 0..ROUNDS {
            for first in Replica::all(n) {
                for second in Replica::all(n).filter(|second| *second > first) {
                    self.sync(first, second)?;
                }
            }
        }
        Ok(())
    }

    fn readings(&mut self) -> Result<Vec<Reading>, Flaw> {
        let data = self.data;
        self.replicas.iter_mut().map(|replica| guarded("read", || data.read(replica))).collect()
    }

    fn judge(&mut self) -> Result<(), Flaw> {
        let readings = self.readings()?;
        let sure = self.history.converged();
        let found = judge::agree(&readings).or_else(|| judge::hold(&readings[0], &self.history, sure));
        if let Some(flaw) = found {
            return Err(flaw);
        }
        self.reload(&readings[0])?;
        self.replay(&readings[0], sure)
    }

    /// Whether replicas that are saved and loaded show the same.
    fn reload(&mut self, reading: &Reading) -> Result<(), Flaw> {
        for who in Replica::all(self.replicas.len() as u8) {
            let name = Name { replica: who, life: self.lives[who.index()] + 1 };
            let data = self.data;
            let replica = &mut self.replicas[who.index()];
            let again = guarded("the last load", || {
                let state = data.save(replica)?;
                data.read(&mut data.load(name, &state)?)
            })?;
            same(Check::Reload, &format!("{who} loaded again"), &again, reading)?;
        }
        Ok(())
    }

    /// Whether a new replica that gets every update, the last first, shows the same. What became of edits that may be
    /// lost is not known.
    fn replay(&self, reading: &Reading, sure: Edits) -> Result<(), Flaw> {
        if self.history.made().any(|(number, _)| !sure.has(number)) {
            return Ok(());
        }
        let name = Name { replica: Replica(self.replicas.len() as u8), life: 0 };
        let again = guarded("all updates, the last first", || {
            let mut fresh = self.data.start(name)?;
            for number in (1..self.history.next()).rev() {
                let update = self.history.update(number).unwrap_or_default();
                if !update.is_empty() {
                    self.data.receive(&mut fresh, update)?;
                }
            }
            self.data.read(&mut fresh)
        })?;
        same(Check::Replay, "a new replica that gets all updates, the last first,", &again, reading)
    }

    fn draw(&mut self, label: &str, picture: &mut String) -> Result<(), Flaw> {
        let cells: Vec<String> = self.readings()?.iter().map(|reading| reading.value.to_string()).collect();
        let same = cells.windows(2).all(|pair| pair[0] == pair[1]);
        // Writing to a string can't fail.
        let _ = writeln!(picture, "{label}");
        if same {
            let _ = writeln!(picture, "  all  {}", cells.first().map_or("", String::as_str));
            return Ok(());
        }
        for (name, cell) in (0u8..).map(Replica).zip(cells) {
            let _ = writeln!(picture, "  {name}  {cell}");
        }
        Ok(())
    }
}

fn same(check: Check, who: &str, found: &Reading, wanted: &Reading) -> Result<(), Flaw> {
    if found.value == wanted.value {
        return Ok(());
    }
    Err(Flaw::new(check, format!("{who} has {}, and all others have {}", found.value, wanted.value)))
}
