package storage_test

import (
	"bytes"
	"context"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"zombiezen.com/go/sqlite"

	"github.com/comporta-mcp/comporta/pkg/statement"
)

// judge is a real database that tells what a statement did.
type judge struct {
	t    testing.TB
	conn *sqlite.Conn
}

func newJudge(t testing.TB) *judge {
	t.Helper()
	conn, err := sqlite.OpenConn(":memory:")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	j := &judge{t, conn}
	if err := j.run(`CREATE TABLE t (a INTEGER PRIMARY KEY, b TEXT); CREATE INDEX i ON t (b); CREATE TABLE u (c TEXT);
		CREATE VIEW v AS SELECT a FROM t; INSERT INTO t VALUES (1, 'x'), (2, 'y'); INSERT INTO u VALUES ('DELETE FROM t');`); err != nil {
		t.Fatal(err)
	}
	return j
}

// run runs every statement of a text, up to 1000 rows of each.
func (j *judge) run(text string) error {
	deadline, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	defer j.conn.SetInterrupt(j.conn.SetInterrupt(deadline.Done()))
	for strings.TrimSpace(text) != "" {
		statement, trailing, err := j.conn.PrepareTransient(text)
		if err != nil {
			return err
		}
		text = text[len(text)-trailing:]
		for range 1000 {
			more, err := statement.Step()
			if err != nil || !more {
				break
			}
		}
		if err := statement.Finalize(); err != nil {
			return err
		}
	}
	return nil
}

// state is the whole database, what is attached to it, and how it is set.
func (j *judge) state() []byte {
	j.t.Helper()
	state, err := j.conn.Serialize("main")
	if err != nil {
		j.t.Fatal(err)
	}
	statement, _, err := j.conn.PrepareTransient(`SELECT (SELECT count(*) FROM pragma_database_list WHERE name <> 'temp'),
		(SELECT foreign_keys FROM pragma_foreign_keys), (SELECT count(*) FROM temp.sqlite_schema)`)
	if err != nil {
		j.t.Fatal(err)
	}
	defer func() { _ = statement.Finalize() }()
	if _, err := statement.Step(); err != nil {
		j.t.Fatal(err)
	}
	return append(state, byte(statement.ColumnInt(0)), byte(statement.ColumnInt(1)), byte(statement.ColumnInt(2)))
}

// changes runs a text and reports whether anything is different afterwards. A
// text that SQLite refuses may still have begun with one that it took.
func (j *judge) changes(text string) bool {
	j.t.Helper()
	before := j.state()
	_ = j.run(text)
	return !bytes.Equal(before, j.state()) || !j.conn.AutocommitEnabled()
}

func TestTheJudgeSeesWrites(t *testing.T) {
	for _, text := range []string{
		"DELETE FROM t", "WITH x AS (SELECT 1) DELETE FROM t", "PRAGMA user_version = 5", "SELECT 1; DROP TABLE u",
		"SELECT * FROM pragma_optimize(0x10002)", "CREATE TABLE w (x)", "ATTACH ':memory:' AS m", "BEGIN", "CREATE TEMP TABLE w (x)", "PRAGMA foreign_keys = ON",
	} {
		if !newJudge(t).changes(text) {
			t.Errorf("%s: nothing changed", text)
		}
	}
}

var fragments = strings.Split(`SELECT|WITH|VALUES|EXPLAIN|QUERY PLAN|PRAGMA|FROM|WHERE|AS|(|)|,|;|;|*|1|'x'|"a"|[b]|x(c)|RECURSIVE|UNION ALL|LIMIT 5|
DELETE FROM t|INSERT INTO u VALUES (1)|REPLACE INTO t VALUES (1,2)|UPDATE t SET b = 2|DROP TABLE u|CREATE TABLE w (x)|INSERT INTO u SELECT 1|
user_version|= 5|(5)|foreign_keys|table_info(t)|optimize|pragma_optimize|pragma_table_info('t')|t|u|v|a|b|c|x|AS (SELECT 1)|AS MATERIALIZED (SELECT a FROM t)|
WITH x AS (SELECT 1)|SELECT a FROM t|SELECT 1|replace('a','b','c')|count(*)|json_each('[1]')|--|/*|*/|'|"|`+"`"+`|[|]|''|\'|\|$a(|?1|:a|@b|#c|
RETURNING *|ON CONFLICT DO NOTHING|BEGIN|COMMIT|ATTACH ':memory:' AS m|REINDEX|ANALYZE|VACUUM|load_extension('x')|.|main.|temp.|e1|0x1|x'00'|'
DELETE FROM u`, "|")

// FuzzNothingThatWritesIsTakenForARead: what counts as a read changes nothing in
// a real SQLite.
func FuzzNothingThatWritesIsTakenForARead(f *testing.F) {
	for _, seed := range []string{
		"SELECT 1; DELETE FROM t", "WITH x AS (SELECT 1)\ufeffDELETE FROM t", "SELECT '\\'; DELETE FROM t; --'",
		"EXPLAIN PRAGMA user_version = 5", "SELECT * FROM \"pragma_optimize\"", "SELECT 1 /* ; */ ; DROP TABLE u",
		"WITH x(a) AS (VALUES(1)) REPLACE INTO t SELECT a, a FROM x", "SELECT [a]; DELETE FROM t", "SELECT $a(';DELETE FROM t;--')",
	} {
		f.Add(seed)
	}
	j := newJudge(f)
	f.Fuzz(func(t *testing.T, text string) {
		if statement.Reads(text) && j.changes(text) {
			t.Errorf("%q counts as a read and changed the database", text)
		}
	})
}

// TestNoMixOfFragmentsIsTakenForARead is the same over what SQL is made of, which
// a fuzzer would find late.
func TestNoMixOfFragmentsIsTakenForARead(t *testing.T) {
	random := rand.New(rand.NewPCG(11, 12))
	j, reads := newJudge(t), 0
	for range 60_000 {
		var text strings.Builder
		for range 1 + random.IntN(9) {
			text.WriteString(strings.Trim(fragments[random.IntN(len(fragments))], "\n"))
			text.WriteString([]string{" ", "", "\n", "\t", "/**/", "--\n"}[random.IntN(6)])
		}
		if !statement.Reads(text.String()) {
			continue
		}
		if reads++; j.changes(text.String()) {
			t.Fatalf("%q counts as a read and changed the database", text.String())
		}
	}
	if reads < 500 {
		t.Errorf("only %d of the mixes were taken for reads: this shows nothing", reads)
	}
}
