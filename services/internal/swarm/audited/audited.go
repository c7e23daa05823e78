// Package audited reads the audit stream of a swarm under test.
package audited

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"google.golang.org/protobuf/proto"

	"github.com/comporta-mcp/comporta/pkg/bus"
	auditv1 "github.com/comporta-mcp/comporta/proto/audit/v1"
)

// Records gives every record that is in the stream now.
func Records(ctx context.Context, natsURL string) ([]*auditv1.Record, error) {
	b, err := bus.Connect(bus.Config{URL: natsURL}, "swarm-test", slog.New(slog.DiscardHandler), nil)
	if err != nil {
		return nil, err
	}
	defer b.Close()
	stream, err := b.JS.Stream(ctx, bus.AuditStream)
	if err != nil {
		return nil, fmt.Errorf("audit stream: %w", err)
	}
	consumer, err := stream.OrderedConsumer(ctx, jetstream.OrderedConsumerConfig{})
	if err != nil {
		return nil, fmt.Errorf("read the audit: %w", err)
	}
	return drain(consumer)
}

func drain(consumer jetstream.Consumer) ([]*auditv1.Record, error) {
	var records []*auditv1.Record
	for {
		message, err := consumer.Next(jetstream.FetchMaxWait(500 * time.Millisecond))
		if errors.Is(err, jetstream.ErrNoMessages) || (err != nil && len(records) > 0 && errors.Is(err, context.DeadlineExceeded)) {
			return records, nil
		}
		if err != nil {
			return nil, fmt.Errorf("read the audit: %w", err)
		}
		record := &auditv1.Record{}
		if err := proto.Unmarshal(message.Data(), record); err != nil {
			return nil, fmt.Errorf("read the audit: %w", err)
		}
		records = append(records, record)
	}
}

// Operations are the ids of all operations that an outcome or an end names.
func Operations(ctx context.Context, natsURL string) (map[string]bool, error) {
	records, err := Records(ctx, natsURL)
	if err != nil {
		return nil, err
	}
	ids := map[string]bool{}
	for _, r := range records {
		ids[r.GetOperationId()] = true
	}
	return ids, nil
}
