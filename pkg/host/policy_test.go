package host_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/comporta-mcp/comporta/pkg/call"
	"github.com/comporta-mcp/comporta/pkg/catalog"
	"github.com/comporta-mcp/comporta/pkg/host"
	"github.com/comporta-mcp/comporta/pkg/problem"
)

// policed is a host with this policy file.
func policed(t *testing.T, rows string) option {
	t.Helper()
	file := filepath.Join(t.TempDir(), "policy.yaml")
	if err := os.WriteFile(file, []byte(rows), 0o600); err != nil {
		t.Fatal(err)
	}
	return func(_ *host.Area, cfg *host.Config, _ *host.Wiring) { cfg.PolicyFile = file }
}

func answers(context.Context, *call.Call) (*call.Answer, error) {
	return &call.Answer{Value: map[string]any{"ok": true}}, nil
}

func TestAPolicyFileReachesEveryToolOfTheHost(t *testing.T) {
	d := open(t, own("survey", answers), policed(t, `
- {tool: survey, confirm: "true"}
- {tool: cancelar_operacion, never: tugs that were ordered come}
- {area: harbour, tool: retrieve_ship, never: only people look}
- {area: airport, tool: delete_plane, never: of another host}
`))
	if missing := d.fails(problem.Conflicto, "survey", `{}`, asMember)["detalle"].(map[string]any)["falta"]; missing != catalog.ArgConfirmed {
		t.Errorf("the area's own tool asks for %v", missing)
	}
	if result := d.call("survey", `{"confirmado":true}`, asMember)["result"].(map[string]any); result["isError"] == true {
		t.Errorf("confirmed, it answers %v", result)
	}
	listed := d.names("/mcp", asMember)
	initial := d.call("ver_contexto_inicial", `{}`, asMember)["result"].(map[string]any)["structuredContent"].(map[string]any)
	for _, name := range []string{"cancelar_operacion", "retrieve_ship"} {
		if slices.Contains(listed, name) {
			t.Errorf("%s is listed", name)
		}
		if why := d.fails(problem.SinPermiso, name, `{}`, asMember)["detalle"].(map[string]any)["motivo"]; why != "nunca" {
			t.Errorf("%s refuses because of %v", name, why)
		}
		if !slices.ContainsFunc(initial["nunca"].([]any), func(row any) bool { return row.(map[string]any)["herramienta"] == name }) {
			t.Errorf("ver_contexto_inicial does not say that nobody may %s: %v", name, initial["nunca"])
		}
	}
}

func TestAHostDoesNotStartWithAPolicyThatSaysNothing(t *testing.T) {
	for name, c := range map[string]struct{ rows, want string }{
		"a tool that there is not":         {"- {tool: surwey, never: no}", `there is no tool "surwey"; did you mean "survey"?`},
		"a name of what has none":          {"- {tool: survey, confirm: name}", "take true"},
		"a file that is no list":           {"tool: survey", "policy.yaml"},
		"an approver that there is not":    {"- {tool: survey, approval: robot}", "approval must be human or none"},
		"a document's tool of another row": {"- {tool: list_ships, confirm: twice}", "confirm must be"},
	} {
		t.Run(name, func(t *testing.T) {
			area, cfg := harbour(), host.Defaults()
			cfg.AuthURL = "https://auth.example.com"
			own("survey", answers)(&area, &cfg, nil)
			policed(t, c.rows)(&area, &cfg, nil)
			if _, err := host.Unwired(area, cfg); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("it says %v, want %q", err, c.want)
			}
		})
	}
}
