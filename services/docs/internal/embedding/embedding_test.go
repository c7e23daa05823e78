package embedding_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/comporta-mcp/comporta/services/docs/internal/embedding"
	"github.com/comporta-mcp/comporta/services/docs/internal/page"
)

// model gives each text a vector by which of three words it holds.
func model(t *testing.T, asked *atomic.Int64) *embedding.Client {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var in struct {
			Model string
			Input []string
		}
		if err := json.NewDecoder(r.Body).Decode(&in); err != nil || in.Model != "m" || r.URL.Path != "/v1/embeddings" || r.Header.Get("Authorization") != "Bearer key" {
			http.Error(w, "wrong request", http.StatusBadRequest)
			return
		}
		asked.Add(int64(len(in.Input)))
		var data []map[string]any
		for i, text := range in.Input {
			vector := []float32{0.1, 0.1, 0.1}
			for j, word := range []string{"moon", "boat", "storm"} {
				if strings.Contains(text, word) {
					vector[j] = 5
				}
			}
			data = append([]map[string]any{{"index": i, "embedding": vector}}, data...) // in another order
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"data": data})
	}))
	t.Cleanup(server.Close)
	return &embedding.Client{Config: embedding.Config{URL: server.URL + "/v1", Name: "m", Key: "key", Timeout: 5 * time.Second}, HTTP: server.Client()}
}

func TestTheNearestPassageIsFoundAndOnlyNewOnesAreAsked(t *testing.T) {
	var asked atomic.Int64
	memory := &embedding.Memory{Client: model(t, &asked)}
	pages := []page.Page{
		{Title: "A", Passages: []page.Passage{{Text: "the moon"}, {Text: "a storm"}}},
		{Title: "B", Passages: []page.Passage{{Text: "a boat"}}},
	}
	v, err := memory.Of(t.Context(), pages)
	if err != nil {
		t.Fatal(err)
	}
	hits, err := v.Near(t.Context(), "boat please", 2)
	if err != nil || len(hits) != 2 || hits[0].Page != 1 || hits[0].Cosine < 0.99 || hits[1].Cosine > 0.5 {
		t.Errorf("%+v, %v", hits, err)
	}
	before := asked.Load()
	pages[1].Passages[0].Text = "a big boat"
	if _, err := memory.Of(t.Context(), pages); err != nil || asked.Load() != before+1 {
		t.Errorf("%d texts were asked for, want 1: %v", asked.Load()-before, err)
	}
}

func TestAModelThatFails(t *testing.T) {
	for name, body := range map[string]string{
		"no JSON":            "<html>",
		"too few vectors":    `{"data":[]}`,
		"a wrong index":      `{"data":[{"index":7,"embedding":[1]}]}`,
		"an empty vector":    `{"data":[{"index":0,"embedding":[]}]}`,
		"the same one twice": `{"data":[{"index":0,"embedding":[1]},{"index":0,"embedding":[1]}]}`,
	} {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(body)) }))
			defer server.Close()
			c := &embedding.Client{Config: embedding.Config{URL: server.URL, Name: "m", Timeout: time.Second}, HTTP: server.Client()}
			if _, err := c.Vectors(t.Context(), []string{"x"}); err == nil {
				t.Error("no error")
			}
		})
	}
}
