package auth

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"

	"github.com/comporta-mcp/comporta/pkg/catalog"
	"github.com/comporta-mcp/comporta/pkg/mount"
)

// apisArea is under which name the tools of mounted APIs are kept here, as in the worker.
const apisArea = "apis"

// served is what the hosts serve by their configuration.
type served struct {
	documents   map[string]fs.FS
	credentials mount.Credentials // of mounted APIs, whose resources the page of an approval shows
	policy      []catalog.PolicyRow
}

func (c Config) served(own map[string]fs.FS) (served, error) {
	s := served{documents: map[string]fs.FS{}}
	maps.Copy(s.documents, own)
	for area, folder := range c.Documents {
		s.documents[area] = os.DirFS(folder)
	}
	apis, credentials, err := mount.Documents(nil, c.APIs)
	if err != nil {
		return served{}, fmt.Errorf("apis: %w", err)
	}
	if apis != nil {
		s.documents[apisArea], s.credentials = apis, credentials
	}
	if c.PolicyFile == "" {
		s.policy = c.Policy
		return s, nil
	}
	text, err := os.ReadFile(c.PolicyFile)
	if err != nil {
		return served{}, fmt.Errorf("policy-file: %w", err)
	}
	rows, err := catalog.ParsePolicy(c.PolicyFile, text)
	s.policy = slices.Concat(rows, c.Policy)
	return s, err
}
