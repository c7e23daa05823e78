package yardstick

import (
	"database/sql"
	"strings"
	"unicode"

	_ "modernc.org/sqlite" // the driver, with FTS5
)

// FTS is SQLite's FTS5 with its terms joined by OR and titles counting five
// times, which is the better of its two baselines.
type FTS struct{ db *sql.DB }

// NewFTS indexes documents. Close it.
func NewFTS(documents []Document) (*FTS, error) {
	db, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1) // each connection would have a memory of its own
	f := &FTS{db}
	if err := f.fill(documents); err != nil {
		db.Close()
		return nil, err
	}
	return f, nil
}

// table is the table of a corpus: statistics of one must not mix with another's.
func table(corpus string) string { return "t_" + strings.ReplaceAll(corpus, "-", "_") }

func (f *FTS) fill(documents []Document) error {
	tx, err := f.db.Begin()
	if err != nil {
		return err
	}
	made := map[string]bool{}
	for _, d := range documents {
		t := table(d.Corpus)
		if !made[t] {
			if _, err := tx.Exec("CREATE VIRTUAL TABLE " + t + " USING fts5(title, text, path UNINDEXED)"); err != nil {
				return err
			}
			made[t] = true
		}
		if _, err := tx.Exec("INSERT INTO "+t+" VALUES (?, ?, ?)", d.Title, d.Text, d.Path); err != nil {
			return err
		}
	}
	return tx.Commit()
}

// Close frees the database.
func (f *FTS) Close() error { return f.db.Close() }

// Search gives the paths of the best n documents.
func (f *FTS) Search(corpus, query string, n int) ([]string, error) {
	var terms []string
	for _, word := range strings.FieldsFunc(query, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		terms = append(terms, `"`+word+`"`)
	}
	if len(terms) == 0 {
		return nil, nil
	}
	t := table(corpus)
	rows, err := f.db.Query("SELECT path FROM "+t+" WHERE "+t+" MATCH ? ORDER BY bm25("+t+", 5.0, 1.0) LIMIT ?", strings.Join(terms, " OR "), n)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var out []string
	for rows.Next() {
		var path string
		if err := rows.Scan(&path); err != nil {
			return nil, err
		}
		out = append(out, path)
	}
	return out, rows.Err()
}
