package embedding

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// Client asks the endpoint for vectors.
type Client struct {
	Config Config
	HTTP   *http.Client
}

// Bounds of one request and its answer: endpoints commonly take 2048 texts and
// some 8000 tokens each; a vector of 4096 numbers has 60 KB of JSON.
const (
	batch     = 64
	maxText   = 4000 // characters
	maxAnswer = 16 << 20
)

type request struct {
	Model string   `json:"model"`
	Input []string `json:"input"`
}

type response struct {
	Data []struct {
		Index     int       `json:"index"`
		Embedding []float32 `json:"embedding"`
	} `json:"data"`
}

// Vectors gives a vector of length 1 for each text, all of one dimension.
func (c *Client) Vectors(ctx context.Context, texts []string) ([][]float32, error) {
	out := make([][]float32, 0, len(texts))
	for len(texts) > 0 {
		n := min(batch, len(texts))
		some, err := c.ask(ctx, texts[:n])
		if err != nil {
			return nil, err
		}
		out, texts = append(out, some...), texts[n:]
	}
	for _, v := range out {
		if len(v) != len(out[0]) || len(v) == 0 {
			return nil, fmt.Errorf("the model gave vectors of %d and %d numbers", len(out[0]), len(v))
		}
		normalise(v)
	}
	return out, nil
}

func (c *Client) ask(ctx context.Context, texts []string) ([][]float32, error) {
	ctx, cancel := context.WithTimeout(ctx, c.Config.Timeout)
	defer cancel()
	cut := make([]string, len(texts))
	for i, t := range texts {
		cut[i] = firstRunes(t, maxText)
	}
	body, err := json.Marshal(request{c.Config.Name, cut})
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, strings.TrimSuffix(c.Config.URL, "/")+"/embeddings", bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	if key := c.Config.Key; key != "" {
		req.Header.Set("Authorization", "Bearer "+string(key))
	}
	answer, err := c.HTTP.Do(req)
	if err != nil {
		return nil, fmt.Errorf("ask the embedding model: %w", err)
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("the embedding model answered %d", answer.StatusCode)
	}
	var r response
	if err := json.NewDecoder(io.LimitReader(answer.Body, maxAnswer)).Decode(&r); err != nil {
		return nil, fmt.Errorf("the embedding model's answer: %w", err)
	}
	return inOrder(r, len(texts))
}

// inOrder puts the vectors in the order of the texts.
func inOrder(r response, n int) ([][]float32, error) {
	out := make([][]float32, n)
	for _, d := range r.Data {
		if d.Index < 0 || d.Index >= n || out[d.Index] != nil {
			return nil, fmt.Errorf("the embedding model gave a vector for text %d of %d", d.Index, n)
		}
		out[d.Index] = d.Embedding
	}
	if len(r.Data) != n {
		return nil, fmt.Errorf("the embedding model gave %d vectors for %d texts", len(r.Data), n)
	}
	return out, nil
}

func firstRunes(text string, n int) string {
	for i := range text {
		if n == 0 {
			return text[:i]
		}
		n--
	}
	return text
}
