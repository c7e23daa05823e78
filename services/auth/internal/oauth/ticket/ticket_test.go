package ticket

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/comporta-mcp/comporta/pkg/identity"
	"github.com/comporta-mcp/comporta/pkg/seal"
)

// keys tags as the sealed keyset does, without a store behind it.
type keys struct{}

func (keys) Tag(_ context.Context, data []byte, key uint32) ([]byte, error) {
	tag := binary.BigEndian.AppendUint32([]byte{1}, key)
	mac := hmac.New(sha256.New, tag)
	mac.Write(data)
	return append(tag, mac.Sum(nil)[:16]...), nil
}

func (k keys) Check(ctx context.Context, tag, data []byte) error {
	want, _ := k.Tag(ctx, data, binary.BigEndian.Uint32(tag[1:5]))
	if !bytes.Equal(want, tag) {
		return seal.ErrForged
	}
	return nil
}

var sample = Ticket{Kind: Access, Grant: "01J00000000000000000000000-abcdefgh12", Generation: 37, Until: time.Unix(1_900_000_000, 0).UTC(), Area: "build"}

func write(t testing.TB, ticket Ticket) identity.Secret {
	t.Helper()
	text, err := Write(t.Context(), keys{}, 7, ticket)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func TestATicketReadsBackAsItWasWritten(t *testing.T) {
	everywhere := sample
	everywhere.Area = ""
	for name, want := range map[string]Ticket{"for one area": sample, "for every area": everywhere} {
		t.Run(name, func(t *testing.T) {
			text := write(t, want)
			got, err := Read(t.Context(), keys{}, Access, text)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if again := write(t, want); again != text {
				t.Error("the same ticket has two texts")
			}
		})
	}
}

func TestWhatWasNotWrittenByUsIsForged(t *testing.T) {
	text := string(write(t, sample))
	tests := map[string]string{
		"another grant":            strings.Replace(text, "abcdefgh12", "abcdefgh13", 1),
		"a later generation":       strings.Replace(text, ".11.", ".12.", 1),
		"another area":             strings.Replace(text, ".build.", ".docs.", 1),
		"another kind":             strings.Replace(text, "at_", "rt_", 1),
		"every area":               strings.Replace(text, ".build.", ".-.", 1),
		"a number spelled anew":    strings.Replace(text, ".11.", ".011.", 1),
		"something after it":       text + "A",
		"a line break after it":    text + "\n",
		"without its tag":          text[:strings.LastIndexByte(text, '.')],
		"nothing":                  "",
		"a personal token":         "azion" + strings.Repeat("a", 35),
		"much too long":            "at_" + strings.Repeat("a", 5000),
		"bits after the tag's end": text[:len(text)-1] + nextLetter(text[len(text)-1]),
	}
	for name, forged := range tests {
		t.Run(name, func(t *testing.T) {
			for _, kind := range []Kind{Access, Refresh, Code} {
				if _, err := Read(t.Context(), keys{}, kind, identity.Secret(forged)); !errors.Is(err, seal.ErrForged) {
					t.Errorf("as %s: %v", kind, err)
				}
			}
		})
	}
}

func nextLetter(b byte) string {
	if b == 'A' {
		return "B"
	}
	return "A"
}

func FuzzRead(f *testing.F) {
	f.Add(string(write(f, sample)))
	f.Add("at_a.0.0.-.AAAAAAAAAAAAAAAAAAAAAAAAAAAA")
	f.Fuzz(func(t *testing.T, text string) {
		for _, kind := range []Kind{Access, Refresh, Code} {
			got, err := Read(t.Context(), keys{}, kind, identity.Secret(text))
			if err != nil {
				continue
			}
			again, err := Write(t.Context(), keys{}, 7, got)
			if err != nil || string(again) != text && strings.HasSuffix(text, string(again[len(again)-28:])) {
				t.Errorf("%q reads as %+v, which is written as %q", text, got, string(again))
			}
		}
	})
}
