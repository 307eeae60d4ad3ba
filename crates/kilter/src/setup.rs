//! The processes of a system, as `[system]` describes them.

use std::path::Path;
use std::time::Duration;

use kilter_system::System;
use kilter_testbed::{Agent, Interrupt, Lives, Setup};

/// How long to wait for a node that does not say whether it waits, if nobody says.
const PATIENCE: Duration = Duration::from_secs(2);
/// How long to wait for nodes to connect, if nobody says.
const START_PATIENCE: Duration = Duration::from_secs(10);

/// What a testbed needs to start the nodes; `folder` is where the configuration is.
pub(crate) fn setup(
    system: &System,
    folder: &Path,
    agent: Option<Agent>,
    interrupt: Option<&Interrupt>,
) -> Setup {
    Setup {
        agent,
        env: system.env().map(|(name, value)| (name.to_owned(), value.to_owned())).collect(),
        dir: std::path::absolute(folder).unwrap_or_else(|_| folder.to_path_buf()),
        patience: system.patience(PATIENCE),
        start_patience: system.start_patience(START_PATIENCE),
        reset: match system.reset.as_deref() {
            Some(kilter_java::AGAIN) => kilter_java::AGAIN_REQUESTS.map(str::to_owned).to_vec(),
            other => other.map(str::to_owned).into_iter().collect(),
        },
        lives: system.crash_in_jvm.then(|| Lives {
            crash: kilter_java::CRASH.to_owned(),
            clean: kilter_java::END.to_owned(),
            begin: kilter_java::BEGIN.to_owned(),
        }),
        interrupt: interrupt.cloned(),
        ..Setup::new(system.nodes().iter().map(String::as_str), system.command().iter().map(String::as_str))
    }
}
