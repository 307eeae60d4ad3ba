package main

import (
	"fmt"
	"go/ast"
	"go/token"
	"sort"
	"strings"
)

const (
	probePath = "kilter.dev/probe/kilter"
	probeName = "kilterprobe" // unlike any name that a library may have for itself
)

// edit is an insertion. Of those at the same place, the ones with the lower layer come first. What was made first begins first,
// and ends last.
type edit struct {
	offset, layer, order int
	text                 string
}

// The layers: what begins for a whole function comes before all else, and what ends for it after all else.
const (
	outerBegin = iota
	innerBegin
	innerEnd
	outerEnd
)

func (f *file) insert(at token.Pos, layer int, format string, args ...any) {
	f.edits = append(f.edits, edit{offset: f.set.Position(at).Offset, layer: layer, text: fmt.Sprintf(format, args...)})
}

// edited is the text with all insertions, and with the probe imported.
func (f *file) edited() []byte {
	f.insert(f.tree.Name.End(), outerBegin, "; import %s %q", probeName, probePath)
	edits := f.edits
	for i := range edits {
		edits[i].order = i
		if edits[i].layer >= innerEnd {
			edits[i].order = -i
		}
	}
	sort.Slice(edits, func(i, j int) bool {
		a, b := edits[i], edits[j]
		if a.offset != b.offset {
			return a.offset < b.offset
		}
		if a.layer != b.layer {
			return a.layer < b.layer
		}
		return a.order < b.order
	})
	var text []byte
	offset := 0
	for _, edit := range edits {
		text = append(append(text, f.text[offset:edit.offset]...), edit.text...)
		offset = edit.offset
	}
	return append(text, f.text[offset:]...)
}

// source is the text of a part of the file.
func (f *file) source(node ast.Node) string {
	return string(f.text[f.set.Position(node.Pos()).Offset:f.set.Position(node.End()).Offset])
}

// insert puts a point into the copy of its file.
func (p *program) insert(point *point) error {
	found, err := p.find(point.Package)
	if err != nil {
		return err
	}
	function, err := found.function(point.Function)
	if err != nil {
		return err
	}
	if point.At == "call" {
		return p.insertAtCalls(point, function)
	}
	f, body := function.file, function.tree.Body
	switch {
	case point.Action == "":
		f.insert(body.Lbrace+1, outerBegin, " %s; ", point.statement())
	case f.taken[body]:
		return fmt.Errorf("%s: %s has an action at its entry already", f.place(function.tree), function.name)
	case point.Message == "":
		step := p.newName("Step")
		f.insert(body.Lbrace+1, outerBegin, " %s := %s; %s; ", step, point.begin(), point.deferred(step))
	default:
		p.insertTaking(point, function)
	}
	if point.Action != "" {
		f.taken[body] = true
	}
	return nil
}

// insertTaking makes the body of a function happen never, once, or more often. The body becomes a function literal, so that
// its returns are those of one time. A message that is lost leaves the results at their zero values.
func (p *program) insertTaking(point *point, function *function) {
	f, body := function.file, function.tree.Body
	times := p.newName("Times")
	declared, assigned, signature := "", "", ""
	var results []string
	if list := function.tree.Type.Results; list != nil {
		for _, field := range list.List {
			for i := 0; i < len(field.Names) || i == 0; i++ {
				result := p.newName("Result")
				results = append(results, result)
				declared += fmt.Sprintf("var %s %s; ", result, f.source(field.Type))
			}
		}
		assigned = strings.Join(results, ", ") + " = "
		signature = f.source(list) + " "
	}
	f.insert(body.Lbrace+1, outerBegin, " %sfor %s := %s; %s.Next(); { %sfunc() %s{ %s; ",
		declared, times, point.begin(), times, assigned, signature, point.deferred(times))
	f.insert(body.Rbrace, outerEnd, "}() }; return %s ", strings.Join(results, ", "))
}

// newName gives a name that nobody else has.
func (p *program) newName(kind string) string {
	p.nSteps++
	return fmt.Sprintf("kilter%s%d", kind, p.nSteps)
}

// begin is the expression that begins the action.
func (p *point) begin() string {
	args := []string{fmt.Sprintf("%q", p.Action)}
	function := "Begin"
	if p.Message != "" {
		args = []string{p.Message, args[0]}
		function = "Taking"
	}
	return probeName + "." + function + "(" + strings.Join(append(args, p.Args...), ", ") + ")"
}

// end is the statement that ends the action.
func (p *point) end(step string) string {
	if p.Variables == "" {
		return step + ".End(nil)"
	}
	return step + ".End(" + p.Variables + ")"
}

// deferred is the statement that ends the action when the function is over.
func (p *point) deferred(step string) string {
	return "defer func() { " + p.end(step) + " }()"
}

// statement is what a point without an action does.
func (p *point) statement() string {
	if p.Arrives {
		return probeName + ".Received()"
	}
	return fmt.Sprintf("%s.Sent(%s, %s)", probeName, p.To, p.Sends)
}
