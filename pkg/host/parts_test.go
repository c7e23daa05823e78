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

// TestACredentialIsTakenOutBeforeAPartIsCut: halves of it, one in each of two parts,
// would be no credential to anybody who looks later.
func TestACredentialIsTakenOutBeforeAPartIsCut(t *testing.T) {
	d := open(t)
	_, canary, _ := strings.Cut("Token CANARYmember", " ")
	log := strings.Repeat("a", 100) + canary + strings.Repeat("b", 100)
	body, err := json.Marshal(map[string]any{"data": map[string]any{"id": 12, "name": "Boa", "log": log}})
	if err != nil {
		t.Fatal(err)
	}
	d.platform.says(200, string(body))
	for at := 100; at < 100+len(canary); at++ {
		for _, part := range []string{fmt.Sprintf("data.log 0-%d", at), fmt.Sprintf("data.log %d-", at)} {
			got := d.ok("retrieve_ship", fmt.Sprintf(`{"ship_id":12,"rango":%q}`, part), asMember)
			read := got["data"].(map[string]any)["log"].(map[string]any)["contenido"].(string)
			for n := 0; n+4 <= len(canary); n++ {
				if strings.Contains(read, canary[n:n+4]) {
					t.Fatalf("%s has %q of the credential", part, canary[n:n+4])
				}
			}
		}
	}
}
