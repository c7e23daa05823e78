package graph

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/comporta-mcp/comporta/services/sandbox/internal/traffic"
)

func each(events []traffic.Event, make func(traffic.Event) row) []row {
	rows := []row{}
	for _, e := range events {
		rows = append(rows, make(e))
	}
	return rows
}

func requestRow(e traffic.Event) row {
	return row{
		"ts": e.At, "host": e.Host, "requestMethod": e.Method, "status": int64(e.Status),
		"scheme": "HTTP", "serverProtocol": e.Protocol,
		"bytesSent": e.BytesSent, "requestLength": e.RequestLength, "requestTime": e.Took.Seconds(),
	}
}

func eventRow(e traffic.Event) row {
	r := requestRow(e)
	maps.Copy(r, row{
		"requestId": e.ID, "requestUri": e.URI, "remoteAddress": e.RemoteAddress,
		"httpUserAgent": e.UserAgent, "sentHttpContentType": e.ContentType,
	})
	return r
}

// usage is what was used in one period.
type usage struct{ requests, bytes float64 }

// usages adds the events up by the period that each belongs to, oldest first.
func usages(events []traffic.Event, period func(time.Time) time.Time) ([]time.Time, map[time.Time]usage) {
	sums := map[time.Time]usage{}
	for _, e := range events {
		u := sums[period(e.At)]
		u.requests++
		u.bytes += float64(e.BytesSent)
		sums[period(e.At)] = u
	}
	return slices.SortedFunc(maps.Keys(sums), time.Time.Compare), sums
}

const (
	region      = "All Other Regions"
	productID   = int64(1441740010) // applications, in the platform's documentation
	productSlug = "content_delivery"
)

func monthly(company int64, events []traffic.Event, _ time.Duration) []row {
	months, sums := usages(events, func(t time.Time) time.Time {
		return time.Date(t.Year(), t.Month(), 1, 0, 0, 0, 0, time.UTC)
	})
	rows := []row{}
	for _, month := range months {
		add := func(metric string, amount float64) {
			rows = append(rows, row{
				"accounted": amount, "clientId": strconv.FormatInt(company, 10), "metricSlug": metric,
				"productSlug": productSlug, "regionName": region,
				"periodFrom": month.Format(time.DateOnly), "periodTo": month.AddDate(0, 1, -1).Format(time.DateOnly),
			})
		}
		add("requests", sums[month].requests)
		add("data_transferred", sums[month].bytes)
	}
	return rows
}

func daily(company int64, events []traffic.Event, _ time.Duration) []row {
	days, sums := usages(events, func(t time.Time) time.Time { return t.Truncate(24 * time.Hour) })
	rows := []row{}
	for _, d := range days {
		add := func(metric string, amount float64) {
			rows = append(rows, row{
				"ts": d, "accounted": amount, "clientId": strconv.FormatInt(company, 10), "metricName": metric,
				"productId": productID, "workloadId": int64(0), "region": region, "countryCode": "BR",
			})
		}
		add("requests", sums[d].requests)
		add("data_transferred_total", sums[d].bytes)
	}
	return rows
}

// compare orders two values of one field.
func compare(a, b any) int {
	switch a := a.(type) {
	case string:
		b, _ := b.(string)
		return cmp.Compare(a, b)
	case time.Time:
		b, _ := b.(time.Time)
		return a.Compare(b)
	}
	return cmp.Compare(number(a), number(b))
}

func number(v any) float64 {
	switch v := v.(type) {
	case int64:
		return float64(v)
	case int:
		return float64(v)
	case float64:
		return v
	}
	return 0
}
