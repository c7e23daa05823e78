package statement_test

import (
	"testing"

	"github.com/comporta-mcp/comporta/pkg/statement"
)

func TestWhatOnlyReads(t *testing.T) {
	for sql, reads := range map[string]bool{
		"SELECT 1": true,
		"select * from orders where note = 'delete; all'": true,
		"SELECT \"update\", [drop], `insert` FROM t":      true,
		"SELECT /* DELETE FROM t; */ 1 -- ; DROP TABLE t": true,
		"SELECT 1; SELECT 2;":                             true,
		"VALUES (1, 2), (3, 4)":                           true,
		"WITH x(a, b) AS (SELECT 1, 2), y(c) AS MATERIALIZED (SELECT a FROM x) SELECT * FROM y":           true,
		"WITH RECURSIVE n(i) AS (VALUES(1) UNION ALL SELECT i+1 FROM n WHERE i<9) SELECT i FROM n":        true,
		"SELECT replace(name, 'a', 'b'), count(*) FILTER (WHERE x IN (1,2)) OVER (PARTITION BY y) FROM t": true,
		"SELECT j->>'$.a' FROM t, json_each(t.tags)":                                                      true,
		"SELECT preço, ação FROM pedidos":                                                                 true,
		"EXPLAIN QUERY PLAN SELECT * FROM t":                                                              true,
		"PRAGMA table_info(orders)":                                                                       true,
		"PRAGMA main.user_version":                                                                        true,
		"SELECT name FROM pragma_table_info('t')":                                                         true,
		"SELECT x'00', 1e5, .5, 0x1F":                                                                     true,
		"SELECT 1 /* never ended":                                                                         true,

		"":                                   false,
		" ; -- nothing":                      false,
		"DELETE FROM t":                      false,
		"SELECT 1; DELETE FROM t":            false,
		"WITH x AS (SELECT 1) DELETE FROM t": false,
		"WITH x AS (SELECT 1) REPLACE INTO t VALUES (1)":    false,
		"WITH x AS (SELECT 1)/**/INSERT/**/INTO t SELECT 1": false,
		"WITH x AS (SELECT 1)\ufeffDELETE FROM t":           false,
		"SELECT 1\x00; DROP TABLE t":                        false,
		"SELECT 'a''; SELECT 1; DELETE FROM t; --'":         true,
		"SELECT 'a\\'; DELETE FROM t; --'":                  false,
		"SELECT \"a\"\"; DELETE FROM t; --\"":               true,
		"SELECT [a]]; DELETE FROM t":                        false,
		"SELECT 'never closed; DELETE FROM t":               false,
		"SELECT 1 -- \r; DELETE FROM t":                     true,
		"SELECT 1 -- \n; DELETE FROM t":                     false,
		"SELECT 1 /* */ */; DELETE FROM t":                  false,
		"SELECT $a('; DELETE FROM t; --')":                  false,
		"SELECT ?1":                                         false,
		"EXPLAIN DELETE FROM t":                             false,
		"EXPLAIN PRAGMA user_version = 5":                   false,
		"EXPLAIN EXPLAIN SELECT 1":                          false,
		"PRAGMA user_version = 5":                           false,
		"PRAGMA user_version(5)":                            false,
		"PRAGMA journal_mode=DELETE":                        false,
		"PRAGMA optimize":                                   false,
		"SELECT * FROM pragma_optimize":                     false,
		"SELECT * FROM 'pragma_optimize'":                   false,
		"SELECT * FROM [PRAGMA_optimize](0xfffe)":           false,
		"SELECT load_extension('x')":                        false,
		"SELECT \"load_extension\"('x')":                    false,
		"SELECT writefile('a', 'b')":                        false,
		"SELECT unknown_function(1)":                        false,
		"ATTACH 'other.db' AS o":                            false,
		"VACUUM INTO 'copy.db'":                             false,
		"BEGIN":                                             false,
		"CREATE TABLE a AS SELECT 1":                        false,
		"SELECT 1 INTO t":                                   false,
		"(SELECT 1)":                                        false,
		"'SELECT' 1":                                        false,
	} {
		if got := statement.Reads(sql); got != reads {
			t.Errorf("Reads(%q) = %t", sql, got)
		}
	}
}

func TestStatementsAreCounted(t *testing.T) {
	for sql, want := range map[string]int{
		"": 0, ";;": 0, "SELECT 1": 1, "SELECT 1;": 1, "SELECT 1; SELECT ';'; -- ;\n SELECT 3": 3,
		"SELECT ?": 1, "SELECT ?; SELECT 2": 2, "CREATE TRIGGER a AFTER INSERT ON t BEGIN DELETE FROM u; DELETE FROM v; END": 3,
	} {
		if got := statement.Count(sql); got != want {
			t.Errorf("Count(%q) = %d, want %d", sql, got, want)
		}
	}
}
