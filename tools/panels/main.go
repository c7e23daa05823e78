// Command panels asks a running Prometheus for every query of a dashboard and of a
// file of alerts, and what its targets expose. It fails where a panel has no data, an
// alert is firing, a metric is exposed that the operators' page does not name, or the
// page names one that nobody exposes.
//
// It owns neither Prometheus nor what is scraped: test/pods/panels starts both.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
	"time"
)

func main() {
	server := flag.String("prometheus", "", "base URL of Prometheus")
	dashboard := flag.String("dashboard", "charts/comporta/files/dashboard.json", "the dashboard")
	page := flag.String("page", "docs/operate/metrics.md", "the operators' page of metrics")
	window := flag.String("window", "1m", "what stands for Grafana's $__rate_interval")
	flag.Parse()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if err := run(ctx, asker{*server}, *dashboard, *page, *window); err != nil {
		fmt.Fprintln(os.Stderr, "panels:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, ask asker, dashboard, page, window string) error {
	text, err := os.ReadFile(dashboard)
	if err != nil {
		return err
	}
	queries, err := queriesOf(text)
	if err != nil {
		return fmt.Errorf("%s: %w", dashboard, err)
	}
	documented, err := os.ReadFile(page)
	if err != nil {
		return err
	}
	var faults []error
	for _, q := range queries {
		n, err := ask.series(ctx, strings.ReplaceAll(q.Expr, "$__rate_interval", window))
		if err == nil && n == 0 {
			err = errors.New("has no data")
		}
		if err != nil {
			faults = append(faults, fmt.Errorf("panel %q: %s: %w", q.title, q.Expr, err))
		}
	}
	fmt.Printf("%d queries, %d without data\n", len(queries), len(faults))
	firing, err := ask.series(ctx, `ALERTS{alertstate="firing"}`)
	if err != nil || firing > 0 {
		faults = append(faults, fmt.Errorf("%d alerts are firing, %v", firing, err))
	}
	exposed, err := ask.names(ctx)
	if err != nil {
		return err
	}
	named := namesIn(documented)
	fmt.Printf("%d metrics are exposed, %d documented\n", len(exposed), len(named))
	for _, name := range exposed {
		if !slices.Contains(named, name) {
			faults = append(faults, fmt.Errorf("%s is exposed, and %s does not name it", name, page))
		}
	}
	for _, name := range named {
		if !slices.Contains(exposed, name) {
			faults = append(faults, fmt.Errorf("%s names %s, which nobody exposes", page, name))
		}
	}
	return errors.Join(faults...)
}

type query struct {
	title string
	Expr  string
}

// queriesOf are those of every panel, in rows of panels too.
func queriesOf(dashboard []byte) ([]query, error) {
	type panel struct {
		Title   string
		Targets []query
		Panels  []json.RawMessage
	}
	var all []query
	var walk func(panels []json.RawMessage) error
	walk = func(panels []json.RawMessage) error {
		for _, raw := range panels {
			var p panel
			if err := json.Unmarshal(raw, &p); err != nil {
				return err
			}
			for _, q := range p.Targets {
				all = append(all, query{p.Title, q.Expr})
			}
			if err := walk(p.Panels); err != nil {
				return err
			}
		}
		return nil
	}
	var whole panel
	if err := json.Unmarshal(dashboard, &whole); err != nil {
		return nil, err
	}
	return all, walk(whole.Panels)
}

var row = regexp.MustCompile("(?m)^\\| `(comporta_[a-z_]+)` \\|")

func namesIn(page []byte) (names []string) {
	for _, match := range row.FindAllSubmatch(page, -1) {
		names = append(names, string(match[1]))
	}
	return names
}

// asker is Prometheus' HTTP API.
type asker struct{ base string }

func (a asker) get(ctx context.Context, path string, into any) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, a.base+path, nil)
	if err != nil {
		return err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	answer := struct {
		Status, Error string
		Data          any
	}{Data: into}
	if err := json.NewDecoder(response.Body).Decode(&answer); err != nil {
		return err
	}
	if answer.Status != "success" {
		return errors.New(answer.Error)
	}
	return nil
}

// series counts those of an expression now; what is no number is no data.
func (a asker) series(ctx context.Context, expression string) (int, error) {
	var data struct {
		Result []struct{ Value [2]any }
	}
	if err := a.get(ctx, "/api/v1/query?query="+url.QueryEscape(expression), &data); err != nil {
		return 0, err
	}
	n := 0
	for _, s := range data.Result {
		if s.Value[1] != "NaN" {
			n++
		}
	}
	return n, nil
}

// names are of every metric of Comporta's own that a target describes.
func (a asker) names(ctx context.Context) ([]string, error) {
	var data []struct{ Metric string }
	if err := a.get(ctx, "/api/v1/targets/metadata?match_target="+url.QueryEscape(`{job="comporta"}`), &data); err != nil {
		return nil, err
	}
	var names []string
	for _, m := range data {
		if strings.HasPrefix(m.Metric, "comporta_") {
			names = append(names, m.Metric)
		}
	}
	slices.Sort(names)
	return slices.Compact(names), nil
}
