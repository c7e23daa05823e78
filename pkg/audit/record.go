package audit

import (
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/comporta-mcp/comporta/pkg/call"
	"github.com/comporta-mcp/comporta/pkg/identity"
	"github.com/comporta-mcp/comporta/pkg/problem"
	auditv1 "github.com/comporta-mcp/comporta/proto/audit/v1"
)

const recordVersion = 1

// ok is the outcome of a call that went well.
const ok = "ok"

// about is a record with what is known of a call before it runs.
func (l *Log) about(c *call.Call, kind auditv1.Kind, arguments []byte) *auditv1.Record {
	r := &auditv1.Record{
		Version: recordVersion, Kind: kind, CallId: c.ID, At: timestamppb.New(l.now()),
		Area: c.Area, Profile: c.Profile, Address: c.Address,
		CompanyId: c.Company.ID, Arguments: arguments, DryRun: c.DryRun,
	}
	if c.Tool != nil {
		r.Tool = c.Tool.Name
	}
	l.caller(r, c.Principal)
	return r
}

// caller fills in who is behind a record; what others chose is cut to a bound.
func (l *Log) caller(r *auditv1.Record, p *identity.Principal) {
	if p == nil {
		return
	}
	r.LinkId, r.PersonId = p.Link.ID, p.Person.ID
	r.ClientId, r.ClientName = cutText(p.Client.ID, 256), l.masker.Text(cutText(p.Client.Name, 256))
}

// outcome is a call's record once it ended. failed is nil where it went well.
func (l *Log) outcome(c *call.Call, arguments []byte, failed *problem.Problem, took time.Duration) *auditv1.Record {
	r := l.about(c, auditv1.Kind_KIND_OUTCOME, arguments)
	r.Outcome = ok
	if failed != nil {
		r.Outcome, r.Reason = string(failed.Code), cutText(failed.Reason(), 64)
	}
	r.UpstreamStatus = int32(c.Trace.Upstream)
	if r.UpstreamStatus == 0 && failed != nil {
		r.UpstreamStatus = int32(failed.Upstream)
	}
	r.DurationMs = took.Milliseconds()
	r.OperationId = c.Trace.OperationID
	r.Repeat = c.Trace.Repeat
	r.Approval = cutText(c.Trace.Approval, 256)
	return r
}
