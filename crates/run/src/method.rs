//! What a method has to say: what its cases are, and how one is played.

use std::collections::BTreeSet;

use crate::control::Control;
use crate::outcome::Tally;
use crate::played::{Found, Played, Stop};
use crate::record::{Finding, Group};

/// A way of testing.
pub trait Method: Sync {
    /// What is played.
    type Case: Send + Sync;
    /// What a case has shown, in the method's own terms: enough to look for it again.
    type Discovery: Clone + Send + Sync;

    /// What tells a case apart, in this run and in every other.
    fn id<'c>(&self, case: &'c Self::Case) -> &'c str;

    /// Makes a system and a player for it, and lets `work` have it. Called once by each job, in its own thread.
    fn with_player(&self, work: &mut dyn FnMut(&mut dyn Player<Self>)) -> Result<(), Stop>;

    /// Of how many findings of one group each is looked at again.
    fn looked_at_again_max(&self) -> usize {
        3
    }

    /// What else people should know at the end.
    fn remarks(&self, _tally: &Tally) -> Vec<String> {
        Vec::new()
    }

    /// Adds to a group what only the method knows.
    fn comment(&self, _group: &mut Group, _seen: &Seen<'_>) {}
}

/// What the findings of a group have in common, and what was covered besides.
#[derive(Clone, Copy, Debug)]
pub struct Seen<'s> {
    /// The one with the shortest way.
    pub example: &'s Finding,
    /// Where they are to be blamed.
    pub failed: &'s BTreeSet<Option<u64>>,
    /// What cases have covered, by number; what is beyond the end was not.
    pub covered: &'s [bool],
    /// Whether one of them did not come again.
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

    /// Plays a case again that has shown something: what is known then, whether it showed again and perhaps a shorter way to it.
    fn look_again(
        &mut self,
        case: &M::Case,
        found: &Found<M::Discovery>,
    ) -> Result<Found<M::Discovery>, Stop>;

    /// Looks for a shorter way to what a group is about, when all cases have been played. `first` is what the group has shown first,
    /// `shortest` what has the shortest way so far.
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
