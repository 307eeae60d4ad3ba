//! The record of a run of `kilter converge`: a first line about the run, then one for each schedule, written as it ends.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use kilter::read;
use kilter_converge::config::Config;
use kilter_converge::drive::Crash;
use kilter_converge::run::Entry;
use serde_json::json;

use crate::files;
use crate::lock::Lock;

/// A record that is being written.
pub struct Record {
    file: File,
    path: PathBuf,
    /// Where the last whole line ends.
    end: u64,
    error: Option<io::Error>,
    /// What earlier sittings have done.
    pub earlier: Vec<Entry>,
    _lock: Lock,
}

impl Record {
    /// Goes on with a record, or begins one.
    pub fn open(path: &Path, config: &Config) -> anyhow::Result<Record> {
        let lock = Lock::file(path, "--record")?;
        let header = format!("{}\n", header(config));
        let (file, end, earlier) = match read::whole_utf8(path) {
            Ok(text) => {
                let (earlier, end) = read(&text, config)
                    .with_context(|| format!("{} can't be gone on with", path.display()))?;
                let mut file =
                    File::options().write(true).open(path).with_context(|| files::refusal(path))?;
                file.set_len(end)
                    .and_then(|()| file.seek(SeekFrom::End(0)))
                    .with_context(|| files::refusal(path))?;
                (file, end, earlier)
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                (files::replace_and_keep(path, &header)?, header.len() as u64, Vec::new())
            }
            Err(error) => return Err(error).with_context(|| format!("{} cannot be read", path.display())),
        };
        Ok(Record { file, path: path.to_path_buf(), end, error: None, earlier, _lock: lock })
    }

    /// The runs that need not be done again: a schedule is run once for each kind of crash.
    pub fn done(&self) -> BTreeSet<(Crash, u64)> {
        self.earlier.iter().map(|entry| (entry.crash, entry.number)).collect()
    }

    /// Writes down what became of a schedule; false if that can't be done.
    pub fn add(&mut self, entry: &Entry) -> bool {
        if self.error.is_some() {
            return false;
        }
        let line =
            serde_json::to_string(entry).expect("entries have string keys and no failing parts") + "\n";
        match self.file.write_all(line.as_bytes()) {
            Ok(()) => self.end += line.len() as u64,
            Err(error) => {
                // Half a line is none.
                let _ = self.file.set_len(self.end);
                self.error = Some(error);
            }
        }
        self.error.is_none()
    }

    /// An error if something could not be written.
    pub fn check(&mut self) -> anyhow::Result<()> {
        self.error.take().map_or(Ok(()), |error| Err(error).with_context(|| files::refusal(&self.path)))
    }
}

/// The first line of a record.
fn header(config: &Config) -> serde_json::Value {
    json!({ "format": "kilter-converge", "version": 1, "config": config })
}

/// What a record says, and where its last whole line ends: what comes after that was cut short by whatever ended the run.
fn read(text: &str, config: &Config) -> anyhow::Result<(Vec<Entry>, u64)> {
    let mut lines = text.split_inclusive('\n');
    let first = lines.next().unwrap_or_default();
    let found: serde_json::Value = serde_json::from_str(first).unwrap_or_default();
    if found != header(config) {
        bail!("it is the record of another run; give another file to --record");
    }
    let (mut earlier, mut end) = (Vec::new(), first.len());
    for line in lines {
        match serde_json::from_str::<Entry>(line) {
            Ok(entry) if line.ends_with('\n') => earlier.push(entry),
            _ => break,
        }
        end += line.len();
    }
    Ok((earlier, end as u64))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    const CONFIG: &str =
        "model = \"quorum\"\nreplicas = 3\nops = 2\n[store]\nkind = \"line\"\ncommand = [\"store\"]\n";

    fn entry(number: u64, crash: Crash) -> Entry {
        Entry {
            number,
            schedule: String::new(),
            crash,
            seconds: 0.5,
            seconds_in_vain: 0.0,
            steps_run: 3,
            not_run: None,
            finding: None,
        }
    }

    #[test]
    fn what_a_kill_has_cut_off_is_done_again() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("record");
        let config = Config::parse(CONFIG).expect("a configuration");
        let mut record = Record::open(&path, &config).expect("a new one");
        assert!(record.add(&entry(4, Crash::Kill)) && record.add(&entry(5, Crash::Stop)));
        assert!(Record::open(&path, &config).is_err(), "one at a time");
        drop(record);
        let whole = fs::read_to_string(&path).expect("it is there");
        fs::write(&path, format!("{whole}{{\"number\":6,\"sched")).expect("it is ours");
        let mut record = Record::open(&path, &config).expect("the same");
        // A schedule that was run with one kind of crash was not run with the others.
        assert_eq!(record.done(), BTreeSet::from([(Crash::Kill, 4), (Crash::Stop, 5)]));
        assert!(record.add(&entry(6, Crash::Kill)));
        drop(record);
        assert_eq!(Record::open(&path, &config).expect("the same").earlier.len(), 3);
        let other = Config::parse(&CONFIG.replace("ops = 2", "ops = 3")).expect("a configuration");
        let error = Record::open(&path, &other).map(drop).expect_err("another run");
        assert!(format!("{error:#}").contains("the record of another run"), "{error:#}");
    }
}
