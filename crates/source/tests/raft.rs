//! Changes of this repository's Raft, a program with a gate whose actions are variants of events.

#![allow(clippy::needless_raw_string_hashes, reason = "so expect-test writes them")]

use crate::common;

use common::{directory, edited, mapping, shown};
use expect_test::{Expect, expect};
use kilter_source::{ChangedAction, Mapping, SourceChange, Tree, compare};

fn raft_mapping() -> Mapping {
    let actions = "Timeout RequestVote BecomeLeader AppendEntries InstallSnapshot AdvanceCommitIndex TakeSnapshot \
        HandleRequestVoteRequest HandleRequestVoteResponse HandleAppendEntriesRequest HandleAppendEntriesResponse \
        HandleInstallSnapshotRequest DropStaleResponse ClientRequest start:Restart nothing:DropMessage";
    let mut mapping = mapping(actions, "currentTerm votedFor log");
    mapping.events.insert("Message".to_owned());
    mapping
}

/// Checks which actions an edit touches, and what is not attributed.
#[track_caller]
fn check_edit(file: &str, old: &str, new: &str, expected: &Expect) {
    let tree = Tree::from_directory(&directory("systems/raft")).expect("Raft's sources are here");
    let change = compare(&tree, &edited(&tree, file, old, new), &raft_mapping());
    // Without the manifest, an edit of the sources touches the same actions.
    if let Some(below) = file.strip_prefix("src/") {
        let tree = Tree::from_directory(&directory("systems/raft/src")).expect("Raft's sources are here");
        let source_only = compare(&tree, &edited(&tree, below, old, new), &raft_mapping());
        let names =
            |change: &SourceChange| change.actions.iter().map(|it| it.action.clone()).collect::<Vec<_>>();
        assert_eq!(names(&source_only), names(&change));
    }
    let name = |it: &ChangedAction| format!("{}{}", it.action, if it.stores { ", stored" } else { "" });
    let mut names: Vec<String> = change.actions.iter().map(name).collect();
    names.extend(change.unattributed.iter().cloned());
    names.extend(change.ignored.iter().cloned());
    let shown = if names.is_empty() { "no change".to_owned() } else { names.join("\n") };
    expected.assert_eq(&(shown + "\n"));
}

#[test]
fn a_vote_is_counted_otherwise() {
    check_edit(
        "src/consensus/election.rs",
        "votes.push(from);",
        "votes.insert(0, from);",
        &expect![[r#"
            DropStaleResponse
            HandleRequestVoteResponse
        "#]],
    );
}

#[test]
fn a_message_is_read_otherwise() {
    check_edit(
        "src/consensus/election.rs",
        "if term < newest {",
        "if term <= newest {",
        &expect![[r#"
            DropStaleResponse
            HandleRequestVoteResponse
        "#]],
    );
}

#[test]
fn a_timeout_does_something_else() {
    check_edit(
        "src/consensus/election.rs",
        "self.stored.term + 1",
        "self.stored.term + 2",
        &expect![[r#"
            Timeout, stored
        "#]],
    );
}

#[test]
fn a_helper_of_many_changes() {
    check_edit(
        "src/consensus.rs",
        "self.outcome.writes.push(write);",
        "self.outcome.writes.insert(0, write);",
        &expect![[r#"
            AdvanceCommitIndex, stored
            BecomeLeader, stored
            ClientRequest, stored
            DropStaleResponse, stored
            HandleAppendEntriesRequest, stored
            HandleAppendEntriesResponse, stored
            HandleInstallSnapshotRequest, stored
            HandleRequestVoteRequest, stored
            HandleRequestVoteResponse, stored
            TakeSnapshot, stored
            Timeout, stored
        "#]],
    );
}

#[test]
fn a_node_starts_otherwise() {
    check_edit(
        "src/consensus.rs",
        "stored.commit = stored.snapshot.index;",
        "stored.commit = 0;",
        &expect![[r#"
            Restart, stored
        "#]],
    );
}

#[test]
fn what_is_offered_changes() {
    check_edit(
        "src/consensus.rs",
        "Role::Follower => steps.push(Step::Timeout),",
        "Role::Follower => {}",
        &expect![[r#"
            AdvanceCommitIndex
            AppendEntries
            BecomeLeader
            ClientRequest
            DropStaleResponse
            HandleAppendEntriesRequest
            HandleAppendEntriesResponse
            HandleInstallSnapshotRequest
            HandleRequestVoteRequest
            HandleRequestVoteResponse
            InstallSnapshot
            RequestVote
            TakeSnapshot
            Timeout
        "#]],
    );
}

#[test]
fn a_thread_in_the_background_changes() {
    check_edit(
        "src/transport.rs",
        "stream.set_nodelay(true)?;",
        "",
        &expect![[r#"
            AdvanceCommitIndex, stored
            AppendEntries, stored
            BecomeLeader, stored
            ClientRequest, stored
            DropStaleResponse, stored
            HandleAppendEntriesRequest, stored
            HandleAppendEntriesResponse, stored
            HandleInstallSnapshotRequest, stored
            HandleRequestVoteRequest, stored
            HandleRequestVoteResponse, stored
            InstallSnapshot, stored
            RequestVote, stored
            Restart, stored
            TakeSnapshot, stored
            Timeout, stored
        "#]],
    );
}

#[test]
fn an_arm_of_one_event_changes() {
    check_edit(
        "src/clock.rs",
        "Step::Timeout => Due::At(self.election)",
        "Step::Timeout => Due::Now",
        &expect![[r#"
            Timeout
        "#]],
    );
}

#[test]
fn tests_and_documentation_are_no_change() {
    check_edit(
        "src/consensus/tests.rs",
        "use ",
        "use std::fmt; use ",
        &expect![[r#"
            src/consensus/tests.rs:1 a test
        "#]],
    );
    check_edit(
        "src/machine.rs",
        "Some(\"old\".into())",
        "None",
        &expect![[r#"
            no change
        "#]],
    );
}

#[test]
fn how_it_is_built_concerns_everything() {
    check_edit(
        "Cargo.toml",
        "publish = false",
        "publish = true",
        &expect![[r#"
            Cargo.toml:1 says how the system is built
        "#]],
    );
}

#[test]
fn a_report_says_how_an_action_comes_to_the_change() {
    let tree = Tree::from_directory(&directory("systems/raft")).expect("Raft's sources are here");
    let new = edited(
        &tree,
        "src/consensus/compaction.rs",
        "index > self.stored.commit",
        "index >= self.stored.commit",
    );
    expect![[r#"
        HandleInstallSnapshotRequest [all, stored]: src/consensus/compaction.rs:32 `Raft::handle_snapshot` changed, used by `run, loop` → … → `Raft::take, Step::Receive` → `Raft::receive` → `Raft::receive, Message::InstallSnapshotRequest`
    "#]].assert_eq(&shown(&compare(&tree, &new, &raft_mapping())));
}

#[test]
fn a_new_kind_of_request_is_only_its_own() {
    check_edit(
        "src/mapping.rs",
        "        let count = args.first()",
        "        if action == \"TakeSnapshot\" {\n            return Some(Happening::Step(Step::TakeSnapshot));\n        }\n        let count = args.first()",
        &expect![[r#"
            TakeSnapshot
        "#]],
    );
    check_edit(
        "src/consensus.rs",
        "    /// Append a client's command to the log.",
        "    /// Sleep.\n    Sleep,\n    /// Append a client's command to the log.",
        &expect![[r#"
            AdvanceCommitIndex, stored
            AppendEntries, stored
            BecomeLeader, stored
            ClientRequest, stored
            DropStaleResponse, stored
            HandleAppendEntriesRequest, stored
            HandleAppendEntriesResponse, stored
            HandleInstallSnapshotRequest, stored
            HandleRequestVoteRequest, stored
            HandleRequestVoteResponse, stored
            InstallSnapshot, stored
            RequestVote, stored
            Restart, stored
            TakeSnapshot, stored
            Timeout, stored
            src/consensus.rs:53 `Step::Sleep` is new, and no action is known to use it
        "#]],
    );
    check_edit(
        "src/consensus.rs",
        "        message: Message,\n    },\n}",
        "        message: Message,\n    },\n    Sleep,\n}",
        &expect![[r#"
            src/consensus.rs:66 `Step::Sleep` is new, and no action is known to use it
        "#]],
    );
}

#[test]
fn what_is_stored_shows_when_a_node_starts() {
    check_edit(
        "src/consensus/election.rs",
        "self.write(Write::Term { term, vote: Some(from.clone()) });",
        "self.stored.vote = Some(from.clone());",
        &expect![[r#"
            HandleRequestVoteRequest, stored
        "#]],
    );
}
