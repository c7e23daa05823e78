package platform

import (
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/comporta-mcp/comporta/pkg/catalog"
	"github.com/comporta-mcp/comporta/pkg/problem"
)

func FuzzAddress(f *testing.F) {
	for _, seed := range []string{"1", "..", "a/b", "%2e", "?", "#", "é", "a;b", "\\..\\", "{x}", "%", "a:b", "@", " "} {
		f.Add(seed, seed)
	}
	base, _ := url.Parse("https://api.example.com/v4")
	binding := &catalog.Binding{Path: "/a/{x}/b/v-{y}/c", Params: []catalog.Param{{Arg: "x", Name: "x", In: catalog.Path}, {Arg: "y", Name: "y", In: catalog.Path}}}
	f.Fuzz(func(t *testing.T, x, y string) {
		target, err := address(base, binding, map[string]any{"x": x, "y": y})
		if err != nil {
			if p := problem.As(err); p.Code != problem.ParametroInvalido {
				t.Fatalf("%q, %q: %v", x, y, err)
			}
			return
		}
		parsed, err := http.NewRequest(http.MethodGet, target.String(), nil)
		if err != nil {
			t.Fatal(err)
		}
		segments := strings.Split(parsed.URL.RequestURI(), "/")
		if parsed.URL.Host != "api.example.com" || len(segments) != 7 {
			t.Fatalf("%q, %q reach %s", x, y, target)
		}
		gotX, _ := url.PathUnescape(segments[3])
		gotY, _ := url.PathUnescape(segments[5])
		if gotX != x || gotY != "v-"+y {
			t.Fatalf("%q, %q became %q, %q", x, y, gotX, gotY)
		}
	})
}

func FuzzQuery(f *testing.F) {
	f.Add("a", "b,c", "form", true)
	f.Add("&", "=", "deepObject", false)
	f.Add("|", " ", "pipeDelimited", false)
	f.Fuzz(func(t *testing.T, a, b, style string, explode bool) {
		var q query
		if err := q.add(catalog.Param{Arg: "p", Name: "p", In: catalog.Query, Style: style, Explode: explode}, []any{a, b}); err != nil {
			return
		}
		values, err := url.ParseQuery(q.String())
		if err != nil {
			t.Fatalf("%q: %v", q.String(), err)
		}
		if names := slices.Collect(maps.Keys(values)); !slices.Equal(names, []string{"p"}) {
			t.Fatalf("%q, %q made parameters %q", a, b, names)
		}
	})
}

func FuzzPlain(f *testing.F) {
	for _, seed := range []string{"1", "-1.50e3", "1e-400", "0e0", "00", "1E+5"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, number string) {
		text, err := plain(number)
		if err != nil {
			return
		}
		if strings.ContainsAny(text, "eE+") {
			t.Fatalf("%q became %q", number, text)
		}
		again, err := plain(text)
		if err != nil || again != text {
			t.Fatalf("%q became %q became %q (%v)", number, text, again, err)
		}
	})
}

func FuzzAnswers(f *testing.F) {
	for _, body := range []string{`{"data":1}`, `{"errors":[{"source":{"pointer":"/a/0"}}]}`, `[`, `<html>`, "\x00", `{"errors":{}}`, `{"errors":[{"code":5}]}`, `{"results":[1],"count":"x"}`, `1 2`} {
		f.Add(200, "application/json", body)
		f.Add(400, "text/html", body)
		f.Add(500, "", body)
	}
	client := New(Config{URL: "http://127.0.0.1:1"}, Options{})
	f.Fuzz(func(t *testing.T, status int, contentType, body string) {
		got := &reply{status: status, header: http.Header{"Content-Type": {contentType}}, body: []byte(body)}
		for _, request := range []Request{withID(retrieveThing, "1"), withID(deleteThing, "1"), withID(downloadThing, "1"), creation("x")} {
			answer, refused, again := client.judgeWrite(t.Context(), request, got, nil)
			if (answer == nil) == (refused == nil) {
				t.Fatalf("answer %v and problem %v", answer, refused)
			}
			if answer != nil && answer.Value == nil {
				t.Fatal("an answer without a value")
			}
			if refused != nil && (strings.ContainsAny(sentences(refused), "\n") || again && IsUnknown(refused)) {
				t.Fatalf("%s, again %t", sentences(refused), again)
			}
		}
	})
}
