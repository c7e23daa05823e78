package problem

import "encoding/json"

// MarshalJSON is the sentence in English, for whoever asks for no other language.
func (s Sentence) MarshalJSON() ([]byte, error) { return json.Marshal(s.String()) }

// Names of a kept sentence's parts.
const (
	keptFormat = "f"
	keptArgs   = "a"
)

// Keep is the sentence in a form that JSON can hold and Recall reads again.
func (s Sentence) Keep() map[string]any {
	args := make([]any, len(s.Args))
	for i, arg := range s.Args {
		switch arg := arg.(type) {
		case Sentence:
			args[i] = arg.Keep()
		case string, bool, int, int64:
			args[i] = arg
		default:
			args[i] = Sentence{Format: "%v", Args: []any{arg}}.String()
		}
	}
	return map[string]any{keptFormat: s.Format, keptArgs: args}
}

// Recall is the sentence of which v is what JSON made of Keep; ok is false for
// anything else. Numbers must be json.Number.
func Recall(v any) (s Sentence, ok bool) {
	kept, _ := v.(map[string]any)
	args, isList := kept[keptArgs].([]any)
	if s.Format, ok = kept[keptFormat].(string); !ok || !isList {
		return Sentence{}, false
	}
	for _, arg := range args {
		if number, isNumber := arg.(json.Number); isNumber {
			whole, err := number.Int64()
			if err != nil {
				return Sentence{}, false
			}
			arg = whole
		}
		if _, nested := arg.(map[string]any); nested {
			if arg, ok = Recall(arg); !ok {
				return Sentence{}, false
			}
		}
		s.Args = append(s.Args, arg)
	}
	return s, true
}
