// Package client owns who asks for tokens: clients that registered themselves
// (RFC 7591) and clients whose id is the URL of a metadata document. Being known
// here gives no access; a person's approval does.
package client

import (
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"time"
	"unicode"
)

// Client is what is known of one. It is read-only once made.
type Client struct {
	Form         int       `json:"form"` // of the stored record: 1
	ID           string    `json:"id"`
	Name         string    `json:"name"` // as it names itself; may be ""
	RedirectURIs []string  `json:"redirect_uris"`
	URI          string    `json:"uri,omitempty"` // its home page, https
	CreatedAt    time.Time `json:"created_at"`
	// Used is set once a person approved it: it is then kept for long.
	Used bool `json:"used,omitempty"`
	// Domain proved its identity: the host of the metadata document. "" for a
	// client that registered, which may call itself whatever it likes.
	Domain string `json:"-"`
}

const form = 1

// Verified reports whether the client's identity was proven.
func (c *Client) Verified() bool { return c.Domain != "" }

// Loopback reports whether every answer to the client stays on the person's own
// computer, where any program may listen.
func (c *Client) Loopback() bool {
	for _, uri := range c.RedirectURIs {
		u, err := url.Parse(uri)
		if err != nil || !IsLoopback(u) {
			return false
		}
	}
	return true
}

func decode(id string, data []byte) (*Client, error) {
	var c Client
	if err := json.Unmarshal(data, &c); err != nil {
		return nil, fmt.Errorf("decode client %s: %w", id, err)
	}
	if c.Form != form || c.ID != id {
		return nil, fmt.Errorf("the record of client %s is another's or has an unknown form", id)
	}
	return &c, nil
}

// maxName bounds a client's name, in characters.
const maxName = 100

// cleanName is a name as it may be shown: no control characters, none that turn
// the direction of writing, and not too long.
func cleanName(name string) string {
	name = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case unicode.IsControl(r), unicode.Is(unicode.Cf, r), r == unicode.ReplacementChar:
			return -1
		}
		return r
	}, name)
	name = strings.Join(strings.Fields(name), " ")
	if runes := []rune(name); len(runes) > maxName {
		name = string(runes[:maxName-1]) + "…"
	}
	return name
}

// httpsURL gives a link as it may be shown, or "".
func httpsURL(text string) string {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "https" || u.Host == "" || u.User != nil || len(text) > maxURI {
		return ""
	}
	return u.String()
}
