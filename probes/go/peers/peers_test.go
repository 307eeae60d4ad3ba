//go:build unix

package peers

import (
	"bufio"
	"net"
	"reflect"
	"testing"

	"kilter.dev/probe/kilter"
)

func TestParse(t *testing.T) {
	names, addresses := Parse("n2=127.0.0.1:4002,n1=127.0.0.1:4001")
	if !reflect.DeepEqual(names, []string{"n2", "n1"}) || addresses["n1"] != "127.0.0.1:4001" {
		t.Fatal(names, addresses)
	}
}

func TestMessageArrives(t *testing.T) {
	address := free(t).Addr().String()
	gate := kilter.NewGate(kilter.Options{})
	network := Listen("n1", map[string]string{"n1": address}, gate, func(line []byte) *kilter.Event {
		return &kilter.Event{Action: "Take", Message: kilter.JSON(line)}
	})
	network.Send("n1", map[string]int{"count": 1})
	if event := gate.Next(nil, nil); string(event.Message.(kilter.JSON)) != "{\"count\":1}\n" {
		t.Fatal(event)
	}
}

// A node that was down gets the first message after it has come up again, whether it was sent something meanwhile or not.
func TestPeerComesBack(t *testing.T) {
	for _, sendsMeanwhile := range []bool{false, true} {
		peer := listen(t, "127.0.0.1:0")
		address := peer.Addr().String()
		network := &Network{
			addresses: map[string]string{"n2": address}, gate: kilter.NewGate(kilter.Options{}), connections: map[string]net.Conn{},
		}
		network.Send("n2", 1)
		accepted := expect(t, peer, "1\n")
		peer.Close()
		accepted.Close()
		if sendsMeanwhile {
			network.Send("n2", 2)
		}
		again := listen(t, address)
		network.Send("n2", 3)
		expect(t, again, "3\n").Close()
		again.Close()
	}
}

func expect(t *testing.T, listener net.Listener, line string) net.Conn {
	t.Helper()
	connection, err := listener.Accept()
	if err != nil {
		t.Fatal(err)
	}
	if text, err := bufio.NewReader(connection).ReadString('\n'); err != nil || text != line {
		t.Fatal(text, err)
	}
	return connection
}

func listen(t *testing.T, address string) net.Listener {
	t.Helper()
	listener, err := net.Listen("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	return listener
}

// free gives a listener that is closed, for its address.
func free(t *testing.T) net.Listener {
	listener := listen(t, "127.0.0.1:0")
	listener.Close()
	return listener
}
