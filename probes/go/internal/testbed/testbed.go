// Package testbed plays the testbed for the tests of the probe.
package testbed

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"
)

const patience = 20 * time.Second

// Build builds the program in a folder, with more options for the go command, and gives its path.
func Build(t *testing.T, folder string, options ...string) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "program")
	if err := BuildAs(program, folder, options...); err != nil {
		t.Fatal(err)
	}
	return program
}

// BuildAs is Build with a path of one's own.
func BuildAs(program, folder string, options ...string) error {
	// go test sees what a test opens: when a file of the probe changes, an old result does not count.
	for _, sources := range []string{"../kilter", folder} {
		if err := filepath.WalkDir(sources, func(string, os.DirEntry, error) error { return nil }); err != nil {
			return err
		}
	}
	command := exec.Command("go", append(append([]string{"build", "-o", program}, options...), ".")...)
	command.Dir = folder
	if said, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("%v: %s", err, said)
	}
	return nil
}

// Node is a process under control.
type Node struct {
	t          *testing.T
	command    *exec.Cmd
	connection net.Conn
	lines      *bufio.Reader
	said       bytes.Buffer  // on standard error
	ended      chan struct{} // closed when the process has ended
}

// Start starts a program as node n1, over "unix" or "tcp", and waits until it connects.
func Start(t *testing.T, network, program string, args ...string) *Node {
	t.Helper()
	n, err := Try(t, network, program, args...)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// Try is Start with an error if the program ends before it connects, as it does if somebody else has taken its port.
func Try(t *testing.T, network, program string, args ...string) (*Node, error) {
	t.Helper()
	place := "127.0.0.1:0"
	if network == "unix" {
		folder, err := os.MkdirTemp("", "kilter") // t.TempDir may be too long for a socket
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { os.RemoveAll(folder) })
		place = filepath.Join(folder, "testbed")
	}
	listener, err := net.Listen(network, place)
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	n := &Node{t: t, command: exec.Command(program, args...), ended: make(chan struct{})}
	n.command.Env = append(os.Environ(), "KILTER_ADDRESS="+network+":"+listener.Addr().String(), "KILTER_NODE=n1", "KILTER_TOKEN=4f0c2a")
	n.command.Stderr = &n.said
	if err := n.command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { n.command.Process.Kill() })
	go func() {
		n.command.Wait()
		close(n.ended)
		listener.Close() // nobody connects any more
	}()
	if n.connection, err = listener.Accept(); err != nil {
		<-n.ended
		return nil, fmt.Errorf("the node ended before it connected: %s", n.said.String())
	}
	t.Cleanup(func() { n.connection.Close() })
	n.lines = bufio.NewReader(n.connection)
	return n, nil
}

// Say tells the node something: whole lines without their ends.
func (n *Node) Say(lines ...string) {
	n.Write(strings.Join(lines, "\n") + "\n")
}

// Write writes any text.
func (n *Node) Write(text string) {
	n.t.Helper()
	if _, err := n.connection.Write([]byte(text)); err != nil {
		n.t.Fatal(err)
	}
}

// Hear gives the next line of the node.
func (n *Node) Hear() string {
	n.t.Helper()
	n.connection.SetReadDeadline(time.Now().Add(patience))
	line, err := n.lines.ReadString('\n')
	if err != nil {
		n.t.Fatalf("the node said nothing: %v; on standard error: %s", err, n.said.String())
	}
	return strings.TrimSuffix(line, "\n")
}

// Expect hears lines that must be equal to these, as JSON.
func (n *Node) Expect(lines ...string) {
	n.t.Helper()
	for _, line := range lines {
		if heard := n.Hear(); !Equal(heard, line) {
			n.t.Fatalf("expected %.500s\nheard    %.500s", line, heard)
		}
	}
}

// Close ends the connection.
func (n *Node) Close() {
	n.connection.Close()
}

// Exit waits until the node has ended, and gives its code and what it has said on standard error.
func (n *Node) Exit() (int, string) {
	n.t.Helper()
	timer := time.AfterFunc(patience, func() { n.command.Process.Kill() })
	defer timer.Stop()
	<-n.ended
	return n.command.ProcessState.ExitCode(), n.said.String()
}

// Equal compares two JSON values.
func Equal(a, b string) bool {
	x, errX := decode(a)
	y, errY := decode(b)
	return errX == nil && errY == nil && reflect.DeepEqual(x, y)
}

// decode keeps numbers as they are written.
func decode(text string) (value any, err error) {
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	err = decoder.Decode(&value)
	return value, err
}
