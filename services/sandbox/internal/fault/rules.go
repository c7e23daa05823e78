package fault

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
)

// Rule says which requests meet which faults.
type Rule struct {
	Account int64  `json:"account,omitempty"` // company id; 0: every account
	Method  string `json:"method,omitempty"`  // "": every method
	// Path is a prefix of the API path by whole segments, "*" standing for any one
	// segment: "/workspace/applications/*/clone". "" or "*" is every path.
	Path string `json:"path,omitempty"`
	Kind string `json:"kind"` // as Parse reads it
	// Count is how many requests still meet it; 0: no end.
	Count int `json:"count,omitempty"`
	// Probability of meeting it, 0 < p <= 1; 0 means always.
	Probability float64 `json:"probability,omitempty"`
}

type rule struct {
	Rule
	faults []Fault
	spent  bool
}

// Rules are the faults in force. They live in memory: a restart is well-behaved.
type Rules struct {
	mu     sync.Mutex
	rules  []*rule
	chance func() float64 // in [0, 1)
}

// NewRules has no rule yet.
func NewRules() *Rules { return &Rules{chance: rand.Float64} }

// Set replaces all rules; on an error, which tells all that is wrong, none changes.
func (r *Rules) Set(list []Rule) error {
	var errs []error
	rules := make([]*rule, len(list))
	for i, one := range list {
		faults, err := Parse(one.Kind)
		if err == nil && (one.Probability < 0 || one.Probability > 1 || one.Count < 0) {
			err = errors.New("probability must be in 0 to 1, count 0 or more")
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("rule %d: %w", i, err))
		}
		rules[i] = &rule{Rule: one, faults: faults}
	}
	if len(errs) > 0 {
		return errors.Join(errs...)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.rules = rules
	return nil
}

// List is the rules in force, with the counts that are left.
func (r *Rules) List() []Rule {
	r.mu.Lock()
	defer r.mu.Unlock()
	list := []Rule{}
	for _, one := range r.rules {
		if !one.spent {
			list = append(list, one.Rule)
		}
	}
	return list
}

// Meet is what befalls a request, by the first rule that it meets; it uses up
// one of that rule's count.
func (r *Rules) Meet(account int64, method, path string) []Fault {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, one := range r.rules {
		if one.spent || !one.concerns(account, method, path) {
			continue
		}
		if one.Probability > 0 && r.chance() >= one.Probability {
			continue
		}
		if one.Count > 0 {
			one.Count--
			one.spent = one.Count == 0
		}
		return slices.Clone(one.faults)
	}
	return nil
}

func (r *Rule) concerns(account int64, method, path string) bool {
	if r.Account != 0 && r.Account != account {
		return false
	}
	if r.Method != "" && !strings.EqualFold(r.Method, method) {
		return false
	}
	wanted := strings.Trim(r.Path, "/")
	if wanted == "" || wanted == "*" {
		return true
	}
	have := strings.Split(strings.Trim(path, "/"), "/")
	for i, step := range strings.Split(wanted, "/") {
		if i >= len(have) || step != "*" && step != have[i] {
			return false
		}
	}
	return true
}
