package telemetry

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"

	"github.com/comporta-mcp/comporta/pkg/telemetry/mask"
)

func TestCanariesNeverLeaveWithATrace(t *testing.T) {
	masker, err := mask.New()
	if err != nil {
		t.Fatal(err)
	}
	kept := tracetest.NewInMemoryExporter()
	provider := sdktrace.NewTracerProvider(sdktrace.WithSyncer(maskedExporter{kept, masker}))
	tracer := provider.Tracer("test")
	pat := "azion" + strings.Repeat("CANARY9", 5)

	_, span := tracer.Start(t.Context(), "GET "+pat, trace.WithLinks(trace.Link{
		SpanContext: trace.NewSpanContext(trace.SpanContextConfig{TraceID: trace.TraceID{1}, SpanID: trace.SpanID{2}}),
		Attributes:  []attribute.KeyValue{attribute.String("from", pat)},
	}))
	span.SetAttributes(
		attribute.String("url.full", "https://example.com/?access_token=CANARY123"),
		attribute.String("http.request.header.authorization", "CANARY"),
		attribute.StringSlice("arguments", []string{"fine", "Bearer CANARY123456"}),
		attribute.Int("http.response.status_code", 403),
	)
	span.RecordError(fmt.Errorf("ask: %w", errors.New("Token "+pat+" refused")))
	span.AddEvent("sent", trace.WithAttributes(attribute.String("header", "Authorization: Bearer CANARY123456")))
	span.SetStatus(codes.Error, "refused "+pat)
	span.End()

	spans := kept.GetSpans()
	if text := fmt.Sprintf("%+v", spans); strings.Contains(text, "CANARY") {
		t.Errorf("a credential is shown:\n%s", text)
	}
	got := attribute.NewSet(spans[0].Attributes...)
	if status, _ := got.Value("http.response.status_code"); status.AsInt64() != 403 {
		t.Errorf("what is no text was changed: %v", spans[0].Attributes)
	}
	if list, _ := got.Value("arguments"); list.AsStringSlice()[0] != "fine" {
		t.Errorf("a text without a credential was changed: %v", list.AsStringSlice())
	}
}
