package main

import (
	"encoding/json"
	"reflect"
	"sort"

	"github.com/hashicorp/raft"
)

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
	snapshot := n.snapshot()
	variables := map[string]any{
		"term": n.term(), "vote": nil, "log": n.log(snapshot.Index), "snapshot": snapshot, "commit": n.private("raftState", "commitIndex").Uint(),
		"last":    map[string]any{"index": n.private("raftState", "lastLogIndex").Uint(), "term": n.private("raftState", "lastLogTerm").Uint()},
		"machine": n.machine.shown(), "applied": n.raft.AppliedIndex(), "members": n.members(),
		"role": n.raft.State().String(), "leader": nil, "view": n.view(),
	}
	if leader := n.raft.Leader(); leader != "" {
		variables["leader"] = string(leader)
	}
	if candidate, err := n.disk.Get([]byte("LastVoteCand")); err == nil {
		term, err := n.disk.GetUint64([]byte("LastVoteTerm"))
		check(err)
		variables["vote"] = map[string]any{"term": term, "node": string(candidate)}
	}
	return variables
}

// log gives all entries, with `gone` for those that the snapshot stands for.
func (n *node) log(snapshot uint64) []entry {
	entries := []entry{}
	for index := uint64(1); index <= snapshot; index++ {
		entries = append(entries, entry{0, "gone", []string{}})
	}
	for _, e := range n.disk.content.Entries {
		if e.Index <= snapshot {
			entries[e.Index-1] = show(e)
		} else {
			entries = append(entries, show(e))
		}
	}
	return entries
}

// shownSnapshot is the latest snapshot, with the index 0 if there is none.
type shownSnapshot struct {
	machine
	Servers      []string `json:"servers"`
	ServersIndex uint64   `json:"serversIndex"`
}

func (n *node) snapshot() shownSnapshot {
	made := n.disk.content.Snapshot
	if made == nil {
		return shownSnapshot{(&machine{}).shown(), []string{}, 0}
	}
	var has machine
	check(json.Unmarshal(made.Data, &has))
	has.Index, has.Term = made.Meta.Index, made.Meta.Term
	return shownSnapshot{has.shown(), serverNames(made.Meta.Configuration), made.Meta.ConfigurationIndex}
}

// shown has a list of values even if that is empty.
func (m *machine) shown() machine {
	return machine{m.Index, m.Term, append([]string{}, m.Values...)}
}

// members gives the latest members that the library has heard of, and the latest that it knows to be committed.
func (n *node) members() map[string]any {
	names := func(which string) []string {
		servers, names := n.private("configurations", which, "Servers"), []string{}
		for i := 0; i < servers.Len(); i++ {
			names = append(names, servers.Index(i).FieldByName("ID").String())
		}
		sort.Strings(names)
		return names
	}
	return map[string]any{
		"latest": names("latest"), "latestIndex": n.private("configurations", "latestIndex").Uint(),
		"committed": names("committed"), "committedIndex": n.private("configurations", "committedIndex").Uint(),
	}
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
