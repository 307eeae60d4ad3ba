package main

import (
	"errors"
	"io"
	"log"
	"sort"
	"sync"

	"github.com/hashicorp/raft"

	"kilter.dev/probe/peers"
)

// transport is the library's Transport. A call waits until the answer was taken in, which is an action.
type transport struct {
	name     string
	network  *peers.Network
	requests chan raft.RPC
	lock     sync.Mutex // of what follows
	calls    map[call]chan message
	unsent   []message
	closed   chan struct{}
}

// call is a request that waits for its answer. There is one at a time of each kind to each peer in each term.
type call struct {
	kind, peer string
	term       uint64
}

func newTransport(name string, network *peers.Network) *transport {
	return &transport{name: name, network: network, requests: make(chan raft.RPC), calls: map[call]chan message{}, closed: make(chan struct{})}
}

// flush sends the requests that goroutines have made. They can't do it themselves: one that waits for the network looks as if it
// waited for something to do.
func (t *transport) flush() {
	t.lock.Lock()
	unsent := t.unsent
	t.unsent = nil
	t.lock.Unlock()
	sort.Slice(unsent, func(i, j int) bool { return unsent[i].To < unsent[j].To })
	for _, message := range unsent {
		t.network.Send(message.To, message)
	}
}

// make hands in a request and waits for the answer.
func (t *transport) make(request message) (answer message, err error) {
	call := call{kinds[request.Type], request.To, request.Term}
	answered := make(chan message)
	t.lock.Lock()
	if t.calls[call] != nil {
		log.Fatalf("the library sends again without waiting: %+v", request)
	}
	t.calls[call] = answered
	t.unsent = append(t.unsent, request)
	t.lock.Unlock()
	select {
	case answer = <-answered:
	case <-t.closed:
		err = errors.New("the node begins anew")
	}
	return answer, err
}

// kinds says which call a message belongs to. A snapshot takes the place of an append.
var kinds = map[string]string{
	"vote": "vote", "voteAnswer": "vote", "append": "append", "appendAnswer": "append", "heartbeat": "heartbeat", "heartbeatAnswer": "heartbeat",
	"snapshot": "append", "snapshotAnswer": "append",
}

// answer ends the wait of a call. After a crash, nobody waits for it.
func (t *transport) answer(answer message) {
	call := call{kinds[answer.Type], answer.From, *answer.Asked}
	t.lock.Lock()
	answered := t.calls[call]
	delete(t.calls, call)
	t.lock.Unlock()
	if answered != nil {
		answered <- answer
	}
}

// underWay gives the peers that have not answered.
func (t *transport) underWay(kind string, term uint64) []string {
	t.lock.Lock()
	defer t.lock.Unlock()
	peers := []string{}
	for call := range t.calls {
		if call.kind == kind && call.term == term {
			peers = append(peers, call.peer)
		}
	}
	sort.Strings(peers)
	return peers
}

// request hands the library a request. It gives false for anything else.
func (t *transport) request(message message, answers chan<- raft.RPCResponse) bool {
	var command any
	var data io.Reader
	switch message.Type {
	case "vote":
		command = voteRequest(message)
	case "append", "heartbeat":
		command = appendRequest(message)
	case "snapshot":
		command, data = snapshotRequest(message)
	default:
		return false
	}
	t.requests <- raft.RPC{Command: command, Reader: data, RespChan: answers}
	return true
}

// reply sends the library's answer to a request.
func (t *transport) reply(request message, response any) {
	switch response := response.(type) {
	case *raft.RequestVoteResponse:
		t.network.Send(request.From, voteAnswer(request, response))
	case *raft.AppendEntriesResponse:
		t.network.Send(request.From, appendAnswer(request, response))
	case *raft.InstallSnapshotResponse:
		t.network.Send(request.From, snapshotAnswer(request, response))
	default:
		log.Fatalf("an answer of another kind: %+v", response)
	}
}

func (t *transport) AppendEntries(_ raft.ServerID, to raft.ServerAddress, args *raft.AppendEntriesRequest, resp *raft.AppendEntriesResponse) error {
	answer, err := t.make(appendMessage(t.name, string(to), args))
	if err != nil {
		return err
	}
	*resp = raft.AppendEntriesResponse{RPCHeader: args.RPCHeader, Term: answer.Term, LastLog: *answer.LastLog, Success: *answer.Success}
	if answer.NoBackoff != nil {
		resp.NoRetryBackoff = *answer.NoBackoff
	}
	return nil
}

func (t *transport) RequestVote(_ raft.ServerID, to raft.ServerAddress, args *raft.RequestVoteRequest, resp *raft.RequestVoteResponse) error {
	answer, err := t.make(voteMessage(t.name, string(to), args))
	if err != nil {
		return err
	}
	*resp = raft.RequestVoteResponse{RPCHeader: args.RPCHeader, Term: answer.Term, Granted: *answer.Granted}
	return nil
}

func (t *transport) Consumer() <-chan raft.RPC     { return t.requests }
func (t *transport) LocalAddr() raft.ServerAddress { return raft.ServerAddress(t.name) }

func (t *transport) EncodePeer(_ raft.ServerID, address raft.ServerAddress) []byte {
	return []byte(address)
}
func (t *transport) DecodePeer(text []byte) raft.ServerAddress { return raft.ServerAddress(text) }

// SetHeartbeatHandler is ignored, as the interface allows: heartbeats take the way of all requests.
func (t *transport) SetHeartbeatHandler(func(raft.RPC)) {}

func (t *transport) AppendEntriesPipeline(raft.ServerID, raft.ServerAddress) (raft.AppendPipeline, error) {
	return nil, raft.ErrPipelineReplicationNotSupported
}

func (t *transport) InstallSnapshot(
	_ raft.ServerID, to raft.ServerAddress, args *raft.InstallSnapshotRequest, resp *raft.InstallSnapshotResponse, data io.Reader,
) error {
	answer, err := t.make(snapshotMessage(t.name, string(to), args, data))
	if err != nil {
		return err
	}
	*resp = raft.InstallSnapshotResponse{RPCHeader: args.RPCHeader, Term: answer.Term, Success: *answer.Success}
	return nil
}

func (t *transport) TimeoutNow(raft.ServerID, raft.ServerAddress, *raft.TimeoutNowRequest, *raft.TimeoutNowResponse) error {
	return errors.New("nobody transfers leadership")
}
