package main

import (
	"bufio"
	"fmt"
	"net"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"kilter.dev/probe/internal/testbed"
)

const hello = `{"hello":{"version":1,"node":"n1","token":"4f0c2a","says_still":true,"takes_delivery":true}}`

var program string // the example with the probe; built once

func TestMain(m *testing.M) {
	folder, err := os.MkdirTemp("", "kilter")
	if err != nil {
		panic(err)
	}
	program = folder + "/node"
	if err := testbed.BuildAs(program, ".", "-tags", "kilter"); err != nil {
		panic(err)
	}
	code := m.Run()
	os.RemoveAll(folder)
	os.Exit(code)
}

// start gives the node after it has said that it is still, its address, and the listener of its peer n2.
func start(t *testing.T, network string) (*testbed.Node, string, net.Listener) {
	t.Helper()
	address, peer := freeAddress(t), listen(t)
	n, err := testbed.Try(t, network, program, flags(address, peer)...)
	for tries := 1; err != nil; tries++ {
		if tries == 10 {
			t.Fatal(err)
		}
		// Somebody else may have taken the port.
		address = freeAddress(t)
		n, err = testbed.Try(t, network, program, flags(address, peer)...)
	}
	n.Expect(hello,
		`{"report":{"variables":{"count":0,"value":null,"jobs":0,"hours":0}}}`,
		`{"offer":{"id":1,"action":"Tick"}}`,
		still(0))
	n.Say(`{"welcome":{"version":1}}`)
	return n, address, peer
}

func flags(address string, peer net.Listener) []string {
	return []string{"--node", "n1", "--listen", address, "--peers", "n1=" + address + ",n2=" + peer.Addr().String()}
}

func listen(t *testing.T) net.Listener {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	return listener
}

func freeAddress(t *testing.T) string {
	listener := listen(t)
	defer listener.Close()
	return listener.Addr().String()
}

func still(received int) string {
	return fmt.Sprintf(`{"still":{"received":%d}}`, received)
}

func done(id, count int) string {
	return fmt.Sprintf(`{"done":{"id":%d,"variables":{"count":%d,"value":null,"jobs":0,"hours":0}}}`, id, count)
}

func send(t *testing.T, address, lines string) {
	t.Helper()
	connection, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer connection.Close()
	fmt.Fprint(connection, lines)
}

func hear(t *testing.T, listener net.Listener) string {
	t.Helper()
	connection, err := listener.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer connection.Close()
	line, _ := bufio.NewReader(connection).ReadString('\n')
	return line
}

func TestEachMessage(t *testing.T) {
	for _, network := range []string{"unix", "tcp"} {
		n, address, peer := start(t, network)
		n.Say(`{"go":{"id":1}}`)
		n.Expect(
			`{"done":{"id":1,"variables":{"count":1,"value":null,"jobs":0,"hours":0},"sent":[{"to":"n2","message":{"from":"n1","to":"n2","count":1}}]}}`,
			`{"offer":{"id":2,"action":"Tick"}}`, still(0))
		if line := hear(t, peer); !testbed.Equal(line, `{"from":"n1","to":"n2","count":1}`) {
			t.Errorf("n2 has got %s", line)
		}
		// The offer of a wish that is still wished for stands.
		send(t, address, "{\"from\":\"n2\",\"to\":\"n1\",\"count\":2}\n")
		n.Expect(`{"offer":{"id":3,"action":"Take","message":{"from":"n2","to":"n1","count":2}}}`, still(1))
		n.Say(`{"twice":{"id":3}}`)
		n.Expect(done(3, 2), `{"offer":{"id":4,"action":"Take","message":{"from":"n2","to":"n1","count":2}}}`, still(1))
		n.Say(`{"drop":{"id":4}}`)
		n.Expect(done(4, 2), still(1))
		n.Say(`{"deliver":{"from":"n2","message":{"from":"n2","to":"n1","count":5}}}`)
		n.Expect(`{"offer":{"id":5,"action":"Take","message":{"from":"n2","to":"n1","count":5}}}`, still(1))
		n.Say(`{"deliver":{"from":"","message":7}}`)
		n.Expect(`{"note":{"text":"can't take delivery of 7"}}`, still(1))
		// The timer is disarmed, and an answer crosses its withdrawal.
		n.Say(`{"go":{"id":5}}`)
		n.Expect(done(5, 5), `{"withdraw":{"id":2}}`, still(1))
		n.Say(`{"go":{"id":2}}`, `{"drop":{"id":2}}`, `{"twice":{"id":77}}`, `{"request":{"id":0,"action":"Nothing"}}`)
		for line := still(1); ; line = n.Hear() {
			if !testbed.Equal(line, still(1)) {
				if !testbed.Equal(line, `{"done":{"id":0,"unknown":true,"variables":{"count":5,"value":null,"jobs":0,"hours":0}}}`) {
					t.Fatal(line)
				}
				break
			}
		}
		n.Expect(still(1))
		n.Say(`{"request":{"id":0,"action":"Set","args":[1]}}`)
		n.Expect(done(0, 1), `{"offer":{"id":6,"action":"Tick"}}`, still(1))
		n.Say(`{"request":{"id":6,"action":"Note","args":["h\u00e9 \ud83d\ude00\n"]}}`)
		n.Expect(`{"note":{"text":"hé 😀\n"}}`, done(6, 1), still(1))
		n.Say(`{"request":{"id":18446744073709551615,"action":"kilter.clock"}}`)
		n.Expect(`{"done":{"id":18446744073709551615,"variables":{"count":1,"value":null,"jobs":0,"hours":1}}}`, still(1))
		n.Say(`{"stop":{}}`)
		if code, said := n.Exit(); code != 0 {
			t.Errorf("ended with %d: %s", code, said)
		}
	}
}

func TestValuesComeBackUnchanged(t *testing.T) {
	n, _, _ := start(t, "unix")
	for _, value := range []string{
		`null`, `true`, `""`, `[]`, `{}`, `0`, `-9223372036854775808`, `18446744073709551615`, `12345678901234567890123`, `1.0`, `1e400`,
		`"\u0000\b\f\n\r\t\"\\\/\u2028\u2029<>&"`, `"\ud83d\ude00 é 漢 😀"`, `{"b":[{"a":null}],"a":{"":1},"A":[[[]]]}`,
		`"` + strings.Repeat("x", 8<<20) + `"`,
	} {
		n.Say(`{"request":{"id":1,"action":"Keep","args":[` + value + `]}}`)
		n.Expect(`{"done":{"id":1,"variables":{"count":0,"value":`+value+`,"jobs":0,"hours":0}}}`, still(0))
	}
}

func TestLinesInPieces(t *testing.T) {
	n, _, _ := start(t, "tcp")
	for _, character := range `{"request":{"id":3,"action":"Set","args":[3]}}` + "\n" {
		n.Write(string(character))
		time.Sleep(time.Millisecond)
	}
	n.Expect(done(3, 3), `{"withdraw":{"id":1}}`, still(0))
	n.Say(`{"request":{"id":4,"action":"Set","args":[4]}}`, `{"request":{"id":5,"action":"Set","args":[5]}}`)
	n.Expect(done(4, 4))
	if line := n.Hear(); testbed.Equal(line, still(0)) {
		n.Expect(done(5, 5))
	} else if !testbed.Equal(line, done(5, 5)) {
		t.Fatal(line)
	}
	n.Expect(still(0))
}

func TestManyAtOnce(t *testing.T) {
	n, address, _ := start(t, "unix")
	const many = 1000
	send(t, address, strings.Repeat("{\"from\":\"n2\",\"to\":\"n1\",\"count\":1}\n", many))
	n.Say(`{"request":{"id":9,"action":"Work","args":[50]}}`)
	ids, jobs, doneSeen := map[string]bool{}, map[string]bool{}, false
	for last := ""; !(len(ids) == many+50 && doneSeen && testbed.Equal(last, still(many))); {
		last = n.Hear()
		var id, job int
		if _, err := fmt.Sscanf(last, `{"offer":{"action":"Job","args":[%d],"id":%d}}`, &job, &id); err == nil {
			ids[fmt.Sprint(id)], jobs[fmt.Sprint(job)] = true, true
		} else if strings.HasPrefix(last, `{"offer":{"action":"Take"`) {
			ids[last] = true
		} else if strings.HasPrefix(last, `{"done":`) {
			doneSeen = true
		} else if !strings.HasPrefix(last, `{"still":`) {
			t.Fatal(last)
		}
	}
	if len(jobs) != 50 {
		t.Errorf("%d jobs", len(jobs))
	}
}

func TestGarbageAndLossEndTheNode(t *testing.T) {
	for _, garbage := range []string{
		"\n", "x\n", "{}\n", "[]\n", "null\n", "7\n", `{"go":{"id":1}`, `{"go":{"id":1}}`, `{"go":{"id":1}} x` + "\n",
		`{"go":{"id":-1}}` + "\n", `{"go":{"id":1.0}}` + "\n", `{"go":{"id":"1"}}` + "\n", `{"go":{"id":null}}` + "\n",
		`{"go":{"id":18446744073709551616}}` + "\n", `{"go":{}}` + "\n", `{"go":[1]}` + "\n", `{"go":{"ID":1}}` + "\n", `{"Go":{"id":1}}` + "\n",
		`{"go":{"id":1,"id":1}}` + "\n", `{"go":{"id":1},"drop":{"id":1}}` + "\n", `{"go":{"id":1,"more":1}}` + "\n",
		`{"dance":{}}` + "\n", `{"stop":null}` + "\n", `{"request":{"id":1,"action":null}}` + "\n", `{"request":{"id":1,"action":"Set","args":null}}` + "\n",
		`{"request":{"id":1,"action":"Set","args":{"a":1}}}` + "\n", `{"deliver":{"from":"n2"}}` + "\n",
		"{\"request\":{\"id\":1,\"action\":\"\xff\"}}\n", strings.Repeat(" ", 16<<20) + "\n", "",
	} {
		n, _, _ := start(t, "unix")
		n.Write(garbage)
		if !strings.HasSuffix(garbage, "\n") {
			n.Close()
		}
		if code, said := n.Exit(); code != 3 || !strings.HasPrefix(said, "kilter: ") || strings.Count(said, "\n") != 1 {
			t.Errorf("%.80q: ended with %d: %s", garbage, code, said)
		}
	}
}

func TestTheLongestLine(t *testing.T) {
	n, _, _ := start(t, "unix")
	line := `{"request":{"id":1,"action":"Set","args":[2]}}`
	n.Say(line + strings.Repeat(" ", 16<<20-1-len(line)))
	n.Expect(done(1, 2), still(0))
}

func TestNoTestbedThere(t *testing.T) {
	for _, address := range []string{"unix:/nowhere/at/all", "tcp:127.0.0.1:1", "tcp:127.0.0.1", "carrier pigeon", ""} {
		command := exec.Command(program, flags("127.0.0.1:0", listen(t))...)
		command.Env = append(os.Environ(), "KILTER_ADDRESS="+address)
		said, _ := command.CombinedOutput()
		if command.ProcessState.ExitCode() != 3 {
			t.Errorf("%q: %v: %s", address, command.ProcessState, said)
		}
	}
}

// Without a testbed the node ticks by itself, with the probe and without it.
func TestAlone(t *testing.T) {
	for _, program := range []string{program, testbed.Build(t, ".")} {
		peer := listen(t)
		command := exec.Command(program, flags("127.0.0.1:0", peer)...)
		begin := time.Now()
		if err := command.Start(); err != nil {
			t.Fatal(err)
		}
		for count := 1; count <= 3; count++ {
			if line := hear(t, peer); !testbed.Equal(line, fmt.Sprintf(`{"from":"n1","to":"n2","count":%d}`, count)) {
				t.Errorf("n2 has got %s", line)
			}
		}
		if waited := time.Since(begin); waited < 3*time.Second {
			t.Errorf("three ticks in %v", waited)
		}
		command.Process.Kill()
		command.Wait()
	}
}
