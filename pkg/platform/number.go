package platform

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// maxShift bounds how many zeros an exponent may ask for: 1e400 is no id.
const maxShift = 400

// scalar writes a value as it stands in a URL or a header: digits exact, never
// in scientific notation.
func scalar(value any) (string, error) {
	switch v := value.(type) {
	case string:
		if !utf8.ValidString(v) {
			return "", fmt.Errorf("is not valid UTF-8")
		}
		return v, nil
	case bool:
		return strconv.FormatBool(v), nil
	case json.Number:
		return plain(string(v))
	case int:
		return strconv.Itoa(v), nil
	case int64:
		return strconv.FormatInt(v, 10), nil
	case float64:
		if v >= 1<<53 || v <= -(1<<53) {
			return "", fmt.Errorf("is a number whose digits are not exact any more")
		}
		return strconv.FormatFloat(v, 'f', -1, 64), nil
	}
	return "", fmt.Errorf("must be a text, a number or a boolean")
}

// plain writes a JSON number without exponent and without needless zeros: "1.0e3" is "1000".
func plain(number string) (string, error) {
	mantissa, exponent, _ := strings.Cut(strings.ToLower(number), "e")
	shift := 0
	if exponent != "" {
		var err error
		if shift, err = strconv.Atoi(exponent); err != nil || shift > maxShift || shift < -maxShift {
			return "", fmt.Errorf("is a number out of range")
		}
	}
	digits, negative := strings.CutPrefix(mantissa, "-")
	whole, fraction, _ := strings.Cut(digits, ".")
	if !allDigits(whole) || !allDigits("0"+fraction) || strings.HasSuffix(strings.ToLower(number), "e") {
		return "", fmt.Errorf("is no number")
	}
	whole, fraction = shifted(whole, fraction, shift)
	text := strings.TrimLeft(whole, "0")
	if text == "" {
		text = "0"
	}
	if fraction = strings.TrimRight(fraction, "0"); fraction != "" {
		text += "." + fraction
	}
	if negative && text != "0" {
		text = "-" + text
	}
	return text, nil
}

// shifted moves the decimal point to the right, or to the left where by is negative.
func shifted(whole, fraction string, by int) (string, string) {
	if by >= 0 {
		fraction += strings.Repeat("0", max(0, by-len(fraction)))
		return whole + fraction[:by], fraction[by:]
	}
	whole = strings.Repeat("0", max(0, -by-len(whole))) + whole
	cut := len(whole) + by
	return whole[:cut], whole[cut:] + fraction
}

func allDigits(text string) bool {
	return text != "" && strings.Trim(text, "0123456789") == ""
}
