package corpus_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/comporta-mcp/comporta/services/docs/internal/corpus"
)

func TestAHostThatIsSilentIsAskedOnceARound(t *testing.T) {
	var asked atomic.Int64
	silent := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		<-r.Context().Done()
	}))
	defer silent.Close()
	f := &corpus.Fetcher{Cache: t.TempDir(), Patience: 50 * time.Millisecond}
	for _, repository := range []string{"/a", "/b", "/c"} {
		p, err := f.Fetch(t.Context(), corpus.Source{Name: repository, Git: silent.URL + repository})
		if !errors.Is(err, corpus.ErrUnreachable) || len(p.Pages) != 0 {
			t.Errorf("%s: %v", repository, err)
		}
		if text := err.Error(); strings.Count(text, silent.URL) != 1 || !strings.Contains(text, silent.URL+repository+": ") {
			t.Errorf("%s is not named by its own address alone: %v", repository, err)
		}
	}
	if asked.Load() != 1 {
		t.Errorf("the host was asked %d times", asked.Load())
	}
}

func TestAHostThatIsNotThereIsUnreachable(t *testing.T) {
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	f := &corpus.Fetcher{Cache: t.TempDir()}
	if _, err := f.Fetch(t.Context(), corpus.Source{Name: "a", Git: gone.URL + "/a"}); !errors.Is(err, corpus.ErrUnreachable) {
		t.Errorf("%v", err)
	}
}

func TestAHostThatKnowsNoSuchRepositoryIsReached(t *testing.T) {
	server := httptest.NewServer(http.NotFoundHandler())
	defer server.Close()
	f := &corpus.Fetcher{Cache: t.TempDir()}
	_, err := f.Fetch(t.Context(), corpus.Source{Name: "a", Git: server.URL + "/a"})
	if err == nil || errors.Is(err, corpus.ErrUnreachable) || !strings.Contains(err.Error(), "not found") {
		t.Errorf("%v", err)
	}
}
