//! A system of processes, as its configuration describes it.

use std::path::Path;

use kilter_explore::Processes;
use kilter_explore::config::{Config, System};
use kilter_explore::outcome::{Explorable, Made};
use kilter_explore::processes::Manners;
use kilter_testbed::{Cluster, NodeName, Setup};

use super::error::BadSystem;
use super::heard::{Heard, Overheard};
use super::properties::{Formulas, Properties};

/// The system; `folder` is where the configuration is. What its nodes offer is heard.
pub(super) fn system(
    config: &Config,
    folder: &Path,
    heard: &Heard,
) -> Result<Box<dyn Explorable>, BadSystem> {
    let System { nodes, .. } = &config.system;
    if nodes.is_empty() {
        return Err(BadSystem::NoNodes);
    }
    let written = &config.properties;
    let formulas =
        Formulas { variables: &written.variables, safety: &written.safety, goal: written.goal.as_deref() };
    let properties = Properties::new(nodes, &formulas)?;
    let manners = Manners { sight: properties.sight.clone(), ..manners(&config.system)? };
    let setup = setup(&config.system, folder);
    let names: Vec<NodeName> = setup.nodes.clone();
    let heard = heard.clone();
    Ok(Box::new(Made(move || {
        let world = Overheard::new(Cluster::new(setup.clone()), heard.clone());
        Processes::new(world, names.clone(), manners.clone(), properties.judge())
    })))
}

fn setup(system: &System, folder: &Path) -> Setup {
    Setup {
        env: system.env.iter().map(|(name, value)| (name.clone(), value.clone())).collect(),
        dir: std::path::absolute(folder).unwrap_or_else(|_| folder.to_path_buf()),
        reset: system.reset.clone(),
        ..Setup::new(system.nodes.iter().map(String::as_str), system.command.iter().map(String::as_str))
    }
}

fn manners(system: &System) -> Result<Manners, BadSystem> {
    let mut requests = Vec::new();
    for request in &system.requests {
        let node = system.nodes.iter().position(|name| *name == request.node);
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
