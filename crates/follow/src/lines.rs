//! Files of lines, read only as far as the search needs them. So a log may be longer than the memory, and still be
//! written while it is followed.

use std::collections::{BTreeSet, VecDeque};
use std::io::{BufRead, Read as _};
use std::sync::Arc;

use kilter_mapping::follow::Order;
use kilter_value::{Moved, Store};

use crate::demand::{BadDemand, Demand, LinePlace};
use crate::demander::{Demander, Read};
use crate::line::BadLine;

/// A longer line is an error.
const LINE_BYTES_MAX: u64 = 64 << 20;

/// A file to read lines from.
pub struct Reader {
    /// Its name, for people.
    pub name: String,
    /// Its content.
    pub input: Box<dyn BufRead + Send>,
}

/// Why a line can't be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{file}:{line}: {message}")]
pub struct Problem {
    /// The name of the file.
    pub file: String,
    /// The number of the line, from 1.
    pub line: u64,
    /// What is wrong.
    pub message: String,
}

/// What must come before a line, by the order that the log has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HeldBy {
    /// This line of another file.
    Line(LinePlace),
    /// A line that may still be written.
    NotWritten,
}

/// So many lines without a clock or a time are looked behind.
const LOOKED_BEHIND_MAX: u64 = 16;

/// All files of a log.
pub struct Lines<'m> {
    files: Vec<File>,
    demander: Demander<'m>,
    order: Order,
    /// Whether lines that can't be read are counted and left out.
    lenient: bool,
    /// Whether the files are still written. Then the last line of a file may be half written, and its end is only the end of
    /// what was read.
    pub are_live: bool,
    /// Whether nobody waits for more lines.
    is_released: bool,
    /// The number of lines that demand something.
    pub n_demands: u64,
    /// The number of those that name their node.
    pub n_placed: u64,
    /// The number of those that say what `order` needs.
    pub n_ordered: u64,
    /// The nodes of these lines, by their index.
    pub nodes: BTreeSet<usize>,
    /// The lines that were left out, and the first of them.
    pub left_out: (u64, Option<Problem>),
}

struct File {
    name: String,
    input: Box<dyn BufRead + Send>,
    /// The number of lines that were read.
    n_read: u64,
    /// The number of demands that were forgotten.
    n_forgotten: u64,
    demands: VecDeque<Arc<Demand>>,
    is_over: bool,
    /// Whether the next line is not written yet.
    is_waiting: bool,
    buffer: Vec<u8>,
}

/// A line without the mark with which some programs begin files.
fn without_mark(line: &[u8]) -> &[u8] {
    line.strip_prefix("\u{feff}".as_bytes()).unwrap_or(line)
}

/// Whether a line comes before another one of another file. `None` if it does not say enough of itself.
fn comes_before(order: Order, line: &Demand, other: &Demand) -> Option<bool> {
    match order {
        Order::Any => Some(false),
        Order::Time => {
            let (_, end) = line.time?;
            Some(other.time.is_some_and(|(start, _)| end < start))
        }
        Order::Clock => {
            let own = line.clock.get(line.node?).filter(|own| **own > 0)?;
            Some(other.clock.get(line.node?).is_some_and(|seen| own <= seen))
        }
    }
}

impl<'m> Lines<'m> {
    /// Prepares to read files.
    pub fn new(readers: Vec<Reader>, demander: Demander<'m>, order: Order, lenient: bool) -> Lines<'m> {
        let file = |Reader { name, input }| File {
            name,
            input,
            n_read: 0,
            n_forgotten: 0,
            demands: VecDeque::new(),
            is_over: false,
            is_waiting: false,
            buffer: Vec::new(),
        };
        Lines {
            files: readers.into_iter().map(file).collect(),
            demander,
            order,
            lenient,
            are_live: false,
            is_released: false,
            n_demands: 0,
            n_placed: 0,
            n_ordered: 0,
            nodes: BTreeSet::new(),
            left_out: (0, None),
        }
    }

    /// The number of files.
    pub fn n_files(&self) -> usize {
        self.files.len()
    }

    /// The name of a file.
    pub fn name(&self, file: usize) -> &str {
        &self.files[file].name
    }

    /// The number of lines that were read from all files.
    pub fn n_read(&self) -> u64 {
        self.files.iter().map(|file| file.n_read).sum()
    }

    /// What turns lines into demands.
    pub fn demander(&self) -> &Demander<'m> {
        &self.demander
    }

    /// From now on nothing more is read, and lines that are not written yet hold no others back. Returns false if that is so
    /// already.
    pub fn release(&mut self) -> bool {
        !std::mem::replace(&mut self.is_released, true)
    }

    /// Whether a file is at the end of what is written, and more may come.
    pub fn is_waiting(&self, file: usize) -> bool {
        self.files[file].is_waiting
    }

    /// Whether lines may come that are not written yet.
    pub fn may_grow(&self) -> bool {
        self.files.iter().any(|file| file.is_waiting || file.is_over && self.are_live)
    }

    /// The demand with this index in a file. `None` if the file ends before it, or waits for it. It must not have been forgotten.
    pub fn get(&mut self, file: usize, index: u64, store: &Store) -> Result<Option<Arc<Demand>>, Problem> {
        loop {
            let own = &self.files[file];
            if let Some(demand) = own.demands.get((index - own.n_forgotten) as usize) {
                return Ok(Some(Arc::clone(demand)));
            }
            if own.is_over || (own.is_waiting && self.is_released) {
                return Ok(None);
            }
            self.read(file, store)?;
            if self.files[file].is_waiting {
                return Ok(None);
            }
        }
    }

    fn read(&mut self, file: usize, store: &Store) -> Result<(), Problem> {
        let own = &mut self.files[file];
        let mut buffer = std::mem::take(&mut own.buffer);
        if !std::mem::take(&mut own.is_waiting) {
            buffer.clear();
        }
        let read = own.input.by_ref().take(LINE_BYTES_MAX).read_until(b'\n', &mut buffer);
        if let Err(error) = &read
            && error.kind() == std::io::ErrorKind::WouldBlock
        {
            own.is_waiting = true;
            own.buffer = buffer;
            return Ok(());
        }
        own.n_read += 1;
        let number = own.n_read;
        let is_whole = buffer.last() == Some(&b'\n');
        let result = match read {
            Err(error) => Err(error.to_string()),
            Ok(0) if buffer.is_empty() => {
                own.n_read -= 1;
                own.is_over = true;
                let ends = self.demander.end(file, number - 1, store);
                let ends = ends.map_err(|error| error.to_string());
                ends.map(|ends| {
                    self.files[file].demands.extend(ends.into_iter().map(Arc::new));
                    Read::Nothing
                })
            }
            Ok(_) if buffer.iter().all(u8::is_ascii_whitespace) => Ok(Read::Nothing),
            Ok(n) if n as u64 == LINE_BYTES_MAX && !is_whole => {
                own.is_over = true;
                Err(format!("the line has more than {} MiB", LINE_BYTES_MAX >> 20))
            }
            Ok(_) => self.demander.read(without_mark(&buffer).trim_ascii_end(), file, number, store).map_err(
                |error| match error {
                    BadDemand::Line(BadLine::NoJson(_)) if !is_whole => {
                        "the file ends in the middle of this line".to_owned()
                    }
                    other => other.to_string(),
                },
            ),
        };
        let own = &mut self.files[file];
        own.buffer = buffer;
        match result {
            Ok(Read::Demand(demand)) => {
                self.n_demands += 1;
                self.n_placed += u64::from(demand.node.is_some());
                self.nodes.extend(demand.node);
                self.n_ordered += u64::from(match self.order {
                    Order::Any => true,
                    Order::Clock => !demand.clock.is_empty(),
                    Order::Time => demand.time.is_some(),
                });
                own.demands.push_back(Arc::new(*demand));
            }
            Ok(Read::Nothing) => {}
            Err(_) if !is_whole && self.are_live => {}
            Err(message) => {
                let problem = Problem { file: own.name.clone(), line: number, message };
                if !self.lenient {
                    return Err(problem);
                }
                self.left_out.0 += 1;
                self.left_out.1.get_or_insert(problem);
            }
        }
        Ok(())
    }

    /// Forgets the demands before these, one index for each file. They are not asked for again.
    pub fn forget_before(&mut self, cut: &[u64]) {
        for (file, index) in self.files.iter_mut().zip(cut) {
            while file.n_forgotten < *index && file.demands.pop_front().is_some() {
                file.n_forgotten += 1;
            }
        }
    }

    /// What is left in other files and must come before the next demand of a file.
    pub fn held_back(
        &mut self,
        cut: &[u64],
        file: usize,
        demand: &Demand,
        store: &Store,
    ) -> Result<Option<HeldBy>, Problem> {
        if self.order == Order::Any {
            return Ok(None);
        }
        for other in (0..self.files.len()).filter(|other| *other != file) {
            // A line that says nothing of the order stands before one that does.
            for index in cut[other]..cut[other] + LOOKED_BEHIND_MAX {
                let Some(waiting) = self.get(other, index, store)? else {
                    if index == cut[other] && self.is_waiting(other) && !self.is_released {
                        return Ok(Some(HeldBy::NotWritten));
                    }
                    break;
                };
                match comes_before(self.order, &waiting, demand) {
                    Some(true) => return Ok(Some(HeldBy::Line(waiting.place()))),
                    Some(false) => break,
                    None => {}
                }
            }
        }
        Ok(None)
    }

    /// Takes the values of all demands along to another store.
    pub fn adopt(&mut self, to: &Store, from: &Store, moved: &mut Moved) {
        for demand in self.files.iter_mut().flat_map(|file| &mut file.demands) {
            Arc::make_mut(demand).adopt(to, from, moved);
        }
    }
}
