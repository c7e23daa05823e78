package operation

import (
	"encoding/base64"
	"encoding/json"
)

// Reclose is Close with a key that is known already, as who made it can.
func Reclose(args map[string]any, id, key string) ([]byte, error) {
	plain, err := json.Marshal(args)
	if err != nil {
		return nil, err
	}
	secret, err := base64.StdEncoding.DecodeString(key)
	if err != nil {
		return nil, err
	}
	sealer, err := aead(secret)
	if err != nil {
		return nil, err
	}
	return sealer.Seal(nil, nil, plain, []byte(id)), nil
}
