//! Nodes that misbehave, each in its own way.

use std::io::{BufRead, Write};
use std::process::exit;
use std::thread;

use kilter_protocol::{Done, Environment, FromNode, Hello, Offer, Sent, ToNode, encode, read_line};
use serde_json::{Map, Value as Json, json};

use super::node::{connect, hello};

type Read = Box<dyn BufRead + Send>;
type Control = Box<dyn Write>;

/// Misbehaves.
pub fn run(kind: &str) {
    match kind {
        "dies" => {
            let _ = std::io::stderr().write_all(b"out of cheese\n");
            exit(5);
        }
        "absent" => idle(),
        "wordy" => wordy(),
        "flood-of-connections" => flood_of_connections(),
        _ => {}
    }
    let (read, mut control, environment) = connect();
    before_hello(kind, &mut control, &environment);
    say(&mut control, &FromNode::Hello(hello(&environment)));
    after_hello(kind, &mut control, &environment);
    say(&mut control, &FromNode::Report { variables: Map::new() });
    for id in 0..3 {
        offer(&mut control, id);
    }
    say(&mut control, &FromNode::Still { received: 0 });
    if kind == "ticks" {
        (0..u64::MAX).for_each(|tick| report_tick(&mut control, tick));
    }
    when_told(kind, read, control);
}

fn report_tick(control: &mut Control, tick: u64) {
    say(control, &FromNode::Report { variables: Map::from_iter([("tick".to_owned(), tick.into())]) });
}

fn idle() -> ! {
    loop {
        thread::park();
    }
}

fn say(control: &mut Control, line: &FromNode) {
    raw(control, &encode(line));
}

fn raw(control: &mut Control, bytes: &[u8]) {
    if control.write_all(bytes).is_err() {
        exit(3);
    }
}

fn offer(control: &mut Control, id: u64) {
    say(
        control,
        &FromNode::Offer(Offer { id, action: "Act".to_owned(), args: vec![json!(id)], message: None }),
    );
}

/// Prints a lot that is no text, and behaves.
fn wordy() {
    let mut out = std::io::stdout();
    for _ in 0..2_000 {
        let _ = out.write_all(&[0, 159, 146, 150, b'{', b'\n', 255].repeat(100));
    }
    super::node::run();
    exit(0);
}

/// Connects again and again, and says nothing.
fn flood_of_connections() {
    let mut kept = std::collections::VecDeque::new();
    loop {
        kept.push_back(connect());
        if kept.len() > 100 {
            kept.pop_front();
        }
    }
}

fn before_hello(kind: &str, control: &mut Control, environment: &Environment) {
    let good = hello(environment);
    let bad = match kind {
        "garbage-first" => {
            raw(control, b"GET / HTTP/1.1\r\n\r\n");
            idle();
        }
        "binary-first" => {
            raw(control, &[0, 255, 10, 10, 7]);
            idle();
        }
        "report-first" => {
            say(control, &FromNode::Report { variables: Map::new() });
            idle();
        }
        "wrong-token" => Hello { token: "sesame".to_owned(), ..good },
        "wrong-version" => Hello { version: 7, ..good },
        "old-token" => {
            let (secret, _) = good.token.rsplit_once('-').expect("a number at the end");
            Hello { token: format!("{secret}-0"), ..good }
        }
        "wrong-name" => Hello { node: "n9".to_owned(), ..good },
        _ => return,
    };
    say(control, &FromNode::Hello(bad));
    idle();
}

fn after_hello(kind: &str, control: &mut Control, environment: &Environment) {
    match kind {
        "mute" => idle(),
        "garbage" => raw(control, b"{\"offer\": 1}\n"),
        "hello-again" => say(control, &FromNode::Hello(hello(environment))),
        "two-connections" => {
            let (_read, mut second, environment) = connect();
            say(&mut second, &FromNode::Hello(hello(&environment)));
            idle();
        }
        "same-number" => (0..2).for_each(|_| offer(control, 1)),
        "flood-of-offers" => (0..u64::MAX).for_each(|id| offer(control, id)),
        "flood-of-notes" => loop {
            say(control, &FromNode::Note { text: "a".repeat(500) });
        },
        "flood-of-reports" => {
            let variables = Map::from_iter([("big".to_owned(), json!("x".repeat(1 << 20)))]);
            loop {
                say(control, &FromNode::Report { variables: variables.clone() });
            }
        }
        "endless-line" => loop {
            raw(control, &[b'['; 1 << 12]);
        },
        _ => {}
    }
}

fn when_told(kind: &str, mut read: Read, mut control: Control) {
    if kind == "deaf" {
        idle();
    }
    while let Ok(Some(told)) = read_line(&mut read) {
        let id = match told {
            ToNode::Welcome { .. } => continue,
            ToNode::Go { id } => id,
            ToNode::Request(request) => request.id,
            other => panic!("nobody says {other:?} here"),
        };
        answer(kind, &mut control, id);
    }
}

fn answer(kind: &str, control: &mut Control, id: u64) {
    let done = |variables, sent| FromNode::Done(Done { id, variables, sent, unknown: false });
    let line = match kind {
        "exits-with-0" => exit(0),
        "aborts" => std::process::abort(),
        "hangs" => idle(),
        "loops" => loop {
            std::hint::spin_loop();
        },
        "half-a-line" => return raw(control, b"{\"done\": {\"id\""),
        "half-a-line-and-closes" => {
            raw(control, b"{\"done\": {\"id\"");
            *control = Box::new(std::io::sink());
            // The reading half keeps the socket open; it goes with the process, which a child outlives.
            exit(0);
        }
        "wrong-number" => {
            FromNode::Done(Done { id: id + 1, variables: Map::new(), sent: vec![], unknown: false })
        }
        "withdraws" => FromNode::Withdraw { id },
        "chatters" => loop {
            say(control, &FromNode::Still { received: 0 });
        },
        "loses-messages" => done(Map::new(), vec![Sent { to: "n2".to_owned(), message: json!("lost") }]),
        "sends-to-nobody" => done(Map::new(), vec![Sent { to: "client".to_owned(), message: Json::Null }]),
        "big" => done(Map::from_iter([("big".to_owned(), json!("x".repeat(8 << 20)))]), vec![]),
        other => panic!("there is no bad node `{other}`"),
    };
    say(control, &line);
    say(control, &FromNode::Still { received: 0 });
}
