package auth

import (
	"fmt"
	"io/fs"
	"maps"
	"os"

	"github.com/comporta-mcp/comporta/pkg/catalog"
	"github.com/comporta-mcp/comporta/pkg/mount"
)

// apisArea is under which name the tools of mounted APIs are kept here, as in the worker.
const apisArea = "apis"

// served are the documents and the policy that the hosts serve by their configuration.
func (c Config) served(own map[string]fs.FS) (map[string]fs.FS, []catalog.PolicyRow, error) {
	documents := map[string]fs.FS{}
	maps.Copy(documents, own)
	for area, folder := range c.Documents {
		documents[area] = os.DirFS(folder)
	}
	apis, _, err := mount.Documents(nil, c.APIs)
	if err != nil {
		return nil, nil, fmt.Errorf("apis: %w", err)
	}
	if apis != nil {
		documents[apisArea] = apis
	}
	if c.PolicyFile == "" {
		return documents, nil, nil
	}
	text, err := os.ReadFile(c.PolicyFile)
	if err != nil {
		return nil, nil, fmt.Errorf("policy-file: %w", err)
	}
	policy, err := catalog.ParsePolicy(c.PolicyFile, text)
	return documents, policy, err
}
