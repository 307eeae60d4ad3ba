// A node without a gate that nobody controls, and that sends and takes in vector clocks: the first action has none.
package main

import (
	"fmt"

	"kilter.dev/probe/kilter"
)

func main() {
	kilter.Begin("Alone").End(nil)
	for times := kilter.Taking(1, "Take"); times.Next(); {
		kilter.Heard(kilter.JSON(`{"n1":7,"n2":18446744073709551615,"n3":-1,"n4":"late"}`))
	}
	step := kilter.Begin("Send")
	kilter.Heard(kilter.JSON(`{"n2":3}`)) // is less than what is known
	kilter.Heard(nil)
	text, _ := kilter.VectorClock().MarshalJSON()
	step.End(nil)
	fmt.Print(string(text))
}
