package config

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"unicode"
)

// maxSecret bounds a secret's file; the largest thing meant is a PEM bundle.
const maxSecret = 64 << 10

// fillSecret sets a secret from its own value, from a value of the form
// file:/path, or from the file that <key>_file names. No fault tells its value.
func (l *loader) fillSecret(s *setting, value given, isGiven bool) {
	inFile, fileGiven := l.value(s.key + fileSuffix)
	switch {
	case isGiven && fileGiven && value.layer == inFile.layer:
		l.fault(s.key, value.origin, "is given beside %s (%s); give one of them", s.key+fileSuffix, inFile.origin)
		return
	case fileGiven && (!isGiven || inFile.layer > value.layer):
		value = inFile
	case !isGiven:
		return
	default:
		fileGiven = false
	}
	text := value.text
	if value.node != nil {
		var faults []wrong
		if text, faults = scalar(value.node, ""); faults != nil {
			l.fault(s.key, value.origin, "must be a single value")
			return
		}
	}
	path, isPath := strings.CutPrefix(text, "file:")
	if isPath || fileGiven {
		var err error
		if text, err = readSecret(path); err != nil {
			l.fault(s.key, value.origin, "%v", err)
			return
		}
	}
	text = strings.TrimSpace(text)
	if strings.ContainsFunc(text, unicode.IsControl) {
		l.fault(s.key, value.origin, "holds a control character (a line break, perhaps) inside its value")
		return
	}
	s.value.SetString(text)
}

func readSecret(path string) (string, error) {
	f, err := os.Open(strings.TrimSpace(path))
	if err != nil {
		return "", fmt.Errorf("cannot read the secret's file: %w", err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxSecret+1))
	switch {
	case err != nil:
		return "", fmt.Errorf("cannot read the secret's file: %w", err)
	case len(data) > maxSecret:
		return "", fmt.Errorf("the secret's file is larger than %d bytes", maxSecret)
	case strings.TrimSpace(string(data)) == "":
		return "", errors.New("the secret's file is empty")
	}
	return string(data), nil
}
