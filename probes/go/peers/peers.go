//go:build unix

// Package peers carries the messages of nodes with a Gate: one connection to each peer, a line of JSON for each message, and the
// testbed is told of each that is sent. A message to a node that is down is lost.
package peers

import (
	"bufio"
	"encoding/json"
	"log"
	"net"
	"strings"
	"syscall"

	"kilter.dev/probe/kilter"
)

// Parse reads the peers that a testbed names: n1=127.0.0.1:4001,n2=127.0.0.1:4002. The names are in their order.
func Parse(text string) (names []string, addresses map[string]string) {
	addresses = map[string]string{}
	for _, peer := range strings.Split(text, ",") {
		name, address, _ := strings.Cut(peer, "=")
		names = append(names, name)
		addresses[name] = address
	}
	return names, addresses
}

// Network is a node's way to its peers. One goroutine sends.
type Network struct {
	addresses   map[string]string
	gate        *kilter.Gate
	connections map[string]net.Conn
}

// Listen begins to take in what other nodes send to the node with this name. The function makes an event of a line, or nil.
func Listen(name string, addresses map[string]string, gate *kilter.Gate, arrived func(line []byte) *kilter.Event) *Network {
	listener, err := net.Listen("tcp", addresses[name])
	check(err)
	go func() {
		for {
			connection, err := listener.Accept()
			check(err)
			go receive(connection, gate, arrived)
		}
	}()
	return &Network{addresses: addresses, gate: gate, connections: map[string]net.Conn{}}
}

func receive(connection net.Conn, gate *kilter.Gate, arrived func([]byte) *kilter.Event) {
	defer connection.Close()
	reader := bufio.NewReader(connection)
	for {
		line, err := reader.ReadBytes('\n')
		if err != nil {
			return // the sender has ended
		}
		if event := arrived(line); event != nil {
			gate.Message(event)
		}
	}
}

// Send sends a message that becomes a JSON object.
func (n *Network) Send(to string, message any) {
	n.gate.Sent(to, message)
	text, err := json.Marshal(message)
	check(err)
	if connection := n.connection(to); connection != nil {
		if _, err := connection.Write(append(text, '\n')); err == nil {
			return
		}
		connection.Close()
		delete(n.connections, to)
	} // the node is down, and the message is lost
}

// connection gives nil if the node is down.
func (n *Network) connection(to string) net.Conn {
	if old := n.connections[to]; old != nil {
		if isOpen(old) {
			return old
		}
		old.Close()
		delete(n.connections, to)
	}
	connection, err := net.Dial("tcp", n.addresses[to])
	if err != nil {
		return nil
	}
	n.connections[to] = connection
	return connection
}

// isOpen says whether the other side still has the connection; otherwise the first message to a node that has come up again
// would be lost. Nobody answers on it, so there is nothing to read until it ends.
func isOpen(connection net.Conn) bool {
	raw, err := connection.(*net.TCPConn).SyscallConn()
	if err != nil {
		return false
	}
	open := false
	err = raw.Read(func(file uintptr) bool {
		_, _, err := syscall.Recvfrom(int(file), make([]byte, 1), syscall.MSG_PEEK|syscall.MSG_DONTWAIT)
		open = err == syscall.EAGAIN
		return true
	})
	return err == nil && open
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
