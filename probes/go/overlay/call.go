package main

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
)

// call is a call, and all that it is part of, from the function's body inwards.
type call struct {
	tree    *ast.CallExpr
	parents []ast.Node
}

func (p *program) insertAtCalls(point *point, function *function) error {
	calls, err := function.calls(point.Call, point.Nth)
	if err != nil {
		return err
	}
	for _, call := range calls {
		if err := p.insertAtCall(point, function.file, call); err != nil {
			return fmt.Errorf("%s: %s: %w", function.file.place(call.tree), point.Call, err)
		}
	}
	return nil
}

// calls finds the calls of what is written in a certain way: each, or only the nth.
func (function *function) calls(callee string, nth int) ([]call, error) {
	wanted, err := parser.ParseExpr(callee)
	if err != nil {
		return nil, err
	}
	callee = types.ExprString(wanted) // without accidental spaces
	var found []call
	var others []string
	var parents []ast.Node
	ast.Inspect(function.tree.Body, func(node ast.Node) bool {
		if node == nil {
			parents = parents[:len(parents)-1]
			return true
		}
		if tree, ok := node.(*ast.CallExpr); ok {
			name := types.ExprString(tree.Fun)
			others = append(others, name)
			if name == callee {
				found = append(found, call{tree, append([]ast.Node{}, parents...)})
			}
		}
		parents = append(parents, node)
		return true
	})
	place := function.file.place(function.tree)
	switch {
	case len(found) == 0:
		return nil, fmt.Errorf("%s: %s has no call of %s%s", place, function.name, callee, similar(callee, others))
	case nth > len(found):
		return nil, fmt.Errorf("%s: %s calls %s %d times, so there is no call %d", place, function.name, callee, len(found), nth)
	case nth > 0:
		found = found[nth-1 : nth]
	}
	return found, nil
}

var errPlace = errors.New("nothing can be inserted around this place; take the entry of the function that is called")

// insertAtCall makes the statement that has the call an action; of an if or a for, the condition or the statement before it.
func (p *program) insertAtCall(point *point, f *file, call call) error {
	i := len(call.parents) - 1
	for ; ; i-- {
		if _, ok := call.parents[i].(ast.Stmt); ok {
			break
		}
	}
	statement := call.parents[i].(ast.Stmt)
	switch statement := statement.(type) {
	case *ast.GoStmt:
		if statement.Call == call.tree {
			return errors.New("the call happens in another goroutine; take the entry of the function that is called")
		}
	case *ast.DeferStmt:
		if statement.Call == call.tree {
			return errors.New("the call happens later; take the entry of the function that is called")
		}
	}
	if point.Action != "" {
		if f.taken[statement] {
			return errors.New("this statement is an action already")
		}
		f.taken[statement] = true
	}
	if i > 0 {
		if parent, ok := call.parents[i-1].(*ast.IfStmt); ok && parent.Init == statement {
			return p.insertAtInit(point, f, parent)
		}
	}
	switch statement := statement.(type) {
	case *ast.IfStmt:
		return p.insertAtCondition(point, f, statement.Cond)
	case *ast.ForStmt:
		return p.insertAtCondition(point, f, statement.Cond)
	}
	if !listed(statement, call.parents[:i]) {
		return errPlace
	}
	return p.insertAround(point, f, statement)
}

// listed says whether a statement stands in a list of statements, so that others can stand before and after it.
func listed(statement ast.Stmt, parents []ast.Node) bool {
	for i := len(parents) - 1; i >= 0; i-- {
		switch parent := parents[i].(type) {
		case *ast.LabeledStmt:
			// Only a goto can lead to the label of a simple statement, so the label may be that of what is inserted.
		case *ast.BlockStmt:
			return true
		case *ast.CaseClause:
			return statement.Pos() > parent.Colon
		case *ast.CommClause:
			return statement.Pos() > parent.Colon
		default:
			return false
		}
	}
	return false
}

// insertAround makes a statement an action. Where it declares nothing, it gets a block, so that a goto can pass it.
func (p *program) insertAround(point *point, f *file, statement ast.Stmt) error {
	begin, end := statement.Pos(), statement.End()
	_, returns := statement.(*ast.ReturnStmt)
	switch statement.(type) {
	case *ast.RangeStmt, *ast.SwitchStmt, *ast.TypeSwitchStmt, *ast.CaseClause:
		return errPlace
	}
	switch {
	case point.Action == "":
		f.insert(begin, innerBegin, "%s; ", point.statement())
	case point.Message != "" && (returns || declares(statement)):
		return errors.New("a message can be lost or come twice, but this statement must happen once, because it declares or returns something")
	case point.Message != "":
		times := p.newName("Times")
		f.insert(begin, innerBegin, "for %s := %s; %s.Next(); { ", times, point.begin(), times)
		f.insert(end, innerEnd, "; %s }", point.end(times))
	case returns:
		step := p.newName("Step")
		f.insert(begin, innerBegin, "{ %s := %s; %s; ", step, point.begin(), point.deferred(step))
		f.insert(end, innerEnd, " }")
	case declares(statement):
		step := p.newName("Step")
		f.insert(begin, innerBegin, "%s := %s; ", step, point.begin())
		f.insert(end, innerEnd, "; %s", point.end(step))
	default:
		step := p.newName("Step")
		f.insert(begin, innerBegin, "{ %s := %s; ", step, point.begin())
		f.insert(end, innerEnd, "; %s }", point.end(step))
	}
	return nil
}

func declares(statement ast.Stmt) bool {
	if assignment, ok := statement.(*ast.AssignStmt); ok {
		return assignment.Tok == token.DEFINE
	}
	_, ok := statement.(*ast.DeclStmt)
	return ok
}

var errOnce = errors.New("a message can be lost or come twice, but a condition must happen once")

// insertAtCondition makes a condition an action: a function literal that begins it, and ends it when the condition is known.
func (p *program) insertAtCondition(point *point, f *file, condition ast.Expr) error {
	if point.Message != "" {
		return errOnce
	}
	before := point.statement()
	if point.Action != "" {
		step := p.newName("Step")
		before = step + " := " + point.begin() + "; " + point.deferred(step)
	}
	f.insert(condition.Pos(), innerBegin, "func() bool { %s; return bool(", before)
	f.insert(condition.End(), innerEnd, ") }()")
	return nil
}

// insertAtInit makes the statement before the condition of an if an action. It begins before the if, and ends where the
// condition begins. The if gets a block, because it may stand after an else.
func (p *program) insertAtInit(point *point, f *file, statement *ast.IfStmt) error {
	if point.Message != "" {
		return errOnce
	}
	before := point.statement()
	if point.Action != "" {
		step := p.newName("Step")
		before = step + " := " + point.begin()
		f.insert(statement.Cond.Pos(), innerBegin, "func() bool { %s; return true }() && bool(", point.end(step))
		f.insert(statement.Cond.End(), innerEnd, ")")
	}
	f.insert(statement.Pos(), innerBegin, "{ %s; ", before)
	f.insert(statement.End(), innerEnd, " }")
	return nil
}
