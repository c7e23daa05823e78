package graph

import (
	"time"

	"github.com/comporta-mcp/comporta/services/sandbox/internal/traffic"
)

// row is one record of a data set; its values are string, int64, float64 and time.Time.
type row = map[string]any

type kind int

const (
	text kind = iota
	integer
	float
	moment
	day // "2026-03-01"
)

// field is one field of a data set.
type field struct {
	name  string
	kind  kind
	added bool // its values are added up where rows are grouped
	about string
}

// dataset is one query field of an endpoint.
type dataset struct {
	name     string
	about    string
	obsolete string // what to take instead; "" where it is the right one
	grouped  bool   // it takes aggregate and groupBy, and its time is rounded
	byPeriod bool   // its time is periodFrom and periodTo, not ts
	fields   []field
	rows     func(company int64, events []traffic.Event, step time.Duration) []row
}

func (d dataset) field(name string) (field, bool) {
	for _, f := range d.fields {
		if f.name == name {
			return f, true
		}
	}
	return field{}, false
}

// endpoints is which data sets are asked where, below the API's base path.
var endpoints = map[string][]dataset{
	"/metrics/graphql":     {httpMetrics},
	"/events/graphql":      {workloadEvents, httpEvents},
	"/accounting/graphql":  {accountingDetail},
	"/consumption/graphql": {workloadConsumptionMetrics},
}

var ts = field{"ts", moment, false, "When it happened, in UTC; in metrics rounded down to the minute, hour or day."}

// requestFields are what metrics and events both have.
var requestFields = []field{
	ts,
	{"host", text, false, "Host that was asked."},
	{"requestMethod", text, false, "HTTP method, such as GET."},
	{"status", integer, false, "HTTP status of the answer."},
	{"scheme", text, false, "HTTP or HTTPS."},
	{"serverProtocol", text, false, "HTTP version, such as HTTP/1.1."},
	{"bytesSent", integer, true, "Bytes of the answer."},
	{"requestLength", integer, true, "Bytes of the request."},
	{"requestTime", float, true, "Seconds from the request's first byte to the answer."},
}

var httpMetrics = dataset{
	name: "httpMetrics", about: "Requests, aggregated over time and whatever groupBy names.", grouped: true,
	fields: append([]field{{"requests", integer, true, "Number of requests."}}, requestFields...),
	rows: func(_ int64, events []traffic.Event, step time.Duration) []row {
		return each(events, func(e traffic.Event) row {
			r := requestRow(e)
			r["ts"], r["requests"] = e.At.Truncate(step), int64(1)
			return r
		})
	},
}

var workloadEvents = dataset{
	name: "workloadEvents", about: "Requests one by one, as they were logged.",
	fields: append([]field{
		{"requestId", text, false, "Identifies the request."},
		{"requestUri", text, false, "Path and query of the request."},
		{"remoteAddress", text, false, "Address of the client."},
		{"httpUserAgent", text, false, "The client's User-Agent."},
		{"sentHttpContentType", text, false, "Content-Type of the answer."},
	}, requestFields...),
	rows: func(_ int64, events []traffic.Event, _ time.Duration) []row { return each(events, eventRow) },
}

// httpEvents is the former name of workloadEvents.
var httpEvents = func() dataset {
	d := workloadEvents
	d.name, d.obsolete = "httpEvents", "Take workloadEvents."
	return d
}()

var accountingDetail = dataset{
	name: "accountingDetail", about: "What was accounted per month and metric.", byPeriod: true,
	fields: []field{
		{"accounted", float, false, "Amount that was accounted."},
		{"clientId", text, false, "The company."},
		{"metricSlug", text, false, "What was measured: requests or data_transferred."},
		{"productSlug", text, false, "The product."},
		{"regionName", text, false, "Where it was measured."},
		{"periodFrom", day, false, "First day of the period."},
		{"periodTo", day, false, "Last day of the period."},
	},
	rows: monthly,
}

var workloadConsumptionMetrics = dataset{
	name: "workloadConsumptionMetrics", about: "Usage per day and metric.", grouped: true,
	fields: []field{
		ts,
		{"accounted", float, true, "Amount that was used."},
		{"clientId", text, false, "The company."},
		{"metricName", text, false, "What was measured: requests or data_transferred_total."},
		{"productId", integer, false, "The product: 1441740010 is applications."},
		{"workloadId", integer, false, "The workload; 0 where there is none."},
		{"region", text, false, "Where it was measured."},
		{"countryCode", text, false, "Country of that place."},
	},
	rows: daily,
}
