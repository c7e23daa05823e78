package worker

import (
	"fmt"
	"io/fs"
	"maps"
	"os"

	"github.com/comporta-mcp/comporta/pkg/mount"
)

// apisArea is under which name the tools of mounted APIs are kept here: an
// operation knows its tool by name alone.
const apisArea = "apis"

// mounted are the documents that hosts serve by their configuration.
func (c Config) mounted(own map[string]fs.FS) (map[string]fs.FS, mount.Credentials, error) {
	documents := maps.Clone(own)
	for area, folder := range c.Documents {
		if _, known := own[area]; !known {
			return nil, nil, fmt.Errorf("documents: there is no area %s", area)
		}
		documents[area] = os.DirFS(folder)
	}
	apis, credentials, err := mount.Documents(nil, c.APIs)
	if err != nil {
		return nil, nil, err
	}
	if apis != nil {
		documents[apisArea] = apis
	}
	return documents, credentials, nil
}
