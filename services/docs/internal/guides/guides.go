// Package guides owns the step-by-step guides and how they are named. The text
// is Markdown in files, one a step; what it needs of the day is filled in when it
// is read. It knows nothing of MCP.
package guides

import (
	"embed"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"
)

//go:embed text
var texts embed.FS

// Step is one part of a guide.
type Step struct {
	Topic string // "deploy"
	Name  string // "step-0-preparation"
	Title string // its first heading
	text  string
}

// URI is the step's address under a scheme, such as azion.
func (s Step) URI(scheme string) string {
	return scheme + "://guides/" + s.Topic + "/" + s.Name
}

// Text is the step as of a day, with links to other steps under scheme.
func (s Step) Text(scheme string, now time.Time) string {
	return strings.NewReplacer("{date}", now.UTC().Format(time.DateOnly), "azion://", scheme+"://").Replace(s.text)
}

// All are the steps of all topics, in order.
func All() ([]Step, error) {
	var steps []Step
	err := fs.WalkDir(texts, "text", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := texts.ReadFile(name)
		if err != nil {
			return err
		}
		title, _, _ := strings.Cut(strings.TrimPrefix(string(data), "# "), "\n")
		steps = append(steps, Step{
			Topic: path.Base(path.Dir(name)), Name: strings.TrimSuffix(path.Base(name), ".md"),
			Title: title, text: string(data),
		})
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read the guides: %w", err)
	}
	return steps, nil
}

// Of are the steps of one topic.
func Of(steps []Step, topic string) []Step {
	return slices.DeleteFunc(slices.Clone(steps), func(s Step) bool { return s.Topic != topic })
}
