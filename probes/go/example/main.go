// A small node under a testbed's control: it counts, tells its peers, and takes over a higher count that it hears of.
//
//	go build -tags kilter -o node ./example
//	./node --node n1 --listen 127.0.0.1:4001 --peers n1=127.0.0.1:4001,n2=127.0.0.1:4002
//
// It ticks by itself once a second without a testbed, and when told to with one. docs/protocol.md says what it does.
package main

import (
	"bufio"
	"encoding/json"
	"flag"
	"log"
	"math"
	"net"
	"sort"
	"strings"
	"time"

	"kilter.dev/probe/kilter"
)

type message struct {
	From  string `json:"from"`
	To    string `json:"to"`
	Count int64  `json:"count"`
}

// letter is a message with the vector clock of its sender. Without a trace there is no clock, and the message goes by itself.
type letter struct {
	Message any         `json:"message"`
	Clock   kilter.JSON `json:"clock"`
}

// taken is a message that has arrived.
type taken struct {
	message
	clock kilter.JSON
}

type node struct {
	name  string
	peers map[string]string // their addresses
	gate  *kilter.Gate
	clock *kilter.Clock
	count int64
	value kilter.JSON
	jobs  int
}

func (n *node) variables() any {
	hours := math.Round(n.clock.Now().Sub(time.Now()).Hours())
	return map[string]any{"count": n.count, "value": n.value, "jobs": n.jobs, "hours": int(hours)}
}

// wishes: it ticks up to three; a peer may bring it further.
func (n *node) wishes() []*kilter.Event {
	if n.count >= 3 {
		return nil
	}
	return []*kilter.Event{{Action: "Tick", Due: time.Now().Add(time.Second)}}
}

func (n *node) handle(event *kilter.Event) {
	switch event.Action {
	case "Tick":
		n.tick()
	case "Take":
		taken := event.Data.(taken)
		n.gate.Heard(taken.clock)
		if taken.Count > n.count {
			n.count = taken.Count
		}
	case "Job":
		n.jobs++
	case "Set":
		n.count = event.Data.(int64)
	case "Keep":
		n.value = event.Data.(kilter.JSON)
	case "Note":
		n.gate.Note(event.Data.(string))
	case "Work":
		for i := 0; i < event.Data.(int); i++ {
			go n.gate.Push(&kilter.Event{Action: "Job", Args: []any{i}})
		}
	}
}

func (n *node) tick() {
	n.count++
	names := make([]string, 0, len(n.peers))
	for name := range n.peers {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, peer := range names {
		n.send(peer, message{n.name, peer, n.count})
	}
}

// send makes one connection a message: a peer that was killed and started again can't swallow it.
func (n *node) send(peer string, message message) {
	var line any = message
	if clock := n.gate.Clock(); clock != nil {
		line = letter{message, clock}
	}
	if connection, err := net.Dial("tcp", n.peers[peer]); err == nil {
		json.NewEncoder(connection).Encode(line)
		connection.Close()
	} // otherwise the peer is down, and messages may be lost
	n.gate.Sent(peer, message)
}

// take makes the event of a message of a peer. The testbed sees it as it was written.
func take(text, clock kilter.JSON) *kilter.Event {
	taken := taken{clock: clock}
	if json.Unmarshal(text, &taken.message) != nil {
		return nil
	}
	return &kilter.Event{Action: "Take", Message: text, Data: taken}
}

// open takes a message out of its letter.
func open(line kilter.JSON) (message, clock kilter.JSON) {
	letter := letter{Message: &message}
	if json.Unmarshal(line, &letter) != nil || message == nil {
		return line, nil
	}
	return message, letter.Clock
}

// request makes the event of something that the testbed asks for.
func request(action string, args []kilter.JSON) *kilter.Event {
	if len(args) != 1 {
		return nil
	}
	var err error
	event := &kilter.Event{Action: action}
	switch action {
	case "Set":
		var count int64
		err = json.Unmarshal(args[0], &count)
		event.Data = count
	case "Keep":
		event.Data = args[0]
	case "Note":
		var text string
		err = json.Unmarshal(args[0], &text)
		event.Data = text
	case "Work":
		var jobs int
		err = json.Unmarshal(args[0], &jobs)
		event.Data = jobs
	default:
		return nil
	}
	if err != nil {
		return nil
	}
	return event
}

// receive takes in messages of peers, for ever.
func receive(listener net.Listener, gate *kilter.Gate) {
	for {
		connection, err := listener.Accept()
		if err != nil {
			log.Fatal(err)
		}
		go func() {
			defer connection.Close()
			lines := bufio.NewReader(connection)
			for {
				line, err := lines.ReadBytes('\n')
				if err != nil {
					return
				}
				if event := take(open(line)); event != nil {
					gate.Message(event)
				}
			}
		}()
	}
}

func main() {
	name := flag.String("node", "", "name of this node")
	listen := flag.String("listen", "", "where it listens")
	everybody := flag.String("peers", "", "NAME=ADDRESS of all nodes, with commas between them")
	flag.Parse()
	peers := map[string]string{}
	for _, peer := range strings.Split(*everybody, ",") {
		if peerName, address, _ := strings.Cut(peer, "="); peerName != *name {
			peers[peerName] = address
		}
	}
	listener, err := net.Listen("tcp", *listen)
	if err != nil {
		log.Fatal(err)
	}
	clock := &kilter.Clock{}
	gate := kilter.NewGate(kilter.Options{
		FromDelivery: func(_ string, message kilter.JSON) *kilter.Event { return take(message, nil) },
		FromRequest: func(action string, args []kilter.JSON) *kilter.Event {
			if event := clock.FromRequest(action, args); event != nil {
				return event
			}
			return request(action, args)
		},
	})
	go receive(listener, gate)
	n := &node{name: *name, peers: peers, gate: gate, clock: clock}
	for {
		event := gate.Next(n.variables, n.wishes())
		if event == nil {
			return
		}
		n.handle(event)
	}
}
