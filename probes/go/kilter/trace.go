//go:build kilter

package kilter

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// keptMin: a sequence that keeps fewer elements is written whole.
const keptMin = 4

// tracer writes what a node does to a file, for kilter follow. docs/protocol.md has the lines.
type tracer struct {
	node  string
	lock  sync.Mutex      // of what follows
	file  *os.File        // nil after it could not be written
	known map[string]JSON // the variables as the lines before say them, nil before the first
	held  map[string]JSON // the latest variables of a program without a gate
	sends []sending       // since the last line
	clock vectorClock     // nil if the program does not use it
}

// vectorClock says how far this node is, and how far it knows each other one to be.
type vectorClock map[string]uint64

// The tracer of this process, as there is one environment.
var (
	tracing   sync.Once
	theTracer *tracer
)

// getTracer gives nil if a testbed is in control, or nobody wants a trace.
func getTracer() *tracer {
	tracing.Do(func() {
		path, wanted := os.LookupEnv("KILTER_TRACE")
		if !wanted || Controlled() {
			return
		}
		file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o666)
		if err != nil {
			complain("the trace can't be written: " + err.Error())
			return
		}
		theTracer = &tracer{node: nodeName(path), file: file, held: map[string]JSON{}}
	})
	return theTracer
}

func nodeName(path string) string {
	if node, ok := os.LookupEnv("KILTER_NODE"); ok {
		return node
	}
	name := filepath.Base(path)
	if stem := strings.TrimSuffix(name, filepath.Ext(name)); stem != "" {
		return stem
	}
	return name
}

// sent remembers a message until the next line.
func (t *tracer) sent(to string, message any) {
	t.lock.Lock()
	defer t.lock.Unlock()
	t.sends = append(t.sends, sending{to, toJSON(message)})
}

// now gives the vector clock, which is written from now on. The node's own part begins with the time of day in microseconds,
// so that it goes on when the node is started again, without being stored.
func (t *tracer) now() vectorClock {
	if t.clock == nil {
		t.clock = vectorClock{t.node: uint64(time.Now().UnixMicro())}
	}
	return t.clock
}

// stamp gives the vector clock for a message.
func (t *tracer) stamp() JSON {
	t.lock.Lock()
	defer t.lock.Unlock()
	return toJSON(t.now())
}

// heard takes in the vector clock of a message.
func (t *tracer) heard(clock JSON) {
	var other map[string]JSON
	json.Unmarshal(clock, &other) // what is no clock says nothing
	t.lock.Lock()
	defer t.lock.Unlock()
	own := t.now()
	for node, text := range other {
		var number uint64
		if json.Unmarshal(text, &number) == nil && number >= own[node] {
			own[node] = number
		}
	}
}

// start writes that the node has started, if nothing was written yet.
func (t *tracer) start(variables map[string]JSON) {
	if t.known == nil {
		t.write("kilter.start", fields{"state": variables}, nil)
		t.know(variables)
	}
}

// begin writes that an action begins.
func (t *tracer) begin(content fields) {
	if t.clock != nil {
		t.clock[t.node]++
	}
	t.write("kilter.begin", fields{"of": content["action"]}, content)
}

// end writes an action that is over. The node now holds these variables.
func (t *tracer) end(content fields, variables map[string]JSON) {
	state := map[string]any{}
	for name, value := range variables {
		if old, ok := t.known[name]; !ok || !bytes.Equal(old, value) {
			state[name] = change(old, value)
		}
	}
	sent := append([]sending{}, t.sends...)
	line := fields{"delta": true, "state": state, "sent": sent}
	if t.clock != nil {
		line["clock"] = t.clock
	}
	t.write(content["action"].(string), line, content)
	t.know(variables)
	t.sends = nil
}

func (t *tracer) know(variables map[string]JSON) {
	t.known = make(map[string]JSON, len(variables))
	for name, value := range variables {
		t.known[name] = value
	}
}

// change gives the new value of a variable, or the end of a sequence that has only changed there.
func change(old, value JSON) any {
	var before, after []JSON
	if json.Unmarshal(old, &before) != nil || json.Unmarshal(value, &after) != nil {
		return value
	}
	kept := 0
	for kept < len(before) && kept < len(after) && bytes.Equal(before[kept], after[kept]) {
		kept++
	}
	if kept < keptMin {
		return value
	}
	return fields{"@keep": kept, "@then": after[kept:]}
}

// write writes one line, in one piece: a node that is killed leaves whole lines. A trace with a gap would be a wrong one, so
// it ends if it can't be written.
func (t *tracer) write(event string, line, content fields) {
	if t.file == nil {
		return
	}
	line["event"], line["node"] = event, t.node
	for _, name := range []string{"args", "message"} {
		if value, ok := content[name]; ok {
			line[name] = value
		}
	}
	if _, err := t.file.Write(toLine(line)); err != nil {
		t.file = nil
		complain("the trace can't be written: " + err.Error())
	}
}

// hold takes over variables of a program without a gate. It asks for them without the lock, because the function that gives
// them may call Show.
func (t *tracer) hold(variables any) {
	if variables == nil {
		return
	}
	values := toVariables(variables)
	t.lock.Lock()
	defer t.lock.Unlock()
	for name, value := range values {
		t.held[name] = value
	}
}

func (t *tracer) report(variables any) {
	t.hold(variables)
	t.lock.Lock()
	defer t.lock.Unlock()
	t.start(t.held)
}

func (t *tracer) show(name string, value any) {
	t.lock.Lock()
	defer t.lock.Unlock()
	t.held[name] = toJSON(value)
}

func (t *tracer) beginStep(content fields) Step {
	t.lock.Lock()
	defer t.lock.Unlock()
	t.start(t.held)
	t.begin(content)
	return Step{&running{traced: content}}
}

func (t *tracer) endStep(content fields, variables any) {
	t.hold(variables)
	t.lock.Lock()
	defer t.lock.Unlock()
	t.end(content, t.held)
}

// gateTrace is the trace of a gate that nobody controls.
type gateTrace struct {
	*tracer
	inHand fields // the action that takes the last event in, nil before the first
}

// newTrace gives nil if a testbed is in control, or nobody wants a trace.
func newTrace() *gateTrace {
	if tracer := getTracer(); tracer != nil {
		return &gateTrace{tracer: tracer}
	}
	return nil
}

// handOut writes that an event is about to be handled.
func (g *gateTrace) handOut(event *Event) {
	g.inHand = shown(event.Action, event.Args, event.Message)
	g.lock.Lock()
	defer g.lock.Unlock()
	g.begin(g.inHand)
}

// finish writes that the event in hand is over, or that the node has started.
func (g *gateTrace) finish(variables any) {
	values := toVariables(variables)
	g.lock.Lock()
	defer g.lock.Unlock()
	g.start(values)
	if g.inHand != nil {
		g.end(g.inHand, values)
	}
	g.sends = nil
}

// complain says what is wrong. The program goes on.
func complain(text string) {
	fmt.Fprintln(os.Stderr, "kilter:", text)
}
