package main

import (
	"bytes"
	"encoding/json"
	"io"
	"log"
	"sort"

	"github.com/hashicorp/raft"
)

// message is a request or an answer as the testbed sees it, and as it goes over the network. Fields that a type does not have are nil.
type message struct {
	Type      string   `json:"type"`
	From      string   `json:"from"`
	To        string   `json:"to"`
	Term      uint64   `json:"term"`
	LastIndex *uint64  `json:"lastIndex,omitempty"`
	LastTerm  *uint64  `json:"lastTerm,omitempty"`
	PrevIndex *uint64  `json:"prevIndex,omitempty"`
	PrevTerm  *uint64  `json:"prevTerm,omitempty"`
	Entries   *[]entry `json:"entries,omitempty"`
	Commit    *uint64  `json:"commit,omitempty"`
	Asked     *uint64  `json:"asked,omitempty"` // the term of the request that is answered
	Last      *uint64  `json:"last,omitempty"`  // the last entry of the append that is answered, or the one before it
	Granted   *bool    `json:"granted,omitempty"`
	LastLog   *uint64  `json:"lastLog,omitempty"`
	Success   *bool    `json:"success,omitempty"`
	NoBackoff *bool    `json:"noBackoff,omitempty"`

	Index        *uint64   `json:"index,omitempty"` // of the last entry that a snapshot stands for
	Values       *[]string `json:"values,omitempty"`
	Servers      *[]string `json:"servers,omitempty"`
	ServersIndex *uint64   `json:"serversIndex,omitempty"`
}

// entry has servers if it is a change of the members.
type entry struct {
	Term    uint64   `json:"term"`
	Value   string   `json:"value"`
	Servers []string `json:"servers"`
}

func show(made *raft.Log) entry {
	switch made.Type {
	case raft.LogNoop:
		return entry{made.Term, "noop", []string{}}
	case raft.LogConfiguration:
		return entry{made.Term, "configuration", serverNames(raft.DecodeConfiguration(made.Data))}
	case raft.LogCommand:
		return entry{made.Term, string(made.Data), []string{}}
	}
	log.Fatalf("an entry of another kind: %+v", made)
	return entry{}
}

func serverNames(of raft.Configuration) []string {
	names := []string{}
	for _, server := range of.Servers {
		names = append(names, string(server.ID))
	}
	sort.Strings(names)
	return names
}

func voteMessage(from, to string, m *raft.RequestVoteRequest) message {
	return message{Type: "vote", From: from, To: to, Term: m.Term, LastIndex: &m.LastLogIndex, LastTerm: &m.LastLogTerm}
}

func voteRequest(m message) *raft.RequestVoteRequest {
	return &raft.RequestVoteRequest{
		RPCHeader: header, Term: m.Term, Candidate: []byte(m.From), LastLogIndex: *m.LastIndex, LastLogTerm: *m.LastTerm,
	}
}

func voteAnswer(request message, m *raft.RequestVoteResponse) message {
	return message{Type: "voteAnswer", From: request.To, To: request.From, Asked: &request.Term, Term: m.Term, Granted: &m.Granted}
}

// header is what each request has.
var header = raft.RPCHeader{ProtocolVersion: raft.ProtocolVersionMax}

// appendMessage shows an append. The library's heartbeats are appends that say nothing but the term.
func appendMessage(from, to string, m *raft.AppendEntriesRequest) message {
	if m.PrevLogEntry == 0 && len(m.Entries) == 0 && m.LeaderCommitIndex == 0 {
		return message{Type: "heartbeat", From: from, To: to, Term: m.Term}
	}
	entries := []entry{}
	for i, e := range m.Entries {
		if e.Index != m.PrevLogEntry+1+uint64(i) {
			log.Fatalf("an append with a gap: %+v", m)
		}
		entries = append(entries, show(e))
	}
	prevIndex, prevTerm, commit := m.PrevLogEntry, m.PrevLogTerm, m.LeaderCommitIndex // the library uses m again
	return message{
		Type: "append", From: from, To: to, Term: m.Term, PrevIndex: &prevIndex, PrevTerm: &prevTerm, Entries: &entries, Commit: &commit,
	}
}

func appendRequest(m message) *raft.AppendEntriesRequest {
	made := &raft.AppendEntriesRequest{RPCHeader: header, Term: m.Term, Leader: []byte(m.From)}
	if m.Type == "heartbeat" {
		return made
	}
	made.PrevLogEntry, made.PrevLogTerm, made.LeaderCommitIndex = *m.PrevIndex, *m.PrevTerm, *m.Commit
	for i, e := range *m.Entries {
		entry := &raft.Log{Index: *m.PrevIndex + 1 + uint64(i), Term: e.Term}
		switch e.Value {
		case "noop":
			entry.Type = raft.LogNoop
		case "configuration":
			entry.Type, entry.Data = raft.LogConfiguration, raft.EncodeConfiguration(configuration(e.Servers))
		default:
			entry.Data = []byte(e.Value)
		}
		made.Entries = append(made.Entries, entry)
	}
	return made
}

func appendAnswer(request message, m *raft.AppendEntriesResponse) message {
	answer := message{
		Type: request.Type + "Answer", From: request.To, To: request.From, Asked: &request.Term, Term: m.Term, LastLog: &m.LastLog, Success: &m.Success,
	}
	if request.Type == "append" {
		last := *request.PrevIndex + uint64(len(*request.Entries))
		answer.Last, answer.NoBackoff = &last, &m.NoRetryBackoff
	} else if m.NoRetryBackoff {
		log.Fatalf("a heartbeat is refused: %+v", m)
	}
	return answer
}

// snapshotMessage shows a snapshot with what it has, which is a machine.
func snapshotMessage(from, to string, m *raft.InstallSnapshotRequest, data io.Reader) message {
	var content machine
	check(json.NewDecoder(data).Decode(&content))
	servers := serverNames(raft.DecodeConfiguration(m.Configuration))
	return message{
		Type: "snapshot", From: from, To: to, Term: m.Term, Index: &m.LastLogIndex, LastTerm: &m.LastLogTerm, Values: &content.Values,
		Servers: &servers, ServersIndex: &m.ConfigurationIndex,
	}
}

func snapshotRequest(m message) (*raft.InstallSnapshotRequest, io.Reader) {
	data, err := json.Marshal(machine{*m.Index, *m.LastTerm, *m.Values})
	check(err)
	return &raft.InstallSnapshotRequest{
		RPCHeader: header, SnapshotVersion: raft.SnapshotVersionMax, Term: m.Term, Leader: []byte(m.From), LastLogIndex: *m.Index, LastLogTerm: *m.LastTerm,
		Configuration: raft.EncodeConfiguration(configuration(*m.Servers)), ConfigurationIndex: *m.ServersIndex, Size: int64(len(data)),
	}, bytes.NewReader(data)
}

func snapshotAnswer(request message, m *raft.InstallSnapshotResponse) message {
	return message{
		Type: "snapshotAnswer", From: request.To, To: request.From, Asked: &request.Term, Term: m.Term, Index: request.Index, Success: &m.Success,
	}
}
