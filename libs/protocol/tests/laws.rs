//! Laws of lines: what is written can be read, and nothing that can be read does harm. Fixed seeds.

use std::io::{BufReader, Cursor};

use kilter_protocol::{
    Address, Done, FromNode, Hello, LINE_BYTES_MAX, LineError, Offer, Request, Sent, ToNode, decode, encode,
    read_line,
};
use proptest::collection::{btree_map, vec};
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use serde_json::{Map, Value as Json};

fn runner() -> TestRunner {
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &[7; 32]);
    TestRunner::new_with_rng(Config { failure_persistence: None, ..Config::with_cases(500) }, rng)
}

fn json() -> impl Strategy<Value = Json> {
    let leaf = prop_oneof![
        Just(Json::Null),
        any::<bool>().prop_map(Json::from),
        any::<i64>().prop_map(Json::from),
        any::<u64>().prop_map(Json::from),
        ".*".prop_map(Json::from),
    ];
    leaf.prop_recursive(3, 12, 4, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(Json::from),
            btree_map(".*", inner, 0..4).prop_map(|fields| Json::Object(fields.into_iter().collect())),
        ]
    })
}

fn variables() -> impl Strategy<Value = Map<String, Json>> {
    btree_map(".*", json(), 0..4).prop_map(|fields| fields.into_iter().collect())
}

fn from_node() -> impl Strategy<Value = FromNode> {
    let sent = (".*", json()).prop_map(|(to, message)| Sent { to, message });
    prop_oneof![
        (any::<u32>(), ".*", ".*", any::<bool>(), any::<bool>()).prop_map(
            |(version, node, token, says_still, takes_delivery)| {
                FromNode::Hello(Hello { version, node, token, says_still, takes_delivery })
            }
        ),
        (any::<u64>(), ".*", vec(json(), 0..3), option(json()))
            .prop_map(|(id, action, args, message)| FromNode::Offer(Offer { id, action, args, message })),
        any::<u64>().prop_map(|id| FromNode::Withdraw { id }),
        (any::<u64>(), variables(), vec(sent, 0..3), any::<bool>())
            .prop_map(|(id, variables, sent, unknown)| FromNode::Done(Done { id, variables, sent, unknown })),
        variables().prop_map(|variables| FromNode::Report { variables }),
        any::<u64>().prop_map(|received| FromNode::Still { received }),
        ".*".prop_map(|text| FromNode::Note { text }),
    ]
}

fn to_node() -> impl Strategy<Value = ToNode> {
    prop_oneof![
        any::<u32>().prop_map(|version| ToNode::Welcome { version }),
        any::<u64>().prop_map(|id| ToNode::Go { id }),
        any::<u64>().prop_map(|id| ToNode::Drop { id }),
        any::<u64>().prop_map(|id| ToNode::Twice { id }),
        (any::<u64>(), ".*", vec(json(), 0..3)).prop_map(|(id, action, args)| ToNode::Request(Request {
            id,
            action,
            args
        })),
        (".*", json()).prop_map(|(from, message)| ToNode::Deliver { from, message }),
        Just(ToNode::Stop {}),
    ]
}

/// A message of an offer, or none. `null` can't be told from none.
fn option(value: impl Strategy<Value = Json>) -> impl Strategy<Value = Option<Json>> {
    proptest::option::of(value.prop_filter("null is no message", |value| !value.is_null()))
}

#[test]
fn what_is_written_can_be_read() {
    let messages = (vec(from_node(), 0..4), vec(to_node(), 0..4));
    let law = |(said, told): (Vec<FromNode>, Vec<ToNode>)| {
        let mut lines = Cursor::new(said.iter().flat_map(encode).collect::<Vec<u8>>());
        for message in said {
            prop_assert_eq!(read_line(&mut lines).ok().flatten(), Some(message));
        }
        prop_assert!(matches!(read_line::<FromNode>(&mut lines), Ok(None)));
        for message in told {
            let line = encode(&message);
            prop_assert_eq!(line.iter().position(|byte| *byte == b'\n'), Some(line.len() - 1));
            prop_assert_eq!(decode::<ToNode>(&line).ok(), Some(message));
        }
        Ok(())
    };
    runner().run(&messages, law).expect("the law holds");
}

#[test]
fn any_bytes_are_read_to_their_end() {
    let pieces = prop_oneof![
        vec(any::<u8>(), 0..40),
        from_node().prop_map(|message| encode(&message)),
        "[\\[{\"a:1,}\\]\n]*".prop_map(String::into_bytes),
    ];
    let law = |pieces: Vec<Vec<u8>>| {
        let bytes = pieces.concat();
        let n_lines = bytes.split(|byte| *byte == b'\n').count() - 1;
        // A small buffer, so that lines come in pieces.
        let mut reader = BufReader::with_capacity(3, &bytes[..]);
        let mut n_read = 0;
        while !matches!(read_line::<FromNode>(&mut reader), Ok(None)) {
            n_read += 1;
        }
        let half = usize::from(bytes.last().is_some_and(|byte| *byte != b'\n'));
        prop_assert_eq!(n_read, n_lines + half);
        Ok(())
    };
    runner().run(&vec(pieces, 0..6), law).expect("the law holds");
}

#[test]
fn addresses_are_read_as_they_are_written() {
    let law = |(bytes, port, path): ([u8; 4], u16, String)| {
        for address in [Address::Tcp((bytes, port).into()), Address::Unix(path.into())] {
            prop_assert_eq!(address.to_string().parse(), Ok(address));
        }
        Ok(())
    };
    runner().run(&(any::<[u8; 4]>(), any::<u16>(), ".+"), law).expect("the law holds");
    runner()
        .run(&".*", |text| {
            let _ = text.parse::<Address>();
            Ok(())
        })
        .expect("nothing panics");
}

#[test]
fn lines_too_long_cut_off_or_odd_are_errors() {
    let long = vec![b' '; LINE_BYTES_MAX + 1];
    assert!(matches!(read_line::<ToNode>(&mut &long[..]), Err(LineError::TooLong)));
    let cut = &encode(&ToNode::Go { id: 1 })[..5];
    assert!(matches!(read_line::<ToNode>(&mut &cut[..]), Err(LineError::HalfLine(_))));
    let deep = "[".repeat(100_000);
    for odd in [
        "",
        "\n",
        "null",
        "{}",
        r#"{"go":{}}"#,
        r#"{"go":{"id":-1}}"#,
        r#"{"go":{"id":1,"ID":2}}"#,
        r#"{"go":{"id":1},"drop":{"id":1}}"#,
        r#"{"went":{"id":1}}"#,
        r#"{"go":{"id":1}} {"go":{"id":2}}"#,
        &deep,
    ] {
        let error = decode::<ToNode>(odd.as_bytes()).expect_err("no message").to_string();
        assert!(error.starts_with("not a message of the protocol: "), "{error}");
        assert!(error.len() < 400, "{error}");
    }
}
