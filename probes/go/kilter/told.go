//go:build kilter

package kilter

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"unicode/utf8"
)

// told is a message of the testbed.
type told struct {
	kind         string
	version, id  uint64
	action, from string
	args         []JSON
	message      JSON
}

// required and optional fields of each message of the testbed.
var required = map[string][]string{
	"welcome": {"version"},
	"go":      {"id"},
	"drop":    {"id"},
	"twice":   {"id"},
	"request": {"id", "action"},
	"deliver": {"from", "message"},
	"stop":    {},
}
var optional = map[string]string{"request": "args"}

// parse is strict, where encoding/json is not: about UTF-8, the case of names, names that come twice, and null.
func parse(line []byte) (told, error) {
	if !utf8.Valid(line) || !json.Valid(line) {
		return told{}, errors.New("not JSON in UTF-8")
	}
	outer, err := object(line)
	if err != nil || len(outer) != 1 {
		return told{}, errors.New("not an object with one field")
	}
	for kind, content := range outer {
		return parseContent(kind, content)
	}
	panic("not reached: there is one field")
}

func parseContent(kind string, content JSON) (told, error) {
	result := told{kind: kind}
	names, ok := required[kind]
	if !ok {
		return result, fmt.Errorf("no message has the name %q", kind)
	}
	given, err := object(content)
	if err != nil {
		return result, err
	}
	for _, name := range names {
		if _, ok := given[name]; !ok {
			return result, fmt.Errorf("the field %q is missing", name)
		}
	}
	if name := optional[kind]; given[name] != nil {
		names = append(names[:len(names):len(names)], name)
	}
	if len(given) > len(names) {
		return result, fmt.Errorf("it has fields other than %q", names)
	}
	for _, name := range names {
		if err := result.set(name, given[name]); err != nil {
			return result, fmt.Errorf("the field %q: %w", name, err)
		}
	}
	return result, nil
}

func (t *told) set(name string, value JSON) (err error) {
	switch name {
	case "version":
		t.version, err = strconv.ParseUint(string(value), 10, 64)
	case "id":
		t.id, err = strconv.ParseUint(string(value), 10, 64)
	case "action":
		t.action, err = text(value)
	case "from":
		t.from, err = text(value)
	case "message":
		t.message = value
	case "args":
		if value[0] != '[' {
			return errors.New("not a list")
		}
		err = json.Unmarshal(value, &t.args)
	}
	return err
}

func text(value JSON) (text string, err error) {
	if value[0] != '"' {
		return "", errors.New("not a text")
	}
	err = json.Unmarshal(value, &text)
	return text, err
}

// object gives the fields of an object of valid JSON.
func object(value []byte) (map[string]JSON, error) {
	decoder := json.NewDecoder(bytes.NewReader(value))
	if begin, err := decoder.Token(); err != nil || begin != json.Delim('{') {
		return nil, errors.New("not an object")
	}
	content := map[string]JSON{}
	for decoder.More() {
		name, err := decoder.Token()
		if err != nil {
			return nil, err
		}
		if _, ok := content[name.(string)]; ok {
			return nil, fmt.Errorf("the field %q comes twice", name)
		}
		var field JSON
		if err := decoder.Decode(&field); err != nil {
			return nil, err
		}
		content[name.(string)] = field
	}
	return content, nil
}
