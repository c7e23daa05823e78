package me

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

const (
	// mostAbout bounds how many arguments say what a call is about, longestAbout each
	// one's value, in characters. The whole stands on the page that approves it.
	mostAbout    = 3
	longestAbout = 40
)

// about says what an operation is about: its plain arguments, ids first. Secrets are
// not among an operation's arguments.
func about(arguments []byte) string {
	decoder := json.NewDecoder(bytes.NewReader(arguments))
	decoder.UseNumber()
	var args map[string]any
	if decoder.Decode(&args) != nil {
		return ""
	}
	names := slices.Sorted(maps.Keys(args))
	slices.SortStableFunc(names, func(a, b string) int { return rank(a) - rank(b) })
	var said []string
	for _, name := range names {
		switch value := args[name].(type) {
		case string, json.Number, bool:
			if rank(name) < unsaid && len(said) < mostAbout {
				said = append(said, name+": "+short(fmt.Sprint(value)))
			}
		}
	}
	return strings.Join(said, ", ")
}

// unsaid is the rank of arguments that say nothing of what a call is about.
const unsaid = 2

func rank(name string) int {
	switch {
	case slices.Contains([]string{"confirmado", "confirmacion", "idempotency_key", "esperar_segundos", "dry_run", "empresa_id"}, name):
		return unsaid
	case strings.HasSuffix(name, "_id"):
		return 0
	default:
		return 1
	}
}

func short(text string) string {
	if runes := []rune(text); len(runes) > longestAbout {
		return string(runes[:longestAbout]) + "…"
	}
	return text
}
