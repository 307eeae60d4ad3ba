//! Plays schedules on a replicated data type that is linked into this program.

use std::path::PathBuf;
use std::sync::atomic::AtomicUsize;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use kilter_converge::datatype::method::batch;
use kilter_converge::datatype::{DataCase, DataTypes};
use kilter_run::lock::Lock;

use super::schedules::Schedules;
use super::smaller::Family;
use super::{
    ConvergeOptions, Prepared, about, chosen, folder_of, given, more, numbers, run_folder, schedules,
};
use crate::error::{Context as _, Tried};
use crate::host::Host;
use crate::run::{Ran, Run};
use crate::shell::quoted;

/// Plays the schedules of a model on the data type that the configuration names.
pub(super) fn run(args: &ConvergeOptions, prepared: &Prepared, host: &mut Host) -> Tried<Ran> {
    let Prepared { config, model: source, .. } = prepared;
    if args.guided {
        return Err("--guided is for stores that write of resynchronisations; use --seed".into());
    }
    config.check_data().with_context(|| args.config.display().to_string())?;
    let data = host.worlds.data_type(&config.system)?;
    args.run.check_keep(&config.system, host)?;
    let begun = Instant::now();
    let mut schedules = schedules(args, config, source, begun)?;
    let total = schedules.count()?;
    if total == u64::MAX {
        return Err("the model has more schedules than can be numbered; make it smaller".into());
    }
    host.watch.say(&format!("{total} schedules\n"));
    let family = Mutex::new(Family::new(source.clone(), folder_of(&args.config).to_path_buf()));
    let program = host.program.clone();
    let method = DataTypes {
        about: about(source).replace("writes", "edits"),
        replicas: source.replicas,
        ops: source.ops,
        data: &*data,
        smaller: &|schedule| family.lock().unwrap_or_else(PoisonError::into_inner).smaller(schedule),
        repeat: &|schedule, ops| repeat_line(&program, args, schedule, ops),
        shrink: args.shrink,
        n_shrunk: AtomicUsize::new(0),
    };
    let mut ran = play(args, prepared, &method, (run_folder(args), schedules, total), begun, host)?;
    ran.more = more(&ran, total);
    Ok(ran)
}

fn play(
    args: &ConvergeOptions,
    prepared: &Prepared,
    method: &DataTypes<'_>,
    (folder, mut schedules, total): (PathBuf, Schedules, u64),
    begun: Instant,
    host: &mut Host,
) -> Tried<Ran> {
    let _lock = Lock::folder(&folder, "--report")?;
    let cases = cases(args, &mut schedules, total)?;
    let run = prepared.identity.clone();
    let mut header = method.header(&args.config.display().to_string(), run, cases.len() as u64);
    header.only = chosen(args, &prepared.config, cases.len(), total);
    let batch = batch(cases.len(), args.run.jobs.into());
    let warnings = Box::new(Vec::new);
    Run { method, cases, header, first: Vec::new(), choose: None, batch, folder, warnings, begun }
        .run(&args.run, host)
}

/// The cases to play.
fn cases(args: &ConvergeOptions, generator: &mut Schedules, total: u64) -> Tried<Vec<DataCase>> {
    if !args.schedule.is_empty() {
        let given = given(args, &mut generator.model)?.into_iter();
        let shared = given.map(|(number, steps)| {
            let schedule = steps.into_iter().map(Into::into).collect();
            DataCase { id: number.to_string(), number, schedule }
        });
        return Ok(shared.collect());
    }
    let numbers: Box<dyn Iterator<Item = u64>> = match &args.run.case {
        Some(id) => {
            let number = id.parse().ok().filter(|number| *number < total);
            let known = "those that there are, `--list` shows in their order, from 0";
            Box::new(std::iter::once(number.with_context(|| format!("there is no case {id}; {known}"))?))
        }
        None => numbers(args, total),
    };
    let mut cases = Vec::new();
    for number in numbers {
        let case = |schedule| DataCase { id: number.to_string(), number, schedule };
        cases.extend(generator.get_shared(number)?.map(case));
    }
    let text = |case: &DataCase| {
        let words: Vec<String> = case.schedule.iter().map(ToString::to_string).collect();
        words.join(" ")
    };
    Ok(args.run.wanted(cases, text)?)
}

/// The command line that repeats a schedule of the model with so many edits.
fn repeat_line(program: &str, args: &ConvergeOptions, schedule: &str, ops: Option<u8>) -> String {
    let mut words = vec![format!("{program} converge {}", quoted(&args.config))];
    words.extend(args.replicas.map(|n| format!("--replicas {n}")));
    words.extend(ops.map(|ops| format!("--ops {ops}")));
    words.push(format!("--schedule '{schedule}'"));
    words.join(" ")
}
