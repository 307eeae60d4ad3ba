//! Makes a system of processes, as its configuration describes it.

use std::path::Path;

use kilter_explore::Processes;
use kilter_explore::config::Config;
use kilter_explore::outcome::{Explorable, Made};
use kilter_explore::processes::Manners;
use kilter_system::System;
use kilter_testbed::{Agent, Cluster, Interrupt, NodeName};

use super::error::BadSystem;
use super::properties::{Formulas, Properties};
use crate::heard::{Heard, Overheard};
use crate::setup::setup;

/// Where what nodes leave behind is kept.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Kept<'k> {
    /// Where their files go.
    pub(super) files: Option<&'k Path>,
    /// The folder of the run, for logs.
    pub(super) logs: Option<&'k Path>,
}

/// The system; `folder` is where the configuration is. What its nodes offer is heard.
pub(super) fn system(
    config: &Config,
    folder: &Path,
    agent: Option<Agent>,
    heard: &Heard,
    kept: Kept<'_>,
    interrupt: Option<&Interrupt>,
) -> Result<Box<dyn Explorable>, BadSystem> {
    let nodes = config.system.nodes();
    if nodes.is_empty() {
        return Err(BadSystem::NoNodes);
    }
    let written = &config.properties;
    let formulas =
        Formulas { variables: &written.variables, safety: &written.safety, goal: written.goal.as_deref() };
    let properties = Properties::new(nodes, &formulas)?;
    let (keep, logs) = (kept.files.map(Path::to_path_buf), kept.logs.map(Path::to_path_buf));
    let manners = Manners { sight: properties.sight.clone(), keep, logs, ..manners(&config.system)? };
    let setup = setup(&config.system, folder, agent, interrupt);
    let names: Vec<NodeName> = setup.nodes.clone();
    let heard = heard.clone();
    Ok(Box::new(Made(move || {
        let world = Overheard::new(Cluster::new(setup.clone()), heard.clone());
        Processes::new(world, names.clone(), manners.clone(), properties.judge())
    })))
}

fn manners(system: &System) -> Result<Manners, BadSystem> {
    let mut requests = Vec::new();
    for request in &system.requests {
        let node = system.nodes().iter().position(|name| *name == request.node);
        let node = node.ok_or_else(|| BadSystem::NoSuchNode { name: request.node.clone() })?;
        requests.push((node, request.action.clone(), request.args.clone()));
    }
    Ok(Manners {
        timers: system.timers.clone(),
        storage: system.storage.clone(),
        never: system.never.clone(),
        at_once: system.at_once.clone(),
        in_order: system.in_order,
        recover: system.recover,
        patient: system.patient,
        disk_error: system.disk_error.clone(),
        complete: system.complete,
        requests,
        role: system.role.clone(),
        ..Manners::default()
    })
}
