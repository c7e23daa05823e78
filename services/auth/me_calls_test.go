package auth

import (
	"bufio"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/comporta-mcp/comporta/pkg/problem"
	"github.com/comporta-mcp/comporta/services/auth/internal/link"
)

func TestTheOwnAuditIsFilteredPagedAndExported(t *testing.T) {
	m := newOfMe(t, nil)
	l, _ := m.ledger()
	for i := range 60 {
		m.called(l, "list_applications", map[string]any{"page": i}, nil)
	}
	m.called(l, "create_application", map[string]any{"name": "<b>=HYPERLINK()</b>"}, problem.New(problem.SinPermiso, "No."))
	m.called(l, "=cmd|'/c calc'!A1", nil, problem.New(problem.NoEncontrado, "No."))
	eventually(t, 10*time.Second, func() string {
		m.do(http.MethodGet, "/me/calls", nil)
		if !strings.Contains(m.body, "calc") {
			return "the newest call is not there:\n" + m.body
		}
		return ""
	})
	if n := strings.Count(m.body, `class="call"`); n != 50 {
		t.Errorf("the first page has %d records", n)
	}
	if strings.Contains(m.body, "<b>=") || !strings.Contains(m.body, "&lt;b&gt;") {
		t.Error("what an agent wrote is not escaped")
	}
	_, older, found := strings.Cut(m.body, `href="/me/calls?before=`)
	if !found {
		t.Fatal("there are no older ones")
	}
	older, _, _ = strings.Cut(older, `"`)
	m.do(http.MethodGet, "/me/calls?before="+older, nil)
	if n := strings.Count(m.body, `class="call"`); n != 12 {
		t.Errorf("the second page has %d records", n)
	}
	today := time.Now().UTC().Format("2006-01-02")
	for query, want := range map[string]int{
		"?tool=create_application":                     1,
		"?outcome=refused":                             1,
		"?outcome=error":                               1,
		"?area=storage":                                0,
		"?link=" + m.link + "&tool=nothing":            0,
		"?link=pt_ffffffffffffffff":                    0,
		"?from=" + today + "&outcome=refused":          1,
		"?to=2020-01-01":                               0,
		"?outcome=refused&from=2020-01-01&to=" + today: 1,
	} {
		if m.do(http.MethodGet, "/me/calls"+query, nil); strings.Count(m.body, `class="call"`) != want {
			t.Errorf("%s has %d records, want %d", query, strings.Count(m.body, `class="call"`), want)
		}
	}
	if status := m.do(http.MethodGet, "/me/calls?from=yesterday", nil).StatusCode; status != http.StatusUnprocessableEntity {
		t.Errorf("a day that is none: %d", status)
	}

	m.do(http.MethodGet, "/me/calls.csv", nil)
	if kind := m.head.Get("Content-Disposition"); !strings.HasPrefix(kind, `attachment; filename="comporta-calls-`) {
		t.Errorf("the file comes as %q", kind)
	}
	rows, err := csv.NewReader(strings.NewReader(m.body)).ReadAll()
	if err != nil || len(rows) != 63 {
		t.Fatalf("the CSV has %d rows, %v", len(rows), err)
	}
	tool := rows[62][5]
	if rows[0][5] != "herramienta" || !strings.HasPrefix(tool, "'=cmd") {
		t.Errorf("a formula for a spreadsheet: %q", tool)
	}
	for _, row := range rows[1:] {
		for i, cell := range row {
			if cell != "" && strings.ContainsAny(cell[:1], "=+-@\t\r") {
				t.Errorf("column %s may be taken for a formula: %q", rows[0][i], cell)
			}
		}
	}
	m.do(http.MethodGet, "/me/calls.jsonl?outcome=refused", nil)
	var record map[string]any
	if err := json.Unmarshal([]byte(m.body), &record); err != nil || record["herramienta"] != "create_application" || record["enlace_id"] != m.link {
		t.Errorf("the JSON line is %q, %v", m.body, err)
	}
	reader := newBrowser(t, m.base)
	reader.signIn("/me", readerToken)
	if reader.do(http.MethodGet, "/me/calls.jsonl?link="+m.link, nil); reader.body != "" {
		t.Errorf("another person's file has %q", reader.body)
	}
	for range 10 {
		m.do(http.MethodGet, "/me/calls.csv?tool=none", nil)
	}
	if status := m.do(http.MethodGet, "/me/calls.csv?tool=none", nil).StatusCode; status != http.StatusTooManyRequests {
		t.Errorf("files without end: %d", status)
	}
}

func TestAnAdministratorSeesAllLinksAndRevokes(t *testing.T) {
	m := newOfMe(t, nil) // whose person is an administrator
	if _, err := ask(t, m.other, readerToken); err != nil {
		t.Fatal(err)
	}
	m.do(http.MethodGet, "/me/all?person=8", nil)
	_, rest, found := strings.Cut(m.body, `action="/me/all/`)
	if !found || strings.Contains(m.body, m.link) {
		t.Fatalf("the links of person 8:\n%s", m.body)
	}
	id, _, _ := strings.Cut(rest, `"`)
	m.click("/me/all", "/me/all/"+id, "do", "revoke", "why", "left the company "+strings.Repeat("é", 100))
	eventually(t, link.MaxLate, func() string {
		if _, err := ask(t, m.other, readerToken); err == nil {
			return "the revoked link still works"
		}
		return ""
	})
	m.do(http.MethodGet, "/me/all/calls?link="+id, nil)
	if !strings.Contains(m.body, "a person revoked it") || !strings.Contains(m.body, "left the company") {
		t.Errorf("the audit of the link:\n%s", m.body)
	}
	reader := newBrowser(t, m.base)
	reader.signIn("/me", readerToken)
	if reader.do(http.MethodGet, "/me/calls?link="+id, nil); !strings.Contains(reader.body, "a person revoked it") {
		t.Error("the link's person does not see that it was revoked")
	}
}

// TestThePageHearsOfChanges listens as the script does.
func TestThePageHearsOfChanges(t *testing.T) {
	m := newOfMe(t, nil)
	if status := newBrowser(t, m.base).do(http.MethodGet, "/me/live", nil).StatusCode; status != http.StatusNoContent {
		t.Errorf("who is not signed in gets %d", status)
	}
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, m.base+"/me/live", nil)
	if err != nil {
		t.Fatal(err)
	}
	response, err := m.http.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if kind := response.Header.Get("Content-Type"); response.StatusCode != http.StatusOK || kind != "text/event-stream" {
		t.Fatalf("it answers %d %q", response.StatusCode, kind)
	}
	lines := make(chan string, 100)
	go func() {
		defer close(lines)
		for scanner := bufio.NewScanner(response.Body); scanner.Scan(); {
			lines <- scanner.Text()
		}
	}()
	wait := func(what string) {
		t.Helper()
		late := time.After(10 * time.Second)
		for {
			select {
			case line, open := <-lines:
				if !open {
					t.Fatalf("%s: the stream ended", what)
				}
				if line == "event: change" {
					return
				}
			case <-late:
				t.Fatalf("%s: nothing is heard", what)
			}
		}
	}
	l, _ := m.ledger()
	changes := []func(){
		func() { m.called(l, "list_applications", nil, nil) },
		func() { m.click("/me", "/me/links/"+m.link, "do", "pause") },
		func() { // a link that the stream did not know
			if _, err := ask(t, m.other, goodToken); err != nil {
				t.Fatal(err)
			}
		},
	}
	m.do(http.MethodGet, "/me", nil) // so that the stream has begun to listen
	for i, change := range changes {
		change()
		wait(fmt.Sprint("change ", i+1))
	}
	m.do(http.MethodGet, "/me", nil)
	m.do(http.MethodPost, "/sign-out", m.form("/sign-out"))
	m.called(l, "list_applications", nil, nil)
	late := time.After(10 * time.Second)
	for {
		select {
		case _, open := <-lines:
			if !open {
				return
			}
		case <-late:
			t.Fatal("the stream goes on after signing out")
		}
	}
}
