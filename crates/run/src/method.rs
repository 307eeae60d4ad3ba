//! What a method provides: its cases, and how one is played.

use std::collections::BTreeSet;

use crate::control::Control;
use crate::outcome::Tally;
use crate::played::{Found, Played, Stop};
use crate::record::{Event, Finding, Further, Group};

/// A way of testing.
pub trait Method: Sync {
    /// A case, which is the unit that is played.
    type Case: Clone + Send + Sync;
    /// What a case has shown, in the method's own terms. It must be enough to look for it again.
    type Discovery: Clone + Send + Sync;

    /// The id of a case, which is the same in every run.
    fn id<'c>(&self, case: &'c Self::Case) -> &'c str;

    /// Makes a system and a player for it, and calls `work` with the player. Called once by each job, in its own
    /// thread.
    fn with_player(&self, work: &mut dyn FnMut(&mut dyn Player<Self>)) -> Result<(), Stop>;

    /// The number of findings of one group that are checked again.
    fn looked_at_again_max(&self) -> usize {
        3
    }

    /// Whether [`Method::more`] may plan further cases.
    fn plans_more(&self) -> bool {
        false
    }

    /// Plans further cases. Called whenever all cases have ended, until there are no more.
    fn more(&self, _so_far: &SoFar<'_>) -> More<Self::Case> {
        More { cases: Vec::new(), event: None }
    }

    /// A case as it is written down for others who play it.
    fn further(&self, case: &Self::Case) -> Further {
        Further { id: self.id(case).to_owned(), edges: Vec::new() }
    }

    /// A case that was written down. `None` if it is none of this method.
    fn again(&self, _further: &Further) -> Option<Self::Case> {
        None
    }

    /// Remarks for people at the end of the run.
    fn remarks(&self, _tally: &Tally) -> Vec<String> {
        Vec::new()
    }

    /// Adds to a group what only the method knows.
    fn comment(&self, _group: &mut Group, _seen: &Seen<'_>) {}
}

/// What is known when all cases have ended.
#[derive(Clone, Copy, Debug)]
pub struct SoFar<'s> {
    /// What cases have covered, by number. Numbers beyond the end were not covered.
    pub covered: &'s [bool],
    /// The places that are to blame for findings. Findings that did not come again blame none.
    pub failed: &'s BTreeSet<u64>,
}

/// Further cases.
#[derive(Debug)]
pub struct More<C> {
    /// The cases. Empty if there is nothing more to do.
    pub cases: Vec<C>,
    /// What the record says about them.
    pub event: Option<Event>,
}

/// What the findings of a group have in common, and what was covered.
#[derive(Clone, Copy, Debug)]
pub struct Seen<'s> {
    /// The finding with the shortest path.
    pub example: &'s Finding,
    /// The places that are to blame for the findings.
    pub failed: &'s BTreeSet<Option<u64>>,
    /// What cases have covered, by number. Numbers beyond the end were not covered.
    pub covered: &'s [bool],
    /// Whether one of the findings did not come again.
    pub is_unstable: bool,
}

/// Plays cases on one system, one after the other.
pub trait Player<M: Method + ?Sized> {
    /// Plays a case.
    fn play(
        &mut self,
        case: &M::Case,
        control: &Control<'_, M::Discovery>,
    ) -> Result<Played<M::Discovery>, Stop>;

    /// Plays a case again that has shown something. Returns the finding, with whether it came again and perhaps a
    /// shorter path to it.
    fn look_again(
        &mut self,
        case: &M::Case,
        found: &Found<M::Discovery>,
        control: &Control<'_, M::Discovery>,
    ) -> Result<Found<M::Discovery>, Stop>;

    /// Searches a shorter path to the finding of a group, when all cases have been played. `first` is the first finding
    /// of the group, `shortest` the one with the shortest path so far.
    fn shorten(
        &mut self,
        _first: &Found<M::Discovery>,
        _shortest: &Found<M::Discovery>,
        _covered: &[bool],
        _control: &Control<'_, M::Discovery>,
    ) -> Result<Option<Found<M::Discovery>>, Stop> {
        Ok(None)
    }
}
