package telemetry

import (
	"context"
	"slices"

	"go.opentelemetry.io/otel/attribute"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"

	"github.com/comporta-mcp/comporta/pkg/telemetry/mask"
)

// maskedExporter hides credentials in what leaves with a trace, as the log does: an
// error that a span records, or an address, may quote one.
type maskedExporter struct {
	sdktrace.SpanExporter
	masker *mask.Masker
}

func (e maskedExporter) ExportSpans(ctx context.Context, spans []sdktrace.ReadOnlySpan) error {
	shown := make([]sdktrace.ReadOnlySpan, len(spans))
	for i, span := range spans {
		shown[i] = maskedSpan{span, e.masker}
	}
	return e.SpanExporter.ExportSpans(ctx, shown)
}

type maskedSpan struct {
	sdktrace.ReadOnlySpan
	masker *mask.Masker
}

func (s maskedSpan) Name() string { return s.masker.Text(s.ReadOnlySpan.Name()) }

func (s maskedSpan) Status() sdktrace.Status {
	status := s.ReadOnlySpan.Status()
	status.Description = s.masker.Text(status.Description)
	return status
}

func (s maskedSpan) Attributes() []attribute.KeyValue {
	return maskAttributes(s.masker, s.ReadOnlySpan.Attributes())
}

func (s maskedSpan) Events() []sdktrace.Event {
	events := slices.Clone(s.ReadOnlySpan.Events())
	for i := range events {
		events[i].Name = s.masker.Text(events[i].Name)
		events[i].Attributes = maskAttributes(s.masker, events[i].Attributes)
	}
	return events
}

func (s maskedSpan) Links() []sdktrace.Link {
	links := slices.Clone(s.ReadOnlySpan.Links())
	for i := range links {
		links[i].Attributes = maskAttributes(s.masker, links[i].Attributes)
	}
	return links
}

func maskAttributes(m *mask.Masker, attributes []attribute.KeyValue) []attribute.KeyValue {
	shown := slices.Clone(attributes)
	for i, a := range shown {
		switch {
		case mask.Name(string(a.Key)):
			shown[i].Value = attribute.StringValue(mask.Word)
		case a.Value.Type() == attribute.STRING:
			shown[i].Value = attribute.StringValue(m.Text(a.Value.AsString()))
		case a.Value.Type() == attribute.STRINGSLICE:
			texts := a.Value.AsStringSlice() // a copy
			for j := range texts {
				texts[j] = m.Text(texts[j])
			}
			shown[i].Value = attribute.StringSliceValue(texts)
		}
	}
	return shown
}
