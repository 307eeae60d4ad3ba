//! A node of one of the protocols, as a process.
//!
//! `protocol-node election|broadcast|gossip --id n1 --listen 127.0.0.1:4001 --peers n1=127.0.0.1:4001,n2=… [--bug]`

use std::env;
use std::process::ExitCode;

use kilter_protocols::process::{self, Place};
use kilter_protocols::{Shape, broadcast, election, gossip};

const USAGE: &str = "usage: protocol-node election|broadcast|gossip --id NAME --listen ADDRESS --peers NAME=ADDRESS,… [--bug]";

#[expect(clippy::print_stderr, reason = "the command line talks to people")]
fn main() -> ExitCode {
    let result = parse(env::args().skip(1)).and_then(|(protocol, place, shape)| {
        let me = place.me;
        let ended = match protocol.as_str() {
            "election" => process::run(|| election::Node::new(me, shape), &place),
            "broadcast" => process::run(|| broadcast::Node::new(me, shape), &place),
            "gossip" => process::run(|| gossip::Node::new(me, shape), &place),
            _ => return Err(format!("there is no protocol `{protocol}`\n{USAGE}")),
        };
        ended.map_err(|error| error.to_string())
    });
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            eprintln!("protocol-node: {problem}");
            ExitCode::FAILURE
        }
    }
}

fn parse(mut args: impl Iterator<Item = String>) -> Result<(String, Place, Shape), String> {
    let usage = || USAGE.to_owned();
    let protocol = args.next().ok_or_else(usage)?;
    let (mut id, mut listen, mut peers, mut bug) = (None, None, Vec::new(), false);
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--bug" => bug = true,
            "--id" => id = args.next(),
            "--listen" => listen = args.next(),
            "--peers" => {
                let given = args.next().ok_or_else(usage)?;
                let pair =
                    |peer: &str| peer.split_once('=').map(|(name, at)| (name.to_owned(), at.to_owned()));
                peers = given.split(',').map(pair).collect::<Option<Vec<_>>>().ok_or_else(usage)?;
            }
            _ => return Err(usage()),
        }
    }
    let (Some(id), Some(listen)) = (id, listen) else { return Err(usage()) };
    let me = peers
        .iter()
        .position(|(name, _)| *name == id)
        .ok_or_else(|| format!("{id} is missing in --peers"))?;
    let shape = Shape { n_nodes: peers.len(), bug };
    Ok((protocol, Place { me, listen, peers }, shape))
}
