// Package ring has a call in each place where one can be.
package ring // import "example.org/ring"

import (
	"errors"
	"runtime"
)

// Ring has a count.
type Ring struct {
	Name  string
	count int
	lines []int
}

type message struct {
	From  string `json:"from"`
	Count int    `json:"count"`
}

type truth bool

// Run does everything once.
func (r *Ring) Run(end func()) {
	kilter := "a name that is like the probe's"
	_ = kilter
	r.step(2)
	taken, err := r.take(message{"n2", 3})
	if taken != nil && err == nil {
		r.count = *taken
	}
	r.line()
	r.statements()
	r.conditions()
	_ = r.results()
	end()
}

func (r *Ring) step(by int) { r.count += by }

func (r *Ring) take(m message) (count *int, err error) {
	defer func() {
		if recovered := recover(); recovered != nil {
			err = errors.New("recovered")
		}
	}()
	if m.Count == 0 {
		panic("nothing to take")
	}
	sum := r.count + m.Count
	r.count = sum
	return &sum, nil
}

func (r *Ring) line() {
	_, _, line, _ := runtime.Caller(0)
	r.lines = append(r.lines, line)
}

func (r *Ring) add(by int) (int, error) {
	r.count += by
	return r.count, nil
}

func (r *Ring) less(than int) truth { r.count++; return r.count <= truthOf(than) }

func truthOf(than int) int { return than }

func (r *Ring) send(to string, m message) {}

func (r *Ring) statements() {
	r.add(1) // an expression
	first, err := r.add(10)
	if err == nil {
		func() { r.add(100) }()
	}
	switch {
	case first > 0:
		r.add(1000)
	}
	r.send("n2", message{r.Name, r.count})
	go func(int, error) {}(r.add(10000))
}

func (r *Ring) conditions() {
	if r.count < 0 {
		return
	} else if n, err := r.add(1); err == nil && n < 0 {
		return
	}
again:
	if _, err := r.add(2); err != nil {
		goto again
	}
	limit := r.count + 2
	for r.less(limit) {
		r.Name = "n1"
	}
}

func (r *Ring) results() (n int) {
	defer func() { r.count = 0 }()
	n, _ = func() (int, error) {
		return r.add(5)
	}()
	return n
}

func (r *Ring) unusual() {
	go r.add(1)
	defer r.add(2)
	switch n, _ := r.add(3); n {
	}
	n, _ := r.add(4)
	_ = n
}
