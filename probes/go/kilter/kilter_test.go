package kilter_test

import (
	"encoding/json"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"kilter.dev/probe/internal/testbed"
	"kilter.dev/probe/kilter"
)

// Without the build tag, nothing of the connection is in the binary, and actions leave no trace.
func TestNothingInTheBinary(t *testing.T) {
	const (
		connection = "kilter.dev/probe/kilter.(*link)"
		parser     = "kilter.dev/probe/kilter.parse"
		begin      = "kilter.dev/probe/kilter.Begin"
		taking     = "kilter.dev/probe/kilter.Taking"
		variables  = "main.(*node).variables"
		format     = "encoding/json."
		network    = " net."
	)
	traces := []string{connection, parser, begin, taking, variables, format, network}
	without := symbols(t, testbed.Build(t, "testdata/plain"))
	with := symbols(t, testbed.Build(t, "testdata/plain", "-tags", "kilter"))
	for _, trace := range traces {
		if !strings.Contains(with, trace) {
			t.Errorf("%s is not even there with the tag", trace)
		}
		if strings.Contains(without, trace) {
			t.Errorf("%s is there without the tag", trace)
		}
	}
	if !strings.Contains(without, "kilter.dev/probe/kilter.(*Gate).Next") {
		t.Error("the queue is missing")
	}
}

func symbols(t *testing.T, program string) string {
	t.Helper()
	said, err := exec.Command("go", "tool", "nm", program).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, said)
	}
	return string(said)
}

func TestActionsOfGoroutines(t *testing.T) {
	n := testbed.Start(t, "unix", testbed.Build(t, "testdata/threads", "-tags", "kilter"))
	n.Expect(`{"hello":{"version":1,"node":"n1","token":"4f0c2a","says_still":true,"takes_delivery":false}}`,
		`{"report":{"variables":{"steps":0,"taken":[],"shown":0}}}`)
	offers := map[string]string{} // action to number: goroutines offer in any order
	for len(offers) < 2 {
		line := n.Hear()
		for _, id := range []string{"1", "2"} {
			if testbed.Equal(line, `{"offer":{"id":`+id+`,"action":"Step","args":[0]}}`) {
				offers["Step"] = id
			} else if testbed.Equal(line, `{"offer":{"id":`+id+`,"action":"Take","args":["it"],"message":[7]}}`) {
				offers["Take"] = id
			}
		}
	}
	n.Expect(`{"still":{"received":1}}`)
	n.Say(`{"go":{"id":99}}`, `{"go":{"id":`+offers["Step"]+`}}`)
	n.Expect(`{"done":{"id":`+offers["Step"]+`,"variables":{"steps":1,"taken":[],"shown":10},"sent":[{"to":"n2","message":{"step":0}}]}}`,
		`{"offer":{"id":3,"action":"Step","args":[1]}}`, `{"still":{"received":1}}`)
	n.Say(`{"twice":{"id":` + offers["Take"] + `}}`)
	n.Expect(`{"done":{"id":`+offers["Take"]+`,"variables":{"steps":1,"taken":[],"shown":10}}}`,
		`{"offer":{"id":4,"action":"Take","args":["it"],"message":[7]}}`, `{"still":{"received":1}}`)
	n.Say(`{"request":{"id":4,"action":"Reset"}}`)
	n.Expect(`{"done":{"id":4,"variables":{"steps":0,"taken":[7],"shown":0}}}`, `{"still":{"received":1}}`)
	n.Say(`{"request":{"id":5,"action":"Nothing","args":[1]}}`)
	n.Expect(`{"done":{"id":5,"unknown":true,"variables":{"steps":0,"taken":[7],"shown":0}}}`, `{"still":{"received":1}}`)
	n.Say(`{"drop":{"id":4}}`)
	n.Expect(`{"done":{"id":4,"variables":{"steps":0,"taken":[7],"shown":0}}}`, `{"still":{"received":1}}`)
	n.Say(`{"go":{"id":3}}`)
	n.Expect(`{"done":{"id":3,"variables":{"steps":1,"taken":[7],"shown":10},"sent":[{"to":"n2","message":{"step":1}}]}}`,
		`{"offer":{"id":5,"action":"Ask"}}`, `{"still":{"received":1}}`)
	n.Say(`{"go":{"id":5}}`)
	n.Expect(`{"done":{"id":5,"variables":{"steps":1,"taken":[7],"shown":10}}}`, `{"note":{"text":"asked"}}`, `{"still":{"received":1}}`)
	n.Say(`{"stop":{}}`)
	if code, said := n.Exit(); code != 0 || said != "" {
		t.Errorf("ended with %d: %s", code, said)
	}
}

func TestForget(t *testing.T) {
	n := testbed.Start(t, "unix", testbed.Build(t, "testdata/reset", "-tags", "kilter"))
	n.Expect(`{"hello":{"version":1,"node":"n1","token":"4f0c2a","says_still":true,"takes_delivery":true}}`,
		`{"report":{"variables":{"resets":0}}}`, `{"offer":{"id":1,"action":"Tick"}}`, `{"still":{"received":0}}`)
	n.Say(`{"deliver":{"from":"n2","message":7}}`)
	n.Expect(`{"offer":{"id":2,"action":"Take","message":7}}`, `{"still":{"received":0}}`)
	n.Say(`{"deliver":{"from":"n2","message":8}}`)
	n.Expect(`{"offer":{"id":3,"action":"Take","message":8}}`, `{"still":{"received":0}}`)
	n.Say(`{"request":{"id":0,"action":"Reset"}}`)
	n.Expect(`{"withdraw":{"id":2}}`, `{"withdraw":{"id":3}}`, `{"done":{"id":0,"variables":{"resets":1}}}`, `{"still":{"received":0}}`)
	n.Say(`{"stop":{}}`)
	if code, said := n.Exit(); code != 0 || said != "" {
		t.Errorf("ended with %d: %s", code, said)
	}
}

func TestALostTestbedEndsGoroutines(t *testing.T) {
	n := testbed.Start(t, "unix", testbed.Build(t, "testdata/threads", "-tags", "kilter"))
	n.Hear()
	n.Close()
	if code, said := n.Exit(); code != 3 || !strings.HasPrefix(said, "kilter: the testbed is gone") {
		t.Errorf("ended with %d: %s", code, said)
	}
}

// Without a testbed, KILTER_TRACE names a file for what a node does. The file may have lines.
func TestTrace(t *testing.T) {
	program := testbed.Build(t, "testdata/traced", "-tags", "kilter")
	file := filepath.Join(t.TempDir(), "n7.log")
	lines := []string{
		`{"event":"kilter.start","node":"n7","state":{"log":[1,2,3,4]}}`,
		`{"event":"kilter.begin","node":"n7","of":"Step","args":[1,"it"]}`,
		`{"event":"Step","node":"n7","args":[1,"it"],"delta":true,"state":{"log":{"@keep":4,"@then":[5]}},` +
			`"sent":[{"to":"n2","message":{"step":1}}]}`,
		`{"event":"kilter.begin","node":"n7","of":"Take","message":[7]}`,
		`{"event":"Take","node":"n7","message":[7],"delta":true,"state":{"taken":true},"sent":[]}`,
		`{"event":"kilter.begin","node":"n7","of":"Cut"}`,
	}
	expected := append(lines, lines...)
	for range []int{1, 2} {
		if said := traced(t, program, file); said != "" {
			t.Errorf("it says %s", said)
		}
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	written := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	if len(written) != len(expected) {
		t.Fatalf("%d lines: %s", len(written), text)
	}
	for i, line := range written {
		if !testbed.Equal(line, expected[i]) {
			t.Errorf("%s should be %s", line, expected[i])
		}
	}
	// It goes on if the file can't be opened, and if it can't be written.
	for _, file := range []string{"/no/such/folder/n7.log", "/dev/full"} {
		if said := traced(t, program, file); strings.Count(said, "the trace can't be written") != 1 {
			t.Errorf("with %s it says %q", file, said)
		}
	}
}

// Lines have a vector clock from the first time on that the program uses it.
func TestVectorClocks(t *testing.T) {
	program := testbed.Build(t, "testdata/clocks", "-tags", "kilter")
	file := filepath.Join(t.TempDir(), "n1.log")
	var sent map[string]uint64
	if err := json.Unmarshal([]byte(traced(t, program, file)), &sent); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	clocks := map[string]map[string]uint64{} // by event
	for _, written := range strings.Split(strings.TrimSuffix(string(text), "\n"), "\n") {
		var line struct {
			Event string
			Clock map[string]uint64
		}
		if err := json.Unmarshal([]byte(written), &line); err != nil {
			t.Fatal(err)
		}
		clocks[line.Event] = line.Clock
	}
	if clocks["Alone"] != nil || clocks["kilter.begin"] != nil {
		t.Errorf("a clock that nobody has asked for: %s", text)
	}
	began := clocks["Take"]["n1"]
	if age := time.Since(time.UnixMicro(int64(began))); age < 0 || age > time.Minute {
		t.Errorf("its own number %d should be the time of day", began)
	}
	if other := (map[string]uint64{"n1": began, "n2": math.MaxUint64}); !reflect.DeepEqual(clocks["Take"], other) {
		t.Errorf("%v should be %v", clocks["Take"], other)
	}
	other := map[string]uint64{"n1": began + 1, "n2": math.MaxUint64}
	if !reflect.DeepEqual(clocks["Send"], other) || !reflect.DeepEqual(sent, other) {
		t.Errorf("%v and %v should be %v", clocks["Send"], sent, other)
	}
}

// traced runs a program without a testbed and with a trace, and gives what it says.
func traced(t *testing.T, program, file string) string {
	t.Helper()
	command := exec.Command(program)
	command.Env = []string{"KILTER_TRACE=" + file}
	said, err := command.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, said)
	}
	return string(said)
}

// The same with the tag and without it, as long as there is no testbed.
func TestAlone(t *testing.T) {
	if kilter.Controlled() || kilter.NextRequest() != nil {
		t.Fatal("who controls this test?")
	}
	kilter.Begin("Step", 1).End(nil)
	n := 0
	for times := kilter.Taking("message", "Take"); times.Next(); times.End(nil) {
		n++
	}
	kilter.Heard(kilter.JSON(`{"n2":1}`))
	if kilter.VectorClock() != nil || kilter.NewGate(kilter.Options{}).Clock() != nil {
		t.Error("a clock without a trace")
	}
	kilter.Idle(func() { n++ })
	if n != 2 {
		t.Errorf("%d calls", n)
	}
}

func TestQueueWithTimers(t *testing.T) {
	gate := kilter.NewGate(kilter.Options{})
	now := time.Now()
	late, soon := &kilter.Event{Due: now.Add(time.Hour)}, &kilter.Event{Due: now.Add(30 * time.Millisecond)}
	wishes := []*kilter.Event{late, soon}
	if gate.Next(nil, wishes) != soon || time.Now().Before(soon.Due) {
		t.Error("the earliest wish comes at its time")
	}
	first, second := &kilter.Event{Action: "1"}, &kilter.Event{Action: "2"}
	gate.Message(first)
	gate.Push(second)
	if gate.Next(nil, wishes) != soon {
		t.Error("what is due comes before what has arrived")
	}
	if gate.Next(nil, wishes[:1]) != first || gate.Next(nil, nil) != second {
		t.Error("what arrives first comes first")
	}
	time.AfterFunc(10*time.Millisecond, func() { gate.Push(first) })
	if gate.Next(nil, wishes[:1]) != first {
		t.Error("it waits for what arrives")
	}
}

func TestClock(t *testing.T) {
	var clock kilter.Clock
	if clock.FromRequest("Other", nil) != nil || clock.FromRequest(kilter.Jumps, nil).Action != kilter.Jumps {
		t.Error("not its request")
	}
	if ahead := time.Until(clock.Now()); ahead < 59*time.Minute || ahead > time.Hour {
		t.Errorf("%v ahead", ahead)
	}
}
