package catalog

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/comporta-mcp/comporta/pkg/catalog/internal/shape"
)

// None in a policy row takes a rule away; an empty field leaves it as it is.
const None = "none"

// PolicyRow moves one tool between the rows of sensitive calls (contract §5). An
// operator may loosen as well as tighten.
type PolicyRow struct {
	// Area limits the row to the host of that area, so that one file is good for
	// all hosts; "": every host must know the tool.
	Area     string   `yaml:"area"`
	Tool     string   `yaml:"tool"`
	Confirm  Confirm  `yaml:"confirm"`  // name, true or none
	Approval Approval `yaml:"approval"` // human or none
	Never    string   `yaml:"never"`    // why; none: agents may call it after all
}

// ParsePolicy reads a policy file: a list of rows. file is only for messages.
func ParsePolicy(file string, data []byte) ([]PolicyRow, error) {
	dec := yaml.NewDecoder(strings.NewReader(string(data)))
	dec.KnownFields(true)
	var rows []PolicyRow
	if err := dec.Decode(&rows); err != nil {
		return nil, fmt.Errorf("policy %s: %w", file, err)
	}
	return rows, nil
}

// policy is the rows to apply: the strict ones first, so that an operator's own
// can still except a tool from them.
func (o Options) policy(tools []*Tool) []PolicyRow {
	own := PolicyOf(o.Area, o.Policy)
	if !o.Strict {
		return own
	}
	return append(StrictPolicy(tools), own...)
}

// PolicyOf is the rows that concern an area.
func PolicyOf(area string, rows []PolicyRow) []PolicyRow {
	return slices.DeleteFunc(slices.Clone(rows), func(r PolicyRow) bool { return r.Area != "" && r.Area != area })
}

// StrictPolicy is the shipped policy strict: no agent calls what would need a
// person's yes.
func StrictPolicy(tools []*Tool) []PolicyRow {
	var rows []PolicyRow
	for _, t := range tools {
		if t.Approval == HumanApproval && t.Never == "" {
			rows = append(rows, PolicyRow{Tool: t.Name, Never: "the policy strict leaves this to people"})
		}
	}
	return rows
}

// ApplyPolicy changes hand-written tools by those of o's rows that name them,
// before they are served; rows of other tools are left to Load (see Options.Others).
func ApplyPolicy(tools []*Tool, o Options) error {
	var errs []error
	rows := o.policy(tools)
	for _, t := range tools {
		for _, row := range rows {
			if row.Tool != t.Name {
				continue
			}
			if err := row.applyByHand(t); err != nil {
				errs = append(errs, fmt.Errorf("policy: %s: %w", row.Tool, err))
			}
		}
	}
	return errors.Join(errs...)
}

// applyByHand is apply for a tool that is written by hand already.
func (row PolicyRow) applyByHand(t *Tool) error {
	if row.Confirm == ConfirmName && t.RootArg == "" {
		return errors.New("confirm: name is for tools that act on a named resource; take true")
	}
	if err := row.apply(t); err != nil {
		return err
	}
	if t.Input != nil && t.Input.shape != nil {
		t.Input = inputSchema(t, t.Input.shape, nil) // what must be confirmed is listed
	}
	return nil
}

// apply changes the tools by the rows; the error lists every row that is wrong.
func apply(tools []*Tool, rows []PolicyRow, others []string) error {
	byName := map[string]*Tool{}
	for _, t := range tools {
		byName[t.Name] = t
	}
	var errs []error
	for _, row := range rows {
		t, known := byName[row.Tool]
		if !known && slices.Contains(others, row.Tool) {
			continue
		}
		if !known {
			hint := ""
			if near := shape.Nearest(row.Tool, append(sortedNames(byName), others...)); near != "" {
				hint = fmt.Sprintf("; did you mean %q?", near)
			}
			errs = append(errs, fmt.Errorf("policy: there is no tool %q%s", row.Tool, hint))
			continue
		}
		if err := row.apply(t); err != nil {
			errs = append(errs, fmt.Errorf("policy: %s: %w", row.Tool, err))
		}
	}
	return errors.Join(errs...)
}

func (row PolicyRow) apply(t *Tool) error {
	if !slices.Contains([]Confirm{"", None, ConfirmTrue, ConfirmName}, row.Confirm) {
		return fmt.Errorf("confirm must be name, true or none, not %q", row.Confirm)
	}
	if !slices.Contains([]Approval{"", None, HumanApproval}, row.Approval) {
		return fmt.Errorf("approval must be human or none, not %q", row.Approval)
	}
	if set(&t.Confirm, row.Confirm); row.Confirm != "" {
		t.Unless = nil // the operator's word has no exception
	}
	set(&t.Approval, row.Approval)
	set(&t.Never, row.Never)
	return nil
}

func set[T ~string](rule *T, said T) {
	switch said {
	case "":
	case None:
		*rule = ""
	default:
		*rule = said
	}
}
