// Package sqldb runs SQL statements on real SQLite databases, one file for each
// database of an account. It bounds them in time, rows and size, and keeps them to
// their own file. Which databases there are is the engine's to know: a file is made
// by its first statement.
package sqldb

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"zombiezen.com/go/sqlite"

	"github.com/comporta-mcp/comporta/services/sandbox/internal/refusal"
)

// Bounds of one call.
const (
	maxTime  = 5 * time.Second
	maxRows  = 10_000
	maxBytes = 16 << 20 // of all values answered
	maxValue = 8 << 20  // of one text or blob
	maxPages = 64 << 10 // of a file: 256 MiB with pages of 4 KiB
)

// Databases are the files below a folder.
type Databases struct{ dir string }

// In are the databases below dir, which need not exist yet.
func In(dir string) *Databases { return &Databases{dir: dir} }

func (d *Databases) file(account int64, key string) string {
	return filepath.Join(d.dir, strconv.FormatInt(account, 10), filepath.Base(key)+".sqlite")
}

// Result is what the last statement that gives columns gave.
type Result struct {
	Columns []any
	Rows    []any // of []any
}

// Run runs statements one after the other. The first that fails ends the call; what
// those before it did stays, unless they began a transaction. A statement that is at
// fault is a *refusal.Refusal.
func (d *Databases) Run(ctx context.Context, account int64, key string, statements []string) (Result, error) {
	conn, err := d.open(account, key)
	if err != nil {
		return Result{}, err
	}
	result, err := runAll(ctx, conn, statements)
	return result, errors.Join(err, conn.Close())
}

func (d *Databases) open(account int64, key string) (*sqlite.Conn, error) {
	file := d.file(account, key)
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return nil, fmt.Errorf("make the folder of databases: %w", err)
	}
	conn, err := sqlite.OpenConn(file, sqlite.OpenReadWrite|sqlite.OpenCreate)
	if err != nil {
		return nil, fmt.Errorf("open a database: %w", err)
	}
	return conn, errors.Join(conn.SetDefensive(true), prepare(conn))
}

// prepare sets the bounds of a file before the authorizer takes pragmas away.
func prepare(conn *sqlite.Conn) error {
	conn.Limit(sqlite.LimitAttached, 0)
	conn.Limit(sqlite.LimitLength, maxValue)
	for _, pragma := range []string{"max_page_count = " + strconv.Itoa(maxPages), "temp_store = MEMORY", "foreign_keys = ON"} {
		if _, err := run(conn, "PRAGMA "+pragma, new(int)); err != nil {
			return err
		}
	}
	return conn.SetAuthorizer(sqlite.AuthorizeFunc(authorize))
}

// pragmas are those that only tell something about the database.
var pragmas = []string{
	"foreign_key_check", "foreign_key_list", "foreign_keys", "index_info", "index_list", "index_xinfo",
	"integrity_check", "quick_check", "table_info", "table_list", "table_xinfo", "user_version",
}

// authorize keeps a statement to its own file.
func authorize(a sqlite.Action) sqlite.AuthResult {
	switch a.Type() {
	case sqlite.OpAttach, sqlite.OpDetach:
		return sqlite.AuthResultDeny
	case sqlite.OpPragma:
		if !slices.Contains(pragmas, strings.ToLower(a.Pragma())) {
			return sqlite.AuthResultDeny
		}
	}
	return sqlite.AuthResultOK
}

func runAll(ctx context.Context, conn *sqlite.Conn, statements []string) (Result, error) {
	ctx, cancel := context.WithTimeout(ctx, maxTime)
	defer cancel()
	conn.SetInterrupt(ctx.Done())
	last := Result{Columns: []any{}, Rows: []any{}}
	size := 0
	for i, text := range statements {
		for text = skip(text); text != ""; {
			result, err := run(conn, text, &size)
			if err != nil {
				conn.SetInterrupt(nil)
				return Result{}, errors.Join(told(ctx, i, err), rollback(conn))
			}
			if result.Columns != nil {
				last = result.Result
			}
			text = skip(text[len(text)-result.left:])
		}
	}
	conn.SetInterrupt(nil)
	return last, rollback(conn)
}

// skip is a text from its first word: SQLite makes nothing of what is before it.
func skip(text string) string {
	for {
		text = strings.TrimLeft(text, " \t\r\n\f;")
		switch {
		case strings.HasPrefix(text, "--"):
			_, text, _ = strings.Cut(text, "\n")
		case strings.HasPrefix(text, "/*"):
			_, text, _ = strings.Cut(text[2:], "*/")
		default:
			return text
		}
	}
}

// rollback ends a transaction that the statements left open.
func rollback(conn *sqlite.Conn) error {
	if conn.AutocommitEnabled() {
		return nil
	}
	_, err := run(conn, "ROLLBACK", new(int))
	return err
}

// told is an error of a statement as the platform tells it.
func told(ctx context.Context, i int, err error) error {
	detail := err.Error()
	switch {
	case ctx.Err() != nil:
		detail = fmt.Sprintf("the statements took longer than %s", maxTime)
	case sqlite.ErrCode(err).ToPrimary() == sqlite.ResultAuth:
		detail = "not authorized: a statement may reach nothing but its own database"
	}
	return refusal.Body(http.StatusUnprocessableEntity, "/statements/"+strconv.Itoa(i), detail)
}

// ran is a result and how many bytes of the text are left to run.
type ran struct {
	Result
	left int
}

// run runs the first statement of a text.
func run(conn *sqlite.Conn, text string, size *int) (ran, error) {
	stmt, left, err := conn.PrepareTransient(text)
	if err != nil {
		return ran{}, err
	}
	result, err := rows(stmt, size)
	return ran{result, left}, errors.Join(err, stmt.Finalize())
}

func rows(stmt *sqlite.Stmt, size *int) (Result, error) {
	var r Result
	for i := range stmt.ColumnCount() {
		r.Columns = append(r.Columns, stmt.ColumnName(i))
	}
	r.Rows = []any{}
	for {
		more, err := stmt.Step()
		if err != nil || !more {
			return r, err
		}
		row := make([]any, stmt.ColumnCount())
		for i := range row {
			row[i] = value(stmt, i)
			*size += stmt.ColumnLen(i)
		}
		r.Rows = append(r.Rows, row)
		if len(r.Rows) > maxRows || *size > maxBytes {
			return r, fmt.Errorf("the answer is larger than %d rows or %d bytes; take a LIMIT", maxRows, maxBytes)
		}
	}
}

// value is a column as JSON has it; a blob is told in base64.
func value(stmt *sqlite.Stmt, i int) any {
	switch stmt.ColumnType(i) {
	case sqlite.TypeInteger:
		return json.Number(strconv.FormatInt(stmt.ColumnInt64(i), 10))
	case sqlite.TypeFloat:
		if f := stmt.ColumnFloat(i); !math.IsInf(f, 0) && !math.IsNaN(f) {
			return f
		}
	case sqlite.TypeText:
		return strings.ToValidUTF8(stmt.ColumnText(i), "\uFFFD")
	case sqlite.TypeBlob:
		b := make([]byte, stmt.ColumnLen(i))
		stmt.ColumnBytes(i, b)
		return base64.StdEncoding.EncodeToString(b)
	}
	return nil
}

// Drop takes a database's file away; one that never was is no error.
func (d *Databases) Drop(account int64, key string) error {
	file := d.file(account, key)
	for _, name := range []string{file, file + "-journal"} {
		if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("drop a database: %w", err)
		}
	}
	return nil
}
