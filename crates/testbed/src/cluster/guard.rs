//! Somebody who outlives us: should this process be killed, a shell ends its nodes and removes their files.
//!
//! A node with a probe notices by itself that the testbed is gone. One that hangs does not, nor does a child that it has started.

use std::io::{self, Write as _};
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use rustix::process::Pid;

/// Each line that it reads names all process groups that there are. The end of its input is the end of this process.
const SCRIPT: &str = r#"
trap '' INT TERM HUP QUIT
groups=
while read -r line; do groups=$line; done
for group in $groups; do kill -9 "-$group"; done
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

    /// Says which process groups there are now.
    pub fn watch(&mut self, groups: impl Iterator<Item = Pid>) {
        let mut line = groups.map(|group| group.as_raw_nonzero().to_string()).collect::<Vec<_>>().join(" ");
        line.push('\n');
        if let Some(pipe) = &mut self.shell.stdin {
            // A guard that was killed is missed only if we are killed too.
            let _ = pipe.write_all(line.as_bytes());
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
