package sqldb

import (
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/comporta-mcp/comporta/services/sandbox/internal/refusal"
)

func run1(t *testing.T, d *Databases, statements ...string) (Result, error) {
	t.Helper()
	return d.Run(t.Context(), 7001, "12", statements)
}

func TestStatementsAreSQLite(t *testing.T) {
	for name, c := range map[string]struct {
		statements []string
		want       Result
	}{
		"nothing": {nil, Result{[]any{}, []any{}}},
		"the last statement with columns answers": {
			[]string{"CREATE TABLE t (id INTEGER PRIMARY KEY, n TEXT)", "INSERT INTO t (n) VALUES ('a'), ('b')", "SELECT * FROM t", "DELETE FROM t"},
			Result{[]any{"id", "n"}, []any{[]any{json.Number("1"), "a"}, []any{json.Number("2"), "b"}}},
		},
		"several in one text": {
			[]string{"CREATE TABLE t (d DATE); INSERT INTO t VALUES ('2026-01-02 03:04:05'); SELECT d FROM t; -- the end", "/* nothing */"},
			Result{[]any{"d"}, []any{[]any{"2026-01-02 03:04:05"}}},
		},
		"every type": {
			[]string{"SELECT 9223372036854775807, 1.5, 'é文', x'00ff', NULL, 9e999"},
			Result{[]any{"9223372036854775807", "1.5", "'é文'", "x'00ff'", "NULL", "9e999"},
				[]any{[]any{json.Number("9223372036854775807"), 1.5, "é文", "AP8=", nil, nil}}},
		},
		"a transaction": {
			[]string{"CREATE TABLE t (a)", "BEGIN", "INSERT INTO t VALUES (1)", "COMMIT", "SELECT count(*) AS n FROM t"},
			Result{[]any{"n"}, []any{[]any{json.Number("1")}}},
		},
		"what the schema is":     {[]string{"CREATE TABLE t (a)", "SELECT name FROM sqlite_master"}, Result{[]any{"name"}, []any{[]any{"t"}}}},
		"pragmas that only tell": {[]string{"PRAGMA user_version"}, Result{[]any{"user_version"}, []any{[]any{json.Number("0")}}}},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := run1(t, In(t.TempDir()), c.statements...)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestAFaultySatementIsA422ThatNamesIt(t *testing.T) {
	outside := filepath.Join(t.TempDir(), "outside.db")
	for name, c := range map[string]struct {
		statements []string
		at, says   string
	}{
		"no such table":         {[]string{"SELECT 1", "SELECT * FROM nowhere"}, "/statements/1", "no such table: nowhere"},
		"no SQL":                {[]string{"hello"}, "/statements/0", "syntax error"},
		"a constraint":          {[]string{"CREATE TABLE t (a UNIQUE)", "INSERT INTO t VALUES (1), (1)"}, "/statements/1", "UNIQUE"},
		"ATTACH":                {[]string{"ATTACH '" + outside + "' AS o"}, "/statements/0", "own database"},
		"ATTACH behind another": {[]string{"SELECT 1; ATTACH '" + outside + "' AS o"}, "/statements/0", "own database"},
		"VACUUM INTO a file":    {[]string{"VACUUM INTO '" + outside + "'"}, "/statements/0", "own database"},
		"a pragma that changes": {[]string{"PRAGMA temp_store_directory = '/'"}, "/statements/0", "own database"},
		"an extension":          {[]string{"SELECT load_extension('x')"}, "/statements/0", "not authorized"},
		"too many rows":         {[]string{"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n"}, "/statements/0", "LIMIT"},
		"too large a value":     {[]string{"SELECT zeroblob(1000000000)"}, "/statements/0", "too big"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := run1(t, In(t.TempDir()), c.statements...)
			refused, ok := errors.AsType[*refusal.Refusal](err)
			if !ok || refused.Status != http.StatusUnprocessableEntity {
				t.Fatalf("err %v, want a 422", err)
			}
			if got := refused.Faults[0]; got.Source.Pointer != c.at || !strings.Contains(got.Detail, c.says) {
				t.Errorf("told %q at %q, want %q at %q", got.Detail, got.Source.Pointer, c.says, c.at)
			}
		})
	}
	if _, err := os.Stat(outside); err == nil {
		t.Error("a statement made a file outside its database")
	}
}

func TestWhatATransactionLeftOpenIsRolledBack(t *testing.T) {
	d := In(t.TempDir())
	if _, err := run1(t, d, "CREATE TABLE t (a)", "BEGIN", "INSERT INTO t VALUES (1)"); err != nil {
		t.Fatal(err)
	}
	if _, err := run1(t, d, "BEGIN", "INSERT INTO t VALUES (1)", "nonsense"); err == nil {
		t.Fatal("nonsense was run")
	}
	got, err := run1(t, d, "SELECT a FROM t")
	if err != nil || len(got.Rows) != 0 {
		t.Errorf("rows %v (%v), want none", got.Rows, err)
	}
}

func TestDatabasesAreApartAndGoAway(t *testing.T) {
	d := In(t.TempDir())
	if _, err := run1(t, d, "CREATE TABLE t (a)"); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Run(t.Context(), 7002, "12", []string{"SELECT * FROM t"}); err == nil {
		t.Error("another account's database has the table")
	}
	if err := d.Drop(7001, "12"); err != nil {
		t.Fatal(err)
	}
	if err := d.Drop(7001, "13"); err != nil {
		t.Errorf("dropping what never was: %v", err)
	}
	if _, err := run1(t, d, "SELECT * FROM t"); err == nil {
		t.Error("a dropped database has its table")
	}
}
