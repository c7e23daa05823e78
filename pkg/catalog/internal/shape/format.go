package shape

import (
	"encoding/base64"
	"net/mail"
	"net/netip"
	"net/url"
	"regexp"
	"strconv"
	"time"

	"github.com/comporta-mcp/comporta/pkg/problem"
)

var uuidForm = regexp.MustCompile(`^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$`)

// formatWants says what a text of a format must be; nothing where text fits it, or
// where the format is one that only the platform can judge.
func formatWants(format, text string) problem.Sentence {
	switch format {
	case "date-time":
		if _, err := time.Parse(time.RFC3339Nano, text); err != nil {
			return problem.Sentence{Format: "a time such as 2025-01-31T12:00:00Z"}
		}
	case "date":
		if _, err := time.Parse(time.DateOnly, text); err != nil {
			return problem.Sentence{Format: "a date such as 2025-01-31"}
		}
	case "email":
		if a, err := mail.ParseAddress(text); err != nil || a.Address != text {
			return problem.Sentence{Format: "an e-mail address"}
		}
	case "uuid":
		if !uuidForm.MatchString(text) {
			return problem.Sentence{Format: "a UUID"}
		}
	case "ipv4":
		if a, err := netip.ParseAddr(text); err != nil || !a.Is4() {
			return problem.Sentence{Format: "an IPv4 address"}
		}
	case "ipv6":
		if a, err := netip.ParseAddr(text); err != nil || !a.Is6() {
			return problem.Sentence{Format: "an IPv6 address"}
		}
	case "uri", "url":
		if u, err := url.Parse(text); err != nil || u.Scheme == "" {
			return problem.Sentence{Format: "a URL with its scheme, such as https://example.com/"}
		}
	case "byte":
		if _, err := base64.StdEncoding.DecodeString(text); err != nil {
			return problem.Sentence{Format: "%s", Args: []any{"base64"}}
		}
	}
	return problem.Sentence{}
}

// formatName is how a format is told where the listed schema does not carry it.
func formatName(format string) string {
	switch format {
	case "date":
		return "date YYYY-MM-DD"
	case "email":
		return "e-mail address"
	case "uuid":
		return "UUID"
	case "ipv4":
		return "IPv4 address"
	case "ipv6":
		return "IPv6 address"
	case "uri", "url":
		return "URL"
	case "byte":
		return "base64"
	}
	return ""
}

// integerRange says what an integer of a format must be; nothing where it fits.
func integerRange(format, digits string) problem.Sentence {
	switch format {
	case "int32":
		if _, err := strconv.ParseInt(digits, 10, 32); err != nil {
			return problem.Sentence{Format: "an integer of 32 bits"}
		}
	case "int64":
		if _, err := strconv.ParseInt(digits, 10, 64); err != nil {
			return problem.Sentence{Format: "an integer of 64 bits"}
		}
	}
	return problem.Sentence{}
}
