package worker

import (
	"encoding/json"

	"github.com/comporta-mcp/comporta/pkg/answer"
)

// maxStepAnswer is how much of the platform's first answer a record holds, in
// bytes; the arguments may need the rest.
const maxStepAnswer = 64 << 10

// maxScalar bounds one value of a slim answer.
const maxScalar = 1 << 10

// slim is what of a huge answer must not be lost: the plain values beside and
// inside "data", the resource's id among them.
func slim(whole []byte) []byte {
	object, err := decodeObject(whole)
	if err != nil {
		return nil
	}
	kept := scalars(object)
	if data, ok := object["data"].(map[string]any); ok {
		kept["data"] = scalars(data)
	}
	data, err := json.Marshal(kept)
	if err != nil || len(data) > maxStepAnswer {
		return nil
	}
	return data
}

func scalars(object map[string]any) map[string]any {
	kept := map[string]any{}
	for key, value := range object {
		switch v := value.(type) {
		case map[string]any:
			if answer.IsStandIn(v) { // where the person finds what was shown once
				kept[key] = v
			}
		case []any:
		case string:
			if len(v) <= maxScalar {
				kept[key] = v
			}
		default:
			kept[key] = v
		}
	}
	return kept
}
