package local

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/comporta-mcp/comporta/pkg/mount"
)

// yard is an API that is not the platform's: its jobs take a while.
type yard struct {
	mu    sync.Mutex
	sent  []string // "POST /jobs Bearer …"
	asked int
}

func (y *yard) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	y.mu.Lock()
	defer y.mu.Unlock()
	y.sent = append(y.sent, r.Method+" "+r.URL.Path+" "+r.Header.Get("Authorization"))
	w.Header().Set("Content-Type", "application/json")
	switch {
	case r.Method == http.MethodPost:
		w.WriteHeader(http.StatusAccepted)
		_, _ = io.WriteString(w, `{"id":41,"status":"running"}`)
	case r.URL.Path == "/jobs":
		_, _ = io.WriteString(w, `{"count":0,"results":[]}`)
	default:
		status := "running"
		if y.asked++; y.asked > 2 {
			status = "done"
		}
		_, _ = io.WriteString(w, `{"id":41,"status":"`+status+`"}`)
	}
}

func (y *yard) requests() []string {
	y.mu.Lock()
	defer y.mu.Unlock()
	return slices.Clone(y.sent)
}

const yardDocument = `openapi: 3.0.3
info: {title: Yard, version: "1"}
servers: [{url: https://yard.example.com}]
paths:
  /jobs:
    get:
      operationId: list_jobs
      summary: List jobs
      parameters: [{name: page, in: query, schema: {type: integer}}, {name: page_size, in: query, schema: {type: integer, maximum: 100}}]
      responses: {'200': {description: Jobs, content: {application/json: {schema: {type: object, properties: {count: {type: integer}, results: {type: array, items: {$ref: '#/components/schemas/Job'}}}}}}}}
    post:
      operationId: start_job
      summary: Start a job
      requestBody: {required: true, content: {application/json: {schema: {type: object, required: [name], properties: {name: {type: string}}}}}}
      responses: {'202': {description: Accepted, content: {application/json: {schema: {$ref: '#/components/schemas/Job'}}}}}
  /jobs/{job_id}:
    get:
      operationId: get_job
      summary: Read a job
      parameters: [{name: job_id, in: path, required: true, schema: {type: integer}}]
      responses: {'200': {description: The job, content: {application/json: {schema: {$ref: '#/components/schemas/Job'}}}}}
components:
  schemas:
    Job: {type: object, properties: {id: {type: integer}, name: {type: string}, status: {type: string, enum: [running, done, failed]}}}
`

const yardOverlay = `operations:
  start_job: {x-mcp: {operation: {probe: get_job, until: {field: status, ok: [done], failed: [failed]}}}}
`

// written is a file of a folder of its own.
func written(t *testing.T, name, text string) (file string) {
	t.Helper()
	file = filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// TestLongWorkOfAMountedAPIIsFollowedToItsEnd by the worker, with the deployment's
// credential, and seen from any host.
func TestLongWorkOfAMountedAPIIsFollowedToItsEnd(t *testing.T) {
	foreign := &yard{}
	server := httptest.NewServer(foreign)
	t.Cleanup(server.Close)
	cfg := fresh(t)
	cfg.Own.APIs = map[string][]mount.API{"build": {{
		Name: "yard", File: written(t, "yard.yaml", yardDocument), Overlay: written(t, "overlay.yaml", yardOverlay),
		URL: server.URL, Auth: "bearer", Credential: "file:" + written(t, "key", "hush-hush"),
	}}}
	e := launch(t, cfg)
	begun := e.ok("build", "member", "start_job", map[string]any{"name": "report"})
	if begun["estado"] != "en_curso" {
		t.Fatalf("it is no operation: %v", begun)
	}
	op := e.followed("docs", "member", begun)
	result, _ := op["resultado"].(map[string]any)
	if op["estado"] != "ok" || op["herramienta"] != "start_job" || result["status"] != "done" {
		t.Errorf("it ended as %v", op)
	}
	sent := foreign.requests()
	posts := 0
	for _, request := range sent {
		if !strings.HasSuffix(request, " Bearer hush-hush") {
			t.Errorf("a request has another credential: %s", request)
		}
		if strings.HasPrefix(request, "POST ") {
			posts++
		}
	}
	if posts != 1 || !strings.HasPrefix(sent[len(sent)-1], "GET /jobs/41 ") {
		t.Errorf("the API was asked: %v", sent)
	}
}

// ownDocument says in an operator's words what storage and secure have.
const ownDocument = `openapi: 3.0.3
info: {title: Ours, version: "1"}
security: [{Authorization: []}]
paths:
  /workspace/storage/buckets:
    get:
      operationId: list_shelves
      summary: List shelves
      description: Finds the shelves on which files are kept.
      x-mcp: {effect: read, profiles: [firewall]}
      parameters: [{name: page, in: query, schema: {type: integer}}, {name: page_size, in: query, schema: {type: integer, maximum: 100}}]
      responses: {'200': {description: Shelves, content: {application/json: {schema: {type: object, properties: {count: {type: integer}, results: {type: array, items: {type: object, properties: {name: {type: string}}}}}}}}}}
    post:
      operationId: put_up_shelf
      summary: Put up a shelf
      description: Puts up a shelf on which files can be kept.
      x-mcp: {effect: write, profiles: [firewall], operation: {probe: see_shelf}}
      requestBody: {required: true, content: {application/json: {schema: {type: object, required: [name, workloads_access], properties: {name: {type: string}, workloads_access: {type: string}}}}}}
      responses: {'202': {description: Accepted, content: {application/json: {schema: {type: object, properties: {data: {type: object, properties: {name: {type: string}}}}}}}}}
  /workspace/storage/buckets/{name}:
    get:
      operationId: see_shelf
      summary: See a shelf
      description: Shows one shelf on which files are kept.
      x-mcp: {effect: read, profiles: [firewall]}
      parameters: [{name: name, in: path, required: true, schema: {type: string}}]
      responses: {'200': {description: The shelf, content: {application/json: {schema: {type: object}}}}}
components:
  securitySchemes: {Authorization: {type: apiKey, in: header, name: Authorization}}
`

// TestAFolderOfDocumentsReplacesThoseOfAnArea on its host and for its long work.
func TestAFolderOfDocumentsReplacesThoseOfAnArea(t *testing.T) {
	folder := filepath.Dir(written(t, "ours.yaml", ownDocument))
	e := launch(t, fresh(t), func(w *Wiring) {
		secure := w.Hosts["secure"]
		secure.Documents = folder
		w.Hosts["secure"] = secure
		w.Worker.Documents = map[string]string{"secure": folder}
	})
	names := e.names("secure", "member")
	if !slices.Contains(names, "put_up_shelf") || slices.Contains(names, "list_firewalls") || !slices.Contains(names, "ping") {
		t.Errorf("secure has %v", names)
	}
	op := e.followed("build", "member", e.ok("secure", "member", "put_up_shelf", map[string]any{"name": "top-shelf", "workloads_access": "read_only"}))
	if op["estado"] != "ok" {
		t.Errorf("it ended as %v", op)
	}
	if found := e.ok("secure", "member", "list_shelves", nil); !strings.Contains(fmt.Sprint(found), "top-shelf") {
		t.Errorf("there is %v", found)
	}
}
