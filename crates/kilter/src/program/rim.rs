//! The beginning and the end of the process: panics, standard streams, exit codes.

#![expect(
    clippy::disallowed_types,
    clippy::disallowed_methods,
    reason = "starts itself again where there are few addresses"
)]

use std::io::{self, Write};
use std::os::unix::process::CommandExt as _;
use std::process::{Command, ExitCode};
use std::sync::atomic::{AtomicBool, Ordering};

use kilter_base::memory::{self, DEEP_STACK_BYTES};
use kilter_converge::datatype::guard;
use kilter_run::files;
use kilter_value::{HeapFull, within_heap};

use crate::diagnostics::error_word;
use crate::error::{Error, INTERRUPTED, OutputLost, SYSTEM_ERROR};
use crate::signals::Signals;

/// The exit code that a shell reports for a process that wrote to a closed pipe.
pub const PIPE_CLOSED: u8 = 141;

/// Below this limit of addresses, it matters how many the C library reserves for each thread.
const FEW_ADDRESSES: u64 = 8 << 30;

/// The stack of the main thread on most machines.
const USUAL_STACK_BYTES: usize = 8 << 20;
/// With less memory, allocations fail before the search begins to check the memory.
const ROOM_MIN_BYTES: u64 = 16 << 20;

/// Starts this program again if addresses are few. Without this, the C library reserves 64 MiB of them for the small
/// allocations of each thread. It reads its setting only at the start of a process. If the start fails, this process
/// continues.
fn spare_addresses() {
    const ARENAS: &str = "MALLOC_ARENA_MAX";
    let are_few = memory::address_limit().is_some_and(|limit| limit < FEW_ADDRESSES);
    if are_few
        && std::env::var_os(ARENAS).is_none()
        && let Ok(program) = std::env::current_exe()
    {
        let _ = Command::new(program).args(std::env::args_os().skip(1)).env(ARENAS, "1").exec();
    }
}

/// Calls `everything` in a thread with a stack of a usual size, because the main thread's may be very small
/// (`ulimit -s`).
pub fn begin(everything: impl FnOnce() -> ExitCode + Send) -> ExitCode {
    spare_addresses();
    match check_room() {
        Ok(()) => memory::with_stack(USUAL_STACK_BYTES, |_| everything()),
        Err(why) => {
            say(&format!("{}: {why}\n", error_word()));
            ExitCode::from(SYSTEM_ERROR)
        }
    }
}

/// Checks that there is memory for a few stacks and tables, which even the smallest specification needs.
fn check_room() -> Result<(), String> {
    if memory::has_room(ROOM_MIN_BYTES) {
        return Ok(());
    }
    let needed = format!("beside the program itself, {} MiB are needed", ROOM_MIN_BYTES >> 20);
    Err(format!("there is too little memory: {needed}; raise the limit (`ulimit -v`)"))
}

/// Runs a verb in a thread with a deep stack. A panic is reported as a bug of Kilter.
pub fn run(command: impl FnOnce(&Signals) -> Result<u8, Error> + Send + 'static) -> ExitCode {
    report_panics();
    let result = Signals::listen().map_err(|error| Error::Lost(error.into())).and_then(|signals| {
        let of_verb = signals.clone();
        let run = || within_heap(|| memory::with_stack(DEEP_STACK_BYTES, |_| command(&of_verb)));
        let run = std::panic::AssertUnwindSafe(run);
        // The panic has been reported already.
        let ended = std::panic::catch_unwind(run).unwrap_or(Ok(Ok(SYSTEM_ERROR)));
        let code = ended.unwrap_or_else(|HeapFull| {
            say(&format!("{}: there is not enough memory for all values\n", error_word()));
            Ok(SYSTEM_ERROR)
        })?;
        Ok(if signals.are_raised() { INTERRUPTED } else { code })
    });
    ExitCode::from(result.unwrap_or_else(|error| code_of(&error)))
}

/// The exit code of an error for which the input is not to blame. Reports the error, unless nobody wants to read it.
fn code_of(error: &Error) -> u8 {
    let lost = error.cause().downcast_ref::<OutputLost>();
    match error {
        Error::Interrupted(_) => {
            say("interrupted before there was a result\n");
            return INTERRUPTED;
        }
        _ if lost.is_some_and(|lost| lost.0.kind() == io::ErrorKind::BrokenPipe) => return PIPE_CLOSED,
        Error::Problems(problems) => say(&problems.text()),
        _ => complain(error),
    }
    SYSTEM_ERROR
}

/// Prints an error, with advice if there is any.
pub fn complain(error: &Error) {
    let advice = files::advice(error.cause()).map(|advice| format!("; {advice}")).unwrap_or_default();
    say(&format!("{}: {error}{advice}\n", error_word()));
}

/// Writes to standard output. It is an error if that is not possible, or if nobody reads it.
pub fn print(text: &str) -> Result<(), OutputLost> {
    let mut out = anstream::stdout().lock();
    out.write_all(text.as_bytes()).and_then(|()| out.flush()).map_err(OutputLost)
}

/// Writes to standard error.
pub fn say(text: &str) {
    let mut out = anstream::stderr().lock();
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}

fn report_panics() {
    let reported = AtomicBool::new(false);
    std::panic::set_hook(Box::new(move |panic| {
        // A data type under test has panicked, which is a finding.
        if guard::note(panic.location()) {
            return;
        }
        if reported.swap(true, Ordering::Relaxed) {
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
