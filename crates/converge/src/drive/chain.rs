//! Plays steps of chain models, as signals, restarts, links and writes.

use std::fs;

use kilter_system::Fault;
use rustix::process::Signal;

use super::judge::{self, Wrong};
use super::picture::Frame;
use super::{Crash, Ledger, Player, Progress};
use crate::model::state::{State, Status};
use crate::step::{Link, Replica, Resync, Step, Strike};
use crate::store::{Chain, Contents, write_of};
use crate::trouble::Trouble;

type Outcome = Result<(Option<Wrong>, Progress), Trouble>;

impl Player<'_> {
    pub(super) fn play_chain(&mut self, store: &dyn Chain, schedule: &[Step]) -> Outcome {
        let state = self.model.initial();
        let ledger = Ledger::new(self.model.replicas);
        let casts = (0..state.replicas.len()).collect();
        let frames = vec![Frame::new(None, &state, &ledger, "")];
        let mut progress = Progress { state, ledger, casts, frames };
        store.prepare(self.nodes.seats())?;
        for name in progress.state.names() {
            self.launch(store, name, None)?;
        }
        let state = progress.state.clone();
        for name in state.names() {
            if let Some(source) = state.replicas[name.index()].source {
                self.link(store, name, Some(source))?;
            }
        }
        let mut stuck = self.settle(store, &state)?.map(|who| format!("at the start, {who}"));
        for step in schedule {
            let state = &progress.state;
            let next = self.model.after(state, step);
            let next = next.ok_or_else(|| Trouble::NotDriven(format!("`{step}` can't follow")))?;
            self.step_chain(store, step, &progress.state, &mut progress.ledger)?;
            progress.ledger.take(step, &next);
            progress.frames.push(Frame::new(Some(step), &next, &progress.ledger, ""));
            progress.state = next;
            if let Some(wrong) = self.died(&progress.casts) {
                return Ok((Some(wrong), progress));
            }
            let lag = self.settle(store, &progress.state)?;
            stuck = lag.map(|who| format!("after `{step}`, {who}")).or(stuck);
        }
        let wrong = self.judge_chain(store, &progress)?;
        // A replica that lagged on the way is not stuck if it has caught up in the end.
        let last = self.settle(store, &progress.state)?.and(stuck);
        Ok((wrong.or(last.map(|what| Wrong::Stuck { what })), progress))
    }

    fn step_chain(
        &mut self,
        store: &dyn Chain,
        step: &Step,
        state: &State,
        ledger: &mut Ledger,
    ) -> Result<(), Trouble> {
        match step {
            Step::Part(strike, writer) => {
                match *strike {
                    Strike::None => {}
                    Strike::One(fault, victim) => self.strike(store, fault, victim, ledger)?,
                    Strike::Others(fault) => self.isolate(store, fault, *writer, state, ledger)?,
                }
                let (key, value) = write_of(ledger.used + 1);
                let mut client = store.connect(self.nodes.seats(), writer.index())?;
                client.send(&key, &value)?;
                if client.is_acknowledged(self.watch.limit) {
                    Ok(())
                } else {
                    Err(Trouble::NotDriven(format!("{writer} did not acknowledge write {}", ledger.used + 1)))
                }
            }
            Step::Join { wake, link, resync } => self.join(store, state, *wake, *link, *resync),
            _ => Err(Trouble::NotDriven(format!("`{step}` is no step of a chain model"))),
        }
    }

    fn launch(&mut self, store: &dyn Chain, name: Replica, source: Option<Replica>) -> Result<(), Trouble> {
        let command = store.command(self.nodes.seats(), name.index(), source.map(Replica::index));
        self.nodes.start(name.index(), command)?;
        let seat = &self.nodes.seats()[name.index()];
        let ready = self.watch.until(|| store.is_ready(seat).then_some(()))?;
        ready.ok_or_else(|| Trouble::NotDriven(format!("{name} does not answer after its start")))
    }

    fn link(&self, store: &dyn Chain, target: Replica, source: Option<Replica>) -> Result<(), Trouble> {
        let seats = self.nodes.seats();
        store.link(&seats[target.index()], source.map(|source| &seats[source.index()]))
    }

    fn strike(
        &mut self,
        store: &dyn Chain,
        fault: Fault,
        victim: Replica,
        ledger: &mut Ledger,
    ) -> Result<(), Trouble> {
        match fault {
            Fault::Cut => self.link(store, victim, None),
            Fault::Pause => {
                self.nodes.pause(victim.index());
                Ok(())
            }
            // A model has no other fault than a crash besides.
            _ => {
                // In the model a crash keeps what was stored, so it has to be stored first.
                store.save(&self.nodes.seats()[victim.index()])?;
                let stop = if self.options.crash == Crash::Stop { Signal::TERM } else { Signal::KILL };
                self.nodes.signal(victim.index(), stop);
                if self.options.crash == Crash::Decommission {
                    self.nodes.wipe(victim.index())?;
                    ledger.forget(victim);
                }
                Ok(())
            }
        }
    }

    fn isolate(
        &mut self,
        store: &dyn Chain,
        fault: Fault,
        writer: Replica,
        state: &State,
        ledger: &mut Ledger,
    ) -> Result<(), Trouble> {
        for name in state.names() {
            let known = state.replicas[name.index()];
            let keeps_running = name == writer || fault == Fault::Cut;
            match (known.status, keeps_running) {
                (Status::Up, false) => self.strike(store, fault, name, ledger)?,
                (Status::Paused, true) => self.nodes.signal(name.index(), Signal::CONT),
                (Status::Down, true) => self.launch(store, name, None)?,
                _ => {}
            }
            if keeps_running && known.source.is_some() {
                self.link(store, name, None)?;
            }
        }
        Ok(())
    }

    fn join(
        &mut self,
        store: &dyn Chain,
        state: &State,
        wake: Option<Replica>,
        link: Option<Link>,
        resync: Resync,
    ) -> Result<(), Trouble> {
        let by_hand = link.filter(|_| resync == Resync::Offline);
        if let Some(Link { target, source }) = by_hand {
            if wake == Some(source) {
                self.wake(store, state, source, None)?;
            }
            self.nodes.signal(target.index(), Signal::KILL);
            store.save(&self.nodes.seats()[source.index()])?;
            let seats = self.nodes.seats();
            let file = |name: Replica| seats[name.index()].dir.join(store.snapshot());
            fs::copy(file(source), file(target)).map_err(Trouble::own("copying a snapshot"))?;
            return self.launch(store, target, Some(source));
        }
        let is_started_linked = wake.is_some() && link.is_some_and(|link| Some(link.target) == wake);
        let is_down = wake.is_some_and(|who| state.replicas[who.index()].status == Status::Down);
        if let Some(who) = wake {
            let source = link.filter(|_| is_started_linked).map(|link| link.source);
            self.wake(store, state, who, source.or(state.replicas[who.index()].source))?;
        }
        match link {
            Some(link) if !(is_started_linked && is_down) => self.link(store, link.target, Some(link.source)),
            _ => Ok(()),
        }
    }

    fn wake(
        &mut self,
        store: &dyn Chain,
        state: &State,
        who: Replica,
        source: Option<Replica>,
    ) -> Result<(), Trouble> {
        if state.replicas[who.index()].status == Status::Paused {
            self.nodes.signal(who.index(), Signal::CONT);
            let seat = &self.nodes.seats()[who.index()];
            let ready = self.watch.until(|| store.is_ready(seat).then_some(()))?;
            return ready
                .ok_or_else(|| Trouble::NotDriven(format!("{who} does not answer after it was resumed")));
        }
        self.launch(store, who, source)
    }

    /// Waits until every running replica has what its running source has. Otherwise returns which one has not.
    fn settle(&mut self, store: &dyn Chain, state: &State) -> Result<Option<String>, Trouble> {
        for name in state.up() {
            let Some(source) = state.replicas[name.index()].source.filter(|source| state.is_up(*source))
            else {
                continue;
            };
            let seats = self.nodes.seats();
            let (target, from) = (&seats[name.index()], &seats[source.index()]);
            if self.watch.until(|| store.is_in_sync(target, from).then_some(()))?.is_none() {
                return Ok(Some(format!("{name} did not get in sync with {source}")));
            }
        }
        Ok(None)
    }

    fn judge_chain(&mut self, store: &dyn Chain, progress: &Progress) -> Result<Option<Wrong>, Trouble> {
        let root = progress.state.names().find(|name| progress.state.replicas[name.index()].source.is_none());
        let expected = root.map(|root| progress.ledger.writes[root.index()].clone()).unwrap_or_default();
        let seats = self.nodes.seats();
        let look = || -> Option<Vec<Contents>> { seats.iter().map(|seat| store.read(seat)).collect() };
        let judge = |found: Vec<Contents>| {
            let differences = judge::differences(&found);
            if differences.is_empty() {
                return judge::lost(&found[0], &progress.ledger, Some(&expected));
            }
            Some(Wrong::Differ { differences, found })
        };
        // Data on which replicas disagree now may still be on its way.
        let is_fine = self.watch.until(|| look().map(judge).filter(Option::is_none))?;
        if is_fine.is_some() {
            return Ok(None);
        }
        let silent = || Wrong::Stuck { what: "in the end, some replica does not answer".to_owned() };
        Ok(look().map_or_else(|| Some(silent()), judge))
    }
}
