//! What a cluster needs on this machine: a directory, a socket for its nodes, ports, and a guard that cleans up.

use std::collections::BTreeMap;
use std::fs::{self, Permissions};
use std::hint::black_box;
use std::io;
use std::net::{Ipv4Addr, SocketAddrV4};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use kilter_protocol::{Address, Environment};
use rustix::fs::statvfs;
use rustix::rand::{GetRandomFlags, getrandom};
use tempfile::TempDir;

use super::guard::Guard;
use super::listen::{Listener, has_room_for_socket};
use super::ports::Ports;
use super::process::{Process, become_reaper};
use super::setup::Setup;
use super::strays;
use super::template::fill;

/// A directory that is kept in memory.
const MEMORY: &str = "/dev/shm";
/// With less free space than this it is not used (containers often have 64 MB). A full disk would look like a bug of
/// the system.
const MEMORY_BYTES_MIN: u64 = 256 << 20;
/// The file with the table of the agent for Java programs.
const TABLE: &str = "agent.json";

/// The place where a cluster runs.
pub(super) struct Site {
    // Fields are dropped in this order. The guard comes last, when nothing is left to guard.
    dir: TempDir,
    pub listener: Listener,
    address: Address,
    ports: Ports,
    secret: String,
    n_started: u64,
    n_cases: u64,
    case: PathBuf,
    peers: Vec<(String, u16)>,
    pub guard: Guard,
}

impl Site {
    pub(super) fn open(setup: &Setup) -> io::Result<Site> {
        become_reaper()?;
        let dir = scratch(setup.scratch.as_deref())?;
        let (listener, address) = Listener::open(setup.control, dir.path())?;
        let secret = secret()?;
        if let Some(agent) = &setup.agent {
            fs::write(dir.path().join(TABLE), &agent.table)?;
        }
        let mut guard = Guard::start(dir.path())?;
        guard.know(&mark(&secret));
        Ok(Site {
            guard,
            listener,
            address,
            ports: Ports::reserve()?,
            secret,
            n_started: 0,
            n_cases: 0,
            case: dir.path().to_owned(),
            peers: Vec::new(),
            dir,
        })
    }

    /// Prepares a case: makes new directories and takes other ports.
    pub(super) fn begin_case(&mut self, setup: &Setup) -> io::Result<()> {
        self.n_cases += 1;
        self.case = self.dir.path().join(self.n_cases.to_string());
        let ports = self.ports.take(setup.nodes.len())?;
        self.peers = setup.nodes.iter().map(ToString::to_string).zip(ports).collect();
        fs::create_dir(&self.case)?;
        (0..self.peers.len()).try_for_each(|node| self.make_home(node))
    }

    fn make_home(&self, node: usize) -> io::Result<()> {
        fs::create_dir(self.home(node))?;
        fs::create_dir(self.data(node))
    }

    /// Removes all that a node has left behind. It must have ended.
    pub(super) fn clean(&self, node: usize) -> io::Result<()> {
        fs::remove_dir_all(self.home(node))?;
        self.make_home(node)
    }

    /// Removes what a case has left. The nodes must have ended.
    pub(super) fn end_case(&mut self) {
        if self.n_cases > 0 {
            strays::end(&mark(&self.secret));
            // Files that can't be removed now go with the whole directory.
            let _ = fs::remove_dir_all(&self.case);
        }
    }

    /// The directory in which a node runs.
    pub(super) fn home(&self, node: usize) -> PathBuf {
        self.case.join(format!("node{}", node + 1))
    }

    /// The directory that is the node's own.
    fn data(&self, node: usize) -> PathBuf {
        self.home(node).join("data")
    }

    /// The file for a node's output.
    pub(super) fn output(&self, node: usize) -> PathBuf {
        self.home(node).join("output")
    }

    /// Whether a token belongs to a node that was started here and is gone.
    pub(super) fn is_old(&self, token: &str) -> bool {
        let (begin, _) = token.split_at_checked(self.secret.len()).unwrap_or_default();
        is_same(begin, &self.secret)
    }

    /// Starts a node. Returns its process and the token that it has to show.
    pub(super) fn start(&mut self, setup: &Setup, node: usize) -> io::Result<(Process, String)> {
        self.n_started += 1;
        let token = format!("{}-{}", self.secret, self.n_started);
        let mut command = self.command(setup, node, &setup.command)?;
        command.env(Environment::ADDRESS, self.address.to_string());
        command.env(Environment::NODE, &self.peers[node].0);
        command.env(Environment::TOKEN, &token);
        command.env(Environment::DATA, self.data(node));
        Ok((Process::start(&mut command, &self.output(node))?, token))
    }

    /// Starts a program that is run against a node. Returns its process and the file for its output.
    pub(super) fn start_errand(
        &mut self,
        setup: &Setup,
        node: usize,
        words: &[String],
    ) -> io::Result<(Process, PathBuf)> {
        self.n_started += 1;
        let home = self.case.join(format!("errand{}", self.n_started));
        fs::create_dir(&home)?;
        let mut command = self.command(setup, node, words)?;
        command.current_dir(&home);
        // The token helps to find the program if it leaves its group. Without an address, no probe in it connects.
        command.env_remove(Environment::ADDRESS).env(Environment::TOKEN, &self.secret);
        let output = home.join("output");
        Ok((Process::start(&mut command, &output)?, output))
    }

    fn command(&self, setup: &Setup, node: usize, words: &[String]) -> io::Result<Command> {
        let dir = fs::canonicalize(&setup.dir)?;
        let values = self.values(setup, node, &dir);
        let mut words = words.iter().map(|word| fill(word, &values));
        let program = words.next().ok_or_else(|| io::Error::other("the command is empty"))?;
        let is_path = program.contains('/');
        let mut command = if is_path { Command::new(dir.join(program)) } else { Command::new(program) };
        command.args(words).current_dir(self.home(node));
        command.envs(setup.env.iter().map(|(name, value)| (name, fill(value, &values))));
        Ok(command)
    }

    fn values(&self, setup: &Setup, node: usize, dir: &Path) -> BTreeMap<&'static str, String> {
        let address = |port| SocketAddrV4::new(Ipv4Addr::LOCALHOST, port).to_string();
        let peers: Vec<String> =
            self.peers.iter().map(|(name, port)| format!("{name}={}", address(*port))).collect();
        let (name, port) = &self.peers[node];
        let table = self.dir.path().join(TABLE);
        let agent = setup.agent.as_ref().map(|agent| (agent.jar.display(), table.display()));
        let agent = agent.map(|(jar, table)| ("agent", format!("-javaagent:{jar}={table}")));
        let mut values = BTreeMap::from([
            ("node", name.clone()),
            ("address", address(*port)),
            ("port", port.to_string()),
            ("peers", peers.join(",")),
            ("data", self.data(node).display().to_string()),
            ("dir", dir.display().to_string()),
        ]);
        values.extend(agent);
        values
    }
}

/// Makes a private directory: where the user wants it, or in memory, or among the temporary files.
fn scratch(wanted: Option<&Path>) -> io::Result<TempDir> {
    let mut builder = tempfile::Builder::new();
    // Nobody else may read what nodes write, or connect to their socket.
    builder.prefix("kilter-").permissions(Permissions::from_mode(0o700));
    match wanted {
        Some(dir) => builder.tempdir_in(fs::canonicalize(dir)?),
        None if has_room(MEMORY) => builder.tempdir_in(MEMORY).or_else(|_| usual(&builder)),
        None => usual(&builder),
    }
}

/// A directory among the temporary files, or in `/tmp` if the path would be too long for a socket.
fn usual(builder: &tempfile::Builder<'_, '_>) -> io::Result<TempDir> {
    let dir = builder.tempdir()?;
    if has_room_for_socket(dir.path()) { Ok(dir) } else { builder.tempdir_in("/tmp") }
}

fn has_room(dir: &str) -> bool {
    statvfs(dir).is_ok_and(|disk| disk.f_bavail.saturating_mul(disk.f_frsize) >= MEMORY_BYTES_MIN)
}

/// The start of an entry in the environment of each node.
fn mark(secret: &str) -> String {
    format!("{}={secret}", Environment::TOKEN)
}

/// Whether two tokens are equal. The time that this takes does not tell how much of them is equal.
pub(super) fn is_same(one: &str, other: &str) -> bool {
    let differences = one.bytes().zip(other.bytes()).fold(0, |all, (a, b)| black_box(all | (a ^ b)));
    one.len() == other.len() && differences == 0
}

/// Makes a secret: 128 random bits from the operating system.
fn secret() -> io::Result<String> {
    let mut bytes = [0u8; 16];
    let mut n_known = 0;
    while n_known < bytes.len() {
        n_known += getrandom(&mut bytes[n_known..], GetRandomFlags::empty())?;
    }
    Ok(format!("{:032x}", u128::from_ne_bytes(bytes)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_compared_as_a_whole() {
        for (one, other, same) in [
            ("", "", true),
            ("ab", "ab", true),
            ("ab", "ac", false),
            ("ab", "abc", false),
            ("abc", "ab", false),
        ] {
            assert_eq!(is_same(one, other), same, "{one} {other}");
        }
    }

    #[test]
    fn secrets_have_128_bits_and_differ() {
        let (one, other) = (secret().expect("random numbers"), secret().expect("random numbers"));
        assert_eq!((one.len(), other.len()), (32, 32));
        assert_ne!(one, other);
    }

    #[test]
    fn scratch_is_for_us_alone() {
        let dir = scratch(None).expect("a directory");
        let mode = fs::metadata(dir.path()).expect("it is there").permissions().mode();
        assert_eq!(mode & 0o777, 0o700);
    }
}
