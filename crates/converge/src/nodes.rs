//! The processes of one cluster. They are started on free loopback ports, in directories of their own, and leave
//! nothing behind.

use std::fs::{self, File, Permissions};
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use kilter_testbed::cluster::{Guard, Ports, Process, become_reaper};
use rustix::process::{Pid, Signal};
use tempfile::TempDir;

use crate::kin;
use crate::relay::Relays;
use crate::trouble::Trouble;

/// The extension of the file with a node's output, which lies beside its directory.
const OUTPUT: &str = "output";
/// The variable in the environment of every node that tells to which cluster the node belongs.
const MARK: &str = "KILTER_CLUSTER";
/// The most bytes of a node's output that are read for a report.
const OUTPUT_BYTES_MAX: u64 = 256 << 10;

/// The directory and the ports of a node.
#[derive(Clone, Debug)]
pub struct Seat {
    /// The number of the node, from 0.
    pub index: usize,
    /// Its directory.
    pub dir: PathBuf,
    /// Its ports.
    pub ports: Vec<u16>,
    /// The ports of its relays, where other nodes reach it: each with the index of the port that it stands for.
    pub relays: Vec<(usize, u16)>,
}

impl Seat {
    /// The address of one of its ports.
    pub fn address(&self, port: usize) -> (&'static str, u16) {
        ("127.0.0.1", self.ports[port])
    }

    /// The port at which another node reaches one of its ports.
    pub fn reached_at(&self, port: usize) -> u16 {
        let relay = self.relays.iter().find(|(index, _)| *index == port);
        relay.map_or(self.ports[port], |(_, relay)| *relay)
    }

    /// The ports of all nodes as this one knows them: its own, and where it reaches the others.
    pub fn ports_of(&self, seats: &[Seat], port: usize) -> Vec<u16> {
        let known =
            |seat: &Seat| if seat.index == self.index { seat.ports[port] } else { seat.reached_at(port) };
        seats.iter().map(known).collect()
    }

    /// The file with the node's output.
    pub fn output(&self) -> PathBuf {
        self.dir.with_extension(OUTPUT)
    }

    /// Whether one of its files contains a text. For systems that log a write before they acknowledge it, and do not
    /// report that.
    pub fn has_stored(&self, text: &str) -> bool {
        let mut folders = vec![self.dir.clone()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
                let path = entry.path();
                if path.is_dir() {
                    folders.push(path);
                } else if file_contains(&path, text.as_bytes()) {
                    return true;
                }
            }
        }
        false
    }
}

/// Searches for a text in a file, without its empty parts. Log files are often larger than their content.
fn file_contains(path: &Path, text: &[u8]) -> bool {
    let Ok(mut file) = File::open(path) else { return false };
    let mut seen: Vec<u8> = Vec::new();
    let mut chunk = vec![0; 64 << 10];
    loop {
        let Ok(n_read) = file.read(&mut chunk) else { return false };
        if n_read == 0 || chunk[..n_read].iter().all(|byte| *byte == 0) {
            return contains(&seen, text);
        }
        seen.extend_from_slice(&chunk[..n_read]);
    }
}

fn contains(bytes: &[u8], text: &[u8]) -> bool {
    bytes.windows(text.len()).any(|window| window == text)
}

/// The nodes of a cluster.
pub struct Nodes {
    seats: Vec<Seat>,
    running: Vec<Option<Process>>,
    /// Those of each port by which nodes reach each other.
    relays: Vec<Relays>,
    _ports: Ports,
    // Fields are dropped in this order. The guard comes last, when nothing is left to guard.
    root: TempDir,
    guard: Guard,
}

impl Nodes {
    /// Prepares a cluster of `n_nodes` nodes with `n_ports` ports each. Nothing runs yet. The ports with the indices
    /// `relayed` are reached through relays.
    pub fn new(n_nodes: usize, n_ports: usize, relayed: &[usize]) -> Result<Self, Trouble> {
        become_reaper().map_err(Trouble::own("becoming the reaper of what nodes leave behind"))?;
        let prefix = format!("kilter-{}-", std::process::id());
        let mut builder = tempfile::Builder::new();
        // Nobody else may read what nodes write.
        builder.prefix(&prefix).permissions(Permissions::from_mode(0o700));
        let root = builder.tempdir().map_err(Trouble::own("a directory for the nodes"))?;
        let mut guard = Guard::start(root.path()).map_err(Trouble::own("a guard for the nodes"))?;
        guard.know(&format!("{MARK}={}", root.path().display()));
        let mut ports = Ports::reserve().map_err(Trouble::own("ports for the nodes"))?;
        let mut seats = Vec::new();
        for index in 0..n_nodes {
            let ports = ports.take(n_ports).map_err(Trouble::own("ports for the nodes"))?;
            let dir = root.path().join(format!("node{index}"));
            seats.push(Seat { index, dir, ports, relays: Vec::new() });
        }
        let mut relays = Vec::new();
        for port in relayed {
            let all: Vec<u16> = seats.iter().map(|seat| seat.ports[*port]).collect();
            let started = Relays::start(&all).map_err(Trouble::own("relays between the nodes"))?;
            for seat in &mut seats {
                seat.relays.push((*port, started.port(seat.index)));
            }
            relays.push(started);
        }
        let running = (0..n_nodes).map(|_| None).collect();
        let mut nodes = Self { seats, running, relays, _ports: ports, root, guard };
        nodes.clear()?;
        Ok(nodes)
    }

    /// Whether nodes reach each other through relays, so that they can be cut off.
    pub fn has_relays(&self) -> bool {
        !self.relays.is_empty()
    }

    /// The seats of all nodes, in order.
    pub fn seats(&self) -> &[Seat] {
        &self.seats
    }

    /// A directory beside those of the nodes, which lives as long as the cluster.
    pub fn aside(&self, name: &str) -> PathBuf {
        self.root.path().join(name)
    }

    /// Cuts nodes off: each of them from all others.
    pub fn cut(&self, indices: &[usize]) {
        self.relays.iter().for_each(|relays| relays.cut(indices));
    }

    /// Lets nodes that were cut off reach the others again.
    pub fn mend(&self, indices: &[usize]) {
        self.relays.iter().for_each(|relays| relays.mend(indices));
    }

    /// Kills all nodes and empties their directories.
    pub fn clear(&mut self) -> Result<(), Trouble> {
        self.mend(&(0..self.seats.len()).collect::<Vec<_>>());
        for index in 0..self.seats.len() {
            self.signal(index, Signal::KILL);
            let seat = &self.seats[index];
            let _ = fs::remove_dir_all(&seat.dir);
            let _ = fs::remove_file(seat.output());
            fs::create_dir_all(&seat.dir).map_err(Trouble::own("a node's directory"))?;
        }
        Ok(())
    }

    /// Empties the directory of a node that does not run.
    pub fn wipe(&self, index: usize) -> Result<(), Trouble> {
        let dir = &self.seats[index].dir;
        let wiped = fs::remove_dir_all(dir).and_then(|()| fs::create_dir_all(dir));
        wiped.map_err(Trouble::own("a node's directory"))
    }

    /// Starts a node.
    pub fn start(&mut self, index: usize, mut command: Command) -> Result<(), Trouble> {
        let seat = &self.seats[index];
        command.current_dir(&seat.dir).env(MARK, self.root.path());
        let started = Process::start(&mut command, &seat.output());
        let name = command.get_program().to_string_lossy().into_owned();
        let process = started.map_err(Trouble::own(&format!("{name} can't be started")))?;
        self.relays.iter().for_each(|relays| relays.know(index, process.pid()));
        self.running[index] = Some(process);
        self.tell_guard();
        Ok(())
    }

    /// Whether a node was started and has not ended.
    pub fn is_running(&self, index: usize) -> bool {
        self.running[index].as_ref().is_some_and(|process| process.how_ended().is_none())
    }

    /// Sends a signal to a node. If the signal ends it, waits for its end.
    pub fn signal(&mut self, index: usize, signal: Signal) {
        let ends = signal == Signal::KILL || signal == Signal::TERM;
        let kin = self.send(index, signal);
        if ends {
            self.reap(index, &kin);
        }
    }

    /// Stops a node. It does not run any more when this returns.
    pub fn pause(&mut self, index: usize) {
        if let Some(process) = &self.running[index] {
            process.pause();
            kin::pause(process.pid());
            self.tell_guard();
        }
    }

    /// Kills nodes, all at once, so that none sees the others go and reacts.
    pub fn crash(&mut self, indices: &[usize]) {
        let kin: Vec<Vec<Pid>> = indices.iter().map(|index| self.send(*index, Signal::KILL)).collect();
        for (index, kin) in indices.iter().zip(kin) {
            self.reap(*index, &kin);
        }
    }

    /// Sends a signal, and does not wait for its effect. A node that is told to end ends its children itself. Returns
    /// the children outside of its process group that got the signal, too.
    pub fn send(&self, index: usize, signal: Signal) -> Vec<Pid> {
        let Some(process) = &self.running[index] else { return Vec::new() };
        let mut kin = Vec::new();
        if signal == Signal::KILL || signal == Signal::CONT {
            kin = kin::of(process.pid());
        }
        if signal == Signal::KILL && !kin.is_empty() {
            // They could start more children before they are killed.
            process.pause();
            kin = kin::pause(process.pid());
        }
        kin::signal(&kin, signal);
        process.signal(signal);
        kin
    }

    fn reap(&mut self, index: usize, kin: &[Pid]) {
        if let Some(process) = self.running[index].take() {
            process.reap();
            kin::reap(kin);
            self.tell_guard();
        }
    }

    /// The first node that has ended without being told to, and how, with its last lines. `None` if there is none.
    pub fn ended_by_itself(&self) -> Option<(usize, String)> {
        self.running.iter().enumerate().find_map(|(index, process)| {
            let how = process.as_ref()?.how_ended()?;
            let output = tail(&self.seats[index].output()).unwrap_or_default();
            let last: Vec<&str> = output.lines().rev().take(5).collect();
            let words: Vec<&str> = last.into_iter().rev().collect();
            Some((index, format!("{how}; it last said:\n{}", words.join("\n"))))
        })
    }

    /// The last part of a node's output.
    pub fn output(&self, index: usize) -> String {
        tail(&self.seats[index].output()).unwrap_or_default()
    }

    fn tell_guard(&mut self) {
        let pids: Vec<Pid> = self.running.iter().flatten().map(Process::pid).collect();
        // Children that stand still would not notice that their parent is gone.
        let kin: Vec<Pid> = pids.iter().flat_map(|pid| kin::of(*pid)).collect();
        self.guard.watch(pids.into_iter().chain(kin));
    }
}

impl Drop for Nodes {
    fn drop(&mut self) {
        for index in 0..self.seats.len() {
            self.signal(index, Signal::KILL);
        }
    }
}

fn tail(path: &Path) -> io::Result<String> {
    let mut file = File::open(path)?;
    let length = file.metadata()?.len();
    file.seek(SeekFrom::Start(length.saturating_sub(OUTPUT_BYTES_MAX)))?;
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
