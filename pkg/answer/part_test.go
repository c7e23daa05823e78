package answer_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/comporta-mcp/comporta/pkg/answer"
	"github.com/comporta-mcp/comporta/pkg/catalog"
)

// ledger reads one resource, whose code somebody else wrote.
var ledger = &catalog.Tool{
	Name: "retrieve_ledger", Effect: catalog.Read, Retrieve: "retrieve_ledger",
	Untrusted: []string{"data.code"}, Secrets: []string{"data.key"}, Binding: &catalog.Binding{Method: "GET"},
}

// reassembled reads a value as an agent does: call after call, each with the
// argument that the answer before it named.
func reassembled(t *testing.T, whole map[string]any, take func(answer map[string]any) (next string)) int {
	t.Helper()
	page := answer.Page{}
	for calls := 1; calls < 200; calls++ {
		value := whole
		if page.Part != nil {
			var err error
			if value, err = page.Part.Take(whole); err != nil {
				t.Fatal(err)
			}
		}
		got := answer.Shape(ledger, value, page)
		text, err := answer.Text(got)
		if err != nil {
			t.Fatal(err)
		}
		if n := utf8.RuneCountInString(text); n > answer.MaxChars {
			t.Fatalf("call %d answers %d characters", calls, n)
		}
		next := take(got)
		if next == "" {
			return calls
		}
		if page.Part, err = answer.ParsePart(next); err != nil {
			t.Fatal(err)
		}
	}
	t.Fatal("there is no end")
	return 0
}

// nextOf is what an answer says to call for: after a whole answer and after a part.
func nextOf(got map[string]any) string {
	if cut, ok := got["recorte"].(map[string]any); ok {
		arguments, _ := cut["argumentos"].(map[string]any)
		next, _ := arguments[catalog.ArgRange].(string)
		return next
	}
	next, _ := got["rango_siguiente"].(string)
	return next
}

func TestALongTextIsReadInParts(t *testing.T) {
	for name, code := range map[string]string{
		"plain code":                       strings.Repeat("const answer = 42; // enough\n", 7_000),
		"characters of many bytes":         strings.Repeat("São João 文献 😀 ", 16_000),
		"characters that JSON writes long": strings.Repeat("\x01\"\\\u2028", 50_000),
		"one character more than fits":     strings.Repeat("x", answer.MaxChars),
	} {
		t.Run(name, func(t *testing.T) {
			var read strings.Builder
			calls := reassembled(t, map[string]any{"data": map[string]any{"id": 7, "code": code, "name": "f"}}, func(got map[string]any) string {
				data, _ := got["data"].(map[string]any)
				wrapped, _ := data["code"].(map[string]any)
				if wrapped["origen"] != "no_confiable" || data["name"] != "f" {
					t.Fatalf("the wrapper, or what is around it, is lost: %v", data)
				}
				part, _ := wrapped["contenido"].(string)
				read.WriteString(part)
				if total := data["code_recortado"]; total != int64(utf8.RuneCountInString(code)) {
					t.Fatalf("the total is told as %v", total)
				}
				return nextOf(got)
			})
			if read.String() != code {
				t.Errorf("after %d calls there are %d bytes of %d", calls, read.Len(), len(code))
			}
		})
	}
}

func TestALongListIsReadInParts(t *testing.T) {
	var items []any
	for i := range 20_000 {
		items = append(items, fmt.Sprintf("10.%d.%d.0/24", i/256, i%256))
	}
	var read []any
	calls := reassembled(t, map[string]any{"data": map[string]any{"items": items, "name": "blocked"}}, func(got map[string]any) string {
		data, _ := got["data"].(map[string]any)
		part, _ := data["items"].([]any)
		if len(part) > answer.MaxElements || data["items_recortado"] != int64(len(items)) {
			t.Fatalf("%d elements, of %v", len(part), data["items_recortado"])
		}
		read = append(read, part...)
		return nextOf(got)
	})
	if diff := cmp.Diff(items, read); diff != "" || calls != 100 {
		t.Errorf("after %d calls:\n%s", calls, diff)
	}
}

func TestATextInsideAListIsReadInParts(t *testing.T) {
	long := strings.Repeat("y", 150_000)
	whole := map[string]any{"data": map[string]any{"pages": []any{map[string]any{"body": "short"}, map[string]any{"body": long}}}}
	var read strings.Builder
	asked := ""
	reassembled(t, whole, func(got map[string]any) string {
		data, _ := got["data"].(map[string]any)
		pages, _ := data["pages"].([]any)
		if asked != "" { // the element came alone at first
			page, _ := pages[len(pages)-1].(map[string]any)
			part, _ := page["body"].(string)
			read.WriteString(part)
		}
		if next := nextOf(got); next != "" {
			asked = next
			return next
		}
		return ""
	})
	if !strings.HasPrefix(asked, "data.pages[1].body ") || read.String() != long {
		t.Errorf("%d characters by %q", read.Len(), asked)
	}
}

func TestAPartThatThereIsNot(t *testing.T) {
	whole := map[string]any{"data": map[string]any{"code": "abc", "id": 7, "empty": "", "list": []any{"a", "b"}}}
	for name, c := range map[string]struct {
		asked string
		want  any // of data.code or data.list; nil: it is refused
	}{
		"some characters":                {"data.code 1-1", "b"},
		"to the end":                     {"data.code 1-", "bc"},
		"further than the end":           {"data.code 0-99", "abc"},
		"some elements":                  {"data.list 1-", []any{"b"}},
		"from the end":                   {"data.code 3-", nil},
		"an end before the beginning":    {"data.code 2-1", nil},
		"bytes alone, as of an object":   {"0-99", nil},
		"a number":                       {"data.id 0-", nil},
		"an empty text":                  {"data.empty 0-", nil},
		"what is not there":              {"data.other 0-", nil},
		"an element that is not there":   {"data.list[7] 0-", nil},
		"a name where an index belongs":  {"data.list.a 0-", nil},
		"an index where a name belongs":  {"data[0] 0-", nil},
		"a place of dots":                {"... 0-", nil},
		"a number that is no position":   {"data.code 99999999999999999999-", nil},
		"something inside of a text":     {"data.code.x 0-", nil},
		"a negative index":               {"data.list[-1] 0-", nil},
		"more than any index could hold": {"data.list[99999999999999999999] 0-", nil},
	} {
		t.Run(name, func(t *testing.T) {
			var got map[string]any
			part, err := answer.ParsePart(c.asked)
			if err == nil {
				got, err = part.Take(whole)
			}
			if c.want == nil {
				if err == nil {
					t.Fatalf("it answers %v", got)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			data, _ := got["data"].(map[string]any)
			if diff := cmp.Diff(c.want, data[strings.TrimPrefix(strings.Fields(c.asked)[0], "data.")]); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestAPartOfASecretStaysMasked(t *testing.T) {
	part, err := answer.ParsePart("data.key 2-")
	if err != nil {
		t.Fatal(err)
	}
	value, err := part.Take(map[string]any{"data": map[string]any{"key": "hush-hush"}})
	if err != nil {
		t.Fatal(err)
	}
	text, err := answer.Text(answer.Shape(ledger, value, answer.Page{Part: part}))
	if err != nil || strings.Contains(text, "hush") || strings.Contains(text, "sh-") {
		t.Errorf("%s, %v", text, err)
	}
}
