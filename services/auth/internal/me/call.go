package me

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"time"

	"github.com/comporta-mcp/comporta/pkg/audit"
	"github.com/comporta-mcp/comporta/pkg/problem"
	auditv1 "github.com/comporta-mcp/comporta/proto/audit/v1"
	"github.com/comporta-mcp/comporta/services/auth/internal/link"
	"github.com/comporta-mcp/comporta/services/auth/internal/page"
)

// Call is a record as a person reads it.
type Call struct {
	At                 time.Time
	Client, LinkURL    string
	Area, Tool         string
	Says               page.Sentence
	Bad                bool
	Deed               bool // a person did it, on a page
	Reason             string
	Status             int32
	Milliseconds       int64
	Operation, Address string
	Count              uint32
	Arguments          string
	DryRun, Repeat     bool
}

// calls are records for a page; a link that is known gives its client's name.
func (h *Handler) calls(found []audit.Found, links []*link.Record) []Call {
	var all []Call
	for _, f := range found {
		r := f.Record
		c := Call{
			At: r.GetAt().AsTime(), Client: r.GetClientName(), Area: r.GetArea(), Tool: r.GetTool(), Reason: r.GetReason(),
			Status: r.GetUpstreamStatus(), Milliseconds: r.GetDurationMs(), Operation: r.GetOperationId(), Address: r.GetAddress(),
			Count: r.GetCount(), Arguments: indented(r.GetArguments()), DryRun: r.GetDryRun(), Repeat: r.GetRepeat(),
		}
		if i := slices.IndexFunc(links, func(l *link.Record) bool { return l.ID == r.GetLinkId() }); i >= 0 {
			c.Client, c.LinkURL = cmp.Or(c.Client, links[i].ClientName), h.Base+"/me/links/"+r.GetLinkId()
		}
		switch r.GetKind() {
		case auditv1.Kind_KIND_PERSON:
			c.Deed, c.Says = true, deedWord(r.GetAction())
		case auditv1.Kind_KIND_OPERATION:
			c.Says, c.Bad = operationWord(r.GetOutcome())
		default:
			c.Says, c.Bad = outcome(r.GetOutcome(), r.GetOperationId() != "")
		}
		all = append(all, c)
	}
	return all
}

// indented is JSON for reading; "" where there is nothing in it.
func indented(data []byte) string {
	var out bytes.Buffer
	if bytes.Equal(data, []byte("{}")) || json.Indent(&out, data, "", "  ") != nil {
		return ""
	}
	return out.String()
}

// operationWord says how long work ended.
func operationWord(code string) (page.Sentence, bool) {
	switch code {
	case "ok":
		return page.Text("ended well"), false
	case string(problem.SinPermiso):
		return page.Text("ended: refused"), true
	default:
		return page.Text("ended badly"), true
	}
}

// deedWord is what a person did, in their words.
func deedWord(action string) page.Sentence {
	switch action {
	case "link_paused":
		return page.Text("a person paused it")
	case "link_resumed":
		return page.Text("a person let it go on")
	case "link_revoked":
		return page.Text("a person revoked it")
	case "link_narrowed":
		return page.Text("a person took something away from it")
	case "link_widened":
		return page.Text("a person gave it more")
	case "secret_taken":
		return page.Text("a person saw a secret")
	default:
		return page.Text("%s", action)
	}
}
