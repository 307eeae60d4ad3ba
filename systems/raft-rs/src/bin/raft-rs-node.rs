//! A node of raft-rs as a process: `raft-rs-node --node n1 --peers n1=127.0.0.1:4001,n2=… --data DIR --seed N`.

use std::collections::BTreeMap;
use std::env;
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use kilter_raft_rs::process::{Options, run};

const USAGE: &str = "usage: raft-rs-node --node NAME --peers NAME=ADDRESS,… --data DIR
  --election-ms N   shortest election timeout (150)
  --heartbeat-ms N  time between two heartbeats of a leader (50)
  --request-ms N    time between two requests that a leader makes itself (100)
  --seed N          decides election timeouts and requests (1)";

#[expect(clippy::print_stderr, reason = "the command line talks to people")]
fn main() -> ExitCode {
    let args: Vec<String> = env::args().skip(1).collect();
    match parse(&args).map_err(|problem| format!("{problem}\n{USAGE}")).and_then(|options| run(&options)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            eprintln!("raft-rs-node: {problem}");
            ExitCode::FAILURE
        }
    }
}

fn parse(args: &[String]) -> Result<Options, String> {
    let given: BTreeMap<&str, &str> = args.chunks_exact(2).map(|pair| (&*pair[0], &*pair[1])).collect();
    let needed = |name: &str| given.get(name).copied().ok_or_else(|| format!("{name} is missing"));
    let number = |name: &str, default: u64| match given.get(name) {
        Some(text) => text.parse().map_err(|_| format!("{name} needs a number, not {text}")),
        None => Ok(default),
    };
    let address = |peer: &str| match peer.split_once('=') {
        Some((name, address)) => Ok((name.into(), address.to_owned())),
        None => Err(format!("`{peer}` in --peers should be NAME=ADDRESS")),
    };
    Ok(Options {
        name: needed("--node")?.into(),
        addresses: needed("--peers")?.split(',').map(address).collect::<Result<_, _>>()?,
        journal: Path::new(needed("--data")?).join("journal"),
        election: Duration::from_millis(number("--election-ms", 150)?),
        heartbeat: Duration::from_millis(number("--heartbeat-ms", 50)?),
        request: Duration::from_millis(number("--request-ms", 100)?),
        seed: number("--seed", 1)?,
    })
}
