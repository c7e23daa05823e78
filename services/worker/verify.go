package worker

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"time"

	answers "github.com/comporta-mcp/comporta/pkg/answer"
	"github.com/comporta-mcp/comporta/pkg/catalog"
	"github.com/comporta-mcp/comporta/pkg/platform"
	"github.com/comporta-mcp/comporta/pkg/problem"
)

// appearFor is how long a resource that was just accepted may not be there yet.
const appearFor = 5 * time.Second

// verify looks once whether the platform is done with an accepted write, ends the
// operation if so, and else says when to look again.
func (w *Worker) verify(ctx context.Context, j *job, write platform.Request) error {
	op := j.op()
	first, err := decodeObject(op.GetStep().GetAnswer())
	if err != nil {
		return fmt.Errorf("read the platform's first answer of operation %s: %w", op.GetId(), err)
	}
	probe, err := w.probe(write, first)
	if err != nil {
		return err
	}
	since := w.parts.Now().Sub(op.GetStep().GetSentAt().AsTime())
	answer, err := w.parts.Prober.Do(ctx, probe)
	absent := problem.Is(err, problem.NoEncontrado)
	state, word := catalog.Working, ""
	if err == nil {
		state, word = seen(write, probe.Tool, answer)
	}
	switch {
	case absent && deletes(write.Tool):
		return w.succeed(ctx, j, write.Tool, completed(first, nil))
	case absent && since > appearFor:
		return vanished(write.Tool)
	case err != nil && !absent && !problem.As(err).Retryable:
		return err
	case state == catalog.Failed:
		return w.fail(ctx, j, notCompleted(write.Tool, word))
	case state == catalog.Done && !deletes(write.Tool):
		return w.succeed(ctx, j, write.Tool, answers.GraftOnce(write.Tool, first, completed(first, shown(probe.Tool, answer))))
	case since > w.cfg.VerifyFor:
		return tooLong(probe.Tool.Name)
	}
	return &Later{After: w.cfg.verifyPause(since), Why: "the platform is working on it"}
}

func deletes(tool *catalog.Tool) bool {
	return tool.Binding != nil && tool.Binding.Method == http.MethodDelete
}

// probe is the request that shows the resource: the write's own path arguments,
// and for a new resource the id that the platform gave it.
func (w *Worker) probe(write platform.Request, first map[string]any) (platform.Request, error) {
	tool, ok := w.parts.Tools(write.Tool.Operation.Probe)
	if !ok || tool.Binding == nil {
		return platform.Request{}, fmt.Errorf("tool %s names the probe %q, which there is not", write.Tool.Name, write.Tool.Operation.Probe)
	}
	args, missing := map[string]any{}, []string{}
	for _, param := range tool.Binding.Params {
		value, given := write.Args[param.Arg]
		switch {
		case param.In != catalog.Path:
		case given:
			args[param.Arg] = value
		default:
			missing = append(missing, param.Arg)
		}
	}
	if find := write.Tool.Find; find != nil && find.List == tool.Name && find.Filter != "" {
		for _, param := range tool.Binding.Params {
			if param.In == catalog.Query && param.Name == find.Filter {
				args[param.Arg] = write.Args[find.By[0].Arg]
			}
		}
	}
	if id := idOf(first, write.Tool.RootField); len(missing) == 1 && id != nil {
		args[missing[0]], missing = id, nil
	}
	if len(missing) > 0 {
		return platform.Request{}, cannotProbe(tool.Name)
	}
	return platform.Request{Tool: tool, Args: args, Authorization: write.Authorization, CompanyID: write.CompanyID}, nil
}

// idOf is the id of the resource in an answer, which may stand under "data".
func idOf(answer map[string]any, field string) any {
	if data, ok := answer["data"].(map[string]any); ok {
		answer = data
	}
	if id := answer[field]; field != "" && id != nil {
		return id
	}
	return answer["id"]
}

// completed is the write's answer as it would be had the platform answered it
// when it was done: with the resource as it is now.
func completed(first, now map[string]any) map[string]any {
	done := maps.Clone(first)
	if _, told := done["state"]; told {
		done["state"] = "executed"
	}
	_, wrapped := first["data"]
	if data, ok := now["data"]; ok && wrapped {
		done["data"] = data
		return done
	}
	if now != nil && !wrapped {
		return now
	}
	return done
}

func decodeObject(data []byte) (map[string]any, error) {
	object := map[string]any{}
	if len(data) == 0 {
		return object, nil
	}
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	err := decoder.Decode(&object)
	return object, err
}

func vanished(tool *catalog.Tool) error {
	return problem.New(problem.NoEncontrado, "The platform accepted %s, but the resource is not there any more.", tool.Name).
		ToDo("Somebody may have removed it meanwhile. List what there is before you call the tool again.")
}

func tooLong(probe string) error {
	return unknownResult(problem.New(problem.EstadoInvalido, "The platform accepted the request but did not complete it in time."), probe)
}

func cannotProbe(probe string) error {
	return unknownResult(problem.New(problem.EstadoInvalido, "The platform accepted the request but did not tell the id of the resource."), probe)
}

func unknownResult(p *problem.Problem, probe string) error {
	return p.NotRetryable().Because(problem.ResultadoDesconocido).
		ToDo("Call %s to see whether it is there, before you repeat anything.", probe)
}
