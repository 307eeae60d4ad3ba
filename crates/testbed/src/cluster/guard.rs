//! Somebody who outlives us: should this process be killed, a shell ends its nodes and removes their files.
//!
//! A node with a probe notices by itself that the testbed is gone. One that hangs does not, nor does a child that it has started.

use std::io::{self, Write as _};
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use rustix::process::Pid;

/// What it reads are lines that say which process groups there are, and one that says what is in the environment of each node. The end
/// of its input is the end of this process.
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

/// A shell that waits for our end.
pub struct Guard {
    shell: Child,
}

impl Guard {
    /// Begins to watch over a directory.
    pub fn start(dir: &Path) -> io::Result<Guard> {
        let mut command = Command::new("/bin/sh");
        command.args(["-c", SCRIPT, "kilter-guard"]).arg(dir).current_dir("/");
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).process_group(0);
        Ok(Guard { shell: command.spawn()? })
    }

    /// Says what all nodes have in their environment, and nobody else. So those can be found that have left their group.
    pub fn know(&mut self, mark: &str) {
        if !mark.is_empty() {
            self.say(&format!("mark {mark}"));
        }
    }

    /// Says which process groups there are now.
    pub fn watch(&mut self, groups: impl Iterator<Item = Pid>) {
        let groups: Vec<String> = groups.map(|group| group.as_raw_nonzero().to_string()).collect();
        self.say(&format!("groups {}", groups.join(" ")));
    }

    fn say(&mut self, line: &str) {
        if let Some(pipe) = &mut self.shell.stdin {
            // A guard that was killed is missed only if we are killed too.
            let _ = pipe.write_all(format!("{line}\n").as_bytes());
        }
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        // It has nothing left to do, and must not do it later, when its groups may be other people's.
        let _ = self.shell.kill();
        let _ = self.shell.wait();
    }
}
