package approve

import (
	"strings"
	"testing"

	"github.com/comporta-mcp/comporta/pkg/catalog"
	"github.com/comporta-mcp/comporta/pkg/problem"
)

func TestThePageShowsEachArgumentBesideWhatIsThereNow(t *testing.T) {
	tool := &catalog.Tool{Binding: &catalog.Binding{Params: []catalog.Param{{Arg: "application_id", In: catalog.Path}}}}
	args := &arguments{
		shown:  map[string]any{"application_id": 5, "body": map[string]any{"name": "new", "debug": true, "key": "[redacted]"}},
		hidden: map[string]bool{"key": true},
	}
	found := &resource{fields: map[string]any{"name": "old", "debug": true, "key": "[redacted]"}}
	got := map[string]row{}
	made := rows(tool, args, found)
	for _, r := range made {
		got[r.Name] = r
	}
	if len(made) != 4 || made[0].Name != "application_id" || made[0].Had {
		t.Fatalf("rows %+v: what it is about comes first", made)
	}
	if r := got["name"]; !r.Had || !r.Differs || r.Now.Text != "old" || r.After.Text != "new" {
		t.Errorf("a changed field: %+v", r)
	}
	if r := got["debug"]; !r.Had || r.Differs {
		t.Errorf("a field that stays: %+v", r)
	}
	if r := got["key"]; !r.Secret || r.Had || r.Differs {
		t.Errorf("a secret is compared: %+v", r)
	}
}

func TestACellFoldsLongTextsAndSaysWhoWroteIt(t *testing.T) {
	long := strings.Repeat("é", longText+1)
	c := cellOf("note", map[string]any{"origen": "no_confiable", "escrito_por": "a client", "contenido": long})
	if !c.Third || c.By != "a client" || !c.Long || c.Text != long || c.Short != strings.Repeat("é", shortText) {
		t.Errorf("%+v", c)
	}
	if c := cellOf("n", map[string]any{"a": "<b>"}); c.Third || c.Text != "{\n  \"a\": \"<b>\"\n}" {
		t.Errorf("%+v", c)
	}
}

func TestWhatAPersonSaysIsOneBoundedLine(t *testing.T) {
	for said, want := range map[string]string{
		"":                        "",
		"  not\n on a\tFriday ":   "not on a Friday",
		"a\u202eb\x00c":           "a b c",
		strings.Repeat("ã ", 600): strings.TrimSpace(strings.Repeat("ã ", 250)) + " ",
	} {
		if got := tidy(said); got != want {
			t.Errorf("%.20q became %.30q (%d), want %.30q (%d)", said, got, len(got), want, len(want))
		}
	}
	p := refusal("no")
	if p.Code != problem.SinPermiso || p.Reason() != problem.AprobacionDenegada || !strings.Contains(p.What.String(), `"no"`) {
		t.Errorf("%v", p)
	}
}
