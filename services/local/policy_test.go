package local

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// TestAPolicyFileIsWhatHostsKeepTo serves the shipped policy strict, with a row of
// the operator's own for a tool that is written by hand.
func TestAPolicyFileIsWhatHostsKeepTo(t *testing.T) {
	strict, err := os.ReadFile("../../docs/policies/strict.yaml")
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "policy.yaml")
	if err := os.WriteFile(file, append(strict, "- {area: observe, tool: revocar_enlace, never: the security team does this}\n"...), 0o600); err != nil {
		t.Fatal(err)
	}
	e := launch(t, fresh(t), func(w *Wiring) {
		for area, h := range w.Hosts {
			h.PolicyFile = file
			w.Hosts[area] = h
		}
	})
	for _, c := range []struct {
		area, tool, why string
		args            map[string]any
	}{
		{"build", "delete_application", "the policy strict leaves this to people", map[string]any{"application_id": 1, "confirmacion": "shop"}},
		{"observe", "revocar_enlace", "the security team does this", map[string]any{"enlace_id": "x", "motivo": "y", "confirmado": true}},
	} {
		t.Run(c.tool, func(t *testing.T) {
			problem := e.fails(c.area, "admin", c.tool, c.args)
			if detail, _ := problem["detalle"].(map[string]any); problem["code"] != "sin_permiso" || detail["motivo"] != "nunca" {
				t.Errorf("it answers %v", problem)
			}
			never := e.ok(c.area, "admin", "ver_contexto_inicial", nil)["nunca"].([]any)
			if !slices.ContainsFunc(never, func(row any) bool {
				return row.(map[string]any)["herramienta"] == c.tool && row.(map[string]any)["motivo"] == c.why
			}) {
				t.Errorf("ver_contexto_inicial does not say so: %v", never)
			}
		})
	}
	made := e.ok("build", "admin", "create_application", map[string]any{"name": "free"}) // what no row speaks of
	if made["data"] == nil {
		t.Errorf("an application was not made: %v", made)
	}
}
