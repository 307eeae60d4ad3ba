package main

import (
	"encoding/json"
	"errors"
	"io/fs"
	"log"
	"math"
	"os"
	"path/filepath"

	"go.etcd.io/etcd/raft"
	"go.etcd.io/etcd/raft/raftpb"
)

// storage is the library's MemoryStorage with a file behind it. The file is written before any message goes out that must wait
// for it. There is no fsync: processes crash here, the machine does not.
type storage struct {
	*raft.MemoryStorage
	path   string
	nodes  int
	voters []uint64
}

// stored is what the file has.
type stored struct {
	State    raftpb.HardState
	Voters   []uint64
	Snapshot raftpb.Snapshot
	Entries  []raftpb.Entry // those after the snapshot
}

func openStorage(directory string, nVoters int) *storage {
	s := &storage{path: filepath.Join(directory, "raft.json"), nodes: nVoters}
	s.read()
	return s
}

// read begins with what the file has. If there is none, all nodes are voters.
func (s *storage) read() {
	s.MemoryStorage = raft.NewMemoryStorage()
	s.voters = nil
	for id := 1; id <= s.nodes; id++ {
		s.voters = append(s.voters, uint64(id))
	}
	text, err := os.ReadFile(s.path)
	if errors.Is(err, fs.ErrNotExist) {
		return
	}
	check(err)
	var stored stored
	check(json.Unmarshal(text, &stored))
	if !raft.IsEmptySnap(stored.Snapshot) {
		check(s.ApplySnapshot(stored.Snapshot))
	}
	s.voters = stored.Voters
	check(s.SetHardState(stored.State))
	check(s.Append(stored.Entries))
}

// InitialState gives what is stored.
func (s *storage) InitialState() (raftpb.HardState, raftpb.ConfState, error) {
	state, _, err := s.MemoryStorage.InitialState()
	return state, raftpb.ConfState{Voters: s.voters}, err
}

// save stores what a Ready has, in memory and in the file.
func (s *storage) save(state raftpb.HardState, snapshot raftpb.Snapshot, entries []raftpb.Entry) {
	if raft.IsEmptyHardState(state) && raft.IsEmptySnap(snapshot) && len(entries) == 0 {
		return
	}
	if !raft.IsEmptySnap(snapshot) {
		check(s.ApplySnapshot(snapshot))
	}
	if !raft.IsEmptyHardState(state) {
		check(s.SetHardState(state))
	}
	check(s.Append(entries))
	s.write()
}

// compact makes a snapshot of these entries, the first of the log, and drops them.
func (s *storage) compact(applied []raftpb.Entry) {
	content, err := json.Marshal(applied)
	check(err)
	last := applied[len(applied)-1].Index
	_, err = s.CreateSnapshot(last, &raftpb.ConfState{Voters: s.voters}, content)
	check(err)
	check(s.Compact(last))
	s.write()
}

// compacted gives the entries that the snapshot stands for.
func (s *storage) compacted() []raftpb.Entry {
	snapshot, err := s.Snapshot()
	check(err)
	return content(snapshot)
}

// content gives the entries that a snapshot stands for.
func content(snapshot raftpb.Snapshot) []raftpb.Entry {
	if raft.IsEmptySnap(snapshot) {
		return nil
	}
	var entries []raftpb.Entry
	check(json.Unmarshal(snapshot.Data, &entries))
	return entries
}

func (s *storage) isVoter(id uint64) bool {
	for _, other := range s.voters {
		if other == id {
			return true
		}
	}
	return false
}

func (s *storage) setVoters(voters []uint64) {
	s.voters = voters
	s.write()
}

func (s *storage) write() {
	state, _, err := s.InitialState()
	check(err)
	snapshot, err := s.Snapshot()
	check(err)
	text, err := json.Marshal(stored{state, s.voters, snapshot, s.log()})
	check(err)
	check(os.WriteFile(s.path+".new", text, 0o600))
	check(os.Rename(s.path+".new", s.path))
}

// clear forgets everything.
func (s *storage) clear() {
	if err := os.Remove(s.path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		log.Fatal(err)
	}
	s.read()
}

// log gives all entries after the snapshot.
func (s *storage) log() []raftpb.Entry {
	first, err := s.FirstIndex()
	check(err)
	last, err := s.LastIndex()
	check(err)
	if first > last {
		return nil
	}
	entries, err := s.Entries(first, last+1, math.MaxUint64)
	check(err)
	return entries
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
