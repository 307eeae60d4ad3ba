//! The options for starting a cluster, as the user gives them.

use std::path::PathBuf;
use std::time::Duration;

use super::interrupt::Interrupt;
use super::listen::Control;
use crate::world::NodeName;

/// How to start a system of several processes, and how long to wait for it.
#[derive(Clone, Debug)]
pub struct Setup {
    /// The names of the nodes.
    pub nodes: Vec<NodeName>,
    /// The program and its arguments. They are the same for each node, except for [`PLACES`](kilter_system::PLACES) in braces:
    /// `{node}`, `{address}` (the node's own host and port), `{port}`, `{peers}` (`n1=127.0.0.1:4001,n2=…`, all nodes),
    /// `{data}` (the node's own directory, which survives a restart), `{dir}` ([`Setup::dir`]), `{agent}` (what makes Java start
    /// with [`Setup::agent`]). The program runs in a directory of its own, which is removed at the end.
    pub command: Vec<String>,
    /// Variables that are added to the environment. Places are filled in here too.
    pub env: Vec<(String, String)>,
    /// The agent, if nodes are Java programs.
    pub agent: Option<Agent>,
    /// The value of `{dir}`. A program with a relative path is looked up here.
    pub dir: PathBuf,
    /// Where the directories of nodes are made. If `None`, in memory where the system has such a directory. A killed
    /// process loses nothing that it has given to the kernel, so memory is as good as a disk here, and `fsync` costs
    /// nothing.
    pub scratch: Option<PathBuf>,
    /// The kind of socket that nodes connect to.
    pub control: Control,
    /// How long a node may take for an action that was let go. It is also the longest wait for an action that may be
    /// missing. A node that gets no processor on a busy machine has more time.
    pub patience: Duration,
    /// How long a node may take to start.
    pub start_patience: Duration,
    /// Requests that bring nodes back to their initial state. All nodes finish one before they get the next. If there are any, a
    /// cluster is reused and not started again.
    pub reset: Vec<String>,
    /// What crashes and starts a node in its process. If `None`, a crash kills the process.
    pub lives: Option<Lives>,
    /// Ends all waiting when it is raised.
    pub interrupt: Option<Interrupt>,
}

/// The requests of a node that has several lives in one process: each ends in a crash, and keeps what is on the disk.
#[derive(Clone, Debug)]
pub struct Lives {
    /// Ends a life as if the process were killed.
    pub crash: String,
    /// Brings the disk of a node that is down back to its initial state.
    pub clean: String,
    /// Begins the next life.
    pub begin: String,
}

/// The agent that a Java program is started with.
#[derive(Clone, Debug)]
pub struct Agent {
    /// Its jar.
    pub jar: PathBuf,
    /// Its table, in JSON.
    pub table: String,
}

impl Setup {
    /// The usual setup: 2 seconds for an action, 10 seconds for a start, a new cluster for each case.
    pub fn new<N: Into<NodeName>, W: Into<String>>(
        nodes: impl IntoIterator<Item = N>,
        command: impl IntoIterator<Item = W>,
    ) -> Setup {
        Setup {
            nodes: nodes.into_iter().map(Into::into).collect(),
            command: command.into_iter().map(Into::into).collect(),
            env: Vec::new(),
            agent: None,
            dir: PathBuf::from("."),
            scratch: None,
            control: Control::Unix,
            patience: Duration::from_secs(2),
            start_patience: Duration::from_secs(10),
            reset: Vec::new(),
            lives: None,
            interrupt: None,
        }
    }
}
