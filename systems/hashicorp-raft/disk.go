package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"log"
	"os"
	"path/filepath"

	"github.com/hashicorp/raft"
)

// disk is the library's LogStore, StableStore and SnapshotStore, all in one file, which is written anew by each write. There is no
// fsync: processes crash here, the machine does not.
type disk struct {
	path    string
	content content
	writes  int // how many more reach the disk, negative for all. The next one never ends.
}

// content is what the file has.
type content struct {
	Values   map[string][]byte
	Numbers  map[string]uint64
	Entries  []*raft.Log // those after the snapshot, without gaps
	Snapshot *stored
}

type stored struct {
	Meta raft.SnapshotMeta
	Data []byte
}

var errNotFound = errors.New("not found") // the library knows these words

func openDisk(directory string) *disk {
	d := &disk{path: filepath.Join(directory, "raft.json"), writes: -1}
	text, err := os.ReadFile(d.path)
	if err == nil {
		check(json.Unmarshal(text, &d.content))
	} else if !errors.Is(err, fs.ErrNotExist) {
		log.Fatal(err)
	}
	if d.content.Values == nil {
		d.content.Values, d.content.Numbers = map[string][]byte{}, map[string]uint64{}
	}
	return d
}

// clear forgets everything.
func (d *disk) clear() {
	if err := os.Remove(d.path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		log.Fatal(err)
	}
}

// write carries out a change and stores what there is then.
func (d *disk) write(change func()) error {
	if d.writes == 0 {
		select {}
	}
	d.writes--
	change()
	text, err := json.Marshal(d.content)
	if err == nil {
		err = os.WriteFile(d.path+".new", text, 0o600)
	}
	if err == nil {
		err = os.Rename(d.path+".new", d.path)
	}
	return err
}

func (d *disk) Set(key, value []byte) error {
	return d.write(func() { d.content.Values[string(key)] = append([]byte{}, value...) })
}

func (d *disk) Get(key []byte) ([]byte, error) {
	if value, ok := d.content.Values[string(key)]; ok {
		return value, nil
	}
	return nil, errNotFound
}

func (d *disk) SetUint64(key []byte, value uint64) error {
	return d.write(func() { d.content.Numbers[string(key)] = value })
}

func (d *disk) GetUint64(key []byte) (uint64, error) {
	if value, ok := d.content.Numbers[string(key)]; ok {
		return value, nil
	}
	return 0, errNotFound
}

// FirstIndex gives 0 if there are no entries, as LastIndex does.
func (d *disk) FirstIndex() (uint64, error) {
	if len(d.content.Entries) == 0 {
		return 0, nil
	}
	return d.content.Entries[0].Index, nil
}

func (d *disk) LastIndex() (uint64, error) {
	if len(d.content.Entries) == 0 {
		return 0, nil
	}
	return d.content.Entries[len(d.content.Entries)-1].Index, nil
}

func (d *disk) GetLog(index uint64, entry *raft.Log) error {
	for _, e := range d.content.Entries {
		if e.Index == index {
			*entry = *e
			return nil
		}
	}
	return raft.ErrLogNotFound
}

func (d *disk) StoreLog(entry *raft.Log) error { return d.StoreLogs([]*raft.Log{entry}) }

func (d *disk) StoreLogs(entries []*raft.Log) error {
	last, _ := d.LastIndex()
	for _, e := range entries {
		if last != 0 && e.Index != last+1 {
			log.Fatalf("entry %d is written after entry %d", e.Index, last)
		}
		last = e.Index
	}
	return d.write(func() {
		for _, e := range entries {
			kept := *e
			d.content.Entries = append(d.content.Entries, &kept)
		}
	})
}

func (d *disk) DeleteRange(first, last uint64) error {
	return d.write(func() {
		var kept []*raft.Log
		for _, e := range d.content.Entries {
			if e.Index < first || e.Index > last {
				kept = append(kept, e)
			}
		}
		d.content.Entries = kept
	})
}

// sink is a snapshot that is being made.
type sink struct {
	disk *disk
	made stored
}

func (d *disk) Create(
	version raft.SnapshotVersion, index, term uint64, servers raft.Configuration, serversIndex uint64, _ raft.Transport,
) (raft.SnapshotSink, error) {
	meta := raft.SnapshotMeta{Version: version, ID: "snapshot", Index: index, Term: term, Configuration: servers, ConfigurationIndex: serversIndex}
	return &sink{d, stored{Meta: meta}}, nil
}

func (s *sink) Write(data []byte) (int, error) {
	s.made.Data = append(s.made.Data, data...)
	return len(data), nil
}

func (s *sink) Close() error {
	s.made.Meta.Size = int64(len(s.made.Data))
	return s.disk.write(func() { s.disk.content.Snapshot = &s.made })
}

func (s *sink) ID() string    { return s.made.Meta.ID }
func (s *sink) Cancel() error { return nil }

// List gives the latest snapshot; there are no others.
func (d *disk) List() ([]*raft.SnapshotMeta, error) {
	if d.content.Snapshot == nil {
		return nil, nil
	}
	meta := d.content.Snapshot.Meta
	return []*raft.SnapshotMeta{&meta}, nil
}

func (d *disk) Open(string) (*raft.SnapshotMeta, io.ReadCloser, error) {
	if d.content.Snapshot == nil {
		return nil, nil, errNotFound
	}
	meta := d.content.Snapshot.Meta
	return &meta, io.NopCloser(bytes.NewReader(d.content.Snapshot.Data)), nil
}
