package host_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/comporta-mcp/comporta/pkg/problem"
)

// TestALongTextOfAResourceIsReadToItsEnd by what each answer says to call next.
func TestALongTextOfAResourceIsReadToItsEnd(t *testing.T) {
	d := open(t)
	log := strings.Repeat("Ahoy, São João! \"Relatório\" 😀\n", 7_000) // over 200 kB
	body, err := json.Marshal(map[string]any{"data": map[string]any{"id": 12, "name": "Boa", "log": log}})
	if err != nil {
		t.Fatal(err)
	}
	d.platform.says(200, string(body))
	var read strings.Builder
	part := ""
	for range 20 {
		got := d.ok("retrieve_ship", `{"ship_id":12`+part+`}`, asMember)
		data := got["data"].(map[string]any)
		read.WriteString(data["log"].(map[string]any)["contenido"].(string)) // the crew wrote it
		next, _ := got["rango_siguiente"].(string)
		if cut, ok := got["recorte"].(map[string]any); ok {
			next = cut["argumentos"].(map[string]any)["rango"].(string)
		}
		if next == "" {
			break
		}
		part = fmt.Sprintf(`,"rango":%q`, next)
	}
	if read.String() != log {
		t.Errorf("%d bytes were read of %d", read.Len(), len(log))
	}
	for _, wrong := range []string{"data.log 9999999-", "data.name", "data.nothing 0-", "0-99"} {
		failure := d.fails(problem.ParametroInvalido, "retrieve_ship", fmt.Sprintf(`{"ship_id":12,"rango":%q}`, wrong), asMember)
		fields := failure["detalle"].(map[string]any)["fields"].(map[string]any)
		if fields["rango"] == nil {
			t.Errorf("%s: %v", wrong, failure)
		}
	}
}
