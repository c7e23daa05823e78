package identity

import (
	"errors"
	"strings"
	"unicode"
)

// Credential is what an Authorization header presents.
type Credential struct {
	Scheme Scheme
	Value  Secret
}

// What ParseHeader finds wrong; contract §3 has a sentence for each.
var (
	// ErrNone: there is no Authorization header.
	ErrNone = errors.New("no Authorization header")
	// ErrMalformed: another scheme, no credential, or more than one of anything.
	ErrMalformed = errors.New("malformed Authorization header")
)

// maxCredential bounds a credential, in bytes; ours have at most some hundred.
const maxCredential = 4096

// ParseHeader reads the values of a request's Authorization header. It judges
// the form only: whether the credential is any good is for auth to say. The
// errors are ErrNone and ErrMalformed and never hold the header.
//
// The scheme's name may be written in any case (RFC 9110 §11.1). Blanks around
// the value are ignored; blanks or control characters inside it are malformed,
// and so are several headers, even equal ones: which one a proxy in front of us
// has judged cannot be known.
func ParseHeader(values []string) (Credential, error) {
	switch len(values) {
	case 0:
		return Credential{}, ErrNone
	case 1:
	default:
		return Credential{}, ErrMalformed
	}
	name, value, _ := strings.Cut(strings.Trim(values[0], " \t"), " ")
	// A value that is no text is a wrong credential, not a wrong form; in a message
	// to auth it would be neither.
	value = strings.ToValidUTF8(strings.Trim(value, " \t"), "?")
	scheme, known := schemeOf(name)
	if !known || value == "" || len(value) > maxCredential || strings.ContainsFunc(value, splits) {
		return Credential{}, ErrMalformed
	}
	return Credential{Scheme: scheme, Value: Secret(value)}, nil
}

func schemeOf(name string) (Scheme, bool) {
	for _, s := range []Scheme{Token, Bearer} {
		// The lengths differ where folding would match a letter outside ASCII.
		if len(name) == len(s) && strings.EqualFold(name, string(s)) {
			return s, true
		}
	}
	return "", false
}

// splits reports what can stand in no credential: it would end the value for one reader and not for another.
func splits(r rune) bool { return unicode.IsControl(r) || unicode.IsSpace(r) }
