//! Drives PostgreSQL with streaming replication. What the words of chain models mean here:
//!
//! - All nodes begin as clones of one cluster: standbys that copy nobody.
//! - `write`, to a standby: it is promoted, and writes on a timeline of its own.
//! - `link`: the target is stopped in order, rewound with `pg_rewind` if its history is another one than its source's,
//!   and started as a standby that streams from the source. So are the standbys that stream from it, because their
//!   history may not be their source's any more. If `pg_rewind` fails, the target gets a base backup. If the source, or
//!   the standby that it follows in the end, was not promoted, it is first: `pg_rewind` compares timelines, so nobody
//!   who has more could be rewound to it otherwise. Checkpoints make sources write down on which timeline they are.
//! - `copy`: the target is given a base backup (`pg_basebackup`), and started as a standby.
//! - `cut`: the standby loses its source, and stays a standby until it is written to.
//! - `crash`: the postmaster and all its children are killed. The log that they have written stays.
//!
//! Histories of timelines go to an archive that all nodes share, and a node looks there when it is promoted. Otherwise
//! (`archive_mode=off`), two nodes that are promoted by themselves would give the same number to different timelines. It
//! does not look there at other times, or a standby would take the latest timeline of all for that of its source.

use std::fmt::Write as _;
use std::fs;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::os::unix::fs::{PermissionsExt as _, chown};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::geteuid;

use super::pgwire::{Rows, Session};
use crate::nodes::Seat;
use crate::store::{Chain, Client, Contents, Store};
use crate::trouble::Trouble;

/// Where Debian has the server. Its tools lie beside it.
pub const DEBIAN: &str = "/usr/lib/postgresql/15/bin/postgres";
/// Whom we are if root starts us, because PostgreSQL does not run as root.
const USER: &str = "postgres";
/// How long a promoted server has until other nodes can see its history.
const ARCHIVE_TIME: Duration = Duration::from_secs(10);
/// How long standbys have to follow a source of theirs that was promoted.
const FOLLOW_TIME: Duration = Duration::from_secs(10);
/// The settings of all nodes. Files survive when processes are killed, so nothing has to be forced to the disk.
const SETTINGS: &str = "\
listen_addresses = '127.0.0.1'
unix_socket_directories = ''
shared_buffers = '4MB'
dynamic_shared_memory_type = 'mmap'
max_connections = 20
autovacuum = off
fsync = off
wal_log_hints = on
wal_keep_size = '512MB'
wal_sender_timeout = '2s'
wal_receiver_timeout = '5s'
wal_receiver_status_interval = '1s'
wal_retrieve_retry_interval = '100ms'
archive_mode = on
archive_command = 'case %f in *.history) cp %p ../../archive/%f ;; esac'
restore_command = 'test -e ../promoting && cp ../../archive/%f %p 2>&-'
include_if_exists = 'source.conf'
";
const ACCESS: &str = "host all all 127.0.0.1/32 trust\nhost replication all 127.0.0.1/32 trust\n";
/// Makes the cluster of which all nodes begin as clones.
const MAKE: &str = r#"
bin=$1
"$bin"initdb -D data -U postgres -A trust --no-locale -E UTF8 --no-sync --wal-segsize=1 &&
echo "create table kilter (k text primary key, v text);" | "$bin"postgres --single -c max_connections=20 -c wal_log_hints=on -D data postgres
"#;
/// Starts a node. The connection to its source is `$2`, or empty.
const RUN: &str = r#"
bin=$1 source=$2
config=$PWD/postgresql.conf
rm -f running
: > source.conf
if [ -n "$source" ]; then
    if [ -e data/PG_VERSION ] && "$bin"pg_isready -q -d "$source"; then
        # A standby that was killed must stop in order before it can be rewound.
        if "$bin"pg_controldata data | grep -q "in archive recovery"; then
            "$bin"postgres -D data -c config_file="$config" & 
            until "$bin"pg_isready -q -h 127.0.0.1 -p "$3" || ! kill -0 $!; do sleep 0.02; done
            kill -INT $!
            wait $!
        fi
        "$bin"pg_rewind -D data --source-server="$source dbname=postgres" --config-file="$config" --no-sync ||
            { echo "kilter: pg_rewind failed"; rm -rf data; }
    fi
    if [ ! -e data/PG_VERSION ]; then
        rm -rf data
        "$bin"pg_basebackup -D data -d "$source" -c fast --no-sync && echo "kilter: base backup" || exit 1
    fi
    echo "primary_conninfo = '$source'" > source.conf
    touch data/standby.signal
fi
: > running
exec "$bin"postgres -D data -c config_file="$config"
"#;

/// How PostgreSQL is started.
pub struct Postgres {
    /// The server.
    pub command: Vec<String>,
    /// Further settings, such as `wal_keep_size=0`.
    pub options: Vec<String>,
}

impl Postgres {
    /// What the names of the server and its tools begin with.
    fn bin(&self) -> String {
        let program = self.command.first().map_or("", String::as_str);
        program.strip_suffix("postgres").unwrap_or("").to_owned()
    }

    /// A shell that runs a script in a node's directory, as a user who may.
    fn shell(&self, script: &str, dir: &Path) -> Command {
        let mut command = Command::new("/bin/sh");
        command.args(["-c", script, "kilter-postgres", &self.bin()]).current_dir(dir).stdin(Stdio::null());
        if let Some((user, group)) = other_user() {
            command.uid(user).gid(group);
        }
        command
    }

    fn run(&self, script: &str, dir: &Path, words: &[&str]) -> Result<(), Trouble> {
        let ran = self.shell(script, dir).args(words).output().map_err(Trouble::own("running /bin/sh"))?;
        if ran.status.success() {
            return Ok(());
        }
        let said = String::from_utf8_lossy(&ran.stderr).trim().to_owned();
        Err(Trouble::NotDriven(format!("PostgreSQL's tools: {said}")))
    }

    /// The cluster of which all nodes begin as clones. It is made once.
    fn template(&self, root: &Path) -> Result<PathBuf, Trouble> {
        let template = root.join("template");
        if !template.exists() {
            fs::create_dir(&template).and_then(|()| give(&template)).map_err(Trouble::own("a directory"))?;
            self.run(MAKE, &template, &[])?;
            fs::write(template.join("data/standby.signal"), "").map_err(Trouble::own("standby.signal"))?;
        }
        Ok(template.join("data"))
    }

    /// Writes the files that a node needs beside its data.
    fn furnish(&self, seat: &Seat) -> io::Result<()> {
        fs::write(seat.dir.join("pg_hba.conf"), ACCESS)?;
        fs::write(seat.dir.join("postgresql.conf"), self.settings(seat))?;
        give_all(&seat.dir)
    }

    fn settings(&self, seat: &Seat) -> String {
        let access = seat.dir.join("pg_hba.conf");
        let access = access.display();
        let mut text =
            format!("{SETTINGS}port = {}\nhba_file = '{access}'\nident_file = '{access}'\n", seat.ports[0]);
        for option in &self.options {
            let (name, value) = option.split_once('=').unwrap_or((option, "on"));
            let _ = writeln!(text, "{} = '{}'", name.trim(), value.trim().replace('\'', "''"));
        }
        text
    }
}

/// Promotes a standby. Then `pg_rewind` needs a checkpoint, and others need the history of the timeline.
fn promote(seat: &Seat) -> io::Result<()> {
    let mut session = session(seat)?;
    session.set_patience(ARCHIVE_TIME);
    let promoting = seat.dir.join("promoting");
    fs::write(&promoting, "")?;
    session.ask("SELECT pg_promote(true, 60)")?;
    fs::remove_file(promoting)?;
    session.ask("CHECKPOINT")?;
    if one(&session.ask("SHOW archive_mode")?) == "off" {
        return Ok(());
    }
    let timeline = one(&session.ask("SELECT timeline_id FROM pg_control_checkpoint()")?);
    let number: u32 = timeline.parse().map_err(io::Error::other)?;
    let history = seat.dir.with_file_name("archive").join(format!("{number:08X}.history"));
    let started = Instant::now();
    while !history.exists() && started.elapsed() < ARCHIVE_TIME {
        thread::sleep(Duration::from_millis(5));
    }
    if history.exists() { Ok(()) } else { Err(io::Error::other("its history was not archived")) }
}

/// The numbers of the user and the group that PostgreSQL runs as. `None` if it can run as we do.
fn other_user() -> Option<(u32, u32)> {
    if !geteuid().is_root() {
        return None;
    }
    let users = fs::read_to_string("/etc/passwd").ok()?;
    let line = users.lines().find(|line| line.split(':').next() == Some(USER))?;
    let mut fields = line.split(':').skip(2);
    Some((fields.next()?.parse().ok()?, fields.next()?.parse().ok()?))
}

/// Gives a file or directory to the user that PostgreSQL runs as.
fn give(path: &Path) -> io::Result<()> {
    other_user().map_or(Ok(()), |(user, group)| chown(path, Some(user), Some(group)))
}

/// Gives a directory to that user with everything in it. PostgreSQL wants its data to be nobody else's.
fn give_all(dir: &Path) -> io::Result<()> {
    for entry in fs::read_dir(dir)? {
        let path = entry?.path();
        if path.is_dir() { give_all(&path)? } else { give(&path)? }
    }
    give(dir)
}

fn copy_all(from: &Path, to: &Path) -> io::Result<()> {
    fs::create_dir(to)?;
    fs::set_permissions(to, fs::Permissions::from_mode(0o700))?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy_all(&entry.path(), &target)?;
        } else {
            fs::copy(entry.path(), target)?;
        }
    }
    Ok(())
}

fn session(seat: &Seat) -> io::Result<Session> {
    Session::open(SocketAddr::from((Ipv4Addr::LOCALHOST, seat.ports[0])))
}

fn ask(seat: &Seat, query: &str) -> io::Result<Rows> {
    session(seat)?.ask(query)
}

/// The only value of an answer.
fn one(rows: &Rows) -> String {
    rows.first().and_then(|row| row.first()?.clone()).unwrap_or_default()
}

fn not_driven(what: &str) -> impl FnOnce(io::Error) -> Trouble {
    move |error| Trouble::NotDriven(format!("{what}: {error}"))
}

/// How replicas connect to a source.
fn conninfo(source: &Seat) -> String {
    format!("host=127.0.0.1 port={} user=postgres", source.ports[0])
}

fn source_file(seat: &Seat) -> PathBuf {
    seat.dir.join("source.conf")
}

/// The node from which a running node streams, if that runs too.
fn followed<'s>(seat: &Seat, seats: &'s [Seat]) -> Option<&'s Seat> {
    let source = fs::read_to_string(source_file(seat)).ok()?;
    let found = seats.iter().find(|other| source.contains(&conninfo(other)))?;
    (is_standby(seat).is_ok() && is_standby(found).is_ok()).then_some(found)
}

fn is_standby(seat: &Seat) -> io::Result<bool> {
    Ok(one(&ask(seat, "SELECT pg_is_in_recovery()")?) == "t")
}

struct Writer {
    session: Session,
}

impl Client for Writer {
    fn send(&mut self, key: &str, value: &str) -> Result<(), Trouble> {
        self.send_together(&[(key.to_owned(), value.to_owned())])
    }

    fn send_together(&mut self, pairs: &[(String, String)]) -> Result<(), Trouble> {
        let mut query = String::new();
        for (key, value) in pairs {
            let _ = write!(
                query,
                "INSERT INTO kilter VALUES ('{key}', '{value}') ON CONFLICT (k) DO UPDATE SET v = '{value}'; "
            );
        }
        // The statements of one query are one transaction.
        self.session.send(&query).map_err(not_driven("INSERT"))
    }

    fn is_acknowledged(&mut self, patience: Duration) -> bool {
        self.session.set_patience(patience);
        self.session.rows().is_ok()
    }
}

impl Store for Postgres {
    fn ports(&self) -> usize {
        1
    }

    fn check(&self) -> Result<(), Trouble> {
        let program = self.command.first().cloned().unwrap_or_default();
        match Command::new(&program).arg("--version").output() {
            Ok(_) => Ok(()),
            Err(_) => Err(Trouble::Missing { program, package: "postgresql-15" }),
        }
    }

    fn prepare(&self, seats: &[Seat]) -> Result<(), Trouble> {
        let Some(root) = seats.first().and_then(|seat| seat.dir.parent()) else { return Ok(()) };
        if geteuid().is_root() && other_user().is_none() {
            let what = format!("PostgreSQL does not run as root, and there is no user `{USER}`");
            return Err(Trouble::NotDriven(what));
        }
        give(root).map_err(Trouble::own("giving away a directory"))?;
        let template = self.template(root)?;
        let archive = root.join("archive");
        let _ = fs::remove_dir_all(&archive);
        fs::create_dir(&archive).and_then(|()| give(&archive)).map_err(Trouble::own("an archive"))?;
        for seat in seats {
            let made = copy_all(&template, &seat.dir.join("data")).and_then(|()| self.furnish(seat));
            made.map_err(Trouble::own("preparing a node"))?;
        }
        Ok(())
    }

    fn command(&self, seats: &[Seat], node: usize, source: Option<usize>) -> Command {
        if !seats[node].dir.join("postgresql.conf").exists() {
            // Everything was wiped. Without its files the node says what is missing, and ends.
            let _ = self.furnish(&seats[node]);
        }
        let mut command = self.shell(RUN, &seats[node].dir);
        command.arg(source.map(|source| conninfo(&seats[source])).unwrap_or_default());
        command.arg(seats[node].ports[0].to_string());
        command
    }

    fn connect(&self, seats: &[Seat], node: usize) -> Result<Box<dyn Client>, Trouble> {
        let seat = &seats[node];
        if is_standby(seat).map_err(not_driven("connecting"))? {
            promote(seat).map_err(not_driven("promoting a standby"))?;
        }
        Ok(Box::new(Writer { session: session(seat).map_err(not_driven("connecting"))? }))
    }

    fn read(&self, seat: &Seat) -> Option<Contents> {
        let rows = ask(seat, "SELECT k, v FROM kilter").ok()?;
        let text = |value: Option<&Option<String>>| value.cloned().flatten().unwrap_or_default();
        Some(rows.iter().map(|row| (text(row.first()), text(row.get(1)))).collect())
    }

    /// The shared memory by which PostgreSQL knows that a data directory is in use.
    fn clean_up(&self, seat: &Seat) {
        let Ok(lock) = fs::read_to_string(seat.dir.join("data/postmaster.pid")) else { return };
        let memory = lock.lines().nth(6).and_then(|line| line.split_whitespace().nth(1));
        if let Some(memory) = memory {
            let mut command = Command::new("ipcrm");
            command.args(["-m", memory]).stdout(Stdio::null()).stderr(Stdio::null());
            // It is not an error if it is gone already.
            let _ = command.status();
        }
    }

    fn say(&self, seat: &Seat, text: &str) -> Result<(), Trouble> {
        ask(seat, text).map(|_| ()).map_err(not_driven(text))
    }

    fn resyncs(&self) -> &'static [(&'static str, &'static str)] {
        &[
            ("streaming", "started streaming WAL from primary"),
            ("rewind", "pg_rewind: Done!"),
            ("no-rewind", "pg_rewind: no rewind required"),
            ("base-backup", "kilter: base backup"),
            ("rewind-failed", "kilter: pg_rewind failed"),
            ("promoted", "selected new timeline ID"),
            ("timeline-switched", "new target timeline is"),
            ("forked-before", "before current recovery point"),
            ("wal-missing", "has already been removed"),
        ]
    }

    fn is_interesting(&self, line: &str) -> bool {
        let words = ["timeline", "pg_rewind", "FATAL", "PANIC", "invalid", "primary", "kilter:"];
        words.iter().any(|word| line.contains(word))
    }
}

impl Chain for Postgres {
    fn is_ready(&self, seat: &Seat) -> bool {
        // A killed standby that stops in order before its rewind answers, too.
        seat.dir.join("running").exists() && is_standby(seat).is_ok()
    }

    fn link(&self, target: &Seat, _source: Option<&Seat>) -> Result<(), Trouble> {
        fs::write(source_file(target), "").map_err(Trouble::own("writing source.conf"))?;
        self.say(target, "SELECT pg_reload_conf()")
    }

    fn links_by_restart(&self) -> bool {
        true
    }

    fn ready_source(&self, seats: &[Seat], source: usize) -> Result<(), Trouble> {
        let mut path = vec![&seats[source]];
        while let Some(above) = path.last().and_then(|last| followed(last, seats))
            && path.len() < seats.len()
        {
            path.push(above);
        }
        // A source that does not run has nothing to be made ready.
        let Some(root) = path.last().filter(|root| is_standby(root).is_ok_and(|it| it)) else {
            let _ = ask(&seats[source], "CHECKPOINT");
            return Ok(());
        };
        promote(root).map_err(not_driven("promoting a source"))?;
        for pair in path.windows(2).rev() {
            let started = Instant::now();
            while !self.is_in_sync(pair[0], pair[1]) && started.elapsed() < FOLLOW_TIME {
                thread::sleep(Duration::from_millis(10));
            }
            self.say(pair[0], "CHECKPOINT")?;
        }
        Ok(())
    }

    fn is_in_sync(&self, target: &Seat, source: &Seat) -> bool {
        let position =
            "CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn() ELSE pg_current_wal_flush_lsn() END";
        let theirs = ask(source, &format!("SELECT {position}"));
        let streamed = format!(
            "SELECT {position} FROM pg_stat_wal_receiver WHERE status = 'streaming' AND sender_port = {}",
            source.ports[0]
        );
        let ours = ask(target, &streamed);
        matches!((ours, theirs), (Ok(ours), Ok(theirs)) if !ours.is_empty() && ours == theirs)
    }

    fn save(&self, _seat: &Seat) -> Result<(), Trouble> {
        // What was acknowledged is in the log.
        Ok(())
    }

    fn snapshot(&self) -> &'static str {
        "data"
    }

    fn copy(&self, target: &Seat, _source: &Seat) -> Result<(), Trouble> {
        self.clean_up(target);
        let gone = fs::remove_dir_all(target.dir.join(self.snapshot()));
        // Without data, it starts with a base backup of its source.
        gone.or_else(|error| if error.kind() == io::ErrorKind::NotFound { Ok(()) } else { Err(error) })
            .map_err(Trouble::own("removing a replica's data"))
    }
}
