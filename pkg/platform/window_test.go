package platform

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/comporta-mcp/comporta/pkg/catalog"
	"github.com/comporta-mcp/comporta/pkg/identity"
)

const stored = "azionCANARY0123456789abcdefghijklmnopqrst"

// stores are platforms that keep the content, by what they know of ranges.
func stores(content string) map[string]http.HandlerFunc {
	return map[string]http.HandlerFunc{
		"one that knows ranges": func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/plain")
			http.ServeContent(w, r, "", time.Time{}, strings.NewReader(content))
		},
		"one that ignores ranges": answer(200, "text/plain", content),
		"one that does not tell the size": func(w http.ResponseWriter, r *http.Request) {
			first, last := int64(0), int64(0)
			fmt.Sscanf(r.Header.Get("Range"), "bytes=%d-%d", &first, &last)
			if first >= int64(len(content)) {
				w.WriteHeader(http.StatusRequestedRangeNotSatisfiable)
				return
			}
			last = min(last, int64(len(content))-1)
			w.Header().Set("Content-Type", "text/plain")
			w.Header().Set("Content-Range", fmt.Sprintf("bytes %d-%d/*", first, last))
			w.WriteHeader(http.StatusPartialContent)
			w.Write([]byte(content[first : last+1]))
		},
	}
}

func TestACredentialInsideAContentIsNotReadInTwoParts(t *testing.T) {
	content := "before it: " + stored + " and after it"
	want := strings.Replace(content, stored, strings.Repeat("*", len(stored)), 1)
	for name, store := range stores(content) {
		t.Run(name, func(t *testing.T) {
			client, _ := clientOf(t, newStub(t, store).URL)
			for cut := 1; cut < len(content); cut++ {
				left, _ := readRange(t, client, fmt.Sprintf("0-%d", cut-1))
				right, _ := readRange(t, client, fmt.Sprintf("%d-", cut))
				if left != want[:cut] || right != want[cut:] {
					t.Fatalf("cut at %d: %q and %q", cut, left, right)
				}
			}
			for at := range content {
				if one, _ := readRange(t, client, fmt.Sprintf("%d-%d", at, at)); one != want[at:at+1] {
					t.Fatalf("byte %d alone: %q", at, one)
				}
			}
			for _, past := range []int{len(content), len(content) + 1, len(content) + len(stored)} {
				if _, err := readRange(t, client, fmt.Sprintf("%d-", past)); err == nil || !strings.Contains(err.Error(), "past the end") {
					t.Errorf("from %d, past the end: %v", past, err)
				}
			}
		})
	}
}

func TestTheNextPartBeginsWhereTheLastEndedAfterACredential(t *testing.T) {
	content := strings.Repeat("a", maxPart-60) + stored + strings.Repeat("b", 500)
	client, _ := clientOf(t, newStub(t, stores(content)["one that knows ranges"]).URL)
	var all bytes.Buffer
	for next := "0-"; next != ""; {
		got, err := client.Do(t.Context(), contentRequest(next))
		if err != nil {
			t.Fatal(err)
		}
		all.WriteString(got.Value["data"].(string))
		next, _ = got.Value["rango_siguiente"].(string)
	}
	if want := strings.Replace(content, stored, strings.Repeat("*", len(stored)), 1); all.String() != want {
		t.Errorf("%d bytes came, of %d, or others", all.Len(), len(want))
	}
}

func contentRequest(part string) Request {
	return Request{Tool: downloadThing, Args: map[string]any{"thing_id": json.Number("1"), catalog.ArgRange: part}, Authorization: identity.Secret("Token " + stored)}
}

func readRange(t *testing.T, client *Client, part string) (string, error) {
	t.Helper()
	got, err := client.Do(t.Context(), contentRequest(part))
	if err != nil {
		return "", err
	}
	text, _ := got.Value["data"].(string)
	return text, nil
}
