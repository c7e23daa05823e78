package platform

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/comporta-mcp/comporta/pkg/catalog"
	"github.com/comporta-mcp/comporta/pkg/problem"
)

// shelf is a paged list of the platform that can change between two requests.
type shelf struct {
	mu     sync.Mutex
	ids    []int
	most   int  // the platform's own largest page
	missed bool // answer 404 past the end, as some do; else an empty page
	silent bool // tell no total
	each   func(request int, s *shelf)
	served int
}

func numbers(n int) []int {
	ids := make([]int, n)
	for i := range ids {
		ids[i] = i + 1
	}
	return ids
}

func (s *shelf) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.served++
	if s.each != nil {
		s.each(s.served, s)
	}
	size, _ := strconv.Atoi(r.URL.Query().Get("page_size"))
	number, _ := strconv.Atoi(r.URL.Query().Get("page"))
	size = min(size, s.most)
	from := (number - 1) * size
	if from >= len(s.ids) && number > 1 && s.missed {
		answerJSON(404, `{"errors":[{"detail":"Invalid page."}]}`)(w, r)
		return
	}
	page := map[string]any{"page": number, "page_size": size, "next": "http://node-17.internal/things?page=9", "previous": nil, "results": []any{}}
	if !s.silent {
		page["count"], page["total_pages"] = len(s.ids), (len(s.ids)+size-1)/size
	}
	for _, id := range s.ids[min(from, len(s.ids)):min(from+size, len(s.ids))] {
		page["results"] = append(page["results"].([]any), map[string]any{"id": id, "name": fmt.Sprint("t", id)})
	}
	body, _ := json.Marshal(page)
	answerJSON(200, string(body))(w, r)
}

func listOf(max int) Request {
	tool := *listThings
	list := *listThings.List
	list.MaxSize = max
	tool.List = &list
	return Request{Tool: &tool, Args: map[string]any{"page": json.Number("77")}} // replaced by the walk's own
}

func idsIn(items []any) []int {
	ids := []int{}
	for _, item := range items {
		ids = append(ids, intOf(item.(map[string]any)["id"]))
	}
	return ids
}

func TestListsAreCutAsTheCallerAsks(t *testing.T) {
	for name, c := range map[string]struct {
		total, most int // of the platform
		told        int // its largest page, as the document tells
		limit, page int
		from, to    int // ids wanted
		requests    int
	}{
		"one page of the platform":                {250, 100, 100, 50, 2, 51, 100, 1},
		"the largest page":                        {250, 100, 100, 100, 1, 1, 100, 1},
		"more than the platform's page":           {250, 100, 100, 200, 1, 1, 200, 2},
		"the rest of it":                          {250, 100, 100, 200, 2, 201, 250, 1},
		"pages that do not fit into each other":   {400, 100, 100, 150, 2, 151, 300, 2},
		"and once more":                           {1000, 100, 100, 130, 3, 261, 390, 2},
		"small pages":                             {250, 10, 10, 200, 1, 1, 200, 20},
		"a platform that gives less than it says": {250, 20, 100, 100, 2, 101, 200, 6},
		"a last page that is cut":                 {7, 100, 100, 5, 2, 6, 7, 1},
		"an empty list":                           {0, 100, 100, 50, 1, 1, 0, 1},
		"without a word on the largest page":      {250, 100, 0, 200, 1, 1, 200, 2},
	} {
		t.Run(name, func(t *testing.T) {
			s := &shelf{ids: numbers(c.total), most: c.most}
			stub := newStub(t, s.ServeHTTP)
			client, _ := clientOf(t, stub.URL)
			got, err := client.List(t.Context(), listOf(c.told), c.limit, c.page)
			if err != nil {
				t.Fatal(err)
			}
			ids := idsIn(got.Value["results"].([]any))
			if want := numbers(c.total)[c.from-1 : c.to]; !slices.Equal(ids, want) {
				t.Errorf("ids %v, want %v", ids, want)
			}
			want := map[string]int{"count": c.total, "page": c.page, "page_size": c.limit, "total_pages": max(1, (c.total+c.limit-1)/c.limit)}
			for key, n := range want {
				if intOf(got.Value[key]) != n {
					t.Errorf("%s %v, want %d", key, got.Value[key], n)
				}
			}
			if _, present := got.Value["next"]; present {
				t.Error("a link of the platform reached the caller")
			}
			if s.served != c.requests {
				t.Errorf("%d requests, want %d: %v", s.served, c.requests, stub.requests())
			}
		})
	}
}

func TestAPagePastTheEndIsEmptyAndTellsTheTotal(t *testing.T) {
	for _, missed := range []bool{false, true} {
		client, _ := clientOf(t, newStub(t, (&shelf{ids: numbers(25), most: 100, missed: missed}).ServeHTTP).URL)
		got, err := client.List(t.Context(), listOf(100), 50, 9)
		if err != nil {
			t.Fatal(err)
		}
		if len(got.Value["results"].([]any)) != 0 || intOf(got.Value["count"]) != 25 {
			t.Errorf("missed %t: %v", missed, got.Value)
		}
	}
	client, _ := clientOf(t, newStub(t, answerJSON(404, `{}`)).URL)
	if _, err := client.List(t.Context(), listOf(100), 50, 2); !problem.Is(err, problem.NoEncontrado) {
		t.Errorf("a list that does not exist: %v", err)
	}
}

func TestALimitBeyondWhatThePlatformServesIsRefused(t *testing.T) {
	s := &shelf{ids: numbers(500), most: 2}
	client, _ := clientOf(t, newStub(t, s.ServeHTTP).URL)
	_, err := client.List(t.Context(), listOf(100), 200, 1)
	if p := problem.As(err); p.Code != problem.ParametroInvalido || s.served > 1 {
		t.Errorf("%v after %d requests", err, s.served)
	}
}

// walked is the ids that Each gives, in their order.
func walked(t *testing.T, s *shelf, max, stopAt int) (ids []int, err error) {
	t.Helper()
	client, _ := clientOf(t, newStub(t, s.ServeHTTP).URL)
	err = client.Each(t.Context(), listOf(max), func(item map[string]any) (bool, error) {
		id := intOf(item["id"])
		ids = append(ids, id)
		return id != stopAt, nil
	})
	return ids, err
}

func TestEachWalksAllPages(t *testing.T) {
	for name, c := range map[string]struct {
		shelf    *shelf
		max      int
		stop     int
		count    int
		requests int
	}{
		"all of them": {&shelf{ids: numbers(25), most: 10}, 10, 0, 25, 3},
		"a platform that gives less than it says":     {&shelf{ids: numbers(25), most: 10}, 100, 0, 25, 3},
		"a list that fills its last page":             {&shelf{ids: numbers(20), most: 10}, 10, 0, 20, 2},
		"the one that is looked for is on page three": {&shelf{ids: numbers(250), most: 10}, 10, 23, 23, 3},
		"it stops early":                              {&shelf{ids: numbers(250), most: 10}, 10, 3, 3, 1},
		"an empty list":                               {&shelf{most: 10}, 10, 0, 0, 1},
		"no total":                                    {&shelf{ids: numbers(25), most: 10, silent: true}, 10, 0, 25, 3},
		"no total, 404 past the end":                  {&shelf{ids: numbers(20), most: 10, silent: true, missed: true}, 10, 0, 20, 4},
	} {
		t.Run(name, func(t *testing.T) {
			ids, err := walked(t, c.shelf, c.max, c.stop)
			if err != nil || len(ids) != c.count {
				t.Errorf("%d ids, %v", len(ids), err)
			}
			if c.shelf.served != c.requests {
				t.Errorf("%d requests, want %d", c.shelf.served, c.requests)
			}
		})
	}
}

func TestEachMissesNothingWhileAListShrinks(t *testing.T) {
	for _, missed := range []bool{false, true} {
		for gone := 1; gone <= 25; gone++ {
			s := &shelf{ids: numbers(30), most: 10, missed: missed}
			s.each = func(request int, s *shelf) {
				if request == 2 { // between the first page and the second
					s.ids = s.ids[gone:]
				}
			}
			ids, err := walked(t, s, 10, 0)
			if err != nil {
				t.Fatalf("%d gone: %v", gone, err)
			}
			for _, id := range s.ids {
				if !slices.Contains(ids, id) {
					t.Fatalf("%d gone, missed %t: %d was not seen: %v", gone, missed, id, ids)
				}
			}
			if slices.Sort(ids); len(slices.Compact(ids)) != len(ids) {
				t.Fatalf("%d gone: something was seen twice", gone)
			}
		}
	}
}

func TestEachHasAnEnd(t *testing.T) {
	s := &shelf{ids: numbers(5000), most: 10}
	ids, err := walked(t, s, 10, 0)
	if !problem.Is(err, problem.EstadoInvalido) || len(ids) != maxEachPages*10 {
		t.Errorf("%d ids, %v", len(ids), err)
	}
	endless := &shelf{ids: numbers(100), most: 10}
	endless.each = func(_ int, s *shelf) { s.ids = s.ids[:max(1, len(s.ids)-1)] } // shrinks for ever
	if _, err := walked(t, endless, 10, 0); err != nil && !problem.Is(err, problem.EstadoInvalido) {
		t.Error(err)
	}
	if endless.served > maxEachPages {
		t.Errorf("%d requests", endless.served)
	}
}

func TestEachHandsErrorsOn(t *testing.T) {
	client, _ := clientOf(t, newStub(t, (&shelf{ids: numbers(5), most: 10}).ServeHTTP).URL)
	mine := errors.New("mine")
	if err := client.Each(t.Context(), listOf(10), func(map[string]any) (bool, error) { return true, mine }); !errors.Is(err, mine) {
		t.Error(err)
	}
	if err := client.Each(t.Context(), withID(retrieveThing, "1"), nil); !problem.Is(err, problem.Interno) {
		t.Error(err)
	}
	client, _ = clientOf(t, newStub(t, answerJSON(200, `{"results":[{"key":"a"}],"continuation_token":"x"}`)).URL)
	if err := client.Each(t.Context(), Request{Tool: tokenList()}, func(map[string]any) (bool, error) { return true, nil }); err == nil {
		t.Error("a list that leads back to itself was followed to an end")
	}
}

// tokenList is a list whose answers hold what asks for the rest.
func tokenList() *catalog.Tool {
	list := *listThings
	list.List = &catalog.List{Key: "results", SizeArg: "max", TokenArg: "continuation_token", MaxSize: 2}
	list.Binding = &catalog.Binding{Method: "GET", Path: "/things", Accepts: "application/json", Params: []catalog.Param{
		{Arg: "continuation_token", Name: "continuation_token", In: catalog.Query, Style: "form"},
	}}
	return &list
}

func TestAListWithTokensIsFollowedToItsEnd(t *testing.T) {
	keys := []string{"a", "b", "c", "d", "e"}
	client, _ := clientOf(t, newStub(t, func(w http.ResponseWriter, r *http.Request) {
		from, _ := strconv.Atoi(r.URL.Query().Get("continuation_token"))
		token, results := "null", []string{}
		for _, key := range keys[from:min(from+2, len(keys))] {
			results = append(results, `{"key":"`+key+`"}`)
		}
		if from+2 < len(keys) {
			token = fmt.Sprintf("%q", strconv.Itoa(from+2))
		}
		answerJSON(200, `{"continuation_token":`+token+`,"results":[`+strings.Join(results, ",")+`]}`)(w, r)
	}).URL)
	var seen []string
	err := client.Each(t.Context(), Request{Tool: tokenList()}, func(item map[string]any) (bool, error) {
		seen = append(seen, item["key"].(string))
		return true, nil
	})
	if diff := cmp.Diff(keys, seen); err != nil || diff != "" {
		t.Error(err, diff)
	}
}
