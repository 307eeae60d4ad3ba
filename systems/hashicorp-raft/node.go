package main

import (
	"bytes"
	"io"
	"log"
	"runtime"
	"sort"
	"sync"
	"time"

	"github.com/hashicorp/go-hclog"
	"github.com/hashicorp/raft"

	"kilter.dev/probe/kilter"
	"kilter.dev/probe/peers"
)

// A follower whose timer runs out stands for election only if it has not heard of a leader for this long.
const timeout = 5 * time.Millisecond

// timer is a timer of the library. The peer is empty where there is none.
type timer struct{ name, peer string }

type node struct {
	name      string
	names     []string
	directory string
	raft      *raft.Raft
	disk      *disk
	machine   *machine
	transport *transport

	lock   sync.Mutex                 // of what follows
	timers map[timer][]chan time.Time // since each last ran out
	held   map[string]chan struct{}   // goroutines that replicate and wait for their turn, by peer
}

// newNode makes the library's object, on what is stored.
func newNode(name string, names []string, directory string, network *peers.Network) *node {
	n := &node{
		name: name, names: names, directory: directory, disk: openDisk(directory), machine: &machine{}, transport: newTransport(name, network),
		timers: map[timer][]chan time.Time{}, held: map[string]chan struct{}{},
	}
	raft.KilterTimer, raft.KilterHold = n.timer, n.hold
	config := raft.DefaultConfig()
	config.LocalID = raft.ServerID(name)
	config.HeartbeatTimeout, config.ElectionTimeout, config.LeaderLeaseTimeout = timeout, timeout, timeout
	config.SnapshotInterval, config.TrailingLogs = 24*time.Hour, 0
	config.ShutdownOnRemove = false
	config.Logger = hclog.New(&hclog.LoggerOptions{Output: io.Discard})
	hasRun, err := raft.HasExistingState(n.disk, n.disk, n.disk)
	check(err)
	if !hasRun {
		check(raft.BootstrapCluster(config, n.disk, n.disk, n.disk, n.transport, configuration(names)))
	}
	n.raft, err = raft.NewRaft(config, n.machine, n.disk, n.disk, n.disk, n.transport)
	check(err)
	n.settle()
	return n
}

// configuration gives the members of these names.
func configuration(names []string) raft.Configuration {
	var servers []raft.Server
	for _, name := range names {
		servers = append(servers, raft.Server{ID: raft.ServerID(name), Address: raft.ServerAddress(name)})
	}
	return raft.Configuration{Servers: servers}
}

// anew ends the library's object, and gives a node that has never run.
func (n *node) anew() *node {
	raft.KilterHold = func(string) {}
	close(n.transport.closed)
	check(n.raft.Shutdown().Error())
	n.disk.clear()
	return newNode(n.name, n.names, n.directory, n.transport.network)
}

// crashStanding lets the node stand for election, and crash after so many writes. Its main goroutine waits forever for the
// next write. Nothing of what it would have sent goes out.
func (n *node) crashStanding(writes int) *node {
	n.disk.writes = writes
	n.runOut(timer{"Timeout", ""})
	n.rest()
	close(n.transport.closed)
	n.raft.Shutdown()
	n.rest()
	return newNode(n.name, n.names, n.directory, n.transport.network)
}

// changeMember asks the library to remove a member, or to add it again.
func (n *node) changeMember(name string) {
	id := raft.ServerID(name)
	if contains(n.replicated(), name) {
		go n.raft.RemoveServer(id, 0, 0)
	} else {
		go n.raft.AddVoter(id, raft.ServerAddress(name), 0, 0)
	}
	n.settle()
}

// makeSnapshot gives an error if there is nothing new, or if the members are just being changed.
func (n *node) makeSnapshot() error {
	made := n.raft.Snapshot()
	n.settle()
	return made.Error()
}

// timer gives the channel of a timer that runs out when the testbed says so. The library makes a new one each time it begins to
// wait. The last one need not be the one that somebody waits for: a goroutine of an earlier leadership makes one too, when its
// last request is answered, and ends.
func (n *node) timer(name, peer string, _ time.Duration) <-chan time.Time {
	n.lock.Lock()
	defer n.lock.Unlock()
	channel := make(chan time.Time, 1)
	which := timer{name, peer}
	n.timers[which] = append(n.timers[which], channel)
	return channel
}

// hold makes a goroutine that replicates wait until all others have done their part.
func (n *node) hold(peer string) {
	channel := make(chan struct{})
	n.lock.Lock()
	n.held[peer] = channel
	n.lock.Unlock()
	<-channel
}

// release lets the first of the goroutines go that wait for their turn.
func (n *node) release() bool {
	n.lock.Lock()
	defer n.lock.Unlock()
	var peers []string
	for peer := range n.held {
		peers = append(peers, peer)
	}
	if len(peers) == 0 {
		return false
	}
	sort.Strings(peers)
	close(n.held[peers[0]])
	delete(n.held, peers[0])
	return true
}

func (n *node) wishes() []*kilter.Event {
	if n.raft.State() != raft.Leader {
		return []*kilter.Event{{Action: "Timeout", Data: timer{"Timeout", ""}}}
	}
	var wishes []*kilter.Event
	busy, beating := n.transport.underWay("append", n.term()), n.transport.underWay("heartbeat", n.term())
	for _, peer := range n.replicated() {
		if !contains(busy, peer) {
			wishes = append(wishes, &kilter.Event{Action: "Replicate", Args: []any{peer}, Data: timer{"Replicate", peer}})
		}
		if !contains(beating, peer) {
			wishes = append(wishes, &kilter.Event{Action: "Heartbeat", Args: []any{peer}, Data: timer{"Heartbeat", peer}})
		}
	}
	return wishes
}

// replicated gives the nodes that a leader replicates to.
func (n *node) replicated() []string {
	var peers []string
	for _, id := range n.private("leaderState", "replState").MapKeys() {
		peers = append(peers, id.String())
	}
	sort.Strings(peers)
	return peers
}

// fire lets a timer run out.
func (n *node) fire(which timer) {
	n.runOut(which)
	n.settle()
}

func (n *node) runOut(which timer) {
	if which.name == "Timeout" {
		time.Sleep(timeout)
	}
	n.lock.Lock()
	channels := n.timers[which]
	delete(n.timers, which)
	n.lock.Unlock()
	for _, channel := range channels {
		channel <- time.Now()
	}
}

// take lets the library have a request, or an answer to one of its own.
func (n *node) take(message message) {
	answers := make(chan raft.RPCResponse, 1)
	if !n.transport.request(message, answers) {
		n.transport.answer(message)
		n.settle()
		return
	}
	n.settle()
	select {
	case answer := <-answers:
		check(answer.Error)
		n.transport.reply(message, answer.Response)
	default:
		log.Fatalf("the library does not answer %+v", message)
	}
}

// settle waits until every goroutine waits for something, and lets those that replicate go one by one.
func (n *node) settle() {
	n.rest()
	for n.release() {
		n.rest()
	}
	n.transport.flush()
}

// rest waits until every goroutine waits for something.
func (n *node) rest() {
	for !allWait() {
		runtime.Gosched()
	}
}

var stacks = make([]byte, 1<<20)

// What goroutines wait for that have nothing to do, as stack dumps call it. Those that are preempted, that wait for a lock or that
// help the garbage collector have something to do.
var idle = [][]byte{[]byte("[select"), []byte("[chan receive"), []byte("[IO wait")}

// allWait says whether all other goroutines wait. One that was sent something is runnable from then on, so there is no moment in
// between. Timers of the library's own are too long to matter.
func allWait() bool {
	dump := stacks[:runtime.Stack(stacks, true)]
	for i, one := range bytes.Split(dump, []byte("\n\n")) {
		head, _, _ := bytes.Cut(one, []byte("\n"))
		if i > 0 && !isIdle(head) { // the first is this one
			return false
		}
	}
	return true
}

func isIdle(head []byte) bool {
	for _, state := range idle {
		if bytes.Contains(head, state) {
			return true
		}
	}
	return false
}

func contains(names []string, name string) bool {
	for _, other := range names {
		if other == name {
			return true
		}
	}
	return false
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
