//go:build faults

package fault

import (
	"maps"
	"os"
	"os/exec"
	"testing"
)

// TestMain is also the process that dies: started again with this variable, it passes one point.
func TestMain(m *testing.M) {
	if point := os.Getenv("FAULT_TEST_POINT"); point != "" {
		Point(point)
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func TestAnArmedPointKillsTheProcess(t *testing.T) {
	for name, c := range map[string]struct {
		armed, point string
		dies         bool
	}{
		"always":                      {"after_send=1", AfterSend, true},
		"never":                       {"after_send=0", AfterSend, false},
		"another point":               {"before_ack=1, after_send=0", BeforeSend, false},
		"nothing is armed":            {"", BeforeAck, false},
		"a point that does not exist": {"after_lunch=1", AfterSend, true},
	} {
		t.Run(name, func(t *testing.T) {
			child := exec.CommandContext(t.Context(), os.Args[0])
			child.Env = append(os.Environ(), "FAULT_TEST_POINT="+c.point, Variable+"="+c.armed)
			if err := child.Run(); (err != nil) != c.dies {
				t.Errorf("ended with %v", err)
			}
		})
	}
}

func TestParse(t *testing.T) {
	got, err := parse("after_send=0.2, before_ack=1")
	if err != nil || !maps.Equal(got, map[string]float64{AfterSend: 0.2, BeforeAck: 1}) {
		t.Errorf("%v, %v", got, err)
	}
	for _, text := range []string{"after_send", "after_send=2", "after_send=-1", "x=1"} {
		if got, err := parse(text); err == nil {
			t.Errorf("%q became %v", text, got)
		}
	}
}
