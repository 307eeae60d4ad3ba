// A node of three goroutines: one steps, one takes messages, one does what the testbed asks for.
package main

import (
	"sync"

	"kilter.dev/probe/kilter"
)

type node struct {
	lock  sync.Mutex
	steps int
	taken []int
}

func (n *node) variables() any {
	n.lock.Lock()
	defer n.lock.Unlock()
	kilter.Show("shown", n.steps*10)
	return struct {
		Steps int   `json:"steps"`
		Taken []int `json:"taken"`
	}{n.steps, append([]int{}, n.taken...)}
}

func (n *node) change(change func()) {
	n.lock.Lock()
	defer n.lock.Unlock()
	change()
}

func main() {
	n := &node{}
	kilter.Parties(3)
	kilter.Report(n.variables)
	over := make(chan struct{})
	go func() {
		for i := 0; i < 2; i++ {
			step := kilter.Begin("Step", i)
			n.change(func() { n.steps++ })
			kilter.Sent("n2", map[string]int{"step": i})
			step.End(n.variables)
			step.End(n.variables) // does nothing
		}
		kilter.Begin("Ask").End(nil)
		kilter.Note("asked")
		kilter.Idle(func() { <-over })
	}()
	go func() {
		kilter.Received()
		for times := kilter.Taking([]int{7}, "Take", "it"); times.Next(); {
			n.change(func() { n.taken = append(n.taken, 7) })
			if len(n.taken) == 1 {
				continue // Next ends what was not ended
			}
			times.End(n.variables)
		}
		kilter.Idle(func() { <-over })
	}()
	for request := kilter.NextRequest(); request != nil; request = kilter.NextRequest() {
		if request.Action == "Reset" {
			n.change(func() { n.steps = 0 })
			request.End(n.variables)
		} else {
			request.Refuse()
		}
	}
}
