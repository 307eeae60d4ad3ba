package main

import (
	"encoding/json"
	"log"
	"reflect"

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

// entry is an entry of the log. The empty entry with which a leader begins has the value 0.
type entry struct {
	Term  uint64          `json:"term"`
	Value json.RawMessage `json:"value"`
}

var empty = json.RawMessage("0")

func show(entries []raftpb.Entry) []entry {
	shown := []entry{}
	for _, e := range entries {
		value := empty
		if len(e.Data) > 0 {
			value = e.Data
		}
		shown = append(shown, entry{e.Term, value})
	}
	return shown
}

// shown makes the testbed's message of the library's.
func (n *node) shown(m raftpb.Message) message {
	from, to := n.name(m.From), n.name(m.To)
	if from == nil || to == nil || !isPlain(m) {
		log.Fatalf("the library sends what has no form here: %+v", m)
	}
	return message{
		Type: m.Type.String(), From: *from, To: *to, Term: m.Term, Index: m.Index, LogTerm: m.LogTerm,
		Entries: show(m.Entries), Commit: m.Commit, Reject: m.Reject, Hint: m.RejectHint,
	}
}

// isPlain says whether a message has nothing that its form leaves out. The indexes of entries follow from that of the message.
func isPlain(m raftpb.Message) bool {
	for i, e := range m.Entries {
		if e.Type != raftpb.EntryNormal || (m.Type == raftpb.MsgApp && e.Index != m.Index+1+uint64(i)) {
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
	for i, e := range m.Entries {
		entry := raftpb.Entry{Term: e.Term}
		if m.Type == "MsgApp" {
			entry.Index = m.Index + 1 + uint64(i)
		}
		if string(e.Value) != string(empty) {
			entry.Data = e.Value
		}
		made.Entries = append(made.Entries, entry)
	}
	return made
}

// progress is what a leader knows of another node.
type progress struct {
	Matched uint64 `json:"matched"`
	Next    uint64 `json:"next"`
	State   string `json:"state"`
	Paused  bool   `json:"paused"`
}

// variables gives what the node holds. Between two actions the library has nothing left to store, so the log is the storage's.
func (n *node) variables() any {
	status := n.raw.Status()
	known := map[string]progress{}
	for id, p := range status.Progress { // only a leader has any
		if id != n.id {
			known[*n.name(id)] = progress{p.Match, p.Next, p.State.String(), p.ProbeSent}
		}
	}
	return map[string]any{
		"term": status.Term, "vote": n.name(status.Vote), "commit": status.Commit, "log": show(n.storage.log()),
		"role": status.RaftState.String(), "leader": n.name(status.Lead),
		"votes": n.votes(), "progress": known,
	}
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
