//! A guard that outlives this process. If we are killed, a shell kills our nodes and removes their files.
//!
//! A node with a probe notices by itself that the testbed is gone. A node that hangs does not, and neither does a child
//! that it has started.

use std::io::{self, Write as _};
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use rustix::process::Pid;

/// The script of the shell. It reads lines with the process groups that exist, and one line with what every node has in
/// its environment. When its input ends, this process has ended.
const SCRIPT: &str = r#"
trap '' INT TERM HUP QUIT
mark= groups=
while read -r word rest; do
    case $word in
        mark) mark=$rest ;;
        groups) groups=$rest ;;
    esac
done
for group in $groups; do kill -9 "-$group"; done
if [ -n "$mark" ]; then
    for process in /proc/[0-9]*; do
        grep -qF "$mark" "$process/environ" && kill -9 "${process#/proc/}"
    done
fi
rm -rf "$1" || { sleep 1; rm -rf "$1"; }
"#;

/// A shell that waits for the end of this process.
pub struct Guard {
    shell: Child,
}

impl Guard {
    /// Starts a guard for a directory.
    pub fn start(dir: &Path) -> io::Result<Guard> {
        let mut command = Command::new("/bin/sh");
        command.args(["-c", SCRIPT, "kilter-guard"]).arg(dir).current_dir("/");
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).process_group(0);
        Ok(Guard { shell: command.spawn()? })
    }

    /// Tells the guard what all nodes, and no other processes, have in their environment. So it finds nodes that have
    /// left their process group.
    pub fn know(&mut self, mark: &str) {
        if !mark.is_empty() {
            self.say(&format!("mark {mark}"));
        }
    }

    /// Tells the guard which process groups there are now.
    pub fn watch(&mut self, groups: impl Iterator<Item = Pid>) {
        let groups: Vec<String> = groups.map(|group| group.as_raw_nonzero().to_string()).collect();
        self.say(&format!("groups {}", groups.join(" ")));
    }

    fn say(&mut self, line: &str) {
        if let Some(pipe) = &mut self.shell.stdin {
            // It matters that a guard is gone only if we are killed too, so errors are ignored.
            let _ = pipe.write_all(format!("{line}\n").as_bytes());
        }
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        // The guard has nothing left to do. It must not act later, when its groups may belong to others.
        let _ = self.shell.kill();
        let _ = self.shell.wait();
    }
}
