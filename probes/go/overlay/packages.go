package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"sort"
	"strings"
)

// program is the packages that the table is about.
type program struct {
	folder    string // of the main module
	packages  map[string]*pack
	added     map[string]string // files that become part of a package, and where they are
	goModPath string
	goMod     []byte // nil if it stays as it is
	nSteps    int    // how many names were made up
}

// pack is a package.
type pack struct {
	path, folder string
	files        []*file
	functions    map[string]*function
}

type file struct {
	path  string
	text  []byte
	set   *token.FileSet
	tree  *ast.File
	edits []edit
	taken map[ast.Stmt]bool // statements that are actions
}

type function struct {
	name string // as Go prints it
	file *file
	tree *ast.FuncDecl
}

func newProgram(folder string) *program {
	return &program{folder: folder, packages: map[string]*pack{}, added: map[string]string{}}
}

func (p *program) goCommand(args ...string) ([]byte, error) {
	command := exec.Command("go", args...)
	command.Dir = p.folder
	var said bytes.Buffer
	command.Stderr = &said
	output, err := command.Output()
	if err != nil {
		return nil, fmt.Errorf("go %s: %v: %s", args[0], err, strings.TrimSpace(said.String()))
	}
	return output, nil
}

// find gives a package, which is read once.
func (p *program) find(path string) (*pack, error) {
	if found := p.packages[path]; found != nil {
		return found, nil
	}
	output, err := p.goCommand("list", "-e", "-tags", "kilter", "-json", "--", path)
	if err != nil {
		return nil, err
	}
	var listed struct {
		Dir, ImportPath   string
		GoFiles, CgoFiles []string
		Standard          bool
	}
	if err := json.Unmarshal(output, &listed); err != nil {
		return nil, fmt.Errorf("go list %s: %w", path, err)
	}
	names := append(listed.GoFiles, listed.CgoFiles...)
	if listed.Dir == "" || len(names) == 0 {
		known, _ := p.goCommand("list", "-e", "-deps", "./...")
		return nil, fmt.Errorf("there is no package %q%s", path, similar(path, strings.Fields(string(known))))
	}
	if listed.Standard {
		return nil, fmt.Errorf("%s is of the standard library, which can't import the probe", path)
	}
	found := &pack{path: listed.ImportPath, folder: listed.Dir, functions: map[string]*function{}}
	for _, name := range names {
		if err := found.read(filepath.Join(listed.Dir, name)); err != nil {
			return nil, err
		}
	}
	p.packages[path] = found
	return found, nil
}

func (p *pack) read(path string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	set := token.NewFileSet()
	tree, err := parser.ParseFile(set, path, text, parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	f := &file{path: path, text: text, set: set, tree: tree, taken: map[ast.Stmt]bool{}}
	p.files = append(p.files, f)
	for _, declaration := range tree.Decls {
		if tree, ok := declaration.(*ast.FuncDecl); ok {
			name := functionName(tree)
			p.functions[name] = &function{name, f, tree}
		}
	}
	return nil
}

// functionName is the name as Go prints it, without the package.
func functionName(function *ast.FuncDecl) string {
	if function.Recv == nil {
		return function.Name.Name
	}
	star, ok := function.Recv.List[0].Type.(*ast.StarExpr)
	if ok {
		return "(*" + typeName(star.X) + ")." + function.Name.Name
	}
	return typeName(function.Recv.List[0].Type) + "." + function.Name.Name
}

func typeName(tree ast.Expr) string {
	switch tree := tree.(type) {
	case *ast.ParenExpr:
		return typeName(tree.X)
	case *ast.IndexExpr:
		return typeName(tree.X) + "[...]"
	case *ast.IndexListExpr:
		return typeName(tree.X) + "[...]"
	case *ast.Ident:
		return tree.Name
	}
	return "?" // no valid receiver
}

func (p *pack) function(name string) (*function, error) {
	found, ok := p.functions[name]
	if !ok {
		names := make([]string, 0, len(p.functions))
		for name := range p.functions {
			names = append(names, name)
		}
		sort.Strings(names)
		hint := similar(name, names)
		if closest := p.functions[strings.TrimPrefix(hint, didYouMean)]; closest != nil {
			hint += " at " + closest.file.place(closest.tree)
		}
		return nil, fmt.Errorf("%s has no function %q%s", p.path, name, hint)
	}
	if found.tree.Body == nil {
		return nil, fmt.Errorf("%s: %s has no body in Go", found.file.place(found.tree), name)
	}
	return found, nil
}

// add makes a file part of a package.
func (p *program) add(addition *addition) error {
	found, err := p.find(addition.Package)
	if err != nil {
		return err
	}
	source, err := filepath.Abs(addition.File)
	if err != nil {
		return err
	}
	if _, err := parser.ParseFile(token.NewFileSet(), source, nil, parser.PackageClauseOnly); err != nil {
		return err
	}
	place := filepath.Join(found.folder, strings.TrimSuffix(filepath.Base(source), ".txt"))
	if _, err := os.Stat(place); err == nil {
		return fmt.Errorf("%s is there already", place)
	}
	p.added[place] = source
	return nil
}

// require makes go.mod require the probe.
func (p *program) require(probe string) error {
	probe, err := filepath.Abs(probe)
	if err != nil {
		return err
	}
	output, err := p.goCommand("env", "GOMOD")
	if err != nil {
		return err
	}
	p.goModPath = strings.TrimSpace(string(output))
	if p.goModPath == "" || p.goModPath == os.DevNull {
		return errors.New("there is no go.mod that could require the probe")
	}
	text, err := os.ReadFile(p.goModPath)
	if err != nil {
		return err
	}
	p.goMod = append(text, fmt.Sprintf("\nrequire kilter.dev/probe v0.0.0\n\nreplace kilter.dev/probe => %s\n", probe)...)
	return nil
}

// place is a file and a line, for people.
func (f *file) place(node ast.Node) string {
	return fmt.Sprintf("%s:%d", f.path, f.set.Position(node.Pos()).Line)
}
