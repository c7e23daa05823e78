package host

import (
	"mime"
	"strconv"
	"strings"
)

// accepted is what a client can read.
type accepted struct{ json, stream bool }

// parseAccept reads Accept as clients really send it: wildcards, parameters and
// q-values; absent means JSON.
func parseAccept(values []string) accepted {
	if len(values) == 0 || strings.TrimSpace(strings.Join(values, "")) == "" {
		return accepted{json: true}
	}
	var a accepted
	refusedJSON, refusedStream := false, false
	for part := range strings.SplitSeq(strings.Join(values, ","), ",") {
		media, params, err := mime.ParseMediaType(part)
		if err != nil {
			continue
		}
		wanted := !isZero(params["q"])
		switch media {
		case "application/json":
			a.json, refusedJSON = wanted, !wanted
		case "text/event-stream":
			a.stream, refusedStream = wanted, !wanted
		case "application/*":
			a.json = a.json || wanted && !refusedJSON
		case "text/*":
			a.stream = a.stream || wanted && !refusedStream
		case "*/*":
			a.json = a.json || wanted && !refusedJSON
			a.stream = a.stream || wanted && !refusedStream
		}
	}
	return a
}

func isZero(q string) bool {
	weight, err := strconv.ParseFloat(q, 64)
	return err == nil && weight == 0
}
