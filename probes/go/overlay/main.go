// Overlay puts a library under a testbed's control by a table, without a change to its sources.
//
//	go run kilter.dev/probe/overlay -table table.json -out build
//	go build -overlay build/overlay.json -tags kilter .
//
// It writes changed copies of the files that the table is about, and overlay.json, which makes the go command read them in the
// place of the originals. What is inserted stands on the lines that are there, so line numbers stay.
//
//   - table.go       reads the table
//   - packages.go    asks the go command for packages, and finds functions in them
//   - instrument.go  says what is inserted at an entry
//   - call.go        says what is inserted at a call, which depends on the statement that it is in
//   - similar.go     finds what a misspelt name may mean
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	tablePath := flag.String("table", "", "the table, in JSON")
	out := flag.String("out", "", "the folder to write to")
	folder := flag.String("dir", ".", "the folder of the main module")
	probe := flag.String("probe", "", "the folder of the module kilter.dev/probe; needed if go.mod does not require it")
	flag.Parse()
	if *tablePath == "" || *out == "" || flag.NArg() > 0 {
		flag.Usage()
		os.Exit(2)
	}
	place, errs := run(*tablePath, *out, *folder, *probe)
	for _, err := range errs {
		fmt.Fprintln(os.Stderr, err)
	}
	if len(errs) > 0 {
		os.Exit(1)
	}
	fmt.Printf("go build -overlay %s -tags kilter\n", place)
}

// run gives the path of overlay.json, or all that is wrong with the table.
func run(tablePath, out, folder, probe string) (string, []error) {
	table, errs := readTable(tablePath)
	if len(errs) > 0 {
		return "", errs
	}
	out, err := filepath.Abs(out)
	if err != nil {
		return "", []error{err}
	}
	program := newProgram(folder)
	for _, point := range table.points {
		if err := program.insert(point); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", point.place, err))
		}
	}
	for _, file := range table.files {
		if err := program.add(file); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", file.place, err))
		}
	}
	if len(errs) == 0 && probe != "" {
		err = program.require(probe)
	}
	if err == nil && len(errs) == 0 {
		err = program.write(out)
	}
	if err != nil {
		errs = append(errs, err)
	}
	return filepath.Join(out, "overlay.json"), errs
}

// write writes the changed files, and overlay.json.
func (p *program) write(out string) error {
	replace := p.added
	for _, found := range p.packages {
		for _, file := range found.files {
			if len(file.edits) > 0 {
				place := filepath.Join(out, filepath.FromSlash(found.path), filepath.Base(file.path))
				if err := writeFile(place, file.edited()); err != nil {
					return err
				}
				replace[file.path] = place
			}
		}
	}
	if p.goMod != nil {
		place := filepath.Join(out, "go.mod.changed") // a go.mod would make the folder a module
		if err := writeFile(place, p.goMod); err != nil {
			return err
		}
		replace[p.goModPath] = place
	}
	text, err := json.MarshalIndent(map[string]any{"Replace": replace}, "", "  ")
	if err != nil {
		return err
	}
	return writeFile(filepath.Join(out, "overlay.json"), append(text, '\n'))
}

func writeFile(path string, text []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, text, 0o644)
}
