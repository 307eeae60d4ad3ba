// A node of HashiCorp's raft library, as Debian packages it, with the Go probe: the library's goroutines as they are, with a
// transport of ours, and with timers that run out when the testbed says so.
//
//	./build
//	./hashicorp-raft n1 n1=127.0.0.1:4001,n2=127.0.0.1:4002,n3=127.0.0.1:4003 DIRECTORY
//
// - main.go      the loop, and the events of messages, timers and requests
// - node.go      the library's object, its timers, and the wait until all goroutines have done their part
// - transport.go requests that wait for their answers
// - disk.go      what survives a crash
// - machine.go   the replicated state machine
// - messages.go  requests and answers as JSON
// - show.go      the state as JSON
// - hooks.go.txt and changes/ what `build` adds to the library, by an overlay
package main

import (
	"encoding/json"
	"log"
	"os"

	"kilter.dev/probe/kilter"
	"kilter.dev/probe/peers"
)

// The actions of messages.
var actions = map[string]string{
	"vote":            "HandleVote",
	"voteAnswer":      "HandleVoteAnswer",
	"append":          "HandleAppend",
	"appendAnswer":    "HandleAppendAnswer",
	"heartbeat":       "HandleHeartbeat",
	"heartbeatAnswer": "HandleHeartbeatAnswer",
	"snapshot":        "HandleSnapshot",
	"snapshotAnswer":  "HandleSnapshotAnswer",
}

func main() {
	log.SetFlags(0)
	if len(os.Args) != 4 {
		log.Fatal("usage: hashicorp-raft NODE PEERS DIRECTORY, with PEERS as n1=127.0.0.1:4001,n2=127.0.0.1:4002")
	}
	if !kilter.Controlled() {
		log.Fatal("only a testbed lets the timers of this node run out")
	}
	name := os.Args[1]
	names, addresses := peers.Parse(os.Args[2])
	gate := kilter.NewGate(kilter.Options{
		FromDelivery: func(_ string, message kilter.JSON) *kilter.Event { return arrived(message) },
		FromRequest:  request,
	})
	run(gate, newNode(name, names, os.Args[3], peers.Listen(name, addresses, gate, arrived)))
}

func run(gate *kilter.Gate, node *node) {
	for {
		event := gate.Next(node.variables, node.wishes())
		if event == nil {
			return
		}
		switch data := event.Data.(type) {
		case message:
			node.take(data)
		case timer:
			node.fire(data)
		case command:
			node.raft.Apply(data, 0)
			node.settle()
		case member:
			node.changeMember(string(data))
		case snapshot:
			if err := node.makeSnapshot(); err != nil {
				gate.Note(err.Error())
			}
		case crash:
			node = node.crashStanding(int(data))
		case reset:
			gate.Forget()
			node = node.anew()
		}
	}
}

// command is what a client asks for, and reset what the testbed asks for between two cases. The library's user decides when to
// change the members, and may ask for a snapshot.
type (
	command  []byte
	member   string // to be removed, or added again
	snapshot struct{}
	crash    int // after so many writes
	reset    struct{}
)

func request(action string, args []kilter.JSON) *kilter.Event {
	switch {
	case action == "ClientRequest" && len(args) == 1:
		return &kilter.Event{Action: action, Data: command(args[0])}
	case action == "ChangeMember" && len(args) == 1:
		var name string
		if json.Unmarshal(args[0], &name) == nil {
			return &kilter.Event{Action: action, Data: member(name)}
		}
	case action == "TakeSnapshot" && len(args) == 0:
		return &kilter.Event{Action: action, Data: snapshot{}}
	case action == "CrashStanding" && len(args) == 1:
		var writes int
		if json.Unmarshal(args[0], &writes) == nil {
			return &kilter.Event{Action: action, Data: crash(writes)}
		}
	case action == "Reset":
		return &kilter.Event{Action: action, Data: reset{}}
	}
	return nil
}

// arrived makes the event of a message, nil for anything else.
func arrived(text []byte) *kilter.Event {
	var message message
	if json.Unmarshal(text, &message) != nil || actions[message.Type] == "" {
		return nil
	}
	return &kilter.Event{Action: actions[message.Type], Message: kilter.JSON(text), Data: message}
}
