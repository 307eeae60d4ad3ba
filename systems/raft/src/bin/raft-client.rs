//! A client of the replicated key-value store.
//!
//! `raft-client --servers ADDRESS,… put KEY VALUE | get KEY | status`
//!
//! With `--request N` it asks the first of the servers, once, and its request has the number N. Testbeds need both.

use std::env;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::process::ExitCode;
use std::time::{Duration, SystemTime};

use kilter_raft::client::{Client, Request, Response, ask};
use kilter_raft::machine::{Command, RequestId};

const USAGE: &str = "usage: raft-client --servers ADDRESS,… [--request N] put KEY VALUE | get KEY | status";
const PATIENCE: Duration = Duration::from_secs(10);

#[expect(clippy::print_stderr, clippy::print_stdout, reason = "the command line talks to people")]
fn main() -> ExitCode {
    match run(&env::args().skip(1).collect::<Vec<_>>()) {
        Ok(answer) => {
            println!("{answer}");
            ExitCode::SUCCESS
        }
        Err(problem) => {
            eprintln!("raft-client: {problem}");
            ExitCode::FAILURE
        }
    }
}

fn run(args: &[String]) -> Result<String, String> {
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let ["--servers", servers, command @ ..] = args.as_slice() else { return Err(USAGE.to_owned()) };
    let servers: Vec<String> = servers.split(',').map(str::to_owned).collect();
    match command {
        ["--request", number, "put", key, value] => {
            let number = number.parse().map_err(|_| format!("`{number}` is no number"))?;
            let command = Command::Put { key: (*key).to_owned(), value: (*value).to_owned() };
            ask_once(&servers[0], &Request::Command { request: RequestId(number), command })
        }
        ["put", key, value] => {
            carry_out(servers, Command::Put { key: (*key).to_owned(), value: (*value).to_owned() })
        }
        ["get", key] => carry_out(servers, Command::Get { key: (*key).to_owned() }),
        ["status"] => Ok(servers.iter().map(|server| status(server)).collect::<Vec<_>>().join("\n")),
        _ => Err(USAGE.to_owned()),
    }
}

fn carry_out(servers: Vec<String>, command: Command) -> Result<String, String> {
    let mut client = Client::new(servers, chance(), PATIENCE);
    let value = client.command(command).map_err(|error| error.to_string())?;
    Ok(value.unwrap_or_else(|| "(nothing)".to_owned()))
}

fn ask_once(server: &str, request: &Request) -> Result<String, String> {
    match ask(server, request, PATIENCE) {
        Ok(Response::Done(value)) => Ok(value.unwrap_or_else(|| "(nothing)".to_owned())),
        Ok(other) => Err(format!("{server}: {other:?}")),
        Err(error) => Err(error.to_string()),
    }
}

/// A random number for the client. Requests of two clients are told apart by their numbers, and process ids would come
/// again.
fn chance() -> u32 {
    let mut hasher = DefaultHasher::new();
    (SystemTime::now(), std::process::id()).hash(&mut hasher);
    hasher.finish() as u32
}

fn status(server: &str) -> String {
    match ask(server, &Request::Status, PATIENCE) {
        Ok(Response::Status(status)) => format!("{status:?}"),
        Ok(other) => format!("{server}: {other:?}"),
        Err(error) => error.to_string(),
    }
}
