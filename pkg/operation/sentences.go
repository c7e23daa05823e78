package operation

import "github.com/comporta-mcp/comporta/pkg/problem"

// sentencesKey holds, beside a stored problem, what it says as formats and arguments,
// so that whoever asks later is told in their own language.
const sentencesKey = "_frases"

func keepSentences(told map[string]any, p *problem.Problem) {
	fields := map[string]any{}
	for path, what := range p.Fields {
		fields[path] = what.Keep()
	}
	kept := map[string]any{"que_paso": p.What.Keep(), "fields": fields}
	if p.Do.Format != "" {
		kept["que_hacer"] = p.Do.Keep()
	}
	told[sentencesKey] = kept
}

// recallSentences puts the sentences in the place of their English texts.
func recallSentences(v any) any {
	told, ok := v.(map[string]any)
	if !ok {
		return v
	}
	kept, _ := told[sentencesKey].(map[string]any)
	delete(told, sentencesKey)
	for _, key := range []string{"que_paso", "que_hacer"} {
		if sentence, ok := problem.Recall(kept[key]); ok {
			told[key] = sentence
		}
	}
	detail, _ := told["detalle"].(map[string]any)
	fields, _ := detail["fields"].(map[string]any)
	sentences, _ := kept["fields"].(map[string]any)
	for path := range fields {
		if sentence, ok := problem.Recall(sentences[path]); ok {
			fields[path] = sentence
		}
	}
	return told
}
