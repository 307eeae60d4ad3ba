//! How a cluster is started: what the user says.

use std::path::PathBuf;
use std::time::Duration;

use super::interrupt::Interrupt;
use super::listen::Control;
use crate::world::NodeName;

/// How to start a system of several processes, and how patient to be with it.
#[derive(Clone, Debug)]
pub struct Setup {
    /// The names of the nodes.
    pub nodes: Vec<NodeName>,
    /// The program and its arguments, the same for each node but for [`PLACES`](super::PLACES) in braces: `{node}`, `{address}` (the
    /// node's own host and port), `{port}`, `{peers}` (`n1=127.0.0.1:4001,n2=…`, all nodes), `{data}` (the node's own directory, which
    /// survives a restart), `{dir}` ([`Setup::dir`]). It runs in a directory of its own that is removed in the end.
    pub command: Vec<String>,
    /// What is added to the environment. Places are filled in here as well.
    pub env: Vec<(String, String)>,
    /// What `{dir}` stands for. A program that is named with a relative path is looked for here.
    pub dir: PathBuf,
    /// Where directories for nodes are made. `None`: in memory where the system has that. A killed process loses nothing that
    /// it had given to the kernel, so memory is as good as a disk here, and `fsync` costs nothing.
    pub scratch: Option<PathBuf>,
    /// What nodes connect over.
    pub control: Control,
    /// How long a node may take for an action that was let go; the longest that is waited for an action that may be missing. A node that
    /// gets no processor on a busy machine is given more.
    pub patience: Duration,
    /// How long nodes may take to start.
    pub start_patience: Duration,
    /// A request that brings a node back to its initial state. With it, a cluster is used again instead of started again.
    pub reset: Option<String>,
    /// What ends all waiting.
    pub interrupt: Option<Interrupt>,
}

impl Setup {
    /// The usual setup: 2 seconds for an action, 10 for a start, a fresh cluster each time.
    pub fn new<N: Into<NodeName>, W: Into<String>>(
        nodes: impl IntoIterator<Item = N>,
        command: impl IntoIterator<Item = W>,
    ) -> Setup {
        Setup {
            nodes: nodes.into_iter().map(Into::into).collect(),
            command: command.into_iter().map(Into::into).collect(),
            env: Vec::new(),
            dir: PathBuf::from("."),
            scratch: None,
            control: Control::Unix,
            patience: Duration::from_secs(2),
            start_patience: Duration::from_secs(10),
            reset: None,
            interrupt: None,
        }
    }
}
