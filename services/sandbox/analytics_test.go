package sandbox

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// ask sends a query about the last and the next hour; %s in it is the filter of that time.
func (b *box) ask(who, endpoint, query string, variables map[string]any) got {
	b.t.Helper()
	const form = "2006-01-02T15:04:05"
	now := time.Now().UTC()
	hours := fmt.Sprintf("tsRange: {begin: %q, end: %q}", now.Add(-time.Hour).Format(form), now.Add(time.Hour).Format(form))
	answer, err := b.send(who, http.MethodPost, "/"+endpoint+"/graphql", map[string]any{
		"query": strings.ReplaceAll(query, "%s", hours), "variables": variables,
	})
	if err != nil {
		b.t.Fatal(err)
	}
	return answer
}

func (g got) message() string {
	list, _ := g.body["errors"].([]any)
	if len(list) == 0 {
		return ""
	}
	first, _ := list[0].(map[string]any)
	return fmt.Sprint(first["message"])
}

func TestItsOwnTrafficIsAskedByGraphQL(t *testing.T) {
	b := open(t, gardens())
	for range 3 {
		b.do(200, "member", http.MethodGet, "/workspace/gardens", nil)
	}
	b.do(404, "member", http.MethodGet, "/nowhere", nil)
	b.do(200, "outsider", http.MethodGet, "/workspace/gardens", nil)

	for _, c := range []struct {
		name, who, endpoint, query, want string
	}{
		{"requests by status", "member", "metrics",
			`{ httpMetrics(filter: {%s, requestMethod: "GET"}, aggregate: {count: rows}, groupBy: [status], orderBy: [count_DESC]) { status count } }`,
			"httpMetrics [map[count:3 status:200] map[count:1 status:404]]"},
		{"summed fields without an aggregate", "reader", "metrics",
			`{ httpMetrics(filter: {%s, statusRange: {begin: 200, end: 299}, requestMethodNe: "POST"}, groupBy: [requestMethod]) { requestMethod requests } }`,
			"httpMetrics [map[requestMethod:GET requests:3]]"},
		{"another company has other events", "outsider", "metrics",
			`{ httpMetrics(filter: {%s}, aggregate: {sum: requests}, groupBy: [requestMethod]) { sum } }`,
			"httpMetrics [map[sum:1]]"},
		{"events one by one, in order, with a pattern", "member", "events",
			`{ workloadEvents(filter: {%s, requestUriLike: "%/gar%", not: {status: 500}}, orderBy: [ts_ASC], limit: 2) { requestUri status } }`,
			"workloadEvents [map[requestUri:/v4/workspace/gardens status:200] map[requestUri:/v4/workspace/gardens status:200]]"},
		{"either of two", "member", "events",
			`{ workloadEvents(filter: {%s, or: {status: 404, requestUri: "/none"}}) { requestUri } }`,
			"workloadEvents [map[requestUri:/v4/nowhere]]"},
		{"usage of a day", "outsider", "consumption",
			`{ workloadConsumptionMetrics(filter: {%s, metricName: "requests"}, aggregate: {sum: accounted}, groupBy: [metricName]) { metricName total: sum } }`,
			"workloadConsumptionMetrics [map[metricName:requests total:2]]"},
		{"the month's account", "outsider", "accounting",
			`{ accountingDetail(filter: {metricSlug: "requests", periodFrom: "2020-01-01", periodTo: "2199-12-31"}) { accounted productSlug } }`,
			"accountingDetail [map[accounted:3 productSlug:content_delivery]]"},
		{"none in a period that is over", "outsider", "accounting",
			`{ accountingDetail(filter: {periodTo: "2020-01-31"}) { accounted } }`,
			"accountingDetail []"},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := b.ask(c.who, c.endpoint, c.query, nil)
			var told []string
			for name, rows := range g.data() {
				told = append(told, fmt.Sprint(name, " ", rows))
			}
			if diff := cmp.Diff(c.want, strings.Join(told, "")); diff != "" {
				t.Errorf("%d %s\n%s", g.status, g.raw, diff)
			}
		})
	}
}

func TestAQueryThatTheDocumentationForbidsIsRefused(t *testing.T) {
	b := open(t, gardens())
	for _, c := range []struct {
		name, query string
		variables   map[string]any
		want        string
	}{
		{"no time", `{ httpMetrics(limit: 1, groupBy: [host]) { host } }`, nil, "time interval"},
		{"more rows than there may be", `{ httpMetrics(limit: 10001, filter: {%s}, groupBy: [host]) { host } }`, nil, "limit"},
		{"a field that is none", `{ httpMetrics(filter: {%s}) { hosst } }`, nil, "hosst"},
		{"an argument that is none", `{ httpMetrics(filter: {%s}, top: 3) { host } }`, nil, "top"},
		{"a selected field that is not grouped", `{ httpMetrics(filter: {%s}, groupBy: [status]) { host } }`, nil, "groupBy"},
		{"an aggregate nobody asked for", `{ httpMetrics(filter: {%s}, groupBy: [status]) { sum } }`, nil, "aggregate"},
		{"a mutation", `mutation { httpMetrics { host } }`, nil, "mutation"},
		{"a variable of another type", `query ($n: Int) { httpMetrics(limit: $n, filter: {%s}) { host } }`, map[string]any{"n": "x"}, "$n"},
		{"no query", "", nil, "query"},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := b.ask("member", "metrics", c.query, c.variables)
			if g.status != http.StatusBadRequest || !strings.Contains(g.message(), c.want) {
				t.Errorf("%d %s, want a 400 that speaks of %q", g.status, g.raw, c.want)
			}
		})
	}
	b.do(http.StatusMethodNotAllowed, "member", http.MethodGet, "/metrics/graphql", nil)
	if g := b.ask("nobody", "metrics", "{ httpMetrics(filter: {%s}) { host } }", nil); g.status != http.StatusUnauthorized {
		t.Errorf("without a token it answers %d", g.status)
	}
}

func TestTheSchemasTellThemselves(t *testing.T) {
	b := open(t, gardens())
	for endpoint, want := range map[string]string{
		"metrics": "httpMetrics", "events": "workloadEvents", "accounting": "accountingDetail", "consumption": "workloadConsumptionMetrics",
	} {
		g := b.ask("reader", endpoint, `{ __schema { queryType { fields { name args { name type { name ofType { name } } } } } mutationType { name } } }`, nil)
		if g.status != http.StatusOK || !strings.Contains(string(g.raw), want) {
			t.Errorf("%s answers %d %s", endpoint, g.status, g.raw)
		}
	}
}
