// Package mount owns how an operator brings another API to an area by
// configuration: its OpenAPI document as it is published, made fit for the
// catalogue. Names that are no tool names are derived, what x-mcp would say
// follows from the method or stands in an overlay beside the document, and the
// deployment's own credential is sent where the document wants one. How tools
// come of a document is package catalog's; sending requests is package platform's.
package mount

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"regexp"

	"go.yaml.in/yaml/v3"

	"github.com/comporta-mcp/comporta/pkg/identity"
)

// API is one API to mount. Its tools are in /mcp, in /mcp/lite and in a profile
// of its name.
type API struct {
	Name    string `help:"short name: the profile that has its tools"`
	Title   string `help:"title for people; empty: the document's"`
	File    string `help:"its OpenAPI 3 document, YAML or JSON"`
	Overlay string `help:"YAML file with changes by operation, so that the document stays as it is published; empty: none"`
	URL     string `help:"base URL; empty: the document's first server"`
	Prefix  string `help:"text before each tool's name, such as billing_"`
	// Only and Except are patterns of path.Match for operationId or "GET /path".
	Only   []string `help:"operations to mount, by operationId or as 'GET /path', * for any text; empty: all"`
	Except []string `help:"operations to leave out, in the same form"`
	// Auth is where the credential goes.
	Auth string `help:"where the credential goes: bearer, basic, header:NAME, query:NAME, cookie:NAME or none; empty: as the document says"`
	// Credential is a reference and never the secret itself.
	Credential string `help:"the deployment's own credential: file:/path or env:NAME, for basic as user:password; empty: none"`
}

// Credentials are the deployment's own by API: the whole value of the header or
// the query parameter.
type Credentials map[string]identity.Secret

var apiName = regexp.MustCompile(`^[a-z][a-z0-9-]{0,23}$`)

// Validate lists what is wrong with the settings of one API.
func (a API) Validate() error {
	var faults []error
	fault := func(format string, args ...any) {
		faults = append(faults, fmt.Errorf("apis: %s: %s", a.Name, fmt.Sprintf(format, args...)))
	}
	if !apiName.MatchString(a.Name) || a.Name == "docs" || a.Name == "lite" {
		fault("the name must match %s and be neither docs nor lite", apiName)
	}
	if a.File == "" {
		fault("file is missing")
	}
	if !prefixForm.MatchString(a.Prefix) {
		fault("the prefix must match %s", prefixForm)
	}
	if _, err := parseAuth(a.Auth); err != nil {
		fault("%v", err)
	}
	for _, pattern := range append(append([]string{}, a.Only...), a.Except...) {
		if _, err := match(pattern, ""); err != nil {
			fault("%q is no pattern", pattern)
		}
	}
	return errors.Join(faults...)
}

// Documents adds the documents of apis to own, which may be nil. The credentials
// are what platform requests of their tools need.
func Documents(own fs.FS, apis []API) (fs.FS, Credentials, error) {
	if len(apis) == 0 {
		return own, nil, nil
	}
	all := layered{own: own, added: map[string][]byte{}}
	credentials := Credentials{}
	var faults []error
	for _, a := range apis {
		if err := a.Validate(); err != nil {
			faults = append(faults, err)
			continue
		}
		if err := a.mount(all, credentials); err != nil {
			faults = append(faults, fmt.Errorf("apis: %s: %w", a.Name, err))
		}
	}
	if err := errors.Join(faults...); err != nil {
		return nil, nil, err
	}
	return all, credentials, nil
}

func (a API) mount(all layered, credentials Credentials) error {
	doc, err := readYAML(a.File)
	if err != nil {
		return err
	}
	overlay, err := a.readOverlay()
	if err != nil {
		return err
	}
	d := &document{api: a, root: doc, overlay: overlay}
	place, err := d.auth()
	if err != nil {
		return err
	}
	if err := d.prepare(place); err != nil {
		return err
	}
	if place.kind != noAuth && a.Credential != "" {
		secret, err := resolve(a.Credential)
		if err != nil {
			return err
		}
		credentials[a.Name] = place.value(secret)
	}
	out, err := yaml.Marshal(doc)
	if err != nil {
		return fmt.Errorf("write the document anew: %w", err)
	}
	all.added["apis-"+a.Name+".yaml"] = out
	return nil
}

// readYAML reads the one mapping of a file; JSON is YAML as well.
func readYAML(file string) (*yaml.Node, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var top yaml.Node
	if err := yaml.Unmarshal(data, &top); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	if len(top.Content) != 1 || top.Content[0].Kind != yaml.MappingNode {
		return nil, fmt.Errorf("%s: is no mapping", file)
	}
	root, err := plain(top.Content[0])
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return root, nil
}
