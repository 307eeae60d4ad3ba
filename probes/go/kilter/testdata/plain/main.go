// A program with all of the probe's parts, to look at what is in its binary.
package main

import (
	"os"

	"kilter.dev/probe/kilter"
)

type node struct {
	term int
}

func (n *node) variables() any {
	return map[string]any{"term": n.term}
}

//go:noinline
func step(n *node, by int) {
	step := kilter.Begin("Step", n.term, by)
	n.term += by
	kilter.Sent("n2", n.term)
	step.End(n.variables)
}

//go:noinline
func take(n *node, by int) {
	for times := kilter.Taking(by, "Take", n.term); times.Next(); {
		n.term += by
		times.End(n.variables)
	}
}

func main() {
	n := &node{}
	gate := kilter.NewGate(kilter.Options{FromRequest: func(action string, args []kilter.JSON) *kilter.Event { return nil }})
	gate.Push(&kilter.Event{Action: "End"})
	gate.Next(nil, nil)
	gate.Sent("n2", n.term)
	step(n, len(os.Args))
	take(n, len(os.Args))
	for request := kilter.NextRequest(); request != nil; request = kilter.NextRequest() {
		request.Refuse()
	}
	os.Exit(n.term)
}
