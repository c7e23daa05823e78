package platform

import (
	"fmt"
	"net/url"
	"regexp"
	"strings"

	"github.com/comporta-mcp/comporta/pkg/catalog"
)

var placeholder = regexp.MustCompile(`\{[^{}]*\}`)

// address fills the path template. Arguments come from a model, so each value is
// one percent-encoded segment, and the result is checked against the template:
// a credential must never reach an endpoint that the tool does not name.
func address(base *url.URL, binding *catalog.Binding, args map[string]any) (*url.URL, error) {
	values := map[string]string{}
	for _, param := range binding.Params {
		if param.In != catalog.Path {
			continue
		}
		text, err := segment(param, args[param.Arg])
		if err != nil {
			return nil, err
		}
		values["{"+param.Name+"}"] = text
	}
	path := placeholder.ReplaceAllStringFunc(binding.Path, func(name string) string { return values[name] })
	target, err := url.Parse(strings.TrimSuffix(base.String(), "/") + path)
	if err != nil {
		return nil, broken("The address of this tool is faulty.").Wrap(err)
	}
	if err := fits(target, base, binding.Path); err != nil {
		return nil, broken("The address that these arguments lead to is not this tool's, so nothing was sent.").Wrap(err)
	}
	return target, nil
}

// segment encodes one path value. Parts that are "." or ".." are refused even
// inside a value: a gateway that decodes %2F would resolve them.
func segment(param catalog.Param, value any) (string, error) {
	text, present, err := simple(param, value)
	switch {
	case err != nil:
		return "", err
	case !present || text == "":
		return "", wrong(param.Arg, "is missing or empty; it names the resource")
	}
	for part := range strings.FieldsFuncSeq(text, func(r rune) bool { return r == '/' || r == '\\' }) {
		if part == "." || part == ".." {
			return "", wrong(param.Arg, `must not be or hold the path parts "." and ".."`)
		}
	}
	if strings.ContainsFunc(text, isControl) {
		return "", wrong(param.Arg, "must not hold control characters")
	}
	return percent(text), nil
}

func isControl(r rune) bool { return r < 0x20 || r == 0x7f }

// fits checks the finished URL by itself: same origin, same number of segments,
// every literal in its place, no segment that moves.
func fits(target, base *url.URL, template string) error {
	if target.Scheme != base.Scheme || target.Host != base.Host || target.User != nil || target.Fragment != "" || target.RawQuery != "" {
		return fmt.Errorf("another origin: %s", target.Redacted())
	}
	prefix := strings.TrimSuffix(base.EscapedPath(), "/")
	rest, found := strings.CutPrefix(target.EscapedPath(), prefix+"/")
	if !found {
		return fmt.Errorf("outside %q", prefix)
	}
	got := strings.Split(rest, "/")
	want := strings.Split(strings.TrimPrefix(template, "/"), "/")
	if len(got) != len(want) {
		return fmt.Errorf("%d segments instead of %d", len(got), len(want))
	}
	for i, segment := range got {
		if err := fitsSegment(segment, want[i]); err != nil {
			return err
		}
	}
	return nil
}

func fitsSegment(got, want string) error {
	if !placeholder.MatchString(want) {
		if got != want {
			return fmt.Errorf("segment %q instead of %q", got, want)
		}
		return nil
	}
	text, err := url.PathUnescape(got)
	if err != nil {
		return fmt.Errorf("segment %q: %w", got, err)
	}
	if text == "" || text == "." || text == ".." {
		return fmt.Errorf("segment %q moves", got)
	}
	at := 0
	for _, literal := range placeholder.Split(want, -1) {
		i := strings.Index(got[at:], literal)
		if i < 0 {
			return fmt.Errorf("segment %q lacks %q", got, literal)
		}
		at += i + len(literal)
	}
	return nil
}
