package embedding

import (
	"cmp"
	"context"
	"crypto/sha256"
	"math"
	"slices"
	"strings"

	"github.com/comporta-mcp/comporta/services/docs/internal/page"
)

// Memory keeps one collection's vectors by text, so that only passages that
// changed are asked for.
type Memory struct {
	Client *Client
	known  map[[32]byte][]float32
}

// Vectors are those of a collection's passages. They do not change.
type Vectors struct {
	client *Client
	places []place
	all    [][]float32
}

type place struct{ page, passage int }

// Hit is a passage, by its place in the pages that the vectors were made of.
type Hit struct {
	Page, Passage int
	Cosine        float64
}

// Of makes the vectors of pages. It is not for use by two at a time.
func (m *Memory) Of(ctx context.Context, pages []page.Page) (*Vectors, error) {
	v := &Vectors{client: m.Client}
	var texts []string
	for i, p := range pages {
		for j, passage := range p.Passages {
			v.places = append(v.places, place{i, j})
			texts = append(texts, strings.Join(append([]string{p.Title}, passage.Headings...), " / ")+"\n"+passage.Text)
		}
	}
	if err := m.learn(ctx, texts); err != nil {
		return nil, err
	}
	kept := make(map[[32]byte][]float32, len(texts))
	for _, t := range texts {
		sum := sha256.Sum256([]byte(t))
		kept[sum] = m.known[sum]
		v.all = append(v.all, kept[sum])
	}
	m.known = kept // passages that are gone are forgotten
	return v, nil
}

func (m *Memory) learn(ctx context.Context, texts []string) error {
	if m.known == nil {
		m.known = map[[32]byte][]float32{}
	}
	var unknown []string
	for _, t := range texts {
		if _, ok := m.known[sha256.Sum256([]byte(t))]; !ok {
			unknown = append(unknown, t)
		}
	}
	for chunk := range slices.Chunk(unknown, batch) {
		vectors, err := m.Client.Vectors(ctx, chunk)
		if err != nil {
			return err
		}
		for i, t := range chunk {
			m.known[sha256.Sum256([]byte(t))] = vectors[i]
		}
	}
	return nil
}

// Near gives the n passages that are nearest to a question.
func (v *Vectors) Near(ctx context.Context, question string, n int) ([]Hit, error) {
	asked, err := v.client.Vectors(ctx, []string{question})
	if err != nil {
		return nil, err
	}
	hits := make([]Hit, 0, len(v.all))
	for i, vector := range v.all {
		if len(vector) == len(asked[0]) {
			hits = append(hits, Hit{v.places[i].page, v.places[i].passage, dot(vector, asked[0])})
		}
	}
	slices.SortStableFunc(hits, func(a, b Hit) int { return cmp.Compare(b.Cosine, a.Cosine) })
	return hits[:min(n, len(hits))], nil
}

func dot(a, b []float32) (sum float64) {
	for i := range a {
		sum += float64(a[i]) * float64(b[i])
	}
	return sum
}

// normalise gives a vector the length 1; one of zeros stays.
func normalise(v []float32) {
	length := math.Sqrt(dot(v, v))
	if length == 0 {
		return
	}
	for i := range v {
		v[i] = float32(float64(v[i]) / length)
	}
}
