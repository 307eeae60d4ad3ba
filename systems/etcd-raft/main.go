// A node of etcd's raft library, as Debian packages it, with the Go probe: the library as it is, with a network, a storage and
// ticks of ours.
//
//	./build
//	./etcd-raft n1 n1=127.0.0.1:4001,n2=127.0.0.1:4002,n3=127.0.0.1:4003 DIRECTORY
//
// - main.go    the loop, and the events of messages and requests
// - node.go    one call into the library, and the handling of the Ready that follows
// - storage.go what survives a crash
// - show.go    messages and state as JSON
package main

import (
	"encoding/json"
	"fmt"
	"log"
	"os"

	"kilter.dev/probe/kilter"
	"kilter.dev/probe/peers"
)

// The actions of messages. What the specification leaves out has a name too: an unexpected action is better than silence.
var actions = map[string]string{
	"MsgVote":          "HandleRequestVote",
	"MsgVoteResp":      "HandleRequestVoteResponse",
	"MsgApp":           "HandleAppend",
	"MsgAppResp":       "HandleAppendResponse",
	"MsgSnap":          "HandleSnapshot",
	"MsgHeartbeat":     "HandleHeartbeat",
	"MsgHeartbeatResp": "HandleHeartbeatResponse",
	"MsgProp":          "HandleProposal",
}

func main() {
	log.SetFlags(0)
	if len(os.Args) != 4 {
		log.Fatal("usage: etcd-raft NODE PEERS DIRECTORY, with PEERS as n1=127.0.0.1:4001,n2=127.0.0.1:4002")
	}
	name, directory := os.Args[1], os.Args[3]
	names, addresses := peers.Parse(os.Args[2]) // the library numbers them from 1 in this order
	gate := kilter.NewGate(kilter.Options{
		FromDelivery: func(_ string, message kilter.JSON) *kilter.Event { return take(message) },
		FromRequest:  request,
	})
	network := peers.Listen(name, addresses, gate, take)
	run(gate, newNode(name, names, directory, network))
}

func run(gate *kilter.Gate, node *node) {
	for {
		event := gate.Next(node.variables, node.wishes())
		if event == nil {
			return
		}
		switch data := event.Data.(type) {
		case message:
			node.step(data)
		case proposal:
			if err := node.propose(data); err != nil {
				gate.Note(fmt.Sprintf("the proposal %s: %v", data, err))
			}
		case member:
			node.changeMember(string(data))
		case compact:
			node.compact()
		case report:
			node.report(data)
		case reset:
			gate.Forget()
			node.reset()
		default:
			node.tick()
		}
	}
}

// proposal is what a client asks for, and reset what the testbed asks for between two cases. The library's user decides when to
// make a snapshot, and reports how the network went with one.
type (
	proposal []byte
	member   string // to be removed, or added again
	compact  struct{}
	report   struct {
		node    string
		reached bool
	}
	reset struct{}
)

func request(action string, args []kilter.JSON) *kilter.Event {
	switch {
	case action == "ClientRequest" && len(args) == 1:
		return &kilter.Event{Action: action, Data: proposal(args[0])}
	case action == "ChangeMember" && len(args) == 1:
		var node string
		if json.Unmarshal(args[0], &node) != nil {
			return nil
		}
		return &kilter.Event{Action: action, Data: member(node)}
	case action == "Compact" && len(args) == 0:
		return &kilter.Event{Action: action, Data: compact{}}
	case action == "ReportSnapshot" && len(args) == 2:
		var of report
		if json.Unmarshal(args[0], &of.node) != nil || json.Unmarshal(args[1], &of.reached) != nil {
			return nil
		}
		return &kilter.Event{Action: action, Data: of}
	case action == "Reset":
		return &kilter.Event{Action: action, Data: reset{}}
	}
	return nil
}

// take makes the event of a message, nil for anything else.
func take(text []byte) *kilter.Event {
	var message message
	if json.Unmarshal(text, &message) != nil {
		return nil
	}
	action, ok := actions[message.Type]
	if !ok {
		action = "HandleOther"
	}
	return &kilter.Event{Action: action, Message: kilter.JSON(text), Data: message}
}
