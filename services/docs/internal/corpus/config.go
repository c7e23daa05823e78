// Package corpus says what can be searched and gets it: which tool searches
// which sources, where the files of a source are (a folder, a git repository, or
// this binary), which of them count, and how they are read. It owns the file
// corpora.yaml. How pages are found is package index's business, how long they
// live package library's.
package corpus

import (
	_ "embed"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"regexp"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
	"go.yaml.in/yaml/v3"

	"github.com/comporta-mcp/comporta/services/docs/internal/analysis"
	"github.com/comporta-mcp/comporta/services/docs/internal/reader"
)

//go:embed corpora.yaml
var shipped []byte

// Config is corpora.yaml: every search tool and its sources.
type Config struct {
	Collections []Collection `yaml:"collections"`
}

// Collection is what one tool searches.
type Collection struct {
	Tool        string `yaml:"tool"`
	Title       string `yaml:"title"`
	Description string `yaml:"description"`
	// Fold makes a page and its translations one result, in the language of the
	// question. Without it each is a result.
	Fold    bool     `yaml:"fold"`
	Sources []Source `yaml:"sources"`
}

// Source is a set of files and how to read them. Exactly one of Path, Git and
// BuiltIn says where they are.
type Source struct {
	Name    string `yaml:"name"` // unique in the file
	Path    string `yaml:"path"` // a folder on this machine
	Git     string `yaml:"git"`  // a repository's URL
	BuiltIn bool   `yaml:"builtin"`

	Ref    string `yaml:"ref"`    // branch or tag; "": the default branch
	Folder string `yaml:"folder"` // below which the files are
	// Include and Exclude are globs below Folder; no Include means every file.
	Include []string `yaml:"include"`
	Exclude []string `yaml:"exclude"`
	// Reader is markdown, openapi or code; "" chooses by the file's name.
	Reader reader.Kind `yaml:"reader"`
	Lang   string      `yaml:"lang"` // of files that do not say it; "": en
	// URL makes a result's source: {path}, {permalink}, {method}, {route},
	// {operation} and {anchor} are filled in; an empty anchor takes its # along.
	URL     string   `yaml:"url"`
	Weights []Weight `yaml:"weights"`
}

// Weight lowers or raises pages: dated contracts should not win over guides.
type Weight struct {
	Match  string  `yaml:"match"` // a glob below Folder
	Weight float64 `yaml:"weight"`
}

// Shipped is the configuration in the binary: the public repositories of the
// documentation of Azion, and Comporta's own pages.
func Shipped() (Config, error) { return Parse(shipped) }

// Load reads a file; "" means the shipped one.
func Load(file string) (Config, error) {
	if file == "" {
		return Shipped()
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return Config{}, err
	}
	c, err := Parse(data)
	if err != nil {
		return Config{}, fmt.Errorf("%s: %w", file, err)
	}
	return c, nil
}

// Parse reads YAML. Unknown keys are faults; all faults are told at once.
func Parse(data []byte) (Config, error) {
	var c Config
	decoder := yaml.NewDecoder(strings.NewReader(string(data)))
	decoder.KnownFields(true)
	if err := decoder.Decode(&c); errors.Is(err, io.EOF) {
		return Config{}, errors.New("the file is empty")
	} else if err != nil {
		return Config{}, err
	}
	return c, c.validate()
}

// toolForm leaves 64 characters for the whole name (contract §5).
var toolForm = regexp.MustCompile(`^[a-z][a-z0-9_]{0,63}$`)

func (c Config) validate() error {
	var faults []error
	fault := func(format string, args ...any) { faults = append(faults, fmt.Errorf(format, args...)) }
	if len(c.Collections) == 0 {
		fault("there are no collections")
	}
	tools, names := map[string]bool{}, map[string]bool{}
	for _, col := range c.Collections {
		if !toolForm.MatchString(col.Tool) {
			fault("tool %q: the name must be of a-z, 0-9 and _, at most 64", col.Tool)
		}
		if tools[col.Tool] {
			fault("tool %s stands twice", col.Tool)
		}
		tools[col.Tool] = true
		if col.Title == "" || col.Description == "" {
			fault("tool %s: title and description are needed", col.Tool)
		}
		if len(col.Sources) == 0 {
			fault("tool %s has no sources", col.Tool)
		}
		for _, s := range col.Sources {
			if s.Name == "" || names[s.Name] {
				fault("tool %s: source %q: every source needs a name of its own", col.Tool, s.Name)
			}
			names[s.Name] = true
			if err := s.validate(); err != nil {
				fault("source %s: %w", s.Name, err)
			}
		}
	}
	return errors.Join(faults...)
}

func (s Source) validate() error {
	var faults []error
	places := 0
	for _, given := range []bool{s.Path != "", s.Git != "", s.BuiltIn} {
		if given {
			places++
		}
	}
	if places != 1 {
		faults = append(faults, errors.New("exactly one of path, git and builtin must be given"))
	}
	if u, err := url.Parse(s.Git); s.Git != "" && (err != nil || u.Scheme != "https" && u.Scheme != "ssh" && u.Scheme != "file" || u.User != nil && u.Scheme == "https") {
		faults = append(faults, fmt.Errorf("git must be an https, ssh or file URL without credentials, not %q", s.Git))
	}
	switch s.Reader {
	case "", reader.Markdown, reader.OpenAPI, reader.Code:
	default:
		faults = append(faults, fmt.Errorf("reader must be one of %v, not %q", reader.Kinds, s.Reader))
	}
	if _, known := analysis.Named(s.lang()); !known {
		faults = append(faults, fmt.Errorf("lang must be one of %s, with or without a region (pt-br), not %q", analysis.Codes(), s.Lang))
	}
	globs := append(append([]string{}, s.Include...), s.Exclude...)
	for _, w := range s.Weights {
		globs = append(globs, w.Match)
		if w.Weight <= 0 || w.Weight > 10 {
			faults = append(faults, fmt.Errorf("weight of %s must be above 0 and at most 10", w.Match))
		}
	}
	for _, g := range globs {
		if !doublestar.ValidatePattern(g) {
			faults = append(faults, fmt.Errorf("%q is no glob", g))
		}
	}
	return errors.Join(faults...)
}
