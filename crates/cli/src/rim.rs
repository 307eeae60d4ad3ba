//! Where the process begins and ends: panics, signals, standard streams.

use std::io::Write;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use kilter_base::memory;
use kilter_check::Usage;
use kilter_value::HeapFull;
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;

/// The exit code for what is not the input's fault.
pub const SYSTEM_ERROR: u8 = 153;
/// What a shell reports for a process that a Ctrl-C ended.
pub const INTERRUPTED: u8 = 130;
/// Enough for expressions as deep as the parser lets them through.
const STACK_BYTES: usize = 256 << 20;

/// The part of a verb's stack that evaluations in its own thread may use.
pub fn stack_bytes() -> usize {
    memory::stack_bytes(STACK_BYTES) / 2
}

/// Runs a verb in a thread with a deep stack; a panic is a bug of ours and says so.
pub fn run(command: impl FnOnce() -> anyhow::Result<u8> + Send + 'static) -> ExitCode {
    report_panics();
    let run = std::panic::AssertUnwindSafe(|| memory::with_stack(STACK_BYTES, |_| command()));
    let result = std::panic::catch_unwind(run);
    match result {
        Ok(Ok(code)) => ExitCode::from(code),
        Ok(Err(error)) => {
            say(&format!("{}: {error:#}\n", crate::render::error_word()));
            ExitCode::from(SYSTEM_ERROR)
        }
        Err(_panic) => ExitCode::from(SYSTEM_ERROR),
    }
}

/// Writes to standard output; nobody may be listening, and that is fine.
pub fn print(text: &str) {
    let mut out = anstream::stdout().lock();
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}

/// Writes to standard error.
pub fn say(text: &str) {
    let mut out = anstream::stderr().lock();
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}

/// A flag that the first Ctrl-C sets; the second ends the process at once.
pub fn interrupts() -> anyhow::Result<Arc<AtomicBool>> {
    let interrupted = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM] {
        // The order matters: the first signal finds the flag unset here, and sets it below.
        flag::register_conditional_shutdown(signal, INTERRUPTED.into(), Arc::clone(&interrupted))?;
        flag::register(signal, Arc::clone(&interrupted))?;
    }
    Ok(interrupted)
}

/// How much memory this process uses, where the operating system tells.
pub fn usage() -> Option<Usage> {
    let text = std::fs::read_to_string("/proc/self/statm").ok()?;
    let resident: u64 = text.split(' ').nth(1)?.parse().ok()?;
    Some(Usage { resident_bytes: resident * memory::page_bytes() })
}

fn report_panics() {
    let reported = AtomicBool::new(false);
    std::panic::set_hook(Box::new(move |panic| {
        // A full heap is caught further up and becomes an error of the evaluation.
        if panic.payload().is::<HeapFull>() || reported.swap(true, Ordering::Relaxed) {
            return;
        }
        let text = panic.payload().downcast_ref::<&str>().copied();
        let what = text.or(panic.payload().downcast_ref::<String>().map(String::as_str)).unwrap_or("unknown");
        let place = panic.location().map(|place| format!(" at {place}")).unwrap_or_default();
        say(&format!(
            "kilter {} has a bug: {what}{place}\nPlease report it at {}/issues, with the specification if you can.\n",
            env!("CARGO_PKG_VERSION"),
            env!("CARGO_PKG_REPOSITORY"),
        ));
    }));
}
