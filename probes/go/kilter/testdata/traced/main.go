// A node without a gate that nobody controls: one action with a message, one that is ended twice, and a variable of its own.
package main

import "kilter.dev/probe/kilter"

type node struct {
	log []int
}

func (n *node) variables() any {
	return map[string]any{"log": n.log}
}

func main() {
	n := &node{[]int{1, 2, 3, 4}}
	kilter.Report(n.variables)
	step := kilter.Begin("Step", 1, "it")
	n.log = append(n.log, 5)
	kilter.Sent("n2", map[string]int{"step": 1})
	step.End(n.variables)
	step.End(n.variables) // does nothing
	for times := kilter.Taking([]int{7}, "Take"); times.Next(); {
		kilter.Show("taken", true)
	} // Next ends what was not ended
	kilter.Begin("Cut")
	n.log = n.log[:1]
}
