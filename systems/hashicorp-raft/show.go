package main

import (
	"log"
	"reflect"

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
}

type entry struct {
	Term  uint64 `json:"term"`
	Value string `json:"value"`
}

func show(made *raft.Log) entry {
	switch made.Type {
	case raft.LogNoop:
		return entry{made.Term, "noop"}
	case raft.LogConfiguration:
		return entry{made.Term, "configuration"}
	case raft.LogCommand:
		return entry{made.Term, string(made.Data)}
	}
	log.Fatalf("an entry of another kind: %+v", made)
	return entry{}
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
			log.Fatal("a configuration is sent, though all have the first one")
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

// private gives a field that the library keeps to itself. All goroutines wait while it is read.
func (n *node) private(path ...string) reflect.Value {
	value := reflect.ValueOf(n.raft)
	for _, name := range path {
		value = reflect.Indirect(value).FieldByName(name)
	}
	return value
}

func (n *node) term() uint64 { return n.private("raftState", "currentTerm").Uint() }

func (n *node) variables() any {
	entries := []entry{}
	last, err := n.store.LastIndex()
	check(err)
	for index := uint64(1); index <= last; index++ {
		var entry raft.Log
		check(n.store.GetLog(index, &entry))
		entries = append(entries, show(&entry))
	}
	variables := map[string]any{
		"term": n.term(), "vote": nil, "log": entries, "commit": n.private("raftState", "commitIndex").Uint(),
		"role": n.raft.State().String(), "leader": nil, "view": n.view(),
	}
	if leader := n.raft.Leader(); leader != "" {
		variables["leader"] = string(leader)
	}
	if candidate, err := n.store.Get([]byte("LastVoteCand")); err == nil {
		term, err := n.store.GetUint64([]byte("LastVoteTerm"))
		check(err)
		variables["vote"] = map[string]any{"term": term, "node": string(candidate)}
	}
	return variables
}

// view gives what a leader knows of the others, and what it has under way to them; nil for others.
func (n *node) view() any {
	if n.raft.State() != raft.Leader {
		return nil
	}
	next, match, pending := map[string]uint64{}, map[string]uint64{}, []string{}
	for all := n.private("leaderState", "replState").MapRange(); all.Next(); {
		follower := all.Value().Elem()
		next[all.Key().String()] = follower.FieldByName("nextIndex").Uint()
		if follower.FieldByName("triggerCh").Len() > 0 {
			pending = append(pending, all.Key().String())
		}
	}
	for all := n.private("leaderState", "commitment", "matchIndexes").MapRange(); all.Next(); {
		match[all.Key().String()] = all.Value().Uint()
	}
	return map[string]any{
		"next": next, "match": match, "start": n.private("leaderState", "commitment", "startIndex").Uint(), "pending": pending,
		"busy": n.transport.underWay("append", n.term()), "beating": n.transport.underWay("heartbeat", n.term()),
	}
}
