//go:build kilter

package kilter

import (
	"os"
	"sync"
)

// desk is what the goroutines of a node and the testbed exchange.
type desk struct {
	link      *link
	nParties  int
	lock      sync.Mutex // of what follows
	offers    map[uint64]chan string
	requests  []told          // that nobody has waited for yet
	waiters   []chan told     // the goroutines that wait for a request
	variables map[string]JSON // the latest value of each
	reported  bool
	nWaiting  int // goroutines that wait, for an answer or for something from outside
	received  uint64
}

// The probe of this process: there is one environment, so there is one. It connects when it is first used.
var (
	connecting sync.Once
	theDesk    *desk
	nParties   int
)

// getDesk gives nil if no testbed has started this process.
func getDesk() *desk {
	connecting.Do(func() {
		if Controlled() {
			theDesk = &desk{nParties: nParties, offers: map[uint64]chan string{}, variables: map[string]JSON{}}
			theDesk.link = newLink(nParties > 0, false, theDesk.hear)
		}
	})
	return theDesk
}

// Parties sets the number of goroutines that ever begin actions, take requests, or wait in Idle. When all of them wait, the
// testbed is told that the node stands still, and need not find out by a timeout. Call it before anything else.
func Parties(n int) {
	nParties = n
}

// Begin waits until the testbed lets an action go. An action must end before the same goroutine begins the next one, and it
// must not wait for another goroutine that begins one.
func Begin(action string, args ...any) Step {
	if t := getTracer(); t != nil {
		return t.beginStep(shown(action, args, nil))
	}
	d := getDesk()
	if d == nil {
		return Step{}
	}
	id, _ := d.wait(shown(action, args, nil))
	return Step{&running{id: id}}
}

// Step is an action that was let go.
type Step struct {
	running *running // nil without a testbed and a trace
}

type running struct {
	id     uint64
	traced fields // what is written of it if nobody is in control
	done   bool
}

// End ends the action. The node now holds these variables: a struct or a map that becomes a JSON object, a func() any that
// returns one and is called only under a testbed or for a trace, or nil if none has changed. Ending an action again does
// nothing.
func (s Step) End(variables any) {
	if s.running == nil || s.running.done {
		return
	}
	s.running.done = true
	if s.running.traced != nil {
		getTracer().endStep(s.running.traced, variables)
	} else {
		getDesk().done(s.running.id, variables, nil)
	}
}

// Taking is an action with the message that it takes in, as often as the testbed wants it: usually once, never if the message
// is lost, again if it comes twice. The message must be equal to what its sender gave to Sent.
//
//	for times := kilter.Taking(vote, "HandleVote"); times.Next(); {
//		node.count(vote)
//		times.End(node.variables)
//	}
func Taking(message any, action string, args ...any) (times Times) {
	if getTracer() != nil || getDesk() != nil {
		times.content = shown(action, args, message)
	}
	return times
}

// Times is an action with a message.
type Times struct {
	over    bool
	content fields // nil without a testbed and a trace
	step    Step
}

// Next waits until the testbed lets the action go. It gives false if the action is not to be taken any more.
func (t *Times) Next() bool {
	t.End(nil)
	if t.over {
		return false
	}
	if t.content == nil {
		t.over = true
		return true
	}
	if tracer := getTracer(); tracer != nil {
		t.over = true
		t.step = tracer.beginStep(t.content)
		return true
	}
	id, answer := getDesk().wait(t.content)
	t.over = answer != "twice"
	t.step = Step{&running{id: id}}
	if answer == "drop" {
		t.End(nil)
		return false
	}
	return true
}

// End ends the action, as Step.End does.
func (t *Times) End(variables any) {
	t.step.End(variables)
}

// Sent says that the current action sends a message. Call it beside each real send to another node.
func Sent(to string, message any) {
	if t := getTracer(); t != nil {
		t.sent(to, message)
	} else if d := getDesk(); d != nil {
		d.link.sent(to, message)
	}
}

// VectorClock gives the vector clock to put into a message that is sent now, so that kilter follow knows the order of lines. It
// gives nil if the node writes no trace.
func VectorClock() JSON {
	if t := getTracer(); t != nil {
		return t.stamp()
	}
	return nil
}

// Heard takes in the vector clock of a message. Call it within the action that takes the message in, before anything is sent.
func Heard(clock JSON) {
	if t := getTracer(); t != nil {
		t.heard(clock)
	}
}

// Received says that a message of another node has arrived. It only matters with Parties.
func Received() {
	if d := getDesk(); d != nil {
		d.lock.Lock()
		defer d.lock.Unlock()
		d.received++
	}
}

// Idle calls wait, which waits for something from outside: it reads a socket, or takes from a channel.
func Idle(wait func()) {
	d := getDesk()
	if d == nil {
		wait()
		return
	}
	d.lock.Lock()
	d.beginToWait(nil)
	d.lock.Unlock()
	wait()
	d.lock.Lock()
	d.nWaiting--
	d.lock.Unlock()
}

// Request is something that the testbed asks for.
type Request struct {
	Action string
	Args   []JSON
	step   Step
}

// NextRequest waits for a request of the testbed. It gives nil at once if there is no testbed.
func NextRequest() *Request {
	d := getDesk()
	if d == nil {
		return nil
	}
	told := d.waitForRequest()
	return &Request{told.action, told.args, Step{&running{id: told.id}}}
}

// End says that the request is done, as Step.End does.
func (r *Request) End(variables any) {
	r.step.End(variables)
}

// Refuse says that the node does not know what it is asked for, and has done nothing.
func (r *Request) Refuse() {
	if !r.step.running.done {
		r.step.running.done = true
		getDesk().done(r.step.running.id, nil, fields{"unknown": true})
	}
}

// Report reports the node's variables before its first action.
func Report(variables any) {
	if t := getTracer(); t != nil {
		t.report(variables)
	} else if d := getDesk(); d != nil {
		d.hold(variables)
		d.lock.Lock()
		defer d.lock.Unlock()
		var said lines
		d.addReport(&said)
		d.link.say(said)
	}
}

// Show sets the value of one variable, wherever it lives. It is reported with the next action that is done, on whatever
// goroutine.
func Show(name string, value any) {
	if t := getTracer(); t != nil {
		t.show(name, value)
	} else if d := getDesk(); d != nil {
		d.lock.Lock()
		defer d.lock.Unlock()
		d.variables[name] = toJSON(value)
	}
}

// Note puts a line into the log of the run.
func Note(text string) {
	if d := getDesk(); d != nil {
		var said lines
		said.add("note", fields{"text": text})
		d.link.say(said)
	}
}

// hold takes over variables. It asks for them without the lock, because the function that gives them may call Show.
func (d *desk) hold(variables any) {
	if variables == nil {
		return
	}
	values := toVariables(variables)
	d.lock.Lock()
	defer d.lock.Unlock()
	for name, value := range values {
		d.variables[name] = value
	}
}

// addReport adds the node's variables to what is about to be said, if they were not reported yet.
func (d *desk) addReport(said *lines) {
	if !d.reported {
		d.reported = true
		said.add("report", fields{"variables": d.variables})
	}
}

// wait offers an action, and waits for the answer.
func (d *desk) wait(content fields) (id uint64, answer string) {
	id = d.link.newID()
	content["id"] = id
	answers := make(chan string, 1)
	d.lock.Lock()
	var said lines
	d.addReport(&said)
	said.add("offer", content)
	d.offers[id] = answers
	d.beginToWait(said)
	d.lock.Unlock()
	return id, <-answers
}

// beginToWait counts one more goroutine that waits, and has something to say first. If it is the last one, the node stands
// still.
func (d *desk) beginToWait(said lines) {
	d.nWaiting++
	if d.nWaiting == d.nParties {
		d.addReport(&said)
		said.add("still", fields{"received": d.received})
	}
	d.link.say(said)
}

func (d *desk) waitForRequest() told {
	d.lock.Lock()
	if len(d.requests) > 0 {
		first := d.requests[0]
		d.requests = d.requests[1:]
		d.lock.Unlock()
		return first
	}
	requests := make(chan told, 1)
	d.waiters = append(d.waiters, requests)
	d.beginToWait(nil)
	d.lock.Unlock()
	return <-requests
}

func (d *desk) done(id uint64, variables any, more fields) {
	d.hold(variables)
	d.lock.Lock()
	defer d.lock.Unlock()
	var said lines
	said.addDone(id, d.variables, d.link.takeSent(), more)
	d.link.say(said)
}

// hear hands over what the testbed says. A goroutine counts as busy from then on, even before it is scheduled; otherwise
// another one might say that the node stands still.
func (d *desk) hear(told told) {
	d.lock.Lock()
	defer d.lock.Unlock()
	switch told.kind {
	case "go", "drop", "twice":
		if answers, ok := d.offers[told.id]; ok {
			delete(d.offers, told.id)
			d.nWaiting--
			answers <- told.kind
		}
	case "request":
		if len(d.waiters) == 0 {
			d.requests = append(d.requests, told)
			return
		}
		d.nWaiting--
		d.waiters[0] <- told
		d.waiters = d.waiters[1:]
	case "stop":
		os.Exit(0)
	}
}
