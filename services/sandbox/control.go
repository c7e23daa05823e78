package sandbox

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/comporta-mcp/comporta/services/sandbox/internal/fault"
	"github.com/comporta-mcp/comporta/services/sandbox/internal/people"
	"github.com/comporta-mcp/comporta/services/sandbox/internal/purge"
	"github.com/comporta-mcp/comporta/services/sandbox/internal/store"
)

// controls are the endpoints that the platform does not have. Each is one row.
func (s *server) controls() http.Handler {
	mux := http.NewServeMux()
	for pattern, handle := range map[string]func(*http.Request) (any, error){
		"GET /_sandbox/people":        s.getPeople,
		"PUT /_sandbox/tokens/{name}": s.putToken,
		"GET /_sandbox/effects":       s.getEffects,
		"GET /_sandbox/requests":      s.getRequests,
		"DELETE /_sandbox/requests":   s.deleteRequests,
		"GET /_sandbox/purges":        s.getPurges,
		"GET /_sandbox/faults":        s.getFaults,
		"PUT /_sandbox/faults":        s.putFaults,
		"DELETE /_sandbox/faults":     s.deleteFaults,
		"PUT /_sandbox/next_id":       s.putNextID,
		"POST /_sandbox/reset":        s.postReset,
	} {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
			v, err := handle(r)
			if err != nil {
				object(http.StatusBadRequest, map[string]string{"error": err.Error()}).write(w, r)
				return
			}
			object(http.StatusOK, v).write(w, r)
		})
	}
	return mux
}

// personView is someone the sandbox knows.
type personView struct {
	Name    string         `json:"name"`
	Token   string         `json:"token"`
	Revoked bool           `json:"revoked"`
	Person  people.Person  `json:"person"`
	Company people.Company `json:"company"`
}

func (s *server) getPeople(*http.Request) (any, error) {
	var views []personView
	err := s.engine.Store.View(func(tx *store.Tx) error {
		for _, h := range people.All() {
			views = append(views, personView{h.Name, h.Token, tx.Revoked(h.Name), h.Person, h.Company})
		}
		return nil
	})
	return map[string]any{"people": views}, err
}

func (s *server) putToken(r *http.Request) (any, error) {
	holder, ok := people.ByName(r.PathValue("name"))
	if !ok {
		return nil, fmt.Errorf("nobody is called %q; GET /_sandbox/people lists them", r.PathValue("name"))
	}
	var asked struct {
		Revoked *bool `json:"revoked"`
	}
	if err := decode(r, &asked); err != nil {
		return nil, err
	}
	if asked.Revoked == nil {
		return nil, errors.New(`the body must be {"revoked": true} or {"revoked": false}`)
	}
	err := s.engine.Store.Update(func(tx *store.Tx) error { return tx.Revoke(holder.Name, *asked.Revoked) })
	return map[string]any{"name": holder.Name, "revoked": *asked.Revoked}, err
}

func (s *server) getEffects(r *http.Request) (any, error) {
	account, err := accountOf(r)
	if err != nil {
		return nil, err
	}
	var effects []store.Effect
	err = s.engine.Store.View(func(tx *store.Tx) (err error) {
		effects, err = tx.Effects(account, r.URL.Query().Get("tool"))
		return err
	})
	total := 0
	for _, e := range effects {
		total += e.Count
	}
	return map[string]any{"total": total, "effects": effects}, err
}

func (s *server) getRequests(r *http.Request) (any, error) {
	want, err := wanted(r)
	if err != nil {
		return nil, err
	}
	limit := 0
	if text := r.URL.Query().Get("limit"); text != "" {
		if limit, err = strconv.Atoi(text); err != nil || limit < 1 {
			return nil, errors.New("limit must be a whole number from 1")
		}
	}
	return map[string]any{"requests": s.record.find(limit, want)}, nil
}

// getPurges is what an account had purged, oldest first.
func (s *server) getPurges(r *http.Request) (any, error) {
	account, err := accountOf(r)
	if err == nil && account == 0 {
		err = errors.New("say whose: ?account=<company id>")
	}
	if err != nil {
		return nil, err
	}
	list, err := s.engine.Log(account, purge.Log)
	return map[string]any{"purges": list}, err
}

func (s *server) deleteRequests(r *http.Request) (any, error) {
	want, err := wanted(r)
	if err != nil {
		return nil, err
	}
	s.record.forget(want)
	return map[string]any{}, nil
}

// wanted reads ?account=, ?method= and ?path= (a prefix of the target, with or
// without the API's base).
func wanted(r *http.Request) (func(Recorded) bool, error) {
	account, err := accountOf(r)
	method, path := r.URL.Query().Get("method"), trimBase(r.URL.Query().Get("path"))
	return func(one Recorded) bool {
		return (account == 0 || one.Account == account) &&
			(method == "" || strings.EqualFold(one.Method, method)) &&
			strings.HasPrefix(trimBase(one.Target), path)
	}, err
}

func (s *server) getFaults(*http.Request) (any, error) {
	return map[string]any{"rules": s.faults.List()}, nil
}

func (s *server) putFaults(r *http.Request) (any, error) {
	var rules []fault.Rule
	if err := decode(r, &rules); err != nil {
		return nil, err
	}
	for i := range rules {
		rules[i].Path = trimBase(rules[i].Path)
	}
	if err := s.faults.Set(rules); err != nil {
		return nil, err
	}
	return s.getFaults(r)
}

func (s *server) deleteFaults(r *http.Request) (any, error) {
	if err := s.faults.Set(nil); err != nil {
		return nil, err
	}
	return s.getFaults(r)
}

func (s *server) putNextID(r *http.Request) (any, error) {
	var asked struct {
		Next int64 `json:"next"`
	}
	if err := decode(r, &asked); err != nil {
		return nil, err
	}
	err := s.engine.Store.Update(func(tx *store.Tx) error { return tx.SetNextID(asked.Next) })
	return map[string]any{"next": asked.Next}, err
}

// postReset forgets all that one account has: resources, effects, kept answers.
func (s *server) postReset(r *http.Request) (any, error) {
	account, err := accountOf(r)
	if err == nil && account == 0 {
		err = errors.New("say which account: ?account=<company id>")
	}
	if err != nil {
		return nil, err
	}
	err = s.engine.Reset(account)
	s.record.forget(func(one Recorded) bool { return one.Account == account })
	return map[string]any{"account": account}, err
}

func accountOf(r *http.Request) (int64, error) {
	text := r.URL.Query().Get("account")
	if text == "" {
		return 0, nil
	}
	id, err := strconv.ParseInt(text, 10, 64)
	if err != nil || id < 1 {
		return 0, errors.New("account must be a company's id")
	}
	return id, nil
}

func decode(r *http.Request, into any) error {
	d := json.NewDecoder(r.Body)
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return fmt.Errorf("the body could not be read: %w", err)
	}
	return nil
}
