//go:build kilter

package kilter

import (
	"fmt"
	"sort"
)

// control is the state of a gate between two events.
type control struct {
	link      *link
	options   Options
	arrivals  *queue
	standing  map[uint64]*standing // offers that were not answered
	wished    []uint64             // those of them that stand only as long as the node wishes, and some that were answered
	inHand    *inHand
	variables map[string]JSON
	received  uint64
	reported  bool
	unsaid    lines
}

type standing struct {
	event *Event
	look  string
}

// inHand is what the node is handling.
type inHand struct {
	id    uint64 // of the offer or of the request
	again *Event // what to offer again after it
}

// connect gives nil if no testbed has started this process.
func connect(options Options, arrivals *queue) *control {
	if !Controlled() {
		return nil
	}
	heard := func(told told) {
		if told.kind != "welcome" {
			arrivals.put(arrival{told: told})
		}
	}
	return &control{
		link:     newLink(true, options.FromDelivery != nil, heard),
		options:  options,
		arrivals: arrivals,
		standing: map[uint64]*standing{},
	}
}

func (c *control) sent(to string, message any) {
	c.link.sent(to, message)
}

func (c *control) note(text string) {
	var said lines
	said.add("note", fields{"text": text})
	c.link.say(said)
}

func (c *control) next(variables any, wishes []*Event) *Event {
	c.variables = toVariables(variables)
	c.finish()
	c.offerWishes(wishes)
	for {
		arrived, ok := c.arrivals.poll()
		if !ok {
			c.unsaid.add("still", fields{"received": c.received})
			c.flush()
			arrived, _ = c.arrivals.takeUntil(nil)
		}
		if event, over := c.takeIn(arrived); over {
			c.flush()
			return event
		}
	}
}

// finish reports the event in hand as done, or the node's first state.
func (c *control) finish() {
	if !c.reported {
		c.reported = true
		c.unsaid.add("report", fields{"variables": c.variables})
	}
	if c.inHand != nil {
		c.sayDone(c.inHand.id, nil)
		if c.inHand.again != nil {
			c.offer(c.inHand.again)
		}
		c.inHand = nil
	}
}

func (c *control) sayDone(id uint64, more fields) {
	c.unsaid.addDone(id, c.variables, c.link.takeSent(), more)
}

func (c *control) offer(event *Event) (id uint64) {
	content := shown(event.Action, event.Args, event.Message)
	look := string(toJSON(content))
	id = c.link.newID()
	content["id"] = id
	c.standing[id] = &standing{event, look}
	c.unsaid.add("offer", content)
	return id
}

// offerWishes offers the wishes that are new, and withdraws those that are gone. Two are the same if they look the same.
func (c *control) offerWishes(wishes []*Event) {
	looks := make([]string, len(wishes))
	wanted := map[string]*Event{}
	for i, wish := range wishes {
		looks[i] = string(toJSON(shown(wish.Action, wish.Args, wish.Message)))
		wanted[looks[i]] = wish
	}
	var wished []uint64
	for _, id := range c.wished {
		old, ok := c.standing[id]
		if !ok {
			continue // it was answered
		}
		if wish, ok := wanted[old.look]; ok {
			old.event = wish
			delete(wanted, old.look)
			wished = append(wished, id)
		} else {
			delete(c.standing, id)
			c.unsaid.add("withdraw", fields{"id": id})
		}
	}
	for _, look := range looks {
		if wish, ok := wanted[look]; ok {
			delete(wanted, look)
			wished = append(wished, c.offer(wish))
		}
	}
	c.wished = wished
}

// takeIn does what something that arrived asks for. If it is over, Next returns the event, which is nil for the end.
func (c *control) takeIn(arrived arrival) (event *Event, over bool) {
	if arrived.event != nil {
		if arrived.isMessage {
			c.received++
		}
		c.offer(arrived.event)
		return nil, false
	}
	told := arrived.told
	switch told.kind {
	case "go", "twice", "drop":
		// If the answer has crossed a withdrawal, its offer does not stand any more.
		if answered, ok := c.standing[told.id]; ok {
			delete(c.standing, told.id)
			return c.answer(told, answered.event)
		}
	case "request":
		return c.request(told)
	case "deliver":
		c.deliver(told)
	case "stop":
		return nil, true
	}
	return nil, false
}

func (c *control) answer(told told, event *Event) (*Event, bool) {
	switch told.kind {
	case "drop":
		c.sayDone(told.id, nil)
		return nil, false
	case "twice":
		c.inHand = &inHand{told.id, event}
	default:
		c.inHand = &inHand{told.id, nil}
	}
	return event, true
}

func (c *control) request(told told) (*Event, bool) {
	if c.options.FromRequest != nil {
		if event := c.options.FromRequest(told.action, told.args); event != nil {
			c.inHand = &inHand{told.id, nil}
			return event, true
		}
	}
	c.sayDone(told.id, fields{"unknown": true})
	return nil, false
}

func (c *control) deliver(told told) {
	if c.options.FromDelivery != nil {
		if event := c.options.FromDelivery(told.from, told.message); event != nil {
			c.offer(event)
			return
		}
	}
	c.unsaid.add("note", fields{"text": fmt.Sprintf("can't take delivery of %.80s", told.message)})
}

// forget withdraws the offers of all that has arrived. Wishes stand until the node no longer has them.
func (c *control) forget() {
	wished := map[uint64]bool{}
	for _, id := range c.wished {
		wished[id] = true
	}
	var arrived []uint64
	for id := range c.standing {
		if !wished[id] {
			arrived = append(arrived, id)
		}
	}
	sort.Slice(arrived, func(i, j int) bool { return arrived[i] < arrived[j] })
	for _, id := range arrived {
		delete(c.standing, id)
		c.unsaid.add("withdraw", fields{"id": id})
	}
}

func (c *control) flush() {
	c.link.say(c.unsaid)
	c.unsaid = nil
}
