package kilter

import (
	"sync"
	"time"
)

// Options says how a Gate makes events of what the testbed sends. Leave out what you do not need.
type Options struct {
	// FromDelivery makes the event of a message that was under way when the node crashed. nil if the node can't take it.
	FromDelivery func(from string, message JSON) *Event
	// FromRequest makes the event of something that the testbed asks for. nil if the node does not know it.
	FromRequest func(action string, args []JSON) *Event
}

// Gate is the inbox of an event loop, under a testbed's control if there is one.
//
// Messages and clients' requests are pushed in by whatever goroutine reads the sockets. Timers and local steps are wishes: the
// loop says each time what the node can do by itself now.
type Gate struct {
	arrivals *queue
	control  *control   // nil without a testbed
	trace    *gateTrace // nil with a testbed, and if nobody wants a trace
}

// NewGate makes a gate, under the control of the testbed that has started this process, if one has.
func NewGate(options Options) *Gate {
	arrivals := &queue{bell: make(chan struct{}, 1)}
	return &Gate{arrivals, connect(options, arrivals), newTrace()}
}

// Message says that a message of another node has arrived. Call it from any goroutine, once for each message that its sender
// has reported.
func (g *Gate) Message(event *Event) {
	g.arrivals.put(arrival{event: event, isMessage: true})
}

// Push says that something else has come from outside, such as a client's request. Call it from any goroutine.
func (g *Gate) Push(event *Event) {
	g.arrivals.put(arrival{event: event})
}

// Sent says that the event in hand makes this node send a message. Call it beside each real send, before the next Next.
func (g *Gate) Sent(to string, message any) {
	if g.control != nil {
		g.control.sent(to, message)
	} else if g.trace != nil {
		g.trace.sent(to, message)
	}
}

// Clock gives the vector clock to put into a message that is sent now, so that kilter follow knows the order of lines. It gives
// nil if the node writes no trace.
func (g *Gate) Clock() JSON {
	if g.trace == nil {
		return nil
	}
	return g.trace.stamp()
}

// Heard says that the event in hand has brought this vector clock. Call it before anything is sent.
func (g *Gate) Heard(clock JSON) {
	if g.trace != nil {
		g.trace.heard(clock)
	}
}

// Note puts a line into the log of the run.
func (g *Gate) Note(text string) {
	if g.control != nil {
		g.control.note(text)
	}
}

// Forget drops everything that has arrived and was not handed out. Call it for a request that brings the node back to its
// beginning.
func (g *Gate) Forget() {
	if g.control != nil {
		g.control.forget()
		return
	}
	for {
		if _, ok := g.arrivals.poll(); !ok {
			return
		}
	}
}

// Next waits for the next event to handle. What was handed out before is thereby done. It gives nil when the node shall end.
//
// The variables are a struct or a map that becomes a JSON object, or a func() any that returns one and is called only under a
// testbed, or for a trace. The wishes are all that the node can do by itself now.
func (g *Gate) Next(variables any, wishes []*Event) *Event {
	if g.control != nil {
		return g.control.next(variables, wishes)
	}
	if g.trace == nil {
		return g.first(wishes)
	}
	g.trace.finish(variables)
	event := g.first(wishes)
	g.trace.handOut(event)
	return event
}

// first waits for the next event without a testbed.
func (g *Gate) first(wishes []*Event) *Event {
	first := earliest(wishes)
	// A wish that is due comes before arrivals, because a busy node would otherwise never see it.
	if first != nil && !first.Due.After(time.Now()) {
		return first
	}
	if arrived, ok := g.arrivals.takeUntil(first); ok {
		return arrived.event
	}
	return first
}

func earliest(wishes []*Event) *Event {
	var first *Event
	for _, wish := range wishes {
		if first == nil || wish.Due.Before(first.Due) {
			first = wish
		}
	}
	return first
}

// arrival is something that comes into a gate: an event, or what the testbed has told.
type arrival struct {
	event     *Event
	isMessage bool
	told      told
}

// queue has no bound, so whoever reads a socket never waits.
type queue struct {
	lock  sync.Mutex
	items []arrival
	bell  chan struct{} // holds something if items were put in since it was last empty
}

func (q *queue) put(item arrival) {
	q.lock.Lock()
	q.items = append(q.items, item)
	q.lock.Unlock()
	select {
	case q.bell <- struct{}{}:
	default:
	}
}

// poll takes out the first item, if there is one.
func (q *queue) poll() (arrival, bool) {
	q.lock.Lock()
	defer q.lock.Unlock()
	if len(q.items) == 0 {
		return arrival{}, false
	}
	item := q.items[0]
	q.items[0] = arrival{}
	q.items = q.items[1:]
	return item, true
}

// takeUntil waits for an item, as long as the wish is not due; without a wish for as long as it takes.
func (q *queue) takeUntil(wish *Event) (arrival, bool) {
	var timeout <-chan time.Time
	if wish != nil {
		timer := time.NewTimer(time.Until(wish.Due))
		defer timer.Stop()
		timeout = timer.C
	}
	for {
		if item, ok := q.poll(); ok {
			return item, true
		}
		select {
		case <-q.bell:
		case <-timeout:
			return arrival{}, false
		}
	}
}
