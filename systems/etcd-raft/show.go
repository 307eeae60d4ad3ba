package main

import (
	"encoding/json"
	"log"
	"reflect"
	"sort"

	"go.etcd.io/etcd/raft/raftpb"
)

// message is a message of the library as the testbed sees it, and as it goes over the network.
type message struct {
	Type       string  `json:"type"`
	From       string  `json:"from"`
	To         string  `json:"to"`
	Term       uint64  `json:"term"`
	Index      uint64  `json:"index"`
	LogTerm    uint64  `json:"logTerm"`
	Entries    []entry `json:"entries"`
	Commit     uint64  `json:"commit"`
	CommitTerm uint64  `json:"commitTerm"` // always 0: raft-rs has this field, and so the specification has it
	Reject     bool    `json:"reject"`
	Hint       uint64  `json:"hint"`
}

// entry is an entry of the log. The empty entry with which a leader begins has the value 0, a change of the members the node's name.
type entry struct {
	Term   uint64          `json:"term"`
	Value  json.RawMessage `json:"value"`
	Change []byte          `json:"change,omitempty"` // as the library writes it
}

func changeOf(e raftpb.Entry) raftpb.ConfChange {
	var change raftpb.ConfChange
	check(change.Unmarshal(e.Data))
	return change
}

var empty = json.RawMessage("0")

func (n *node) show(entries []raftpb.Entry) []entry {
	shown := []entry{}
	for _, e := range entries {
		one := entry{Term: e.Term, Value: empty}
		if e.Type == raftpb.EntryConfChange {
			text, err := json.Marshal(n.name(changeOf(e).NodeID))
			check(err)
			one.Value, one.Change = text, e.Data
		} else if len(e.Data) > 0 {
			one.Value = e.Data
		}
		shown = append(shown, one)
	}
	return shown
}

// shown makes the testbed's message of the library's.
func (n *node) shown(m raftpb.Message) message {
	from, to := n.name(m.From), n.name(m.To)
	if from == nil || to == nil || !isPlain(m) {
		log.Fatalf("the library sends what has no form here: %+v", m)
	}
	if m.Type == raftpb.MsgSnap { // the library leaves these three fields alone
		last := m.Snapshot.Metadata
		m.Index, m.LogTerm, m.Entries = last.Index, last.Term, content(m.Snapshot)
	}
	return message{
		Type: m.Type.String(), From: *from, To: *to, Term: m.Term, Index: m.Index, LogTerm: m.LogTerm,
		Entries: n.show(m.Entries), Commit: m.Commit, Reject: m.Reject, Hint: m.RejectHint,
	}
}

// isPlain says whether a message has nothing that its form leaves out. The indexes of entries follow from that of the message.
func isPlain(m raftpb.Message) bool {
	if m.Type == raftpb.MsgSnap {
		return len(m.Context) == 0 && len(m.Entries) == 0 && m.Index == 0 && m.LogTerm == 0
	}
	for i, e := range m.Entries {
		if e.Type == raftpb.EntryConfChangeV2 || (m.Type == raftpb.MsgApp && e.Index != m.Index+1+uint64(i)) {
			return false
		}
	}
	return len(m.Context) == 0 && m.Snapshot.Metadata.Index == 0
}

// received makes the library's message of one that has come over the network.
func (n *node) received(m message) raftpb.Message {
	made := raftpb.Message{
		Type: raftpb.MessageType(raftpb.MessageType_value[m.Type]), From: n.number(m.From), To: n.number(m.To), Term: m.Term,
		Index: m.Index, LogTerm: m.LogTerm, Commit: m.Commit, Reject: m.Reject, RejectHint: m.Hint,
	}
	before := m.Index
	if m.Type == "MsgSnap" {
		before = 0
	}
	for i, e := range m.Entries {
		entry := raftpb.Entry{Term: e.Term}
		if m.Type == "MsgApp" || m.Type == "MsgSnap" {
			entry.Index = before + 1 + uint64(i)
		}
		if string(e.Value) != string(empty) {
			entry.Data = e.Value
		}
		if len(e.Change) > 0 {
			entry.Type, entry.Data = raftpb.EntryConfChange, e.Change
		}
		made.Entries = append(made.Entries, entry)
	}
	if m.Type == "MsgSnap" {
		data, err := json.Marshal(made.Entries)
		check(err)
		last := raftpb.SnapshotMetadata{Index: m.Index, Term: m.LogTerm, ConfState: raftpb.ConfState{Voters: n.storage.voters}}
		made.Snapshot = raftpb.Snapshot{Data: data, Metadata: last}
		made.Index, made.LogTerm, made.Entries = 0, 0, nil
	}
	return made
}

// progress is what a leader knows of another node.
type progress struct {
	Matched uint64 `json:"matched"`
	Next    uint64 `json:"next"`
	State   string `json:"state"`
	Paused  bool   `json:"paused"`
	Pending uint64 `json:"pending"`
}

// variables gives what the node holds. Between two actions the library has nothing left to store, so the log is the storage's.
func (n *node) variables() any {
	status := n.raw.Status()
	known := map[string]progress{}
	for id, p := range status.Progress { // only a leader has any
		if id != n.id {
			known[*n.name(id)] = progress{p.Match, p.Next, p.State.String(), p.ProbeSent, p.PendingSnapshot}
		}
	}
	first, err := n.storage.FirstIndex()
	check(err)
	log := append(n.storage.compacted(), n.storage.log()...)
	return map[string]any{
		"term": status.Term, "vote": n.name(status.Vote), "commit": status.Commit, "log": n.show(log), "compacted": first - 1, "voters": n.voters(),
		"role": status.RaftState.String(), "leader": n.name(status.Lead),
		"votes": n.votes(), "progress": known,
	}
}

// voters gives the members, in order.
func (n *node) voters() []string {
	voters := []string{}
	for id := range n.raw.Status().Config.Voters.IDs() {
		voters = append(voters, *n.name(id))
	}
	sort.Strings(voters)
	return voters
}

// votes reads the answers to a candidate, which the library keeps to itself.
func (n *node) votes() map[string]bool {
	votes := map[string]bool{}
	field := reflect.ValueOf(n.raw).Elem().FieldByName("raft").Elem().FieldByName("prs").FieldByName("Votes")
	for all := field.MapRange(); all.Next(); {
		votes[*n.name(all.Key().Uint())] = all.Value().Bool()
	}
	return votes
}
