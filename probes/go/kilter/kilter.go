// Package kilter is what a Go program under test imports, so that a testbed can hold each of its actions until told to go on.
//
// A program with an event loop puts a Gate in the place of its queue:
//
//	gate := kilter.NewGate(kilter.Options{})
//	for {
//		event := gate.Next(node.variables(), node.wishes())
//		if event == nil {
//			return
//		}
//		node.handle(event) // gate.Sent("n2", message) beside each real send
//	}
//
// In a program with several goroutines, each may wait at the place where an action begins:
//
//	step := kilter.Begin("StepDown", node.id)
//	node.role = follower
//	step.End(node.variables)
//
// All of this is only there with the build tag kilter, and only does something in a process that a testbed has started, that
// is, with KILTER_ADDRESS in its environment. Otherwise a Gate is a queue with timers, and Begin and End do nothing, but write
// what the node does to the file KILTER_TRACE, if the environment names one. When the testbed goes away, the process ends at
// once, with code 3. docs/protocol.md says what is on the wire.
package kilter

import (
	"sync/atomic"
	"time"
)

// JSON is a value of the testbed, as it was written, so that it comes back unchanged. Read it with json.Unmarshal.
// It can be part of anything that is told the testbed.
type JSON []byte

// MarshalJSON gives the value as it is.
func (j JSON) MarshalJSON() ([]byte, error) {
	if j == nil {
		return []byte("null"), nil
	}
	return j, nil
}

// UnmarshalJSON keeps the value as it is.
func (j *JSON) UnmarshalJSON(text []byte) error {
	*j = append((*j)[:0], text...)
	return nil
}

// Event is something that makes a node act.
type Event struct {
	Action  string    // the action that takes it in
	Args    []any     // the arguments of the action
	Message any       // the message that the action takes in, nil if there is none; equal to what its sender gave to Sent
	Data    any       // for the node alone; the testbed does not see it
	Due     time.Time // of a wish, when it happens if no testbed is in control; the zero time means at once
}

// Jumps is what the testbed asks for when the clock is to jump, and the action of the event that the node gets.
const Jumps = "kilter.clock"

// Clock runs as the machine's clock does until the testbed makes it jump an hour ahead. It is for nodes that are tested with
// fault = "clock".
type Clock struct {
	nJumps atomic.Int64
}

// Now is the time.
func (c *Clock) Now() time.Time {
	return time.Now().Add(time.Duration(c.nJumps.Load()) * time.Hour)
}

// Jump makes the clock jump.
func (c *Clock) Jump() {
	c.nJumps.Add(1)
}

// FromRequest jumps if the testbed asks for it, and gives the event of that, which the node may ignore. It gives nil for
// other requests. It is for Options.FromRequest.
func (c *Clock) FromRequest(action string, _ []JSON) *Event {
	if action != Jumps {
		return nil
	}
	c.Jump()
	return &Event{Action: Jumps}
}
