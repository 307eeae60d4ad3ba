// A node that forgets what has arrived when the testbed asks it to begin anew.
package main

import "kilter.dev/probe/kilter"

func main() {
	gate := kilter.NewGate(kilter.Options{
		FromDelivery: func(_ string, message kilter.JSON) *kilter.Event {
			return &kilter.Event{Action: "Take", Message: message}
		},
		FromRequest: func(action string, _ []kilter.JSON) *kilter.Event { return &kilter.Event{Action: action} },
	})
	resets := 0
	for {
		event := gate.Next(map[string]any{"resets": resets}, []*kilter.Event{{Action: "Tick"}})
		if event == nil {
			return
		}
		if event.Action == "Reset" {
			gate.Forget()
			resets++
		}
	}
}
