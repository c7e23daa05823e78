// Package auditcmd is what "audit verify" and "audit heads" do in whichever binary
// has them: reach NATS, check or list, and print for an operator. What is checked
// is package verify's.
package auditcmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"time"

	"github.com/comporta-mcp/comporta/pkg/audit/verify"
	"github.com/comporta-mcp/comporta/pkg/bus"
	auditv1 "github.com/comporta-mcp/comporta/proto/audit/v1"
)

// The commands, as they stand behind "audit".
const (
	VerifyCommand = "verify"
	HeadsCommand  = "heads"
)

// Usage tells an operator what there is.
const Usage = `audit verify proves that no audit record is missing or changed, and prints where
one is. It exits with 1 where it finds something.

audit heads prints how far the records of each writer are. Keep that outside of
NATS, and "audit verify --against FILE" proves that all of it is still there.
`

// ErrFound means that verify found something. What it was has been printed.
var ErrFound = errors.New("the audit is not as it was written")

// connectTime bounds the wait for NATS.
const connectTime = 10 * time.Second

// Run carries out a command on the audit in NATS. against names a file that "heads"
// made; "": none.
func Run(ctx context.Context, cfg bus.Config, command, against string, out io.Writer) error {
	b, err := bus.Connect(cfg, "audit-"+command, slog.New(slog.DiscardHandler), nil)
	if err != nil {
		return err
	}
	defer b.Close()
	if err := connected(ctx, b); err != nil {
		return err
	}
	switch command {
	case HeadsCommand:
		return heads(ctx, b, out)
	case VerifyCommand:
		return check(ctx, b, against, out)
	default:
		return fmt.Errorf("there is no command audit %q\n\n%s", command, Usage)
	}
}

func connected(ctx context.Context, b *bus.Bus) error {
	ctx, cancel := context.WithTimeout(ctx, connectTime)
	defer cancel()
	for {
		err := b.Ready(ctx)
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(50 * time.Millisecond):
		}
	}
}

func heads(ctx context.Context, b *bus.Bus, out io.Writer) error {
	found, err := verify.Heads(ctx, b)
	if err != nil {
		return err
	}
	lines, err := verify.Encode(found)
	if err != nil {
		return err
	}
	_, err = out.Write(lines)
	return err
}

func check(ctx context.Context, b *bus.Bus, against string, out io.Writer) error {
	kept, err := read(against)
	if err != nil {
		return err
	}
	report, err := verify.Verify(ctx, b, verify.Options{Kept: kept, Retention: b.AuditRetention()})
	if err != nil {
		return err
	}
	return show(report, out)
}

func read(path string) ([]*auditv1.Head, error) {
	if path == "" {
		return nil, nil
	}
	lines, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("against: %w", err)
	}
	kept, err := verify.Decode(lines)
	if err != nil {
		return nil, fmt.Errorf("against: %s: %w", path, err)
	}
	return kept, nil
}

// show prints what was found, faults first.
func show(r *verify.Report, out io.Writer) error {
	var text []byte
	for _, f := range r.Faults {
		text = fmt.Appendf(text, "FAULT  %s\n", f)
	}
	for _, f := range r.Doubts {
		text = fmt.Appendf(text, "doubt  %s\n", f)
	}
	text = fmt.Appendf(text, "%d records of %d writers", r.Records, r.Writers)
	if r.Records > 0 {
		text = fmt.Appendf(text, ", from %s to %s", r.Oldest.UTC().Format(time.RFC3339), r.Newest.UTC().Format(time.RFC3339))
	}
	if r.Trimmed > 0 {
		text = fmt.Appendf(text, "; %d older ones were dropped in their time", r.Trimmed)
	}
	if len(r.Faults) == 0 {
		text = append(text, ": none is missing or changed.\n"...)
	} else {
		text = fmt.Appendf(text, ": %d faults.\n", len(r.Faults))
	}
	if _, err := out.Write(text); err != nil {
		return err
	}
	if len(r.Faults) > 0 {
		return ErrFound
	}
	return nil
}
