package host

import (
	"cmp"
	"fmt"
	"os"
	"slices"

	"github.com/comporta-mcp/comporta/pkg/mount"
)

// Mounted is the area with the documents that its configuration brings: a folder
// in place of its own, and other APIs, each with a profile of its name. The
// credentials are what requests of their tools need.
func Mounted(area Area, cfg Config) (Area, mount.Credentials, error) {
	if cfg.Documents != "" {
		if info, err := os.Stat(cfg.Documents); err != nil || !info.IsDir() {
			return area, nil, fmt.Errorf("documents: %s is no folder", cfg.Documents)
		}
		area.Documents = os.DirFS(cfg.Documents)
	}
	documents, credentials, err := mount.Documents(area.Documents, cfg.APIs)
	if err != nil {
		return area, nil, err
	}
	area.Documents = documents
	area.Profiles = slices.Clone(area.Profiles)
	for _, api := range cfg.APIs {
		title := cmp.Or(api.Title, api.Name)
		area.Profiles = append(area.Profiles, Profile{
			Name: api.Name, Title: title, Summary: title + ", served beside this area's own tools.",
			Instructions: "Call ver_contexto_inicial first: it says for whom you act and what you may do. Then call the tools of " + title +
				": read before you change, try a write with dry_run: true, and give it an idempotency_key where it takes one.",
		})
	}
	return area, credentials, nil
}
