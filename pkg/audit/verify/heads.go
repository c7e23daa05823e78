package verify

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/nats-io/nats.go/jetstream"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

	"github.com/comporta-mcp/comporta/pkg/audit"
	"github.com/comporta-mcp/comporta/pkg/bus"
	auditv1 "github.com/comporta-mcp/comporta/proto/audit/v1"
)

// Heads reads the heads of all chains as they are now, by writer.
func Heads(ctx context.Context, b *bus.Bus) ([]*auditv1.Head, error) {
	kv, err := b.KV(ctx, bus.AuditHeads)
	if err != nil {
		return nil, err
	}
	watcher, err := kv.WatchAll(ctx, jetstream.IgnoreDeletes())
	if err != nil {
		return nil, fmt.Errorf("heads: %w", err)
	}
	defer func() { _ = watcher.Stop() }()
	var heads []*auditv1.Head
	for entry := range watcher.Updates() {
		if entry == nil { // that were all
			slices.SortFunc(heads, func(a, b *auditv1.Head) int { return strings.Compare(a.GetWriter(), b.GetWriter()) })
			return heads, nil
		}
		head := &auditv1.Head{}
		if proto.Unmarshal(entry.Value(), head) != nil || audit.HeadKey(head.GetWriter()) != entry.Key() {
			return nil, fmt.Errorf("head %s cannot be read", entry.Key())
		}
		heads = append(heads, head)
	}
	return nil, fmt.Errorf("heads: %w", errors.Join(ctx.Err(), errors.New("the bucket was not read to its end")))
}

// Encode gives heads as JSON lines, to be kept where NATS is not.
func Encode(heads []*auditv1.Head) ([]byte, error) {
	var out bytes.Buffer
	for _, head := range heads {
		line, err := protojson.Marshal(head)
		if err != nil {
			return nil, err
		}
		out.Write(line)
		out.WriteByte('\n')
	}
	return out.Bytes(), nil
}

// Decode reads what Encode gave.
func Decode(lines []byte) ([]*auditv1.Head, error) {
	var heads []*auditv1.Head
	for number, line := range bytes.Split(lines, []byte("\n")) {
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		head := &auditv1.Head{}
		if err := protojson.Unmarshal(line, head); err != nil || head.GetWriter() == "" {
			return nil, fmt.Errorf("line %d is no head of a chain", number+1)
		}
		heads = append(heads, head)
	}
	return heads, nil
}
