package platform

import (
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"time"
)

const (
	// retryBudget bounds a call with all its repeats: clients give a call 30 s, some less.
	retryBudget = 9 * time.Second
	// maxTries is how often one request is sent at most where it may be sent again.
	maxTries = 4
	// firstPause doubles with each try.
	firstPause = 250 * time.Millisecond
	// defaultWait is what callers are told where the platform says nothing.
	defaultWait = 5 * time.Second
	// longestWait bounds what a strange Retry-After may ask of a caller.
	longestWait = time.Hour
)

// retryAfter reads Retry-After, in seconds or as a date; 0 where it is missing or makes no sense.
func (c *Client) retryAfter(h http.Header) time.Duration {
	text := strings.TrimSpace(h.Get("Retry-After"))
	if text == "" {
		return 0
	}
	if seconds, err := strconv.ParseInt(text, 10, 64); err == nil {
		if seconds < 0 {
			return 0
		}
		return min(time.Duration(min(seconds, int64(longestWait/time.Second)))*time.Second, longestWait)
	}
	when, err := http.ParseTime(text)
	if err != nil {
		return 0
	}
	wait := when.Sub(c.now())
	if wait <= 0 {
		return time.Second // the date has passed: now is fine, and waiting is whole seconds from 1
	}
	return min(wait.Round(time.Second)+time.Second, longestWait)
}

func orDefault(wait time.Duration) time.Duration {
	if wait == 0 {
		return defaultWait
	}
	return max(wait, time.Second)
}

// pause says how long to wait before try number tries+1, and whether there is
// time for it before the budget that began at began is spent.
func (c *Client) pause(tries int, began time.Time, asked time.Duration) (time.Duration, bool) {
	wait := asked
	if wait == 0 {
		wait = firstPause << (tries - 1)
		wait += rand.N(wait / 2) // so that many callers do not come back at the same moment
	}
	return wait, tries < maxTries && wait < c.left(began)
}

// left is what remains of a call's budget for repeats.
func (c *Client) left(began time.Time) time.Duration {
	return retryBudget - c.now().Sub(began)
}
