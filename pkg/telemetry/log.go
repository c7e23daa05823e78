package telemetry

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"

	"go.opentelemetry.io/otel/trace"

	"github.com/comporta-mcp/comporta/pkg/telemetry/mask"
)

func newLogger(out io.Writer, format string, level slog.Level, m *mask.Masker) *slog.Logger {
	options := &slog.HandlerOptions{Level: level, ReplaceAttr: masking(m)}
	if format == "text" {
		return slog.New(traced{slog.NewTextHandler(out, options)})
	}
	return slog.New(traced{slog.NewJSONHandler(out, options)})
}

// traced adds the trace's id to each line that was written inside of one.
type traced struct{ slog.Handler }

func (h traced) Handle(ctx context.Context, r slog.Record) error {
	if span := trace.SpanContextFromContext(ctx); span.HasTraceID() {
		r = r.Clone()
		r.AddAttrs(slog.String("trace_id", span.TraceID().String()))
	}
	return h.Handler.Handle(ctx, r)
}

func (h traced) WithAttrs(attrs []slog.Attr) slog.Handler { return traced{h.Handler.WithAttrs(attrs)} }
func (h traced) WithGroup(name string) slog.Handler       { return traced{h.Handler.WithGroup(name)} }

// masking hides credentials in the message and in every value, and whole values
// whose name says that they are credentials.
func masking(m *mask.Masker) func([]string, slog.Attr) slog.Attr {
	return func(_ []string, a slog.Attr) slog.Attr {
		if mask.Name(a.Key) {
			return slog.String(a.Key, mask.Word)
		}
		a.Key = m.Text(a.Key)
		switch a.Value.Kind() {
		case slog.KindString:
			a.Value = slog.StringValue(m.Text(a.Value.String()))
		case slog.KindAny:
			a.Value = maskAny(m, a.Value.Any())
		}
		return a
	}
}

// maskAny turns a value that no shape can be looked for in into its text.
func maskAny(m *mask.Masker, value any) slog.Value {
	switch v := value.(type) {
	case nil, *slog.Source:
		return slog.AnyValue(v)
	case error:
		return slog.StringValue(m.Text(v.Error()))
	case []byte:
		return slog.StringValue(m.Text(string(v)))
	case json.RawMessage:
		return slog.StringValue(m.Text(string(v)))
	}
	text, err := json.Marshal(value)
	if err != nil {
		return slog.StringValue("[cannot be shown: " + m.Text(err.Error()) + "]")
	}
	if masked := m.Text(string(text)); masked != string(text) {
		return slog.StringValue(masked)
	}
	return slog.AnyValue(value)
}
