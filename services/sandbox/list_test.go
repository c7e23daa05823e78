package sandbox

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestPagesCoverAListOnceAndEndWhereTheySay(t *testing.T) {
	b := open(t, gardens())
	var all []string
	for i := range 25 {
		name := fmt.Sprintf("g%02d", i)
		b.garden(name)
		all = append(all, name)
	}
	first := b.do(200, "admin", "GET", "/workspace/gardens", nil)
	want := map[string]any{"count": "25", "total_pages": "3", "page": "1", "page_size": "10"}
	for name, v := range want {
		if text(first.body[name]) != v {
			t.Errorf("%s is %v, want %v", name, first.body[name], v)
		}
	}
	if first.body["previous"] != nil {
		t.Errorf("the first page has a previous one: %v", first.body["previous"])
	}
	var seen []string
	for next := "/workspace/gardens?page_size=7"; next != ""; {
		g := b.do(200, "admin", "GET", next, nil)
		seen = append(seen, g.names())
		at, err := url.Parse(text(g.body["next"]))
		if err != nil {
			t.Fatal(err)
		}
		next = strings.TrimPrefix(at.RequestURI(), BasePath)
		if g.body["next"] == nil {
			next = ""
		}
	}
	if diff := cmp.Diff(strings.Join(all, " "), strings.Join(seen, " ")); diff != "" {
		t.Errorf("walked (-made +seen):\n%s", diff)
	}
	if n := text(b.do(200, "admin", "GET", "/workspace/gardens?page_size=1000", nil).body["page_size"]); n != "100" {
		t.Errorf("the largest page is %s", n)
	}
	wantFault(t, b.do(404, "admin", "GET", "/workspace/gardens?page=4", nil), "10004", "page")
	wantFault(t, b.do(400, "admin", "GET", "/workspace/gardens?page=0", nil), "10000", "page")
	wantFault(t, b.do(400, "admin", "GET", "/workspace/gardens?page_size=x", nil), "10000", "page_size")
}

func TestALonelyListHasOneEmptyPage(t *testing.T) {
	b := open(t, gardens())
	g := b.do(200, "admin", "GET", "/workspace/gardens", nil)
	if text(g.body["count"]) != "0" || text(g.body["total_pages"]) != "1" || g.body["next"] != nil || len(g.results()) != 0 {
		t.Errorf("answered %s", g.raw)
	}
	if _, isList := g.body["results"].([]any); !isList {
		t.Errorf("results is no list: %s", g.raw)
	}
}

func TestFiltersOrderAndSearch(t *testing.T) {
	b := open(t, gardens())
	first := b.garden("Rosas Brancas", map[string]any{"climate": "dry", "area": 30})
	b.pass(time.Hour)
	second := b.garden("tulipas", map[string]any{"active": false, "area": 4})
	b.pass(time.Hour)
	b.do(201, "member", "POST", "/workspace/gardens", map[string]any{"name": "Cravos", "climate": "wet", "area": 200})
	id := func(path string) string { return path[strings.LastIndex(path, "/")+1:] }
	tests := []struct{ name, query, want string }{
		{"text is found inside, whatever the case", "name=ROSA", "Rosas Brancas"},
		{"text that is nowhere finds nothing", "name=lirio", ""},
		{"an id is exact", "id=" + id(second), "tulipas"},
		{"several ids stand with commas", "id=" + id(first) + "," + id(second), "Rosas Brancas tulipas"},
		{"a boolean is exact", "active=false", "tulipas"},
		{"listed values are exact, several with commas", "climate=dry,wet", "Rosas Brancas Cravos"},
		{"part of a listed value is no value", "climate=we", ""},
		{"a number has a lower bound", "area__gte=30", "Rosas Brancas Cravos"},
		{"who edited last is found inside", "last_editor=mario", "Cravos"},
		{"a moment has a lower bound", "last_modified__gte=2026-03-01T13:00:00Z", "tulipas Cravos"},
		{"a moment has an upper bound", "last_modified__lte=2026-03-01T13:00:00Z", "Rosas Brancas tulipas"},
		{"a moment may stand in another zone", "last_modified__lte=2026-03-01T09:00:00-03:00", "Rosas Brancas"},
		{"the creation counts where no field tells it", "created__gte=2026-03-01T14:00:00Z", "Cravos"},
		{"all filters must hold", "active=true&area=30", "Rosas Brancas"},
		{"order goes up", "ordering=name", "Cravos Rosas Brancas tulipas"},
		{"order goes down", "ordering=-area", "Cravos Rosas Brancas tulipas"},
		{"a second field settles what the first leaves open", "ordering=-active,-area", "Cravos Rosas Brancas tulipas"},
		{"search looks through every text", "search=tulip", "tulipas"},
		{"search finds an id", "search=" + id(first), "Rosas Brancas"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := b.do(200, "reader", "GET", "/workspace/gardens?"+tt.query, nil).names(); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestAQueryThatMeansNothingIsRefusedByName(t *testing.T) {
	b := open(t, gardens())
	tests := []struct{ name, path, parameter string }{
		{"a parameter that the document lacks", "/workspace/gardens?colour=red", "colour"},
		{"an id that is no number", "/workspace/gardens?id=x", "id"},
		{"a boolean that is none", "/workspace/gardens?active=maybe", "active"},
		{"a moment that is none", "/workspace/gardens?last_modified__gte=yesterday", "last_modified__gte"},
		{"an order by a field that is not there", "/workspace/gardens?ordering=-colour", "ordering"},
		{"a parameter of another operation", b.garden("g") + "?page=1", "page"},
		{"a token that the list did not give", b.crate() + "/things?continuation_token=%21", "continuation_token"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			wantFault(t, b.do(400, "admin", "GET", tt.path, nil), "10000", tt.parameter)
		})
	}
}

func TestFieldsChooseWhatIsShown(t *testing.T) {
	b := open(t, gardens())
	path := b.garden("Horta")
	want := map[string]any{"name": "Horta", "modules": map[string]any{"light": map[string]any{"enabled": true}}}
	query := "?fields=name,modules.light.enabled,nothing"
	if diff := cmp.Diff(want, b.do(200, "admin", "GET", path+query, nil).data()); diff != "" {
		t.Errorf("one (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(want, b.do(200, "admin", "GET", "/workspace/gardens"+query, nil).results()[0]); diff != "" {
		t.Errorf("in a list (-want +got):\n%s", diff)
	}
}

func TestAListShowsOnlyWhatItsOwnSchemaNames(t *testing.T) {
	b := open(t, gardens())
	b.garden("Horta", map[string]any{"note": "only on the garden itself"})
	if row := b.do(200, "admin", "GET", "/workspace/gardens", nil).results()[0]; row["note"] != nil || row["name"] != "Horta" {
		t.Errorf("row %v", row)
	}
}

func TestListsByTokenWalkFoldersAndPrefixes(t *testing.T) {
	b := open(t, gardens())
	things := b.crate() + "/things"
	for _, key := range []string{"a.txt", "img/1.png", "img/2.png", "img/old/3.png", "z.txt"} {
		b.do(201, "admin", "POST", things+"/"+url.PathEscape(key), "x", with("Content-Type", "text/plain"))
	}
	keys := func(g got) string {
		var all []string
		for _, r := range g.results() {
			all = append(all, text(r["key"]))
		}
		return strings.Join(all, " ")
	}
	var walked []string
	for query := "?max_object_count=2"; query != ""; {
		g := b.do(200, "admin", "GET", things+query, nil)
		walked = append(walked, keys(g))
		query = ""
		if token := text(g.body["continuation_token"]); token != "" {
			query = "?max_object_count=2&continuation_token=" + token
		}
	}
	if diff := cmp.Diff([]string{"a.txt img/1.png", "img/2.png img/old/3.png", "z.txt"}, walked); diff != "" {
		t.Errorf("walked (-want +got):\n%s", diff)
	}
	if got := keys(b.do(200, "admin", "GET", things+"?all_levels=false", nil)); got != "a.txt img/ z.txt" {
		t.Errorf("the first level is %q", got)
	}
	if got := keys(b.do(200, "admin", "GET", things+"?prefix=img/&all_levels=false", nil)); got != "img/1.png img/2.png img/old/" {
		t.Errorf("below img/ there is %q", got)
	}
}

// crate makes a crate as admin, and gives its path.
func (b *box) crate() string {
	b.t.Helper()
	b.do(201, "admin", "POST", "/workspace/crates", map[string]any{"name": "caixa", "access": "open"})
	return "/workspace/crates/caixa"
}
