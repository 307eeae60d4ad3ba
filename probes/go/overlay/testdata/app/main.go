// A program with the library ring, which knows nothing of testbeds.
package main

import (
	"os"

	"example.org/ring"
)

func main() {
	r := &ring.Ring{Name: "n1"}
	r.Run(func() {
		if len(os.Args) > 1 {
			panic(os.Args[1])
		}
	})
}
