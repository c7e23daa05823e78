package everytool

import (
	_ "embed"
	"errors"
	"io/fs"
	"os"
	"regexp"
	"slices"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/routers"
	"go.yaml.in/yaml/v3"

	"github.com/comporta-mcp/comporta/pkg/catalog"
	"github.com/comporta-mcp/comporta/services/catalogs"
)

// publicFile is the platform's own document; it is no part of this repository.
const publicFile = "../../../../shared/openapi/azion-v4.yaml"

// areas are those with platform operations.
var areas = []string{"build", "secure", "observe", "storage"}

// tool is one to be called.
type tool struct {
	*catalog.Tool
	spec *openapi3.Operation
}

// tools are all of the four areas.
func tools(t *testing.T) []tool {
	t.Helper()
	var all []tool
	for _, area := range areas {
		loaded, err := catalog.Load(catalogs.Documents()[area], catalog.Options{Area: area})
		if err != nil {
			t.Fatal(err)
		}
		specs := map[string]*openapi3.Operation{}
		for _, d := range loaded.Documents() {
			for _, item := range d.Spec.Paths.Map() {
				for _, op := range item.Operations() {
					specs[op.OperationID] = op
				}
			}
		}
		for _, one := range loaded.Tools() {
			all = append(all, tool{one, specs[one.Name]})
		}
	}
	return all
}

// operations are what the tools' traffic is held against: the public document's
// where that is at hand and has it, else our own.
func operations(t *testing.T) []operation {
	t.Helper()
	all := publicOperations(t)
	for _, area := range areas {
		loaded, err := catalog.Load(catalogs.Documents()[area], catalog.Options{Area: area})
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range loaded.Documents() {
			for _, op := range operationsOf(d.Spec, false) {
				same := func(o operation) bool { return o.route.Operation.OperationID == op.route.Operation.OperationID }
				if !slices.ContainsFunc(all, same) {
					all = append(all, op)
				}
			}
		}
	}
	return all
}

func publicOperations(t *testing.T) []operation {
	t.Helper()
	if _, err := os.Stat(publicFile); errors.Is(err, fs.ErrNotExist) {
		t.Log("SKIPPED: the platform's public document is not beside this repository, so the traffic is held against our own documents only")
		return nil
	}
	spec, err := openapi3.NewLoader().LoadFromFile(publicFile)
	if err != nil {
		t.Fatal(err)
	}
	for i, n := range mended(spec) {
		if n == 0 {
			t.Errorf("the public document needs this reading no more, delete it: %s", readings[i].why)
		}
		t.Logf("read %d schemas of the public document otherwise than they stand: %s", n, readings[i].why)
	}
	return operationsOf(spec, true)
}

func operationsOf(spec *openapi3.T, public bool) []operation {
	var all []operation
	for path, item := range spec.Paths.Map() {
		for method, op := range item.Operations() {
			all = append(all, operation{
				routers.Route{Spec: spec, Path: path, PathItem: item, Method: method, Operation: op, Server: &openapi3.Server{URL: base}}, public,
			})
		}
	}
	return all
}

// contradiction is where the public document contradicts itself or the platform.
type contradiction struct {
	Operations string `yaml:"operations"` // regular expression
	Fault      string `yaml:"fault"`      // regular expression
	Why        string `yaml:"why"`
}

//go:embed testdata/contradictions.yaml
var contradictionsText []byte

var contradictions = func() []contradiction {
	var all []contradiction
	if err := yaml.Unmarshal(contradictionsText, &all); err != nil {
		panic(err) // a mistake in testdata
	}
	return all
}()

func (p *proxy) contradicted(id, fault string) bool {
	i := slices.IndexFunc(contradictions, func(c contradiction) bool {
		return regexp.MustCompile(c.Operations).MatchString(id) && regexp.MustCompile(c.Fault).MatchString(fault)
	})
	if i >= 0 {
		p.used[contradictions[i].Why] = true
	}
	return i >= 0
}

func regexpOrAnything(expr string) (openapi3.RegexMatcher, error) {
	re, err := regexp.Compile(expr)
	if err != nil {
		return anything{}, nil
	}
	return re, nil
}

type anything struct{}

func (anything) MatchString(string) bool { return true }
