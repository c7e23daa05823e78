package statement

import "strings"

func set(words string) map[string]bool {
	out := map[string]bool{}
	for word := range strings.FieldsSeq(words) {
		out[word] = true
	}
	return out
}

// verbs are the bare words without which nothing is changed. SQLite takes none of
// the first line for a bare name; as one of the others (a column called
// "release") it only asks for a confirmation more.
var verbs = set(`INSERT UPDATE DELETE CREATE DROP ALTER INTO SET REPLACE
	ATTACH DETACH VACUUM REINDEX ANALYZE PRAGMA BEGIN COMMIT ROLLBACK SAVEPOINT RELEASE RETURNING`)

// beforeParen are the keywords that a parenthesis may follow, so that they are no
// function's name.
var beforeParen = set(`SELECT FROM WHERE AND OR NOT IN AS ON USING BY HAVING LIMIT OFFSET WHEN THEN ELSE
	CASE BETWEEN LIKE GLOB MATCH REGEXP ESCAPE IS ISNULL NOTNULL EXISTS VALUES UNION ALL EXCEPT INTERSECT JOIN
	OVER FILTER WINDOW DISTINCT CAST COLLATE MATERIALIZED PARTITION`)

// functions are SQLite's own that change nothing: core, dates, aggregates,
// windows, mathematics, JSON, full-text search, and the table-valued ones. Not
// among them: load_extension, fts3_tokenizer, and whatever an extension brings.
var functions = set(`
	abs changes char coalesce concat concat_ws format glob hex if ifnull iif instr last_insert_rowid length like
	likelihood likely lower ltrim max min nullif octet_length printf quote random randomblob replace round rtrim
	sign soundex sqlite_compileoption_get sqlite_compileoption_used sqlite_source_id sqlite_version substr substring
	subtype total_changes trim typeof unhex unicode unistr unistr_quote unlikely upper zeroblob
	date time datetime julianday unixepoch strftime timediff current_date current_time current_timestamp
	avg count group_concat string_agg sum total median percentile percentile_cont percentile_disc
	row_number rank dense_rank percent_rank cume_dist ntile lag lead first_value last_value nth_value
	acos acosh asin asinh atan atan2 atanh ceil ceiling cos cosh degrees exp floor ln log log10 log2 mod pi pow
	power radians sin sinh sqrt tan tanh trunc
	json jsonb json_array jsonb_array json_array_length json_error_position json_extract jsonb_extract json_insert
	jsonb_insert json_object jsonb_object json_patch jsonb_patch json_pretty json_remove jsonb_remove json_replace
	jsonb_replace json_set jsonb_set json_type json_valid json_quote json_group_array jsonb_group_array
	json_group_object jsonb_group_object json_each jsonb_each json_tree jsonb_tree
	highlight snippet bm25 matchinfo offsets generate_series`)

// readingPragmas tell something, and about what their argument says.
var readingPragmas = strings.Fields(`table_info table_xinfo table_list index_list index_info index_xinfo
	foreign_key_list database_list collation_list function_list module_list pragma_list compile_options`)

// tellingPragmas tell something as long as no value is given to them.
var tellingPragmas = strings.Fields(`user_version application_id schema_version foreign_keys encoding page_count
	page_size freelist_count auto_vacuum data_version`)
