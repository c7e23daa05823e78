package gql

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/graphql-go/graphql"
)

// harbour is the schema of a real GraphQL server: ships with a filter, an older
// name of theirs, and a mutation that nobody must know of.
func harbour(t testing.TB) *Schema {
	t.Helper()
	filter := graphql.NewInputObject(graphql.InputObjectConfig{Name: "ShipFilter", Fields: graphql.InputObjectConfigFieldMap{
		"name": {Type: graphql.String}, "nameLike": {Type: graphql.String}, "nameIn": {Type: graphql.NewList(graphql.String)},
		"length": {Type: graphql.Int}, "lengthGte": {Type: graphql.Int}, "nameless": {Type: graphql.Boolean},
	}})
	order := graphql.NewEnum(graphql.EnumConfig{Name: "ShipOrder", Values: graphql.EnumValueConfigMap{
		"name_ASC": {Value: 1}, "name_DESC": {Value: 2},
	}})
	flag := graphql.NewObject(graphql.ObjectConfig{Name: "Flag", Fields: graphql.Fields{"country": {Type: graphql.String}}})
	ship := graphql.NewObject(graphql.ObjectConfig{Name: "Ship", Description: "What lies here.", Fields: graphql.Fields{
		"name": {Type: graphql.NewNonNull(graphql.String)}, "length": {Type: graphql.Int, Description: "in metres"}, "flag": {Type: flag},
	}})
	ships := &graphql.Field{Type: graphql.NewList(ship), Description: "All ships in the harbour.", Args: graphql.FieldConfigArgument{
		"limit": {Type: graphql.Int, DefaultValue: 10}, "filter": {Type: filter}, "orderBy": {Type: order},
	}}
	vessels := *ships
	vessels.DeprecationReason = "Take ships."
	tide := graphql.NewObject(graphql.ObjectConfig{Name: "Tide", Fields: graphql.Fields{"height": {Type: graphql.Float}}})
	schema, err := graphql.NewSchema(graphql.SchemaConfig{
		Query: graphql.NewObject(graphql.ObjectConfig{Name: "Root", Fields: graphql.Fields{
			"ships": ships, "vessels": &vessels, "tides": {Type: tide, Description: "The water's height."},
		}}),
		Mutation: graphql.NewObject(graphql.ObjectConfig{Name: "Change", Fields: graphql.Fields{"sink": {Type: graphql.Boolean}}}),
	})
	if err != nil {
		t.Fatal(err)
	}
	answer := graphql.Do(graphql.Params{Schema: schema, RequestString: Introspection})
	if answer.HasErrors() {
		t.Fatal(answer.Errors)
	}
	read, err := ReadSchema(answer.Data)
	if err != nil {
		t.Fatal(err)
	}
	return read
}

func TestOnlyOneBoundedQueryThatTheSchemaKnowsIsSent(t *testing.T) {
	s := harbour(t)
	wide := "{ " + strings.Repeat("ships { name } ", 7) + "}"
	for _, c := range []struct {
		name, query string
		variables   map[string]any
		want        string // "": it may be sent
	}{
		{"a query", `{ ships(limit: 3, filter: {nameLike: "%a%"}, orderBy: name_ASC) { name flag { country } } }`, nil, ""},
		{"a named query with a variable", `query Q($n: Int!) { ships(limit: $n) { name } }`, map[string]any{"n": json.Number("3")}, ""},
		{"a fragment", `{ ships { ...S } } fragment S on Ship { name }`, nil, ""},
		{"the type of a thing", `{ ships { __typename } __type(name: "Ship") { fields { name type { name } } } }`, nil, ""},
		{"prose", "You could look at the ships.", nil, "no GraphQL query"},
		{"nothing", "", nil, "exactly one operation, not 0"},
		{"a fragment alone", "fragment S on Ship { name }", nil, "exactly one operation, not 0"},
		{"a mutation", "mutation { sink }", nil, "never a mutation"},
		{"a subscription", "subscription { ships { name } }", nil, "never a subscription"},
		{"a mutation behind a query", "query A { ships { name } } mutation B { sink }", nil, "exactly one operation, not 2"},
		{"a type definition", "type Ship { name: String }", nil, "no GraphQL query"},
		{"a field that is none", "{ ships { nmae } }", nil, `Did you mean "name"`},
		{"a data set that is none", "{ shipps { name } }", nil, `Did you mean "ships"`},
		{"an argument that is none", "{ ships(limits: 3) { name } }", nil, `Did you mean "limit"`},
		{"a filter key that is none", `{ ships(filter: {lengthGt: 3}) { name } }`, nil, `Did you mean "lengthGte"`},
		{"a value of another type", `{ ships(limit: "3") { name } }`, nil, "Int cannot represent"},
		{"no selection", "{ ships }", nil, "must have a selection"},
		{"a variable that is missing", `query ($n: Int!) { ships(limit: $n) { name } }`, nil, "must be defined"},
		{"a variable of another type", `query ($n: Int) { ships(limit: $n) { name } }`, map[string]any{"n": "many"}, "cannot use string as Int"},
		{"a variable that is not declared", `{ ships { name } }`, map[string]any{"n": 1}, "declares no $n"},
		{"many data sets under aliases", "{ " + "a: ships { name } b: ships { name } c: ships { name } d: ships { name } e: ships { name } f: ships { name } g: ships { name } }", nil, "at most 6"},
		{"the same data set many times", wide, nil, "at most 6"},
		{"too many fields", "{ ships { " + strings.Repeat("name ", 401) + "} }", nil, "more than 400 fields"},
		{"many fields by fragments of fragments", "{ ships { ...A ...A } } fragment A on Ship { ...B ...B ...B ...B ...B ...B } fragment B on Ship { ...C ...C ...C ...C ...C ...C } fragment C on Ship { " + strings.Repeat("name ", 10) + "}", nil, "more than 400 fields"},
		{"a fragment in itself", "{ ships { ...A } } fragment A on Ship { ...B } fragment B on Ship { ...A }", nil, "spreads itself"},
		{"a fragment that is missing", "{ ships { ...A } }", nil, "no fragment A"},
		{"introspection without end", `{ __schema { types { fields { type { fields { type { fields { type { fields { name } } } } } } } } } }`, nil, "introspection depth"},
		{"too deep", strings.Repeat("{ a ", 14) + strings.Repeat("}", 14), nil, "14 levels deep"},
		{"deeper than a parser should go", strings.Repeat("{a", 3000), nil, "no GraphQL query"},
		{"too long", "{ ships { name } } #" + strings.Repeat("x", maxBytes), nil, "at most 20000"},
		{"bytes that are no text", "{ ships(filter: {name: \"\xff\"}) { name } } \x00", nil, "no GraphQL query"},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := s.Check(c.query, c.variables)
			switch {
			case c.want == "" && err != nil:
				t.Errorf("refused: %v", err)
			case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}

func TestAFaultNamesTheTypesThatItIsAbout(t *testing.T) {
	err := harbour(t).Check("{ ships { nmae flag { cuontry } } }", nil)
	refused, ok := err.(*Refused)
	if !ok {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"Flag", "Ship"}, refused.Types); diff != "" || len(refused.Faults) != 2 {
		t.Errorf("faults %q about %v", refused.Faults, refused.Types)
	}
}

func TestWhatAModelWroteIsReducedToItsQuery(t *testing.T) {
	for _, c := range []struct{ name, answer, want string }{
		{"a bare query", " { ships { name } } ", "query {\n  ships {\n    name\n  }\n}"},
		{"a block in prose", "Sure:\n```graphql\n{ ships { name } }\n```\nDone.", "query {\n  ships {\n    name\n  }\n}"},
		{"a block without a language", "```\n{ ships { name } }\n```", "query {\n  ships {\n    name\n  }\n}"},
		{"comments are no part of it", "{ ships { name } } # obey me", "query {\n  ships {\n    name\n  }\n}"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := Canonical(Extract(c.answer))
			if diff := cmp.Diff(c.want, got); diff != "" || err != nil {
				t.Errorf("%v\n%s", err, diff)
			}
		})
	}
}

func TestASchemaIsToldCompactly(t *testing.T) {
	s := harbour(t)
	for name, want := range map[string]string{
		"ShipFilter": "input ShipFilter {\n  length: Int  # or with a suffix: Gte\n  name: String  # or with a suffix: Like; In ([String])\n  nameless: Boolean\n}\n",
		"ShipOrder":  "enum ShipOrder { name_ASC|DESC }\n",
		"Ship":       "type Ship {  # What lies here.\n  flag: Flag\n  length: Int  # in metres\n  name: String!\n}\n",
	} {
		if got, ok := s.Describe(name); !ok || sorted(got) != sorted(want) {
			t.Errorf("%s is told as\n%s, want\n%s", name, got, want)
		}
	}
	overview := s.Overview()
	for _, want := range []string{"ships(", "limit: Int = 10", "filter: ShipFilter", ": [Ship]  # All ships in the harbour.", "# deprecated: Take ships."} {
		if !strings.Contains(overview, want) {
			t.Errorf("%q is not in\n%s", want, overview)
		}
	}
	if strings.Contains(overview, "__schema") || strings.Contains(overview, "sink") {
		t.Errorf("it tells too much:\n%s", overview)
	}
	for _, hidden := range []string{"Change", "Root", "String", "__Type"} {
		if part := s.Part(10_000, hidden); part != "" {
			t.Errorf("%s is told: %s", hidden, part)
		}
	}
	if part := s.Part(10_000, "ships"); !strings.Contains(part, "type Flag") || !strings.Contains(part, "input ShipFilter") || strings.Contains(part, "Tide") {
		t.Errorf("the part about ships is\n%s", part)
	}
	if part := s.Part(60, "ships"); len(part) > 60 {
		t.Errorf("%d bytes, at most 60:\n%s", len(part), part)
	}
}

// sorted is the lines of a text in order: servers list fields in any.
func sorted(text string) string {
	lines := strings.Split(text, "\n")
	for i := range lines {
		for j := i + 1; j < len(lines); j++ {
			if lines[j] < lines[i] {
				lines[i], lines[j] = lines[j], lines[i]
			}
		}
	}
	return strings.Join(lines, "\n")
}

func TestWhatSuitsAGoalComesFirst(t *testing.T) {
	s := harbour(t)
	for goal, want := range map[string]string{
		"How high is the tide?":           "tides ships vessels",
		"Which ships are longer than 20?": "ships tides vessels",
		"the country of each flag":        "ships tides vessels",
	} {
		if got := strings.Join(s.Relevant(goal), " "); got != want && !strings.HasPrefix(got, strings.Fields(want)[0]) {
			t.Errorf("%q: %s, want %s", goal, got, want)
		}
	}
	if got := s.Relevant("vessels"); got[len(got)-1] != "vessels" {
		t.Errorf("what is deprecated does not come last: %v", got)
	}
}

func TestNearNamesAreOffered(t *testing.T) {
	for name, want := range map[string]string{"Shipp": "Ship", "shipfilter": "ShipFilter", "Xyzzyx": ""} {
		near := Nearest(name, []string{"ShipFilter", "Flag", "Ship"})
		if want == "" && len(near) > 0 || want != "" && (len(near) == 0 || near[0] != want) {
			t.Errorf("%s is near %v, want %q", name, near, want)
		}
	}
}

func TestASchemaThatDoesNotHoldTogetherIsRefused(t *testing.T) {
	for _, text := range []string{
		`null`, `{}`, `{"__schema": {"queryType": {"name": "Q"}, "types": []}}`,
		`{"__schema": {"queryType": {"name": "Q"}, "types": [{"kind": "OBJECT", "name": "Q", "fields": [{"name": "a", "type": {"kind": "OBJECT", "name": "Nowhere"}}]}]}}`,
		`{"__schema": {"queryType": {"name": "Q"}, "types": [{"kind": "OBJECT", "name": "Q", "fields": [{"name": "a", "type": {"kind": "LIST"}}]}]}}`,
		`{"__schema": {"queryType": {"name": "Q"}, "types": [{"kind": "SONG", "name": "Q", "fields": [{"name": "a", "type": {"kind": "SCALAR", "name": "Int"}}]}]}}`,
	} {
		var data any
		if err := json.Unmarshal([]byte(text), &data); err != nil {
			t.Fatal(err)
		}
		if _, err := ReadSchema(data); err == nil {
			t.Errorf("%s was taken", text)
		}
	}
}

func FuzzCheck(f *testing.F) {
	for _, seed := range []string{
		`{ ships(limit: 3, filter: {nameLike: "%a%"}) { name flag { country } } }`, "mutation { sink }",
		"{ ships { ...A } } fragment A on Ship { ...A }", "query A { tides { height } } query B { tides { height } }",
		"{ a: tides { height } __schema { types { name } } }", "subscription { x }", "{ ships @skip(if: true) { name } }", "\"\"\"", "{",
	} {
		f.Add(seed)
	}
	s := harbour(f)
	f.Fuzz(func(t *testing.T, text string) {
		if s.Check(text, nil) != nil {
			return
		}
		canonical, err := Canonical(text)
		if err != nil {
			t.Fatalf("passed, and cannot be read again: %v", err)
		}
		if err := s.Check(canonical, nil); err != nil {
			t.Fatalf("%q passes, its own form %q does not: %v", text, canonical, err)
		}
		if !strings.HasPrefix(canonical, "query") && !strings.HasPrefix(canonical, "{") && !strings.HasPrefix(canonical, "fragment") {
			t.Fatalf("what passes is no query: %q", canonical)
		}
		if strings.Contains(canonical, "sink") && !strings.Contains(canonical, `"`) {
			t.Fatalf("a mutation's field passes: %q", canonical)
		}
	})
}

func FuzzReadSchema(f *testing.F) {
	f.Add(`{"__schema": {"queryType": {"name": "Q"}, "types": [{"kind": "OBJECT", "name": "Q", "fields": [{"name": "a", "args": [{"name": "n", "type": {"kind": "SCALAR", "name": "Int"}, "defaultValue": "3"}], "type": {"kind": "SCALAR", "name": "Int"}}]}]}}`)
	f.Add(`{"__schema": {"queryType": {"name": "String"}, "types": [{"kind": "ENUM", "name": "Q"}]}}`)
	f.Fuzz(func(t *testing.T, text string) {
		var data any
		if json.Unmarshal([]byte(text), &data) != nil {
			return
		}
		if s, err := ReadSchema(data); err == nil {
			_, _ = s.Overview(), s.Part(1000, s.Relevant("a")...) // must not panic
			_ = s.Check("{ a }", nil)
		}
	})
}
