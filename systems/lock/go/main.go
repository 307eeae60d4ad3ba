// A node of the lock service: n1 is the server, all others are clients.
//
//	go build -tags kilter -o lock .
//	./lock n2 n1=127.0.0.1:4001,n2=127.0.0.1:4002
//
// With LOCK_BUG=1 in the environment, the server grants the lock at once, even if somebody holds it.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"log"
	"net"
	"os"
	"strings"
	"time"

	"kilter.dev/probe/kilter"
)

const server = "n1"

type message struct {
	Type string `json:"type"`
	From string `json:"from"`
	To   string `json:"to"`
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

// participant is a client or the server.
type participant interface {
	variables() any
	wishes() []*kilter.Event
	handle(event *kilter.Event)
}

// network sends messages, and tells the testbed of them.
type network struct {
	name      string
	addresses map[string]string
	gate      *kilter.Gate
}

// send makes one connection a message: a node that was killed and started again can't swallow it.
func (n *network) send(kind, to string) {
	message := message{kind, n.name, to}
	var line any = message
	if clock := n.gate.Clock(); clock != nil {
		line = letter{message, clock}
	}
	if connection, err := net.Dial("tcp", n.addresses[to]); err == nil {
		json.NewEncoder(connection).Encode(line)
		connection.Close()
	} // otherwise the node is down, and messages may be lost
	n.gate.Sent(to, message)
}

type client struct {
	network
	holds, asked bool
	due          time.Time // when it asks or releases next
}

func (c *client) variables() any {
	return map[string]any{"holds": c.holds, "asked": c.asked}
}

func (c *client) wishes() []*kilter.Event {
	switch {
	case c.holds:
		return []*kilter.Event{{Action: "Release", Due: c.due}}
	case !c.asked:
		return []*kilter.Event{{Action: "Ask", Due: c.due}}
	}
	return nil
}

func (c *client) handle(event *kilter.Event) {
	switch event.Action {
	case "Ask":
		c.asked = true
		c.send("ask", server)
	case "HandleGrant":
		c.holds, c.asked = true, false
		c.due = time.Now().Add(time.Second)
	case "Release":
		c.holds = false
		c.due = time.Now().Add(time.Second)
		c.send("release", server)
	}
}

type lockServer struct {
	network
	holder  string // empty if nobody holds the lock
	waiting []string
	bug     bool
}

func (s *lockServer) variables() any {
	variables := map[string]any{"holder": nil, "waiting": append([]string{}, s.waiting...)}
	if s.holder != "" {
		variables["holder"] = s.holder
	}
	return variables
}

func (s *lockServer) wishes() []*kilter.Event {
	return nil
}

func (s *lockServer) handle(event *kilter.Event) {
	message, ok := event.Data.(taken)
	switch {
	case !ok:
	case event.Action == "HandleAsk" && (s.holder == "" || s.bug):
		s.grant(message.From)
	case event.Action == "HandleAsk":
		s.waiting = append(s.waiting, message.From)
	case event.Action == "HandleRelease" && len(s.waiting) == 0:
		s.holder = ""
	case event.Action == "HandleRelease":
		first := s.waiting[0]
		s.waiting = s.waiting[1:]
		s.grant(first)
	}
}

func (s *lockServer) grant(to string) {
	s.holder = to
	s.send("grant", to)
}

// take makes the event of a message, nil for anything else.
func take(text, clock kilter.JSON) *kilter.Event {
	taken := taken{clock: clock}
	if json.Unmarshal(text, &taken.message) != nil {
		return nil
	}
	actions := map[string]string{"ask": "HandleAsk", "grant": "HandleGrant", "release": "HandleRelease"}
	action, ok := actions[taken.Type]
	if !ok {
		return nil
	}
	return &kilter.Event{Action: action, Message: text, Data: taken}
}

// open takes a message out of its letter.
func open(line kilter.JSON) (message, clock kilter.JSON) {
	letter := letter{Message: &message}
	if json.Unmarshal(line, &letter) != nil || message == nil {
		return line, nil
	}
	return message, letter.Clock
}

// receive takes in messages of other nodes, for ever.
func receive(listener net.Listener, gate *kilter.Gate) {
	for {
		connection, err := listener.Accept()
		if err != nil {
			log.Fatal(err)
		}
		go func() {
			defer connection.Close()
			line, err := bufio.NewReader(connection).ReadBytes('\n')
			if err != nil {
				return
			}
			if event := take(open(line)); event != nil {
				gate.Message(event)
			}
		}()
	}
}

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: lock NODE PEERS, with PEERS as n1=127.0.0.1:4001,n2=127.0.0.1:4002")
		os.Exit(2)
	}
	name, addresses := os.Args[1], map[string]string{}
	for _, peer := range strings.Split(os.Args[2], ",") {
		peerName, address, _ := strings.Cut(peer, "=")
		addresses[peerName] = address
	}
	listener, err := net.Listen("tcp", addresses[name])
	if err != nil {
		log.Fatal(err)
	}
	gate := kilter.NewGate(kilter.Options{
		FromDelivery: func(_ string, message kilter.JSON) *kilter.Event { return take(message, nil) },
	})
	go receive(listener, gate)
	run(gate, newParticipant(network{name, addresses, gate}))
}

func newParticipant(network network) participant {
	if network.name == server {
		return &lockServer{network: network, bug: os.Getenv("LOCK_BUG") == "1"}
	}
	return &client{network: network, due: time.Now().Add(time.Second)}
}

func run(gate *kilter.Gate, node participant) {
	for {
		event := gate.Next(node.variables, node.wishes())
		if event == nil {
			return
		}
		if taken, ok := event.Data.(taken); ok {
			gate.Heard(taken.clock)
		}
		node.handle(event)
	}
}
