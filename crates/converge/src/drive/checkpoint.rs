//! Checkpoints: once all replicas have crashed, a quorum system consists only of its files, and schedules with the same
//! beginning continue from there.

use std::fs;
use std::path::PathBuf;

use kilter_testbed::remains::copy_dir;

use super::{Player, Progress, sums};
use crate::step::Step;
use crate::trouble::Trouble;

/// The files of all replicas after some steps.
pub struct Checkpoint {
    steps: Vec<Step>,
    progress: Progress,
    dir: PathBuf,
}

impl Player<'_> {
    /// Removes all checkpoints, so that the next schedule starts at its beginning.
    pub fn forget(&mut self) -> Result<(), Trouble> {
        while let Some(checkpoint) = self.checkpoints.pop() {
            fs::remove_dir_all(&checkpoint.dir).map_err(Trouble::own("removing old files of nodes"))?;
        }
        Ok(())
    }

    /// Makes a checkpoint of the nodes' files.
    pub(super) fn keep(&mut self, steps: &[Step], progress: &Progress) -> Result<(), Trouble> {
        if !self.options.checkpoints {
            return Ok(());
        }
        let dir = self.nodes.aside(&format!("checkpoint{}", self.checkpoints.len()));
        for seat in self.nodes.seats() {
            let copied = copy_dir(&seat.dir, &dir.join(seat.index.to_string()));
            copied.map_err(Trouble::own("keeping the nodes' files"))?;
        }
        let mut progress = progress.clone();
        progress.seen_before = sums(self.seen(), &progress.seen_before);
        self.checkpoints.push(Checkpoint { steps: steps.to_vec(), progress, dir });
        Ok(())
    }

    /// Puts back the files of the longest beginning that this schedule shares with the last ones.
    pub(super) fn restore(&mut self, schedule: &[Step]) -> Result<Option<(usize, Progress)>, Trouble> {
        while let Some(checkpoint) = self.checkpoints.pop_if(|last| !schedule.starts_with(&last.steps)) {
            fs::remove_dir_all(&checkpoint.dir).map_err(Trouble::own("removing old files of nodes"))?;
        }
        let Some(last) = self.checkpoints.last() else { return Ok(None) };
        for seat in self.nodes.seats() {
            let copied = copy_dir(&last.dir.join(seat.index.to_string()), &seat.dir);
            copied.map_err(Trouble::own("putting the nodes' files back"))?;
        }
        Ok(Some((last.steps.len(), last.progress.clone())))
    }
}
