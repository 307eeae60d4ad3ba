//! Feeds arbitrary bytes, and arbitrary well-formed lines, to what listens to nodes.

use std::io::Write as _;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;

use kilter_protocol::{Done, FromNode, Hello, Offer, Request, Sent, ToNode, VERSION, encode};
use proptest::prelude::*;
use proptest::test_runner::{Config, RngSeed};
use serde_json::{Map, json};

use super::board::Board;
use super::link::Link;
use crate::world::{NodeName, OfferId, Trouble};

const N_NODES: usize = 3;

fn board(says_still: bool) -> Board {
    let names: Vec<NodeName> = (0..N_NODES).map(|node| format!("n{node}").into()).collect();
    let mut board = Board::new(&names);
    (0..N_NODES).for_each(|node| start(&mut board, node, says_still));
    board
}

fn start(board: &mut Board, node: usize, says_still: bool) {
    board.begin(node);
    let (name, token) = (format!("n{node}"), String::new());
    let hello = Hello { version: VERSION, node: name, token, says_still, takes_delivery: true };
    board.welcome(node, &hello);
}

/// All lines that a connection reads from bytes, until an error or the end.
fn lines(bytes: &[u8]) -> Vec<FromNode> {
    let (mut theirs, ours) = UnixStream::pair().expect("a pair of sockets");
    theirs.write_all(bytes).expect("it fits into the socket");
    drop(theirs);
    let mut link = Link::new(OwnedFd::from(ours));
    let mut lines = Vec::new();
    while !link.ended {
        link.fill();
        while let Ok(Some(line)) = link.next_line() {
            lines.push(line);
        }
    }
    lines
}

/// An arbitrary line. Numbers are small and messages few, so that they coincide.
fn line() -> impl Strategy<Value = FromNode> {
    let id = 0..6_u64;
    let message = (0..3_u8).prop_map(|message| json!(message));
    let sent = (0..5_usize, message.clone()).prop_map(|(to, message)| Sent { to: format!("n{to}"), message });
    prop_oneof![
        4 => (id.clone(), proptest::option::of(message))
            .prop_map(|(id, message)| FromNode::Offer(Offer { id, action: "A".into(), args: vec![], message })),
        1 => id.clone().prop_map(|id| FromNode::Withdraw { id }),
        4 => (id.clone(), proptest::collection::vec(sent, 0..3), any::<bool>()).prop_map(
            |(id, sent, unknown)| FromNode::Done(Done { id, variables: Map::new(), sent, unknown })
        ),
        1 => Just(FromNode::Report { variables: Map::new() }),
        2 => id.prop_map(|received| FromNode::Still { received }),
        1 => Just(FromNode::Note { text: "x".repeat(2_000) }),
    ]
}

/// Something that is done to the board.
#[derive(Clone, Debug)]
enum Ours {
    Hear(usize, FromNode),
    Go(usize),
    Drop(usize),
    Duplicate(usize),
    Request(usize),
    Crash(usize),
    Start(usize, bool),
    Pause(usize, bool),
    Connect(usize, usize, bool),
    Wake(usize),
    Reset,
    GiveUp,
}

fn ours() -> impl Strategy<Value = Ours> {
    let node = 0..N_NODES;
    prop_oneof![
        8 => (node.clone(), line()).prop_map(|(node, line)| Ours::Hear(node, line)),
        4 => any::<usize>().prop_map(Ours::Go),
        2 => any::<usize>().prop_map(Ours::Drop),
        2 => any::<usize>().prop_map(Ours::Duplicate),
        1 => node.clone().prop_map(Ours::Request),
        1 => node.clone().prop_map(Ours::Crash),
        1 => (node.clone(), any::<bool>()).prop_map(|(node, says_still)| Ours::Start(node, says_still)),
        1 => (node.clone(), any::<bool>()).prop_map(|(node, paused)| Ours::Pause(node, paused)),
        1 => (node.clone(), node.clone(), any::<bool>()).prop_map(|(a, b, connected)| Ours::Connect(a, b, connected)),
        1 => node.prop_map(Ours::Wake),
        1 => Just(Ours::Reset),
        1 => Just(Ours::GiveUp),
    ]
}

fn nth(board: &Board, index: usize) -> OfferId {
    let offers = board.offers();
    offers.keys().nth(index % offers.len().max(1)).copied().unwrap_or(OfferId(u64::MAX))
}

fn apply(board: &mut Board, step: Ours) -> Result<(), Trouble> {
    match step {
        // The caller would report how the node breaks the protocol. Here the node may go on and do worse.
        Ours::Hear(node, line) => drop(board.hear(node, line)),
        Ours::Go(index) => board.go(nth(board, index))?,
        Ours::Drop(index) => board.drop_message(nth(board, index))?,
        Ours::Duplicate(index) => board.duplicate(nth(board, index))?,
        Ours::Request(node) => board.request(node, "R", &[])?,
        Ours::Crash(node) => board.leave(node),
        Ours::Start(node, says_still) => {
            board.leave(node);
            start(board, node, says_still);
        }
        Ours::Pause(node, paused) => board.pause(node, paused),
        Ours::Connect(a, b, connected) => board.connect(a, b, connected),
        Ours::Wake(node) if !board.is_up(node) => board.wake(node, "Begin")?,
        Ours::Wake(_) => {}
        Ours::Reset => {
            board.clear_traffic();
            (0..N_NODES).try_for_each(|node| board.request(node, "Reset", &[]))?;
        }
        Ours::GiveUp => board.give_messages_up(),
    }
    Ok(())
}

fn config() -> Config {
    Config {
        cases: 500,
        rng_seed: RngSeed::Fixed(20_261_115),
        failure_persistence: None,
        ..Config::default()
    }
}

#[test]
fn a_message_that_was_given_up_and_comes_late_does_not_pass_for_the_next() {
    let mut board = board(true);
    let hear = |board: &mut Board, node, line| board.hear(node, line).expect("a sound line");
    for node in 0..N_NODES {
        hear(&mut board, node, FromNode::Report { variables: Map::new() });
        hear(&mut board, node, FromNode::Still { received: 0 });
    }
    // n0 sends a message to n1, which says how many have arrived in all.
    let send = |board: &mut Board, n_arrived| {
        board.request(0, "R", &[]).expect("it is up");
        let Some((0, ToNode::Request(Request { id, .. }))) = board.take_outbox().pop() else {
            panic!("a request")
        };
        let sent = vec![Sent { to: "n1".to_owned(), message: json!(id) }];
        hear(board, 0, FromNode::Done(Done { id, variables: Map::new(), sent, unknown: false }));
        hear(board, 0, FromNode::Still { received: 0 });
        hear(board, 1, FromNode::Still { received: n_arrived });
    };
    send(&mut board, 0);
    assert_eq!(board.late(), Some(1), "the first has not arrived");
    board.give_messages_up();
    assert_eq!(board.late(), None, "it is not waited for any more");
    board.settle();
    hear(&mut board, 1, FromNode::Still { received: 1 });
    board.settle();
    send(&mut board, 1);
    assert_eq!(board.late(), Some(1), "only the first has arrived");
    hear(&mut board, 1, FromNode::Still { received: 2 });
    assert_eq!(board.late(), None);
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn bytes_become_lines_or_an_error(bytes in proptest::collection::vec(any::<u8>(), 0..4_000)) {
        lines(&bytes);
    }

    #[test]
    fn lines_survive_being_broken_and_followed_by_garbage(
        said in proptest::collection::vec(line(), 0..20),
        garbage in proptest::collection::vec(any::<u8>(), 0..100),
    ) {
        let mut bytes: Vec<u8> = said.iter().flat_map(encode).collect();
        bytes.extend(garbage);
        prop_assert!(lines(&bytes).starts_with(&said));
    }

    #[test]
    fn the_board_stays_sound(says_still: bool, steps in proptest::collection::vec(ours(), 0..60)) {
        let mut board = board(says_still);
        for step in steps {
            let _ = apply(&mut board, step);
            board.settle();
            board.take_outbox();
            prop_assert!(board.flights().iter().all(|flight| flight.copies > 0));
            let offered = |offer: &crate::world::Offer| board.seat(board.find(&offer.node).expect("a node")).standing.len();
            prop_assert!(board.offers().values().all(|offer| offered(offer) > 0));
            prop_assert_eq!(board.late().is_none(), board.laggard().is_none() && !lacks(&board));
        }
    }
}

fn lacks(board: &Board) -> bool {
    (0..N_NODES).any(|node| !board.seat(node).rests() && board.seat(node).lacks_messages_only())
}
