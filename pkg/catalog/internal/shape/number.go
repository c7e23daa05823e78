package shape

import (
	"encoding/json"
	"math/big"
	"strconv"
	"strings"
)

// maxExponent bounds how far a number is written out: 1e999999999 must not cost
// a gigabyte. No id and no quantity of a platform has more digits.
const maxExponent = 400

// canonicalInteger writes a JSON number as a plain integer, digit by digit, so
// that ids beyond 2^53 and even beyond 64 bits stay exact. "2.0" and "1.0e3" are
// integers; "2.5" is none.
func canonicalInteger(text string) (string, bool) {
	d, ok := parseDecimal(text)
	if !ok || d.point < 0 && d.digits != "" {
		return "", false
	}
	if d.digits == "" {
		return "0", true
	}
	if len(d.digits) > d.point {
		return "", false
	}
	return d.sign + d.digits + strings.Repeat("0", d.point-len(d.digits)), true
}

// canonicalNumber writes a JSON number without an exponent where that is short,
// since exponents do not belong in URLs.
func canonicalNumber(text string) (string, bool) {
	if !isNumber(text) {
		return "", false
	}
	if !strings.ContainsAny(text, "eE") {
		return text, true
	}
	if whole, ok := canonicalInteger(text); ok {
		return whole, true
	}
	d, ok := parseDecimal(text)
	switch {
	case !ok:
		return text, true // far too big or small to write out
	case d.point <= 0:
		return d.sign + "0." + strings.Repeat("0", -d.point) + d.digits, true
	default:
		return d.sign + d.digits[:d.point] + "." + d.digits[d.point:], true
	}
}

// decimal is 0.digits × 10^point, digits without zeros at either end.
type decimal struct {
	sign   string
	digits string
	point  int
}

func parseDecimal(text string) (decimal, bool) {
	if !isNumber(text) {
		return decimal{}, false
	}
	rest, negative := strings.CutPrefix(text, "-")
	mantissa, exponent := rest, 0
	if i := strings.IndexAny(rest, "eE"); i >= 0 {
		mantissa = rest[:i]
		n, err := strconv.Atoi(rest[i+1:])
		if err != nil || n > maxExponent || n < -maxExponent {
			return decimal{}, false
		}
		exponent = n
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	d := decimal{digits: whole + fraction, point: len(whole) + exponent}
	trimmed := strings.TrimLeft(d.digits, "0")
	d.point -= len(d.digits) - len(trimmed)
	d.digits = strings.TrimRight(trimmed, "0")
	if negative && d.digits != "" {
		d.sign = "-"
	}
	return d, true
}

// isNumber is JSON's grammar of a number.
func isNumber(text string) bool {
	if text == "" || strings.IndexByte("-0123456789", text[0]) < 0 {
		return false
	}
	return json.Valid([]byte(text)) && strings.TrimRight(text, " \t\r\n") == text
}

// compare orders a number and a limit exactly; ok is false where the number is
// too large to say so.
func compare(text string, limit float64) (order int, ok bool) {
	if _, fine := parseDecimal(text); !fine {
		return 0, false
	}
	value, fine := new(big.Rat).SetString(text)
	bound := new(big.Rat).SetFloat64(limit)
	if !fine || bound == nil {
		return 0, false
	}
	return value.Cmp(bound), true
}

// divides reports whether text is a multiple of step, taken as the decimal that
// the document shows (0.1 is a tenth, not its nearest binary fraction).
func divides(text string, step float64) bool {
	if _, fine := parseDecimal(text); !fine {
		return true
	}
	value, ok1 := new(big.Rat).SetString(text)
	unit, ok2 := new(big.Rat).SetString(strconv.FormatFloat(step, 'f', -1, 64))
	if !ok1 || !ok2 || unit.Sign() == 0 {
		return true
	}
	return new(big.Rat).Quo(value, unit).IsInt()
}

// asNumber gives the text of anything that arrived as a JSON number. A float64
// counts only as far as it is exact: its digits were lost before it came here.
func asNumber(v any) (text string, ok bool) {
	switch v := v.(type) {
	case json.Number:
		return string(v), true
	case float64:
		if v > 1<<53 || v < -(1<<53) || v != v {
			return "", false
		}
		return strconv.FormatFloat(v, 'f', -1, 64), true
	case int:
		return strconv.Itoa(v), true
	case int32:
		return strconv.FormatInt(int64(v), 10), true
	case int64:
		return strconv.FormatInt(v, 10), true
	case uint64:
		return strconv.FormatUint(v, 10), true
	}
	return "", false
}
