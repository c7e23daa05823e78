package audit

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"time"

	auditv1 "github.com/comporta-mcp/comporta/proto/audit/v1"
)

// kindWords are the kinds of records as people and agents read them.
var kindWords = map[auditv1.Kind]string{
	auditv1.Kind_KIND_INTENT:    "intencion",
	auditv1.Kind_KIND_OUTCOME:   "llamada",
	auditv1.Kind_KIND_REFUSAL:   "rechazo",
	auditv1.Kind_KIND_OPERATION: "operacion",
	auditv1.Kind_KIND_PERSON:    "persona",
}

// KindWord is the word for a kind; "" for one of another version.
func KindWord(k auditv1.Kind) string { return kindWords[k] }

// KindWords are all of them, in order.
func KindWords() []string { return slices.Sorted(maps.Values(kindWords)) }

// View is a record in the words of contract §9's tools and exports, with the fields
// that say something. What agents chose stands in it as they wrote it.
func View(r *auditv1.Record) map[string]any {
	view := map[string]any{
		"fecha": r.GetAt().AsTime().UTC().Format(time.RFC3339), "tipo": KindWord(r.GetKind()),
		"llamada_id": r.GetCallId(), "resultado": r.GetOutcome(),
	}
	for key, text := range map[string]string{
		"area": r.GetArea(), "perfil": r.GetProfile(), "herramienta": r.GetTool(), "enlace_id": r.GetLinkId(),
		"cliente": r.GetClientName(), "motivo": r.GetReason(), "operacion_id": r.GetOperationId(),
		"aprobacion": r.GetApproval(), "direccion": r.GetAddress(), "accion": r.GetAction(),
	} {
		if text != "" {
			view[key] = text
		}
	}
	for key, number := range map[string]int64{
		"persona_id": r.GetPersonId(), "empresa_id": r.GetCompanyId(), "estado_plataforma": int64(r.GetUpstreamStatus()),
		"duracion_ms": r.GetDurationMs(), "cantidad": int64(r.GetCount()),
	} {
		if number != 0 {
			view[key] = number
		}
	}
	for key, said := range map[string]bool{"idempotente": r.GetRepeat(), "dry_run": r.GetDryRun()} {
		if said {
			view[key] = true
		}
	}
	if args := argumentsOf(r); len(args) > 0 {
		view["argumentos"] = args
	}
	return view
}

func argumentsOf(r *auditv1.Record) map[string]any {
	decoder := json.NewDecoder(bytes.NewReader(r.GetArguments()))
	decoder.UseNumber()
	var args map[string]any
	if decoder.Decode(&args) != nil {
		return nil
	}
	return args
}
