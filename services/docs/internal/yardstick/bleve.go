package yardstick

import (
	"path/filepath"
	"strconv"

	"github.com/blevesearch/bleve/v2"
)

// Bleve is plain bleve: default mapping, default query, its default index on disk.
type Bleve struct {
	indexes map[string]bleve.Index // by corpus
	paths   []string
}

// NewBleve indexes documents in an empty folder.
func NewBleve(dir string, documents []Document) (*Bleve, error) {
	b := &Bleve{indexes: map[string]bleve.Index{}}
	batches := map[string]*bleve.Batch{}
	for i, d := range documents {
		b.paths = append(b.paths, d.Path)
		if b.indexes[d.Corpus] == nil {
			index, err := bleve.New(filepath.Join(dir, d.Corpus), bleve.NewIndexMapping())
			if err != nil {
				return nil, err
			}
			b.indexes[d.Corpus], batches[d.Corpus] = index, index.NewBatch()
		}
		if err := batches[d.Corpus].Index(strconv.Itoa(i), map[string]string{"title": d.Title, "text": d.Text}); err != nil {
			return nil, err
		}
	}
	for name, batch := range batches {
		if err := b.indexes[name].Batch(batch); err != nil {
			return nil, err
		}
	}
	return b, nil
}

// Search gives the paths of the best n documents.
func (b *Bleve) Search(corpus, query string, n int) ([]string, error) {
	request := bleve.NewSearchRequestOptions(bleve.NewMatchQuery(query), n, 0, false)
	found, err := b.indexes[corpus].Search(request)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, hit := range found.Hits {
		i, err := strconv.Atoi(hit.ID)
		if err != nil {
			return nil, err
		}
		out = append(out, b.paths[i])
	}
	return out, nil
}
