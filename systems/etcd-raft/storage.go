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
	voters []uint64
}

// stored is what the file has.
type stored struct {
	State   raftpb.HardState
	Entries []raftpb.Entry
}

func openStorage(directory string, nVoters int) *storage {
	s := &storage{path: filepath.Join(directory, "raft.json")}
	for id := 1; id <= nVoters; id++ {
		s.voters = append(s.voters, uint64(id))
	}
	s.read()
	return s
}

func (s *storage) read() {
	s.MemoryStorage = raft.NewMemoryStorage()
	text, err := os.ReadFile(s.path)
	if errors.Is(err, fs.ErrNotExist) {
		return
	}
	check(err)
	var stored stored
	check(json.Unmarshal(text, &stored))
	check(s.SetHardState(stored.State))
	check(s.Append(stored.Entries))
}

// InitialState gives what is stored. All nodes are voters from the beginning, so the log has no changes of membership.
func (s *storage) InitialState() (raftpb.HardState, raftpb.ConfState, error) {
	state, _, err := s.MemoryStorage.InitialState()
	return state, raftpb.ConfState{Voters: s.voters}, err
}

// save stores what a Ready has, in memory and in the file.
func (s *storage) save(state raftpb.HardState, entries []raftpb.Entry) {
	if raft.IsEmptyHardState(state) && len(entries) == 0 {
		return
	}
	if !raft.IsEmptyHardState(state) {
		check(s.SetHardState(state))
	}
	check(s.Append(entries))
	state, _, err := s.InitialState()
	check(err)
	text, err := json.Marshal(stored{state, s.log()})
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

// log gives all entries.
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
