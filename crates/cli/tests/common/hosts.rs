//! Searches by several processes, which are threads here.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

use kilter::Quiet;
use kilter_check::{Disk, Exchange, Lost, Part, Trouble};

use super::disk::{Answer, Once};

/// One process's connections to all others.
struct Toy {
    me: usize,
    to: Vec<Sender<Vec<u8>>>,
    from: Vec<Receiver<Vec<u8>>>,
}

impl Toy {
    fn all(n: usize) -> Vec<Toy> {
        let mut all: Vec<Toy> = (0..n).map(|me| Toy { me, to: Vec::new(), from: Vec::new() }).collect();
        for from in 0..n {
            for to in 0..n {
                let (sender, receiver) = channel();
                all[from].to.push(sender);
                all[to].from.push(receiver);
            }
        }
        all
    }
}

impl Exchange for Toy {
    fn me(&self) -> usize {
        self.me
    }

    fn n_processes(&self) -> usize {
        self.to.len()
    }

    fn swap(&mut self, parcels: Vec<Vec<u8>>) -> Result<Vec<Vec<u8>>, Lost> {
        let lost = |process| Lost { process, how: "its thread has ended".to_owned() };
        for (process, (to, parcel)) in self.to.iter().zip(parcels).enumerate() {
            to.send(parcel).map_err(|_| lost(process))?;
        }
        let arrived = self.from.iter().enumerate();
        arrived.map(|(process, from)| from.recv().map_err(|_| lost(process))).collect()
    }
}

/// The answer of a search by so many processes. Each has a store of its own.
pub fn search(once: &Once<'_>, n_processes: usize) -> Result<Answer, Trouble> {
    search_on(once, &vec![None; n_processes])
}

/// The same, where processes may have a disk.
pub fn search_on(once: &Once<'_>, disks: &[Option<Disk>]) -> Result<Answer, Trouble> {
    let mut answers = thread::scope(|scope| {
        let running: Vec<_> = Toy::all(disks.len())
            .into_iter()
            .zip(disks)
            .map(|(toy, disk)| scope.spawn(move || one(once, toy, disk.as_ref())))
            .collect();
        running.into_iter().map(|one| one.join().expect("no panic")).collect::<Vec<_>>()
    });
    answers.swap_remove(0).map(|answer| answer.expect("the first process has the answer"))
}

fn one(once: &Once<'_>, mut toy: Toy, disk: Option<&Disk>) -> Result<Option<Answer>, Trouble> {
    let answer = once.with(|program, store| {
        // The same values lie at other places in each process.
        if disk.is_none() {
            for number in 0..toy.me as i32 {
                store.tuple(&[store.int(number), store.int(-7)]);
            }
        }
        let outcome = kilter_check::run_on_hosts(program, store, &once.options, &mut toy, disk, &mut Quiet);
        match outcome {
            Ok(Part::First(outcome)) => Ok(outcome),
            Ok(Part::Other(_)) => Err(None),
            Err(trouble) => Err(Some(trouble)),
        }
    });
    match answer.expect("there is something to search") {
        Ok(answer) => Ok(Some(answer)),
        Err(None) => Ok(None),
        Err(Some(trouble)) => Err(trouble),
    }
}
