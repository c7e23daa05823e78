package me

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/comporta-mcp/comporta/pkg/audit"
	"github.com/comporta-mcp/comporta/pkg/quota"
	auditv1 "github.com/comporta-mcp/comporta/proto/audit/v1"
	"github.com/comporta-mcp/comporta/services/auth/internal/page"
)

const (
	// maxRows bounds one file, exportTime how long one may take.
	maxRows    = 50_000
	exportTime = time.Minute
	// flushEvery is after how many rows the browser gets them.
	flushEvery = 200
	// writeTime is how long a browser may take for those.
	writeTime = 15 * time.Second
)

// perPerson bounds how often a person may ask for a file: each reads the audit.
var perPerson = quota.Limit{Name: "export", Count: 10, Window: time.Minute, Per: quota.PerLink}

// Export answers GET /me/calls.csv and /me/calls.jsonl.
func (h *Handler) Export(w http.ResponseWriter, r *http.Request) {
	if v := h.visit(w, r); v != nil {
		h.export(w, r, v, false)
	}
}

// ExportAll answers GET /me/all/calls.csv and /me/all/calls.jsonl, for administrators.
func (h *Handler) ExportAll(w http.ResponseWriter, r *http.Request) {
	if v := h.administrator(w, r); v != nil {
		h.export(w, r, v, true)
	}
}

func (h *Handler) export(w http.ResponseWriter, r *http.Request, v *visit, all bool) {
	if wait, err := h.Limiter.Take(r.Context(), strconv.FormatInt(v.session.PersonID, 10), perPerson); err != nil || wait > 0 {
		h.pages().Fail(w, r, http.StatusTooManyRequests, page.Problem{
			Title: page.Text("Too many files"),
			Text:  page.Text("You asked for several files within a minute."),
			ToDo:  page.Text("Wait a minute, then try again."),
		})
		return
	}
	f, fault := readFilter(r.URL.Query())
	if fault != nil {
		h.showCalls(w, r, v, all) // which says what is wrong
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), exportTime)
	defer cancel()
	within, _, err := h.within(ctx, v, f, all)
	if err != nil {
		h.pages().Down(w, r, err)
		return
	}
	kind, out := "csv", rows(newCSV(w))
	if strings.HasSuffix(r.URL.Path, ".jsonl") {
		kind, out = "jsonl", jsonLines{w}
	}
	header := w.Header()
	header.Set("Content-Type", map[string]string{"csv": "text/csv; charset=utf-8", "jsonl": "application/jsonl; charset=utf-8"}[kind])
	header.Set("Content-Disposition", fmt.Sprintf(`attachment; filename="comporta-calls-%s.%s"`, h.Now().UTC().Format(dayForm), kind))
	if within.none {
		_ = out.flush()
		return
	}
	err = h.stream(ctx, w, out, audit.Stretch{LinkIDs: within.links, Since: f.since(), Want: f.inFile})
	if err != nil {
		if r.Context().Err() == nil {
			h.Log.WarnContext(ctx, "a file was broken off", "error", err)
		}
		panic(http.ErrAbortHandler) // a file that looks whole and is not would be worse
	}
}

// inFile is wants, with the bounds that a Search keeps by itself.
func (f filter) inFile(r *auditv1.Record) bool {
	at, until := r.GetAt().AsTime(), f.until()
	return f.wants(r) && !at.Before(f.since()) && (until.IsZero() || !at.After(until))
}

// rows is a file being written.
type rows interface {
	add(view map[string]any) error
	flush() error
}

// stream writes records, the oldest first, as they are read. The last row of a file
// that reached the bound says so, and from where on another file goes on.
func (h *Handler) stream(ctx context.Context, w http.ResponseWriter, out rows, s audit.Stretch) error {
	control, n := http.NewResponseController(w), 0
	for found, err := range h.Records.Forward(ctx, s) {
		if err != nil {
			return err
		}
		view := audit.View(found.Record)
		if n == maxRows {
			view = map[string]any{"fecha": view["fecha"], "tipo": "recortado"}
		}
		if err := out.add(view); err != nil {
			return err
		}
		if n == maxRows {
			break
		}
		if n++; n%flushEvery == 0 {
			_ = control.SetWriteDeadline(time.Now().Add(writeTime)) // of the real clock, as the server's
			if err := out.flush(); err != nil {
				return err
			}
			_ = control.Flush()
		}
	}
	return out.flush()
}

// jsonLines is one JSON object per line.
type jsonLines struct{ w io.Writer }

func (j jsonLines) add(view map[string]any) error {
	encoder := json.NewEncoder(j.w)
	encoder.SetEscapeHTML(false)
	return encoder.Encode(view)
}

func (jsonLines) flush() error { return nil }

// columns are those of a CSV file, by the names of the JSON lines.
var columns = []string{
	"fecha", "tipo", "resultado", "motivo", "area", "herramienta", "argumentos", "cliente", "enlace_id", "persona_id", "empresa_id",
	"accion", "estado_plataforma", "duracion_ms", "operacion_id", "llamada_id", "perfil", "aprobacion", "direccion", "cantidad", "idempotente", "dry_run",
}

// csvRows is a CSV file (RFC 4180) with a header.
type csvRows struct {
	w     *csv.Writer
	begun bool
}

func newCSV(w io.Writer) *csvRows { return &csvRows{w: csv.NewWriter(w)} }

func (c *csvRows) begin() error {
	if c.begun {
		return nil
	}
	c.begun = true
	return c.w.Write(columns)
}

func (c *csvRows) add(view map[string]any) error {
	if err := c.begin(); err != nil {
		return err
	}
	row := make([]string, len(columns))
	for i, name := range columns {
		row[i] = cellOf(view[name])
	}
	return c.w.Write(row)
}

func (c *csvRows) flush() error {
	if err := c.begin(); err != nil {
		return err
	}
	c.w.Flush()
	return c.w.Error()
}

func cellOf(value any) string {
	switch value := value.(type) {
	case nil:
		return ""
	case string:
		return harmless(value)
	case map[string]any:
		text, err := json.Marshal(value)
		if err != nil {
			return ""
		}
		// It begins with a brace; a semicolon, which in it stands in texts only, could
		// begin another cell.
		return strings.ReplaceAll(string(text), ";", `\u003b`)
	default:
		return fmt.Sprint(value)
	}
}

// another finds what would be a formula in a cell of its own. In the languages whose
// decimal comma leaves the semicolon to divide cells, a spreadsheet divides there,
// quotes or none.
var another = regexp.MustCompile(`([;\t\r\n][\s\x{00a0}]*)([=+\-@])`)

// harmless keeps a spreadsheet from taking a text for a formula: agents choose much
// of what stands in the audit.
func harmless(text string) string {
	text = another.ReplaceAllString(text, "$1'$2")
	if trimmed := strings.TrimLeft(text, " \t\r\n\u00a0"); trimmed != text || trimmed != "" && strings.ContainsAny(trimmed[:1], "=+-@") {
		return "'" + text
	}
	return text
}
