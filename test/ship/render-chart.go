// Renders a chart as Helm does, with only the functions that our chart uses. For machines that have Go and no Helm.
// Standard input is JSON: { "folder", "data": { "Values", "Chart", "Release" } }.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"text/template"
)

func asJson(value any) string {
	text, _ := json.Marshal(value)
	return string(text)
}

func main() {
	var input struct {
		Folder string
		Data   map[string]any
	}
	if err := json.NewDecoder(os.Stdin).Decode(&input); err != nil {
		panic(err)
	}
	chart := template.New("chart").Option("missingkey=error")
	chart.Funcs(template.FuncMap{
		"include": func(name string, data any) (string, error) {
			var out strings.Builder
			err := chart.ExecuteTemplate(&out, name, data)
			return out.String(), err
		},
		"nindent": func(spaces int, text string) string {
			indent := "\n" + strings.Repeat(" ", spaces)
			return indent + strings.ReplaceAll(text, "\n", indent)
		},
		// JSON is valid YAML.
		"toYaml":     asJson,
		"quote":      asJson,
		"toString":   func(value any) string { return fmt.Sprint(value) },
		"fail":       func(text string) (string, error) { return "", errors.New(text) },
		"contains":   func(part, text string) bool { return strings.Contains(text, part) },
		"trimSuffix": func(suffix, text string) string { return strings.TrimSuffix(text, suffix) },
		"trunc": func(length int, text string) string {
			if len(text) > length {
				return text[:length]
			}
			return text
		},
		"default": func(otherwise, given any) any {
			if given == nil || given == "" {
				return otherwise
			}
			return given
		},
	})
	template.Must(chart.ParseGlob(filepath.Join(input.Folder, "templates", "*")))
	files, _ := filepath.Glob(filepath.Join(input.Folder, "templates", "*.yaml"))
	for _, file := range files {
		os.Stdout.WriteString("---\n")
		if err := chart.ExecuteTemplate(os.Stdout, filepath.Base(file), input.Data); err != nil {
			panic(err)
		}
	}
}
