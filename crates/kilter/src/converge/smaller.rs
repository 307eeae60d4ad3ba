//! Smaller schedules of a model: with steps or writes removed, as far as the rest is a schedule of the model, perhaps one
//! with fewer writes.

use std::collections::BTreeMap;
use std::path::PathBuf;

use kilter_converge::config::ModelSource;
use kilter_converge::shrink::Smaller;
use kilter_converge::step::{DataDeed, Deed, Step};

use super::model::Model;
use super::schedules::find;

/// A model in several sizes, each made when it is needed.
pub(crate) struct Family {
    source: ModelSource,
    folder: PathBuf,
    models: BTreeMap<Option<u8>, Option<Model>>,
}

impl Family {
    /// The sizes of a model, whose files are in `folder`.
    pub(crate) fn new(source: ModelSource, folder: PathBuf) -> Self {
        Self { source, folder, models: BTreeMap::new() }
    }

    fn model(&mut self, ops: Option<u8>) -> Option<&mut Model> {
        let Family { source, folder, models } = self;
        let load = || Model::load(&ModelSource { ops, ..source.clone() }, folder).ok();
        models.entry(ops).or_insert_with(load).as_mut()
    }

    /// The smaller schedules, the smallest first.
    pub(crate) fn smaller(&mut self, schedule: &[Step]) -> Vec<Smaller> {
        let mut found: Vec<Smaller> = Vec::new();
        for (words, n_writes) in candidates(schedule) {
            for ops in sizes(self.source.ops, n_writes) {
                let Some(model) = self.model(ops) else { continue };
                if let Ok(Ok(schedule)) = find(model, &words) {
                    found.push(Smaller { schedule, ops });
                    break;
                }
            }
        }
        found.sort_by_key(|smaller| (smaller.schedule.len(), smaller.ops));
        found.dedup();
        found
    }
}

/// The numbers of writes with which a model may have a schedule: as many as it has, or as many as the model had.
fn sizes(ops: Option<u8>, n_writes: u8) -> Vec<Option<u8>> {
    let mut sizes = vec![ops];
    if ops.is_some_and(|ops| n_writes < ops) && n_writes > 0 {
        sizes.insert(0, Some(n_writes));
    }
    sizes
}

/// Words that may be a smaller schedule, each list with its number of writes.
fn candidates(schedule: &[Step]) -> Vec<(Vec<String>, u8)> {
    let mut found = Vec::new();
    let mut add = |steps: Vec<&Step>| {
        let n_writes = steps.iter().map(|step| step.writes()).sum();
        found.push((steps.iter().map(ToString::to_string).collect(), n_writes));
    };
    for length in (1..schedule.len()).rev() {
        for start in 0..=schedule.len() - length {
            add(schedule[..start].iter().chain(&schedule[start + length..]).collect());
        }
    }
    for first in 0..schedule.len() {
        for second in first + 2..schedule.len() {
            let kept = schedule.iter().enumerate().filter(|(index, _)| *index != first && *index != second);
            add(kept.map(|(_, step)| step).collect());
        }
    }
    for steps in without_edits(schedule) {
        add(steps.iter().collect());
    }
    for (index, step) in schedule.iter().enumerate() {
        for fewer in with_fewer_writes(step) {
            let (before, after) = (&schedule[..index], &schedule[index + 1..]);
            add(before.iter().chain([&fewer]).chain(after).collect());
        }
    }
    found
}

/// Schedules of a data type without one of the edits, and without the updates that it made. Later edits move up.
fn without_edits(schedule: &[Step]) -> Vec<Vec<Step>> {
    let n_edits: u32 = schedule.iter().map(|step| u32::from(step.writes())).sum();
    let is_data = |step: &Step| step.deeds.iter().any(|deed| matches!(deed, Deed::Data(_)));
    if !schedule.iter().any(is_data) {
        return Vec::new();
    }
    (1..=n_edits).map(|gone| without_edit(schedule, gone)).collect()
}

fn without_edit(schedule: &[Step], gone: u32) -> Vec<Step> {
    let mut number = 0;
    let mut kept = Vec::new();
    for step in schedule {
        let mut deeds = Vec::new();
        for deed in &step.deeds {
            number += u32::from(deed.writes());
            match deed {
                Deed::Data(DataDeed::Edit(..)) if number == gone => {}
                Deed::Data(DataDeed::Deliver(_, of)) if *of == gone => {}
                Deed::Data(DataDeed::Deliver(to, of)) if *of > gone => {
                    deeds.push(Deed::Data(DataDeed::Deliver(*to, of - 1)));
                }
                other => deeds.push(other.clone()),
            }
        }
        if !deeds.is_empty() || step.deeds.is_empty() {
            kept.push(Step::new(step.action.clone(), deeds));
        }
    }
    kept
}

/// Steps with one write less, of one that spreads several.
fn with_fewer_writes(step: &Step) -> Vec<Step> {
    let [Deed::Spread(received)] = &step.deeds[..] else { return Vec::new() };
    let fewer =
        |keep: u8| received.iter().map(|got| got.map(|got| if got > keep { got - 1 } else { got })).collect();
    let most = step.writes();
    (0..most).map(|keep| Step::new(step.action.clone(), vec![Deed::Spread(fewer(keep))])).collect()
}
