//go:build !kilter

package kilter

// The probe when it compiles to nothing: the same names, no size, empty bodies. control.go and action.go, which have the build
// tag kilter, have the documentation.

type told struct{}

type control struct{}

type gateTrace struct{}

func newTrace() *gateTrace                     { return nil }
func (*gateTrace) sent(to string, message any) {}
func (*gateTrace) stamp() JSON                 { return nil }
func (*gateTrace) heard(clock JSON)            {}
func (*gateTrace) finish(variables any)        {}
func (*gateTrace) handOut(*Event)              {}

func connect(Options, *queue) *control         { return nil }
func (*control) next(any, []*Event) *Event     { return nil }
func (*control) sent(to string, message any)   {}
func (*control) note(text string)              {}
func (*control) forget()                       {}
func Controlled() bool                         { return false }
func Parties(n int)                            {}
func Begin(action string, args ...any) Step    { return Step{} }
func Sent(to string, message any)              {}
func VectorClock() JSON                        { return nil }
func Heard(clock JSON)                         {}
func Received()                                {}
func Idle(wait func())                         { wait() }
func NextRequest() *Request                    { return nil }
func Report(variables any)                     {}
func Show(name string, value any)              {}
func Note(text string)                         {}
func Taking(any, string, ...any) (times Times) { return }

type Step struct{}

func (Step) End(variables any) {}

type Times struct{ over bool }

func (t *Times) Next() bool {
	over := t.over
	t.over = true
	return !over
}

func (*Times) End(variables any) {}

type Request struct {
	Action string
	Args   []JSON
}

func (*Request) End(variables any) {}
func (*Request) Refuse()           {}
