package me

import (
	"time"

	"github.com/comporta-mcp/comporta/services/auth/internal/activity"
)

// The chart's measures, in units of its view box.
const (
	barWidth    = 4
	barStep     = 5
	chartHeight = 32
)

// Chart is 30 days of calls: a column for each, refusals on top.
type Chart struct {
	Width, Height  int
	Bars           []Bar
	Calls, Refused int
	Most           int       // calls and refusals of the busiest day
	MostAt         time.Time // which day that was
	Days           []ChartDay
}

// Bar is one column's part.
type Bar struct {
	X, Y, Width, Height int
	Refused             bool
}

// ChartDay is a day on which something was called, as numbers.
type ChartDay struct {
	At             time.Time
	Calls, Refused int
}

// chartOf draws a tally whose last day is today.
func chartOf(t activity.Tally, today time.Time) Chart {
	c := Chart{Width: barStep * activity.Days, Height: chartHeight}
	first := today.UTC().Truncate(24*time.Hour).AddDate(0, 0, 1-activity.Days)
	for i, d := range t.Days {
		c.Calls, c.Refused = c.Calls+d.Calls, c.Refused+d.Refused
		at := first.AddDate(0, 0, i)
		if n := d.Calls + d.Refused; n > c.Most {
			c.Most, c.MostAt = n, at
		}
		if d != (activity.Day{}) {
			c.Days = append(c.Days, ChartDay{at, d.Calls, d.Refused})
		}
	}
	for i, d := range t.Days {
		calls, refused := c.height(d.Calls), c.height(d.Refused)
		x := i * barStep
		if calls > 0 {
			c.Bars = append(c.Bars, Bar{X: x, Y: chartHeight - calls, Width: barWidth, Height: calls})
		}
		if refused > 0 {
			c.Bars = append(c.Bars, Bar{X: x, Y: max(chartHeight-calls-refused, 0), Width: barWidth, Height: refused, Refused: true})
		}
	}
	return c
}

// height of n calls; what is there is seen, however little it is.
func (c *Chart) height(n int) int {
	if n == 0 || c.Most == 0 {
		return 0
	}
	return max(n*(chartHeight-2)/c.Most, 2)
}
