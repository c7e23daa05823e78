package api_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

// roots are the deletions of root resources: contract §5 wants the exact name.
var roots = map[string]bool{"delete_application": true, "delete_function": true, "delete_workload": true}

func TestEveryOperationFollowsTheContract(t *testing.T) {
	for _, op := range ownOperations(t) {
		t.Run(op.name(), func(t *testing.T) {
			rules := op.mcp()
			if want := effect(op); rules["effect"] != want {
				t.Errorf("effect is %v, want %s", rules["effect"], want)
			}
			if want := confirmation(op); rules["confirm"] != want {
				t.Errorf("confirm is %v, want %v", rules["confirm"], want)
			}
			if want := profile(op.path); !slices.Equal(rules["profiles"].([]any), []any{want}) {
				t.Errorf("profiles are %v, want [%s]", rules["profiles"], want)
			}
			person := op.name() == "delete_application" || op.name() == "delete_workload"
			if (rules["approval"] == "human") != person {
				t.Errorf("approval is %v; a person must agree: %v", rules["approval"], person)
			}
			_, accepted := op.spec["responses"].(object)["202"]
			if _, long := rules["operation"]; long != accepted {
				t.Errorf("operation declared: %v; the platform may answer 202: %v", long, accepted)
			}
			_, findable := rules["find"]
			if makes := op.method == "post"; findable != makes {
				t.Errorf("find declared: %v; makes something new: %v", findable, makes)
			}
		})
	}
}

func effect(op operation) string {
	switch {
	case op.method == "get":
		return "read"
	case op.method == "delete", strings.HasSuffix(op.path, "/order"): // the old order is lost
		return "destructive"
	default:
		return "write"
	}
}

func confirmation(op operation) any {
	switch {
	case roots[op.name()]:
		return "name"
	case effect(op) == "destructive":
		return true
	default:
		return nil
	}
}

func profile(path string) string {
	switch strings.Split(path, "/")[2] {
	case "functions":
		return "functions"
	case "workloads":
		return "delivery"
	default:
		return "applications"
	}
}

// thirdPartyText is the field in which someone else than the agent's person may
// have written, by the resource that has it (contract §5).
var thirdPartyText = map[string]string{
	"/workspace/functions": "code",
	"/workspace/applications/{application_id}/request_rules":  "description",
	"/workspace/applications/{application_id}/response_rules": "description",
}

func TestTextOfThirdPartiesIsDeclaredUntrusted(t *testing.T) {
	for _, op := range ownOperations(t) {
		for resource, field := range thirdPartyText {
			if op.path != resource && !strings.HasPrefix(op.path, resource+"/") || op.method == "delete" {
				continue
			}
			want := "data." + field
			if op.method == "get" && op.path == resource || strings.HasSuffix(op.path, "/order") {
				want = "results[]." + field
			}
			if got, _ := op.mcp()["untrusted"].([]any); !slices.Contains(got, any(want)) {
				t.Errorf("%s: untrusted is %v, want %s in it", op.name(), got, want)
			}
		}
	}
}

// 44 leaves clients room for a prefix of 20 (they allow 64).
var toolName = regexp.MustCompile(`^[a-z][a-z_]{2,43}$`)

func TestNamesAreShortAndUnique(t *testing.T) {
	seen := map[string]string{}
	for _, op := range ownOperations(t) {
		if !toolName.MatchString(op.name()) {
			t.Errorf("%q is no good tool name", op.name())
		}
		if other, twice := seen[op.name()]; twice {
			t.Errorf("%s is the name of both %s and %s %s", op.name(), other, op.method, op.path)
		}
		seen[op.name()] = op.method + " " + op.path
	}
}

func TestDescriptionsFitAToolList(t *testing.T) {
	for _, op := range ownOperations(t) {
		text, _ := op.spec["description"].(string)
		if n := len([]rune(text)); n < 40 || n > 320 {
			t.Errorf("%s: the description has %d characters, want 40 to 320", op.name(), n)
		}
	}
}
