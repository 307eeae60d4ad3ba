package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"kilter.dev/probe/internal/testbed"
)

// instrumented builds the program in testdata/app with the table.
func instrumented(t *testing.T) string {
	t.Helper()
	overlay, errs := run("testdata/table.json", t.TempDir(), "testdata/app", "..")
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	return testbed.Build(t, "testdata/app", "-overlay", overlay, "-tags", "kilter")
}

func TestEachPlace(t *testing.T) {
	n := testbed.Start(t, "unix", instrumented(t))
	n.Expect(`{"hello":{"version":1,"node":"n1","token":"4f0c2a","says_still":false,"takes_delivery":false}}`,
		`{"report":{"variables":{}}}`)
	step := func(answer, offer, done string) {
		t.Helper()
		n.Expect(`{"offer":{` + offer + `}}`)
		id := strings.SplitN(offer, ",", 2)[0]
		n.Say(`{"` + answer + `":{` + id + `}}`)
		n.Expect(`{"done":{` + id + `,` + done + `}}`)
	}
	step("go", `"id":1,"action":"Step","args":[2,"n1"]`, `"variables":{"count":2,"lines":null}`)
	step("twice", `"id":2,"action":"Take","message":{"from":"n2","count":3}`, `"variables":{"count":5,"lines":null}`)
	step("go", `"id":3,"action":"Take","message":{"from":"n2","count":3}`, `"variables":{"count":8,"lines":null}`)
	// The line is that of the original.
	step("go", `"id":4,"action":"Line"`, `"variables":{"count":8,"lines":[56]}`)
	step("go", `"id":5,"action":"Add","args":[8]`, `"variables":{"count":9,"lines":[56]}`)
	step("go", `"id":6,"action":"Add","args":[9]`, `"variables":{"count":19,"lines":[56]}`)
	step("go", `"id":7,"action":"Add","args":[19]`, `"variables":{"count":119,"lines":[56]}`)
	step("go", `"id":8,"action":"Add","args":[119]`, `"variables":{"count":1119,"lines":[56]}`)
	step("go", `"id":9,"action":"Send","message":"it"`,
		`"variables":{"count":1119,"lines":[56]},"sent":[{"to":"n2","message":{"from":"n1","count":1119}}]`)
	step("go", `"id":10,"action":"Add","args":[1119]`, `"variables":{"count":11119,"lines":[56]}`)
	step("go", `"id":11,"action":"Add"`, `"variables":{"count":11120,"lines":[56]}`)
	step("go", `"id":12,"action":"Add"`, `"variables":{"count":11122,"lines":[56]}`)
	step("go", `"id":13,"action":"Less","args":[11124]`, `"variables":{"count":11123,"lines":[56]}`)
	step("go", `"id":14,"action":"Less","args":[11124]`, `"variables":{"count":11124,"lines":[56]}`)
	step("go", `"id":15,"action":"Less","args":[11124]`, `"variables":{"count":11125,"lines":[56]}`)
	step("go", `"id":16,"action":"Result"`, `"variables":{"count":11130,"lines":[56]}`)
	if code, said := n.Exit(); code != 0 {
		t.Errorf("ended with %d: %s", code, said)
	}
}

func TestALostMessageLeavesZeroValues(t *testing.T) {
	n := testbed.Start(t, "unix", instrumented(t))
	n.Hear()
	n.Hear()
	n.Hear()
	n.Say(`{"go":{"id":1}}`)
	n.Hear()
	n.Hear()
	n.Say(`{"drop":{"id":2}}`)
	n.Expect(`{"done":{"id":2,"variables":{"count":2,"lines":null}}}`, `{"offer":{"id":3,"action":"Line"}}`)
}

// Each table with one point, and what is wrong with it. PATH stands for the folder of testdata.
func TestErrors(t *testing.T) {
	const place = `"package": "example.org/ring", "function": "(*Ring).statements", `
	const unusual = `"package": "example.org/ring", "function": "(*Ring).unusual", "at": "call", "call": "r.add", "action": "A", `
	for _, test := range []struct{ point, wanted string }{
		{`"package": "example.org/rin", "function": "f", "at": "entry", "action": "A"`,
			`there is no package "example.org/rin"; is it example.org/ring`},
		{`"package": "example.org/ring", "function": "(*Ring).Taek", "at": "entry", "action": "A"`,
			`example.org/ring has no function "(*Ring).Taek"; is it (*Ring).take at PATH/ring/ring.go:41`},
		{`"package": "example.org/ring", "function": "Run", "at": "entry", "action": "A"`,
			`example.org/ring has no function "Run"; is it (*Ring).Run at PATH/ring/ring.go:24`},
		{`"package": "example.org/ring", "function": "wholly.Other", "at": "entry", "action": "A"`,
			`example.org/ring has no function "wholly.Other"`},
		{`"package": "fmt", "function": "Println", "at": "entry", "action": "A"`,
			`fmt is of the standard library, which can't import the probe`},
		{place + `"at": "call", "call": "r.ad", "action": "A"`,
			`PATH/ring/ring.go:71: (*Ring).statements has no call of r.ad; is it r.add`},
		{place + `"at": "call", "call": "r.add", "nth": 6, "action": "A"`,
			`PATH/ring/ring.go:71: (*Ring).statements calls r.add 5 times, so there is no call 6`},
		{place + `"at": "call", "call": "r.add", "nth": 2, "action": "A", "message": "1"`,
			`PATH/ring/ring.go:73: r.add: a message can be lost or come twice, but this statement must happen once, because it declares or returns something`},
		{unusual + `"nth": 1`,
			`PATH/ring/ring.go:110: r.add: the call happens in another goroutine; take the entry of the function that is called`},
		{unusual + `"nth": 2`,
			`PATH/ring/ring.go:111: r.add: the call happens later; take the entry of the function that is called`},
		{unusual + `"nth": 3`,
			`PATH/ring/ring.go:112: r.add: nothing can be inserted around this place; take the entry of the function that is called`},
		{place + `"at": "exit", "action": "A"`, `at is "exit"; it must be entry or call`},
		{place + `"at": "call", "action": "A"`, `call and nth say which call is meant, if at is call`},
		{place + `"at": "entry"`, `a point needs one of action, sends, and arrives`},
		{place + `"at": "entry", "sends": "1"`, `sends and to belong together`},
		{place + `"at": "entry", "arrives": true, "args": ["1"]`, `only an action has args, message and variables`},
		{place + `"at": "entry", "action": "A", "args": ["1 +"]`, `"1 +" is no Go expression: 1:4: expected operand, found 'EOF'`},
	} {
		if said := errorsOf(t, `{"points": [`+"\n"+`{`+test.point+"}]}"); said != "TABLE:2: "+test.wanted {
			t.Errorf("%s\nwanted TABLE:2: %s\n   got %s", test.point, test.wanted, said)
		}
	}
	for table, wanted := range map[string]string{
		`[]`:                     `TABLE: the table must be a JSON object`,
		`{"point": [{}]}`:        `TABLE: line 1: "point" is neither points nor files`,
		`{"points": [{"a": 1}]}`: `TABLE: line 1: json: unknown field "a"`,
		`{"points": 1}`:          `TABLE: line 1: "points" must be a list`,
		`{"files": [{"package": "example.org/ring", "file": "nowhere.go"}]}`: `TABLE:1: open FOLDER/nowhere.go: no such file or directory`,
	} {
		if said := errorsOf(t, table); said != wanted {
			t.Errorf("wanted %s\n   got %s", wanted, said)
		}
	}
}

func errorsOf(t *testing.T, table string) string {
	t.Helper()
	folder := t.TempDir()
	path := filepath.Join(folder, "table.json")
	if err := os.WriteFile(path, []byte(table), 0o644); err != nil {
		t.Fatal(err)
	}
	_, errs := run(path, folder, "testdata/app", "")
	var said []string
	for _, err := range errs {
		said = append(said, err.Error())
	}
	testdata, err := filepath.Abs("testdata")
	if err != nil {
		t.Fatal(err)
	}
	return strings.NewReplacer(path, "TABLE", folder, "FOLDER", testdata, "PATH").Replace(strings.Join(said, "\n"))
}
