//! A number that everybody may add to. Every addition has the name of its replica and a number.

use std::collections::BTreeMap;

use kilter::datatype::{DataType, Edit, Edited, Effect, Name, Reading};
use serde_json::json;

/// The data type.
pub struct Tally {
    /// With the bug, a replica takes an addition for known if it has a later one of the same replica.
    pub bug: bool,
}

/// A replica.
pub struct Replica {
    name: u64,
    /// What was added, by the name of the replica and the number of the addition.
    added: BTreeMap<(u64, u32), i64>,
}

type Message = Vec<((u64, u32), i64)>;

impl Replica {
    fn last_of(&self, name: u64) -> u32 {
        let own = self.added.range((name, 0)..=(name, u32::MAX));
        own.last().map_or(0, |((_, number), _)| *number)
    }
}

impl DataType for Tally {
    type Replica = Replica;

    fn start(&self, name: Name) -> Result<Replica, String> {
        Ok(Replica { name: name.number(), added: BTreeMap::new() })
    }

    fn load(&self, name: Name, saved: &[u8]) -> Result<Replica, String> {
        let message: Message = serde_json::from_slice(saved).map_err(|error| error.to_string())?;
        Ok(Replica { name: name.number(), added: message.into_iter().collect() })
    }

    fn save(&self, replica: &mut Replica) -> Result<Vec<u8>, String> {
        let message: Message = replica.added.iter().map(|(key, by)| (*key, *by)).collect();
        serde_json::to_vec(&message).map_err(|error| error.to_string())
    }

    fn edit(&self, replica: &mut Replica, edit: Edit<'_>) -> Result<Option<Edited>, String> {
        if edit.words != ["add"] {
            return Ok(None);
        }
        let (key, by) = ((replica.name, replica.last_of(replica.name) + 1), i64::from(edit.number));
        replica.added.insert(key, by);
        let message: Message = vec![(key, by)];
        let update = serde_json::to_vec(&message).map_err(|error| error.to_string())?;
        let effects = vec![Effect::Counted { counter: "tally".to_owned(), by }];
        Ok(Some(Edited { update, effects }))
    }

    fn receive(&self, replica: &mut Replica, update: &[u8]) -> Result<(), String> {
        let message: Message = serde_json::from_slice(update).map_err(|error| error.to_string())?;
        for ((name, number), by) in message {
            if !(self.bug && number <= replica.last_of(name)) {
                replica.added.insert((name, number), by);
            }
        }
        Ok(())
    }

    fn sync(&self, first: &mut Replica, second: &mut Replica) -> Result<(), String> {
        let (one, other) = (self.save(first)?, self.save(second)?);
        self.receive(first, &other)?;
        self.receive(second, &one)
    }

    fn read(&self, replica: &mut Replica) -> Result<Reading, String> {
        let sum = replica.added.values().sum();
        let version = format!("{:?}", replica.added.keys());
        let counters = [("tally".to_owned(), sum)].into_iter().collect();
        Ok(Reading { value: json!(sum), version, counters, ..Reading::default() })
    }
}
