package main

import (
	"io"
	"log"
	"math"
	"math/rand"
	"time"

	"go.etcd.io/etcd/raft"
	"go.etcd.io/etcd/raft/raftpb"

	"kilter.dev/probe/kilter"
	"kilter.dev/probe/peers"
)

// The election timer runs out after at least this many ticks, and fewer than twice as many.
const electionTicks = 2

// node is a RawNode of the library. Each action is one call into it, and everything that it then asks for.
type node struct {
	id      uint64
	names   []string
	storage *storage
	raw     *raft.RawNode
	applied []raftpb.Entry // the state machine: it keeps all that was applied
	network *peers.Network
	due     time.Time // when the timer runs out if no testbed is in control
}

func newNode(name string, names []string, directory string, network *peers.Network) *node {
	n := &node{names: names, network: network}
	n.id = n.number(name)
	n.storage = openStorage(directory, len(names))
	n.start()
	return n
}

// start makes the library's object, on what is stored.
func (n *node) start() {
	raw, err := raft.NewRawNode(&raft.Config{
		ID:              n.id,
		ElectionTick:    electionTicks,
		HeartbeatTick:   1,
		Storage:         n.storage,
		MaxSizePerMsg:   math.MaxUint64,
		MaxInflightMsgs: 16,
		Logger:          &raft.DefaultLogger{Logger: log.New(io.Discard, "", 0)},
	})
	if err != nil {
		log.Fatal(err)
	}
	n.raw, n.applied = raw, n.storage.compacted()
	n.settle()
}

func (n *node) reset() {
	n.storage.clear()
	n.start()
}

func (n *node) wishes() []*kilter.Event {
	if n.raw.BasicStatus().RaftState == raft.StateLeader {
		return []*kilter.Event{{Action: "Heartbeat", Due: n.due}}
	}
	return []*kilter.Event{{Action: "Campaign", Due: n.due}}
}

// tick lets time pass until a timer has run out, which is when the library has something to do.
func (n *node) tick() {
	for i := 0; i < 2*electionTicks; i++ {
		n.raw.Tick()
		if n.raw.HasReady() {
			n.settle()
			return
		}
	}
	log.Fatalf("no timer ran out in %d ticks", 2*electionTicks)
}

func (n *node) step(message message) {
	// Not found: the answer of a node that is no member any more.
	if err := n.raw.Step(n.received(message)); err != nil && err != raft.ErrProposalDropped && err != raft.ErrStepPeerNotFound {
		log.Fatalf("%+v: %v", message, err)
	}
	n.settle()
}

// propose gives an error if there is no leader to take the proposal.
func (n *node) propose(value proposal) error {
	err := n.raw.Propose(value)
	n.settle()
	return err
}

// changeMember asks the library to remove a member, or to add it again.
func (n *node) changeMember(name string) {
	change := raftpb.ConfChange{Type: raftpb.ConfChangeAddNode, NodeID: n.number(name)}
	if n.storage.isVoter(change.NodeID) {
		change.Type = raftpb.ConfChangeRemoveNode
	}
	if err := n.raw.ProposeConfChange(change); err != nil {
		log.Fatal(err)
	}
	n.settle()
}

// apply takes in what is committed: a change of the members, or an entry of the state machine.
func (n *node) apply(committed []raftpb.Entry) {
	for _, e := range committed {
		if e.Type == raftpb.EntryConfChange {
			n.storage.setVoters(n.raw.ApplyConfChange(changeOf(e)).Voters)
		}
	}
	n.applied = append(n.applied, committed...)
}

// compact makes a snapshot of all that was applied.
func (n *node) compact() {
	n.storage.compact(n.applied)
}

// report tells the library how the network went with a snapshot.
func (n *node) report(of report) {
	status := raft.SnapshotFailure
	if of.reached {
		status = raft.SnapshotFinish
	}
	n.raw.ReportSnapshot(n.number(of.node), status)
	n.settle()
}

// settle does what the library asks for: it stores, then sends, then applies.
func (n *node) settle() {
	for n.raw.HasReady() {
		ready := n.raw.Ready()
		n.storage.save(ready.HardState, ready.Snapshot, ready.Entries)
		if !raft.IsEmptySnap(ready.Snapshot) {
			n.applied = n.storage.compacted()
		}
		for _, message := range ready.Messages {
			n.send(message)
		}
		n.apply(ready.CommittedEntries)
		n.raw.Advance(ready)
	}
	n.due = time.Now().Add(n.patience())
}

func (n *node) send(message raftpb.Message) {
	shown := n.shown(message)
	n.network.Send(shown.To, shown)
}

func (n *node) patience() time.Duration {
	if n.raw.BasicStatus().RaftState == raft.StateLeader {
		return 100 * time.Millisecond
	}
	return time.Second + time.Duration(rand.Int63n(int64(time.Second)))
}

// number gives the library's number of a node, 0 if it is no node.
func (n *node) number(name string) uint64 {
	for i, other := range n.names {
		if other == name {
			return uint64(i + 1)
		}
	}
	return raft.None
}

// name gives nil for the number 0.
func (n *node) name(id uint64) *string {
	if id == raft.None || id > uint64(len(n.names)) {
		return nil
	}
	return &n.names[id-1]
}
