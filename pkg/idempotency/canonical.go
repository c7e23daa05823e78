package idempotency

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strconv"
	"strings"
)

// notCompared are arguments that change how a call is made, not what it does
// (contract §7); the other common arguments are no part of Args.
var notCompared = []string{"idempotency_key", "esperar_segundos", "confirmado", "confirmacion", "plan_id"}

// digest is the SHA-256 of what two calls must have in common to be the same call.
func digest(args map[string]any, companyID int64) ([]byte, error) {
	compared := maps.Clone(args)
	for _, name := range notCompared {
		delete(compared, name)
	}
	var out bytes.Buffer
	out.WriteString(strconv.FormatInt(companyID, 10))
	out.WriteByte('\n')
	if err := canonical(&out, compared); err != nil {
		return nil, fmt.Errorf("compare arguments: %w", err)
	}
	sum := sha256.Sum256(out.Bytes())
	return sum[:], nil
}

// canonical writes value so that equal values, and only those, give equal bytes:
// keys sorted, no white space, numbers by their exact value (1, 1.0 and 10e-1
// are one number, and every digit counts).
func canonical(out *bytes.Buffer, value any) error {
	switch v := value.(type) {
	case map[string]any:
		return canonicalObject(out, v)
	case []any:
		return canonicalArray(out, v)
	case json.Number:
		out.WriteString(canonicalNumber(string(v)))
		return nil
	case string, bool, nil:
		return literal(out, v)
	default: // a Go number or struct: as its JSON
		return canonicalOther(out, v)
	}
}

func canonicalObject(out *bytes.Buffer, object map[string]any) error {
	out.WriteByte('{')
	for i, key := range slices.Sorted(maps.Keys(object)) {
		if i > 0 {
			out.WriteByte(',')
		}
		if err := literal(out, key); err != nil {
			return err
		}
		out.WriteByte(':')
		if err := canonical(out, object[key]); err != nil {
			return err
		}
	}
	out.WriteByte('}')
	return nil
}

func canonicalArray(out *bytes.Buffer, array []any) error {
	out.WriteByte('[')
	for i, element := range array {
		if i > 0 {
			out.WriteByte(',')
		}
		if err := canonical(out, element); err != nil {
			return err
		}
	}
	out.WriteByte(']')
	return nil
}

func canonicalOther(out *bytes.Buffer, value any) error {
	data, err := json.Marshal(value)
	if err != nil {
		return err
	}
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	var plain any
	if err := decoder.Decode(&plain); err != nil {
		return err
	}
	return canonical(out, plain)
}

func literal(out *bytes.Buffer, value any) error {
	data, err := json.Marshal(value)
	if err != nil {
		return err
	}
	out.Write(data)
	return nil
}

// canonicalNumber is a JSON number as "<digits>e<exponent>", the digits without
// zeros at either end; "0" for zero. It does not compute the number, so an
// exponent of a billion costs nothing.
func canonicalNumber(text string) string {
	sign := ""
	if rest, negative := strings.CutPrefix(text, "-"); negative {
		sign, text = "-", rest
	}
	mantissa, exponentText, _ := strings.Cut(strings.ToLower(text), "e")
	whole, fraction, _ := strings.Cut(mantissa, ".")
	exponent := new(big.Int)
	if exponentText != "" {
		exponent.SetString(strings.TrimPrefix(exponentText, "+"), 10)
	}
	exponent.Sub(exponent, big.NewInt(int64(len(fraction))))
	digits := strings.TrimLeft(whole+fraction, "0")
	if digits == "" {
		return "0"
	}
	trimmed := strings.TrimRight(digits, "0")
	exponent.Add(exponent, big.NewInt(int64(len(digits)-len(trimmed))))
	return sign + trimmed + "e" + exponent.String()
}
