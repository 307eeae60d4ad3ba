//! Which part of a run this machine plays, by what started the machine: Kubernetes, Slurm and the like number their machines in the environment.

use kilter_run::Shard;

/// How a scheduler of jobs numbers its machines.
struct Scheduler {
    name: &'static str,
    /// The variable with the number of this machine.
    index: &'static str,
    /// The variable with the number of the first machine, and that number where there is no such variable.
    first: (Option<&'static str>, u64),
    /// The variable with the number of machines. Some schedulers do not tell it.
    machines: Option<&'static str>,
}

const SCHEDULERS: [Scheduler; 8] = [
    Scheduler {
        name: "Slurm",
        index: "SLURM_ARRAY_TASK_ID",
        first: (Some("SLURM_ARRAY_TASK_MIN"), 0),
        machines: Some("SLURM_ARRAY_TASK_COUNT"),
    },
    Scheduler { name: "GitLab", index: "CI_NODE_INDEX", first: (None, 1), machines: Some("CI_NODE_TOTAL") },
    Scheduler {
        name: "CircleCI",
        index: "CIRCLE_NODE_INDEX",
        first: (None, 0),
        machines: Some("CIRCLE_NODE_TOTAL"),
    },
    Scheduler {
        name: "Buildkite",
        index: "BUILDKITE_PARALLEL_JOB",
        first: (None, 0),
        machines: Some("BUILDKITE_PARALLEL_JOB_COUNT"),
    },
    Scheduler {
        name: "Azure Pipelines",
        index: "SYSTEM_JOBPOSITIONINPHASE",
        first: (None, 1),
        machines: Some("SYSTEM_TOTALJOBSINPHASE"),
    },
    Scheduler { name: "Kubernetes", index: "JOB_COMPLETION_INDEX", first: (None, 0), machines: None },
    Scheduler { name: "AWS Batch", index: "AWS_BATCH_JOB_ARRAY_INDEX", first: (None, 0), machines: None },
    Scheduler {
        name: "Google Cloud Batch",
        index: "BATCH_TASK_INDEX",
        first: (None, 0),
        machines: Some("BATCH_TASK_COUNT"),
    },
];

/// Reads `2/4`, or `auto` or `auto/4` for the part that the environment says.
pub(super) fn shard(text: &str) -> Result<Shard, String> {
    read(text, |name| std::env::var(name).ok().filter(|value| !value.is_empty()))
}

fn read(text: &str, env: impl Fn(&str) -> Option<String>) -> Result<Shard, String> {
    let Some(rest) = text.strip_prefix("auto") else {
        return text
            .parse()
            .map_err(|error: kilter_run::shard::NoShard| format!("{error}, or auto, or auto/4"));
    };
    let given = match rest.strip_prefix('/') {
        Some(parts) => {
            Some(parts.parse().map_err(|_| format!("`{parts}` is no number of machines; write auto/4"))?)
        }
        None if rest.is_empty() => None,
        None => return Err("it should be K/N with K from 1 to N, such as 2/4, or auto, or auto/4".to_owned()),
    };
    let Some((scheduler, index)) = SCHEDULERS.iter().find_map(|one| Some((one, env(one.index)?))) else {
        let names: Vec<&str> = SCHEDULERS.iter().map(|one| one.index).collect();
        return Err(format!("no machine is numbered here: none of {} is set", names.join(", ")));
    };
    let number = |name: &str, value: String| {
        value
            .parse::<u64>()
            .map_err(|_| format!("{name}, which {} sets, is `{value}`, which is no number", scheduler.name))
    };
    let index = number(scheduler.index, index)?;
    // `--array=0-8:2` of Slurm has machines 0, 2, 4, 6 and 8.
    let step = match env("SLURM_ARRAY_TASK_STEP").filter(|_| scheduler.name == "Slurm") {
        Some(value) => number("SLURM_ARRAY_TASK_STEP", value)?.max(1),
        None => 1,
    };
    let first = match scheduler.first {
        (Some(name), usual) => env(name).map_or(Ok(usual), |value| number(name, value))?,
        (None, first) => first,
    };
    let told = match scheduler.machines.and_then(|name| Some((name, env(name)?))) {
        Some((name, value)) => Some(number(name, value)?),
        None => None,
    };
    if let Some(((parts, told), name)) = given.zip(told).zip(scheduler.machines)
        && parts != told
    {
        return Err(format!(
            "auto/{parts} says that there are {parts} machines, and {name}, which {} sets, says {told}; write auto, or as many as there are",
            scheduler.name
        ));
    }
    let Some(parts) = given.or(told) else {
        return Err(format!(
            "{} does not say how many machines there are; write auto/4 for four",
            scheduler.name
        ));
    };
    let part = index.checked_sub(first).map(|index| index / step + 1).filter(|part| *part <= parts);
    part.map(|part| Shard { part, parts }).ok_or_else(|| {
        format!("{} is {index}, and there are {parts} machines, numbered from {first}", scheduler.index)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shard(text: &str, env: &[(&str, &str)]) -> Result<String, String> {
        let env = |name: &str| env.iter().find(|(one, _)| *one == name).map(|(_, value)| (*value).to_owned());
        read(text, env).map(|shard| shard.to_string())
    }

    #[test]
    fn schedulers_number_their_machines() {
        let slurm = |id| {
            let count = [("SLURM_ARRAY_TASK_COUNT", "4"), ("SLURM_ARRAY_TASK_MIN", "10")];
            shard("auto", &[&count[..], &[("SLURM_ARRAY_TASK_ID", id)]].concat())
        };
        assert_eq!([slurm("10"), slurm("13")], [Ok("1/4".to_owned()), Ok("4/4".to_owned())]);
        let by_twos =
            [("SLURM_ARRAY_TASK_STEP", "2"), ("SLURM_ARRAY_TASK_COUNT", "5"), ("SLURM_ARRAY_TASK_ID", "8")];
        assert_eq!(shard("auto", &by_twos), Ok("5/5".to_owned()));
        let gitlab = [("CI_NODE_INDEX", "2"), ("CI_NODE_TOTAL", "2")];
        assert_eq!(shard("auto", &gitlab), Ok("2/2".to_owned()));
        let kubernetes = [("JOB_COMPLETION_INDEX", "0")];
        assert_eq!(shard("auto/3", &kubernetes), Ok("1/3".to_owned()));
        assert_eq!(shard("2/4", &kubernetes), Ok("2/4".to_owned()));
        assert_eq!(shard("auto/2", &gitlab), Ok("2/2".to_owned()));
    }

    #[test]
    fn a_machine_without_a_part_is_told() {
        let says = |text: &str, env: &[(&str, &str)], part: &str| {
            let error = shard(text, env).expect_err("it is wrong");
            assert!(error.contains(part), "{error}");
        };
        says("auto", &[], "none of SLURM_ARRAY_TASK_ID, CI_NODE_INDEX");
        says("auto", &[("JOB_COMPLETION_INDEX", "0")], "Kubernetes does not say how many machines there are");
        says(
            "auto/3",
            &[("JOB_COMPLETION_INDEX", "3")],
            "JOB_COMPLETION_INDEX is 3, and there are 3 machines, numbered from 0",
        );
        says("auto/x", &[("JOB_COMPLETION_INDEX", "3")], "`x` is no number of machines");
        says("auto/2", &[("CI_NODE_INDEX", "0")], "numbered from 1");
        let slurm = [("SLURM_ARRAY_TASK_ID", "1"), ("SLURM_ARRAY_TASK_COUNT", "8")];
        let both =
            "auto/4 says that there are 4 machines, and SLURM_ARRAY_TASK_COUNT, which Slurm sets, says 8";
        says("auto/4", &slurm, both);
        says("auto", &[("CI_NODE_INDEX", "one")], "CI_NODE_INDEX, which GitLab sets, is `one`");
        says("automatic", &[], "such as 2/4, or auto");
        says("5/4", &[], "K/N with K from 1 to N");
    }
}
