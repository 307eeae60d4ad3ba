package main

import (
	"encoding/json"
	"io"

	"github.com/hashicorp/raft"
)

// machine is the replicated state machine. It keeps all values that it was told of, and the last of these entries.
type machine struct {
	Index  uint64   `json:"index"`
	Term   uint64   `json:"term"`
	Values []string `json:"values"`
}

func (m *machine) Apply(entry *raft.Log) any {
	m.Index, m.Term = entry.Index, entry.Term
	m.Values = append(m.Values, string(entry.Data))
	return nil
}

func (m *machine) Snapshot() (raft.FSMSnapshot, error) {
	return picture{m.Index, m.Term, append([]string{}, m.Values...)}, nil
}

func (m *machine) Restore(source io.ReadCloser) error {
	*m = machine{}
	return json.NewDecoder(source).Decode(m)
}

// picture is a machine at one moment.
type picture machine

func (p picture) Persist(sink raft.SnapshotSink) error {
	if err := json.NewEncoder(sink).Encode(machine(p)); err != nil {
		return err
	}
	return sink.Close()
}

func (p picture) Release() {}
