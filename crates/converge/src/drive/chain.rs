//! Plays steps on stores whose links are set by hand, as signals, restarts, links and writes.

use std::time::Duration;

use kilter_system::Fault;
use rustix::process::Signal;

use super::judge::{self, Wrong};
use super::picture::Frame;
use super::standing::{Standing, Status};
use super::{Crash, Ledger, Player, Progress};
use crate::step::{Blow, Deed, Link, Replica, Step};
use crate::store::{Chain, Contents};
use crate::trouble::Trouble;

type Outcome = Result<(Option<Wrong>, Progress), Trouble>;

impl Player<'_> {
    pub(super) fn play_chain(&mut self, store: &dyn Chain, schedule: &[Step]) -> Outcome {
        let mut standing = Standing::down(self.beginning.replicas);
        let everybody: Vec<Replica> = standing.names().collect();
        standing.set(&everybody, Status::Up);
        store.prepare(self.nodes.seats())?;
        let links = self.beginning.links.clone();
        for name in &everybody {
            // A link that would be a restart is there from the start.
            let link = links.iter().find(|link| link.target == *name && link.source < *name);
            let source = link.filter(|_| store.links_by_restart()).map(|link| link.source);
            self.launch(store, *name, source)?;
            standing.source[name.index()] = source;
        }
        for link in links {
            if standing.source[link.target.index()] != Some(link.source) {
                self.link(store, link.target, Some(link.source))?;
                standing.link(link);
            }
        }
        let mut progress = self.progress(standing);
        let mut stuck =
            self.settle(store, &progress.standing, &everybody)?.map(|who| format!("at the start, {who}"));
        for step in schedule {
            for (index, deed) in step.deeds.iter().enumerate() {
                self.do_chain(store, deed, step.deeds.get(index + 1), &mut progress)?;
            }
            progress.ledger.flow(&progress.standing);
            progress.frames.push(Frame::new(Some(step), &progress.standing, &progress.ledger));
            if let Some(wrong) = self.died(&progress.casts) {
                return Ok((Some(wrong), progress));
            }
            let lag = self.settle(store, &progress.standing, &everybody)?;
            stuck = lag.map(|who| format!("after `{step}`, {who}")).or(stuck);
        }
        let wrong = self.judge_chain(store, &progress)?;
        // A replica that lagged on the way is not stuck if it has caught up in the end.
        let last = self.settle(store, &progress.standing, &everybody)?.and(stuck);
        Ok((wrong.or(last.map(|what| Wrong::Stuck { what })), progress))
    }

    /// Does a deed. What is `next` in the same step decides with which source a replica that comes back is started.
    fn do_chain(
        &mut self,
        store: &dyn Chain,
        deed: &Deed,
        next: Option<&Deed>,
        progress: &mut Progress,
    ) -> Result<(), Trouble> {
        let Progress { standing, ledger, .. } = progress;
        match deed {
            Deed::WriteAt(at, keys) => return self.write_chain(store, *at, keys, ledger),
            Deed::WriteTo(to, keys) => {
                return to.iter().try_for_each(|at| self.write_chain(store, *at, keys, ledger));
            }
            Deed::Try(at, keys) => {
                let number = ledger.number(keys);
                let mut client = store.connect(self.nodes.seats(), at.index())?;
                Self::send(client.as_mut(), ledger, number)?;
                if client.is_acknowledged(self.watch.limit) {
                    ledger.got(*at, number);
                }
            }
            Deed::Read(_) => return Err(Trouble::Unable("reads: it promises nothing to clients that read")),
            Deed::Strike(blow, who) => {
                for victim in who {
                    self.strike(store, *blow, *victim, standing, ledger)?;
                }
            }
            Deed::Isolate(fault, but) => self.isolate(store, *fault, *but, standing, ledger)?,
            Deed::Up(who) => {
                for name in who {
                    let is_linked = self.wake(store, *name, next, standing)?;
                    self.link_followers(store, *name, is_linked, standing)?;
                }
            }
            Deed::Link(link) => {
                // Who was started with the link has it already.
                if standing.source[link.target.index()] != Some(link.source) {
                    self.link(store, link.target, Some(link.source))?;
                    standing.link(*link);
                    self.link_followers(store, link.target, true, standing)?;
                }
            }
            Deed::Copy(link) => {
                self.copy(store, *link, standing)?;
                self.link_followers(store, link.target, true, standing)?;
            }
            Deed::Agree(who) => {
                ledger.flow(standing);
                if let Some(lag) = self.settle(store, standing, who)? {
                    return Err(Trouble::NotDriven(lag));
                }
            }
            Deed::Say(who, text) => return store.say(&self.nodes.seats()[who.index()], text),
            Deed::Wait(ms) => return self.watch.rest(Duration::from_millis((*ms).into())),
            Deed::Spread(_) | Deed::Lead(_) => return Err(Trouble::Unable("an elected leader")),
            Deed::Data(_) => return Err(Trouble::Unable("edits of a data type")),
        }
        Ok(())
    }

    fn write_chain(
        &mut self,
        store: &dyn Chain,
        at: Replica,
        keys: &[String],
        ledger: &mut Ledger,
    ) -> Result<(), Trouble> {
        let number = ledger.number(keys);
        let mut client = store.connect(self.nodes.seats(), at.index())?;
        Self::send(client.as_mut(), ledger, number)?;
        ledger.got(at, number);
        if client.is_acknowledged(self.watch.limit) {
            return Ok(());
        }
        Err(Trouble::NotDriven(format!("{at} did not acknowledge write {number}")))
    }

    fn launch(&mut self, store: &dyn Chain, name: Replica, source: Option<Replica>) -> Result<(), Trouble> {
        if let Some(source) = source {
            store.ready_source(self.nodes.seats(), source.index())?;
        }
        let command = store.command(self.nodes.seats(), name.index(), source.map(Replica::index));
        self.nodes.start(name.index(), command)?;
        let seat = &self.nodes.seats()[name.index()];
        let ready = self.watch.until(|| store.is_ready(seat).then_some(()))?;
        ready.ok_or_else(|| Trouble::NotDriven(format!("{name} does not answer after its start")))
    }

    fn link(&mut self, store: &dyn Chain, target: Replica, source: Option<Replica>) -> Result<(), Trouble> {
        if source.is_some() && store.links_by_restart() {
            self.nodes.signal(target.index(), Signal::TERM);
            return self.launch(store, target, source);
        }
        let seats = self.nodes.seats();
        store.link(&seats[target.index()], source.map(|source| &seats[source.index()]))
    }

    /// Links those that copy a replica to it again, and so on, if the store needs that when the replica itself was linked.
    /// If it was not, only those that are overdue are.
    fn link_followers(
        &mut self,
        store: &dyn Chain,
        of: Replica,
        is_linked: bool,
        standing: &mut Standing,
    ) -> Result<(), Trouble> {
        if !store.links_by_restart() {
            return Ok(());
        }
        for name in standing.names() {
            if standing.source[name.index()] != Some(of) {
                continue;
            }
            let was_overdue = standing.overdue.contains(&name);
            if standing.running_source(name).is_none() {
                standing.overdue.push(name);
            } else if is_linked || was_overdue {
                standing.overdue.retain(|other| *other != name);
                self.link(store, name, Some(of))?;
                self.link_followers(store, name, true, standing)?;
            }
        }
        Ok(())
    }

    fn strike(
        &mut self,
        store: &dyn Chain,
        blow: Blow,
        victim: Replica,
        standing: &mut Standing,
        ledger: &mut Ledger,
    ) -> Result<(), Trouble> {
        match blow {
            Blow::Cut => {
                self.link(store, victim, None)?;
                standing.source[victim.index()] = None;
                return Ok(());
            }
            Blow::Pause => {
                self.nodes.pause(victim.index());
                standing.set(&[victim], Status::Paused);
                return Ok(());
            }
            Blow::Crash | Blow::Kill | Blow::Stop => {}
        }
        let how = match blow {
            Blow::Kill => Crash::Kill,
            Blow::Stop => Crash::Stop,
            _ => self.options.crash,
        };
        if blow == Blow::Crash {
            // In the model a crash keeps what was stored, so it has to be stored first.
            store.save(&self.nodes.seats()[victim.index()])?;
        }
        self.nodes.signal(victim.index(), if how == Crash::Stop { Signal::TERM } else { Signal::KILL });
        standing.set(&[victim], Status::Down);
        if how == Crash::Decommission {
            store.clean_up(&self.nodes.seats()[victim.index()]);
            self.nodes.wipe(victim.index())?;
            ledger.forget(victim);
        }
        Ok(())
    }

    /// Makes all replicas fail but one, and removes all links. By a cut, everybody runs by himself.
    fn isolate(
        &mut self,
        store: &dyn Chain,
        fault: Fault,
        but: Replica,
        standing: &mut Standing,
        ledger: &mut Ledger,
    ) -> Result<(), Trouble> {
        for name in standing.names() {
            let keeps_running = name == but || fault == Fault::Cut;
            match (standing.of(name), keeps_running) {
                (Status::Up, false) => {
                    let blow = if fault == Fault::Pause { Blow::Pause } else { Blow::Crash };
                    self.strike(store, blow, name, standing, ledger)?;
                }
                (Status::Paused, true) => self.nodes.signal(name.index(), Signal::CONT),
                (Status::Down, true) => self.launch(store, name, None)?,
                _ => {}
            }
            if keeps_running {
                standing.set(&[name], Status::Up);
                if standing.source[name.index()].is_some() {
                    self.link(store, name, None)?;
                }
            }
            standing.source[name.index()] = None;
        }
        Ok(())
    }

    /// Starts a replica on a copy of another one's snapshot.
    fn copy(&mut self, store: &dyn Chain, link: Link, standing: &mut Standing) -> Result<(), Trouble> {
        let Link { target, source } = link;
        self.nodes.signal(target.index(), Signal::KILL);
        let seats = self.nodes.seats();
        store.copy(&seats[target.index()], &seats[source.index()])?;
        standing.set(&[target], Status::Up);
        standing.link(link);
        self.launch(store, target, Some(source))
    }

    /// Brings a replica back. If it is linked next, it is started with that link; if it is to start on a copy, that
    /// starts it. Returns whether it was linked.
    fn wake(
        &mut self,
        store: &dyn Chain,
        who: Replica,
        next: Option<&Deed>,
        standing: &mut Standing,
    ) -> Result<bool, Trouble> {
        let source = match next {
            Some(Deed::Copy(link)) if link.target == who => return Ok(false),
            Some(Deed::Link(link)) if link.target == who => Some(link.source),
            _ => standing.source[who.index()],
        };
        let status = standing.of(who);
        standing.set(&[who], Status::Up);
        match status {
            Status::Up | Status::Cut => return Ok(false),
            Status::Down => {
                self.launch(store, who, source)?;
                standing.source[who.index()] = source;
                standing.overdue.retain(|other| *other != who);
                if source.is_some() && standing.running_source(who).is_none() {
                    standing.overdue.push(who);
                }
                return Ok(source.is_some());
            }
            Status::Paused => {
                self.nodes.signal(who.index(), Signal::CONT);
                let seat = &self.nodes.seats()[who.index()];
                let ready = self.watch.until(|| store.is_ready(seat).then_some(()))?;
                ready.ok_or_else(|| {
                    Trouble::NotDriven(format!("{who} does not answer after it was resumed"))
                })?;
            }
        }
        let is_overdue = standing.overdue.contains(&who) && standing.running_source(who).is_some();
        // A link to another source comes next.
        if is_overdue && standing.source[who.index()] == source {
            standing.overdue.retain(|other| *other != who);
            self.link(store, who, source)?;
        }
        Ok(is_overdue)
    }

    /// Waits until each of these replicas has what its source has, where both run. Otherwise returns which one has not.
    fn settle(
        &mut self,
        store: &dyn Chain,
        standing: &Standing,
        who: &[Replica],
    ) -> Result<Option<String>, Trouble> {
        for name in who.iter().copied() {
            let Some(source) = standing.running_source(name) else { continue };
            let seats = self.nodes.seats();
            let (target, from) = (&seats[name.index()], &seats[source.index()]);
            if self.watch.until(|| store.is_in_sync(target, from).then_some(()))?.is_none() {
                return Ok(Some(format!("{name} did not get in sync with {source}")));
            }
        }
        Ok(None)
    }

    fn judge_chain(&mut self, store: &dyn Chain, progress: &Progress) -> Result<Option<Wrong>, Trouble> {
        let Progress { standing, .. } = progress;
        if let Some(absent) = standing.names().find(|name| !standing.is_up(*name)) {
            let what = format!("the schedule ends while {absent} is away; a model's Done has everybody up");
            return Err(Trouble::NotDriven(what));
        }
        let root = standing.names().find(|name| standing.source[name.index()].is_none());
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
