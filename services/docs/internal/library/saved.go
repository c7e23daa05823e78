package library

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"time"

	"github.com/comporta-mcp/comporta/services/docs/internal/page"
)

// format is raised when pages are read differently, so that old blobs are not used.
const format = 1

// maxSaved bounds what is unpacked, in bytes.
const maxSaved = 1 << 30

// saved is the blob that store keeps.
type saved struct {
	Format  int                    `json:"format"`
	Checked time.Time              `json:"checked"` // when all sources were asked
	Sources map[string]savedSource `json:"sources"`
}

type savedSource struct {
	Revision string      `json:"revision"`
	Pages    []page.Page `json:"pages"`
}

func (s saved) pack() ([]byte, error) {
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	if err := json.NewEncoder(z).Encode(s); err != nil {
		return nil, err
	}
	if err := z.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

func unpack(data []byte) (saved, error) {
	z, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return saved{}, fmt.Errorf("the stored pages: %w", err)
	}
	var s saved
	if err := json.NewDecoder(io.LimitReader(z, maxSaved)).Decode(&s); err != nil {
		return saved{}, fmt.Errorf("the stored pages: %w", err)
	}
	if s.Format != format {
		return saved{}, fmt.Errorf("the stored pages have format %d, not %d", s.Format, format)
	}
	return s, nil
}
