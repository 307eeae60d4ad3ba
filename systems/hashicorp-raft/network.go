package main

import (
	"bufio"
	"encoding/json"
	"log"
	"net"
	"syscall"

	"kilter.dev/probe/kilter"
)

// network sends messages as lines of JSON, and tells the testbed of them.
type network struct {
	addresses   map[string]string
	gate        *kilter.Gate
	connections map[string]net.Conn // to other nodes
}

// listen begins to take in the messages of other nodes.
func listen(name string, addresses map[string]string, gate *kilter.Gate) *network {
	listener, err := net.Listen("tcp", addresses[name])
	check(err)
	go func() {
		for {
			connection, err := listener.Accept()
			if err != nil {
				log.Fatal(err)
			}
			go receive(connection, gate)
		}
	}()
	return &network{addresses: addresses, gate: gate, connections: map[string]net.Conn{}}
}

func receive(connection net.Conn, gate *kilter.Gate) {
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

func (n *network) send(message message) {
	to := message.To
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
func (n *network) connection(to string) net.Conn {
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
