package host

import (
	"github.com/comporta-mcp/comporta/pkg/answer"
	"github.com/comporta-mcp/comporta/pkg/problem"
	"github.com/comporta-mcp/comporta/pkg/say"
)

// ourWords are the keys of answers whose texts are sentences of our own.
var ourWords = map[string]bool{"advertencia": true, "mensaje": true, "siguiente": true, "que_hacer": true}

// spoken says the sentences of our own that stand in an answer in the caller's
// language. They are looked up by their English text, since answers are kept in
// English; what third parties wrote is left alone.
func spoken(lang answer.Language, value map[string]any) map[string]any {
	speaker, ok := lang.(*say.Speaker)
	if !ok || speaker.Tag == "en" {
		return value
	}
	out, _ := inLanguage(speaker, value, false).(map[string]any)
	return out
}

func inLanguage(lang *say.Speaker, v any, ours bool) any {
	switch v := v.(type) {
	case problem.Sentence:
		return lang.Say(v)
	case string:
		if ours {
			return lang.Text(v)
		}
	case []any:
		out := make([]any, len(v))
		for i, element := range v {
			out[i] = inLanguage(lang, element, ours)
		}
		return out
	case map[string]any:
		out := make(map[string]any, len(v))
		for key, value := range v {
			if key == "contenido" && v["origen"] == "no_confiable" {
				out[key] = value
				continue
			}
			out[key] = inLanguage(lang, value, ourWords[key])
		}
		return out
	}
	return v
}
