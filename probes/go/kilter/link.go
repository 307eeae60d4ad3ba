//go:build kilter

package kilter

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"sync"
)

const (
	version      = 1
	lineBytesMax = 16 << 20
	lostExitCode = 3
)

// link is the connection to the testbed. One goroutine reads from it, and any may write.
type link struct {
	connection net.Conn
	lock       sync.Mutex // of what follows, and of writing
	lastID     uint64
	unreported []sending
}

type sending struct {
	To      string `json:"to"`
	Message JSON   `json:"message"`
}

// Controlled says whether a testbed decides when actions happen.
func Controlled() bool {
	_, controlled := os.LookupEnv("KILTER_ADDRESS")
	return controlled
}

// newLink connects with the testbed, and says hello. A goroutine calls heard with everything that the testbed says.
func newLink(saysStill, takesDelivery bool, heard func(told)) *link {
	connection, err := dial(os.Getenv("KILTER_ADDRESS"))
	if err != nil {
		lost("no testbed: " + err.Error())
	}
	l := &link{connection: connection}
	var said lines
	said.add("hello", fields{
		"version": version, "node": os.Getenv("KILTER_NODE"), "token": os.Getenv("KILTER_TOKEN"),
		"says_still": saysStill, "takes_delivery": takesDelivery,
	})
	l.say(said)
	go listen(connection, heard)
	return l
}

func dial(address string) (net.Conn, error) {
	kind, place, _ := strings.Cut(address, ":")
	if kind != "unix" && kind != "tcp" {
		return nil, fmt.Errorf("%q is no address; it should be tcp:127.0.0.1:PORT or unix:PATH", address)
	}
	return net.Dial(kind, place)
}

// listen reads until the testbed says stop, or goes away.
func listen(connection net.Conn, heard func(told)) {
	reader := bufio.NewReader(connection)
	for {
		line, err := readLine(reader)
		if err != nil {
			lost("the testbed is gone: " + err.Error())
		}
		told, err := parse(line)
		if err != nil {
			lost(fmt.Sprintf("not a message of the protocol: %v: %.80q", err, line))
		}
		heard(told)
		if told.kind == "stop" {
			return
		}
	}
}

func readLine(reader *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		piece, err := reader.ReadSlice('\n')
		line = append(line, piece...)
		if len(line) > lineBytesMax {
			return nil, errors.New("a line of more than 16 MiB")
		}
		if err != bufio.ErrBufferFull {
			return line, err
		}
	}
}

// say writes lines, all in one piece.
func (l *link) say(said lines) {
	l.lock.Lock()
	defer l.lock.Unlock()
	if _, err := l.connection.Write(said); err != nil {
		lost("the testbed is gone: " + err.Error())
	}
}

// newID gives the number for a new offer.
func (l *link) newID() uint64 {
	l.lock.Lock()
	defer l.lock.Unlock()
	l.lastID++
	return l.lastID
}

// sent remembers a message until the action that sent it is done.
func (l *link) sent(to string, message any) {
	l.lock.Lock()
	defer l.lock.Unlock()
	l.unreported = append(l.unreported, sending{to, toJSON(message)})
}

// takeSent gives the messages that were sent since the last call.
func (l *link) takeSent() []sending {
	l.lock.Lock()
	defer l.lock.Unlock()
	sent := l.unreported
	l.unreported = nil
	return sent
}

// lost ends the process at once, whatever its other goroutines do: nobody is left to control it.
func lost(reason string) {
	complain(reason)
	os.Exit(lostExitCode)
}

// fields is the content of a message.
type fields map[string]any

// lines is what a node is about to say.
type lines []byte

func (l *lines) add(kind string, content fields) {
	*l = append(*l, toLine(map[string]any{kind: content})...)
}

// toLine encodes a line. A peer's message is passed on as it came, and the testbed wants UTF-8.
func toLine(value any) []byte {
	return append(bytes.ToValidUTF8(toJSON(value), []byte("\uFFFD")), '\n')
}

func (l *lines) addDone(id uint64, variables map[string]JSON, sent []sending, more fields) {
	content := fields{"id": id, "variables": variables}
	if len(sent) > 0 {
		content["sent"] = sent
	}
	for name, value := range more {
		content[name] = value
	}
	l.add("done", content)
}

// shown is what the testbed sees of an action.
func shown(action string, args []any, message any) fields {
	content := fields{"action": action}
	if len(args) > 0 {
		values := make([]JSON, len(args))
		for i, arg := range args {
			values[i] = toJSON(arg)
		}
		content["args"] = values
	}
	if message != nil {
		content["message"] = toJSON(message)
	}
	return content
}

// toJSON encodes a value. What has no JSON form becomes a text that says so; the testbed shows it as a difference.
func toJSON(value any) JSON {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return toJSON("not JSON: " + err.Error())
	}
	return bytes.TrimSuffix(text.Bytes(), []byte("\n"))
}

// toVariables encodes variables, each by itself, so that one that has no JSON form does not spoil the others.
func toVariables(value any) map[string]JSON {
	if function, ok := value.(func() any); ok {
		value = function()
	}
	variables := map[string]JSON{}
	if values, ok := value.(map[string]any); ok {
		for name, value := range values {
			variables[name] = toJSON(value)
		}
		return variables
	}
	text := toJSON(value)
	if err := json.Unmarshal(text, &variables); err != nil || variables == nil {
		panic(fmt.Sprintf("kilter: variables must become a JSON object, not %.80s", text))
	}
	return variables
}
