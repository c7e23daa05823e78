package sandbox

import (
	"net/http"
	"strings"
	"testing"
)

func TestABodyIsHeldAgainstItsSchema(t *testing.T) {
	b := open(t, gardens())
	tests := []struct {
		name  string
		body  any
		place string
	}{
		{"a required field is missing", `{}`, "/name"},
		{"a field that the schema lacks", `{"name":"g","colour":"red"}`, ""},
		{"a text that is too long", `{"name":"` + strings.Repeat("x", 41) + `"}`, "/name"},
		{"a number beyond its bound", `{"name":"g","area":1001}`, "/area"},
		{"a number as a text", `{"name":"g","area":"12"}`, "/area"},
		{"a value that is not listed", `{"name":"g","climate":"hot"}`, "/climate"},
		{"null where none may be", `{"name":null}`, "/name"},
		{"a fault deep inside", `{"name":"g","modules":{"heat":{"degrees":"warm"}}}`, "/modules/heat/degrees"},
		{"a kind that is none", `{"name":"g","outlet":{"type":"river"}}`, "/outlet"},
		{"a fault inside the chosen kind", `{"name":"g","outlet":{"type":"well","depth":0}}`, "/outlet/depth"},
		{"a list in the place of an object", `[]`, ""},
		{"no JSON", `{"name":`, ""},
		{"more than one value", `{"name":"g"} {}`, ""},
		{"no body", nil, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			g := b.do(400, "admin", "POST", "/workspace/gardens", tt.body)
			wantFault(t, g, "10000", tt.place)
		})
	}
	if n := b.effects(""); n != 0 {
		t.Errorf("%d refused writes took effect", n)
	}
}

func TestEveryFaultOfABodyIsToldAtOnce(t *testing.T) {
	b := open(t, gardens())
	g := b.do(400, "admin", "POST", "/workspace/gardens", `{"area":0,"climate":"hot"}`)
	if faults, _ := g.body["errors"].([]any); len(faults) != 3 {
		t.Errorf("three things are wrong: %s", g.raw)
	}
}

func TestSendingBackWhatWasReadIsNoFaultWhereTheSchemaKnowsIt(t *testing.T) {
	b := open(t, gardens())
	path := b.garden("Horta")
	// GardenNew does not name the id, so it is refused there.
	b.do(400, "admin", "PUT", path, b.do(200, "admin", "GET", path, nil).data())
}

func TestPathsMethodsAndMediaTypes(t *testing.T) {
	b := open(t, gardens())
	path := b.garden("Horta")
	wantFault(t, b.do(404, "admin", "GET", "/workspace/castles", nil), "10004", "")
	g := b.do(405, "admin", "DELETE", "/workspace/gardens", nil)
	wantFault(t, g, "10005", "")
	if g.header.Get("Allow") != "GET, POST" {
		t.Errorf("Allow: %q", g.header.Get("Allow"))
	}
	wantFault(t, b.do(406, "admin", "GET", path, nil, with("Accept", "text/html")), "10006", "Accept")
	b.do(200, "admin", "GET", path, nil, with("Accept", "text/html, application/json;q=0.5"))
	wantFault(t, b.do(415, "admin", "PATCH", path, `{}`, with("Content-Type", "text/plain")), "10415", "Content-Type")
	for _, id := range []string{"0", "x", "1e3", "9223372036854775808", "-1", "%2e%2e", "007"} {
		b.do(404, "admin", "GET", "/workspace/gardens/"+id, nil)
	}
	b.do(404, "admin", "GET", path+"/", nil)
	b.do(404, "admin", "POST", "/workspace/gardens/5/beds", map[string]any{"name": "b"})
	b.do(200, "", "GET", "/healthz", nil)
}

func TestABodyThatIsTooLargeIsRefused(t *testing.T) {
	b := open(t, gardens(), func(c *Config) { c.MaxBody = 100 })
	b.do(413, "admin", "POST", "/workspace/gardens", `{"name":"`+strings.Repeat("x", 100)+`"}`)
}

func TestIdsBeyondFloatsKeepEveryDigit(t *testing.T) {
	b := open(t, gardens())
	b.do(200, "", "PUT", "/_sandbox/next_id", map[string]any{"next": int64(9007199254740993)})
	path := b.garden("Horta")
	if path != "/workspace/gardens/9007199254740993" {
		t.Fatalf("made %s", path)
	}
	chores := path + "/chores"
	id := b.do(201, "admin", "POST", chores, chore("a")).data()["id"]
	b.do(200, "admin", "PUT", chores+"/order", map[string]any{"order": []any{id}})
	b.do(200, "admin", "GET", "/workspace/gardens?id=9007199254740992", nil)
	if names := b.do(200, "admin", "GET", "/workspace/gardens?id=9007199254740993", nil).names(); names != "Horta" {
		t.Errorf("found %q", names)
	}
	b.do(404, "admin", "GET", "/workspace/gardens/9007199254740992", nil)
	b.do(400, "", "PUT", "/_sandbox/next_id", map[string]any{"next": 5})
}

func TestAPathSegmentIsOneValue(t *testing.T) {
	b := open(t, gardens())
	things := b.crate() + "/things"
	for _, key := range []string{"a%2Fb", "..%2F..%2Fidentity", "%3Fx=1", "Relat%C3%B3rio", "a%25b", "%00"} {
		b.do(201, "admin", "POST", things+"/"+key, "bytes of "+key, with("Content-Type", "text/plain"))
		g := b.do(200, "admin", "GET", things+"/"+key, nil)
		if string(g.raw) != "bytes of "+key || g.header.Get("Content-Type") != "text/plain" {
			t.Errorf("%s: %q as %s", key, g.raw, g.header.Get("Content-Type"))
		}
	}
	if n := len(b.do(200, "admin", "GET", things, nil).results()); n != 6 {
		t.Errorf("there are %d things", n)
	}
	b.do(404, "admin", "GET", things+"/a/b", nil)
}

func TestBytesAreKeptCopiedAndCounted(t *testing.T) {
	b := open(t, gardens())
	crate := b.crate()
	raw := []byte{0, 0xff, 0xfe, '\n', 0}
	made := b.do(201, "admin", "POST", crate+"/things/x", raw, with("Content-Type", "application/octet-stream"),
		with("Storage-Content-Type", "image/png"))
	if made.data()["thing_key"] != "x" {
		t.Errorf("made %s", made.raw)
	}
	b.do(409, "admin", "POST", crate+"/things/x", raw)
	b.do(201, "admin", "POST", crate+"/things/x/copy/y", nil)
	b.do(200, "admin", "PUT", crate+"/things/x", []byte("new"), with("Content-Type", "text/plain"))
	b.restart()
	y := b.do(200, "admin", "GET", crate+"/things/y", nil, with("Accept", "image/*"))
	if string(y.raw) != string(raw) || y.header.Get("Content-Type") != "image/png" {
		t.Errorf("the copy is %q as %s", y.raw, y.header.Get("Content-Type"))
	}
	sizes := ""
	for _, r := range b.do(200, "admin", "GET", crate+"/things", nil).results() {
		sizes += text(r["key"]) + text(r["size"]) + " "
	}
	if sizes != "x3 y5 " {
		t.Errorf("sizes %s", sizes)
	}
	b.do(200, "admin", "DELETE", crate, nil)
	b.do(404, "admin", "GET", crate+"/things/y", nil)
}

func TestANameThatIsTakenIsAConflictUntilItIsFree(t *testing.T) {
	b := open(t, gardens())
	crate := b.crate()
	again := map[string]any{"name": "caixa", "access": "shut"}
	wantFault(t, b.do(409, "admin", "POST", "/workspace/crates", again), "10409", "/name")
	b.do(200, "admin", "DELETE", crate, nil)
	b.do(201, "admin", "POST", "/workspace/crates", again)
	if n := len(b.do(200, "admin", "GET", "/workspace/crates?crate=AIX", nil).results()); n != 1 {
		t.Errorf("found %d by the name of the kind", n)
	}
}

func TestAMethodWithoutMeaningHereIsNotAllowed(t *testing.T) {
	b := open(t, gardens())
	b.do(http.StatusMethodNotAllowed, "admin", "PUT", "/workspace/sheds", map[string]any{})
}
