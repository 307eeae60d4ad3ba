package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/parser"
	"os"
	"path/filepath"
)

type table struct {
	points []*point
	files  []*addition
}

// point is a place in a function, and what happens there: exactly one of an action, a message that is sent, or a message that
// arrives. The expressions are Go, over the receiver, the parameters, and at a call the locals that are in scope.
type point struct {
	place string // in the table

	Package  string
	Function string // as Go prints it: Run, Raft.String, (*Raft).run
	At       string // "entry" or "call"
	Call     string // what is called, as it is written in the function
	Nth      int    // which of these calls, from 1; 0 for each

	Action    string
	Args      []string
	Message   string // the message that the action takes in
	Variables string // what the node holds when the action is done

	Sends string // a message that is handed to the network
	To    string // its receiver

	Arrives bool // a message of another node has arrived
}

// addition is a file that becomes part of a package, such as one with the function for Variables.
type addition struct {
	place   string
	Package string
	File    string // from the folder of the table; a name that ends in .txt does so without it
}

func readTable(path string) (*table, []error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, []error{err}
	}
	result := &table{}
	var errs []error
	fault := func(place string, err error) {
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", place, err))
		}
	}
	err = eachElement(text, func(name string, line int, decoder *json.Decoder) error {
		place := fmt.Sprintf("%s:%d", path, line)
		switch name {
		case "points":
			point := &point{place: place}
			if err := decoder.Decode(point); err != nil {
				return err
			}
			fault(place, point.check())
			result.points = append(result.points, point)
		case "files":
			file := &addition{place: place}
			if err := decoder.Decode(file); err != nil {
				return err
			}
			file.File = filepath.Join(filepath.Dir(path), file.File)
			result.files = append(result.files, file)
		default:
			return fmt.Errorf("%q is neither points nor files", name)
		}
		return nil
	})
	fault(path, err)
	return result, errs
}

// eachElement calls a function with each element of the lists that an object has as its fields, and with the element's line.
func eachElement(text []byte, found func(name string, line int, decoder *json.Decoder) error) error {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	lineHere := func() int {
		offset := int(decoder.InputOffset())
		rest := bytes.TrimLeft(text[offset:], ", \t\r\n")
		return 1 + bytes.Count(text[:len(text)-len(rest)], []byte("\n"))
	}
	if begin, err := decoder.Token(); err != nil || begin != json.Delim('{') {
		return errors.New("the table must be a JSON object")
	}
	for decoder.More() {
		name, err := decoder.Token()
		if err != nil {
			return fmt.Errorf("line %d: %w", lineHere(), err)
		}
		if begin, err := decoder.Token(); err != nil || begin != json.Delim('[') {
			return fmt.Errorf("line %d: %q must be a list", lineHere(), name)
		}
		for decoder.More() {
			line := lineHere()
			if err := found(name.(string), line, decoder); err != nil {
				return fmt.Errorf("line %d: %w", line, err)
			}
		}
		if _, err := decoder.Token(); err != nil {
			return fmt.Errorf("line %d: %w", lineHere(), err)
		}
	}
	return nil
}

// check finds what can be wrong with a point by itself.
func (p *point) check() error {
	meanings := 0
	for _, has := range []bool{p.Action != "", p.Sends != "", p.Arrives} {
		if has {
			meanings++
		}
	}
	switch {
	case p.Package == "" || p.Function == "":
		return errors.New("a point needs a package and a function")
	case p.At != "entry" && p.At != "call":
		return fmt.Errorf("at is %q; it must be entry or call", p.At)
	case (p.At == "call") != (p.Call != "") || p.Nth < 0 || p.At == "entry" && p.Nth > 0:
		return errors.New("call and nth say which call is meant, if at is call")
	case meanings != 1:
		return errors.New("a point needs one of action, sends, and arrives")
	case p.Action == "" && (p.Args != nil || p.Message != "" || p.Variables != ""):
		return errors.New("only an action has args, message and variables")
	case (p.Sends == "") != (p.To == ""):
		return errors.New("sends and to belong together")
	}
	for _, expression := range append([]string{p.Call, p.Message, p.Variables, p.Sends, p.To}, p.Args...) {
		if expression == "" {
			continue
		}
		if _, err := parser.ParseExpr(expression); err != nil {
			return fmt.Errorf("%q is no Go expression: %w", expression, err)
		}
	}
	return nil
}
