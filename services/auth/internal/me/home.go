package me

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"sync"
	"time"

	operationv1 "github.com/comporta-mcp/comporta/proto/operation/v1"
	"github.com/comporta-mcp/comporta/services/auth/internal/activity"
	"github.com/comporta-mcp/comporta/services/auth/internal/link"
	"github.com/comporta-mcp/comporta/services/auth/internal/secrets"
)

// homeView is the page of all agents.
type homeView struct {
	Top
	Waiting   []Work
	Agents    []Agent
	Tokens    []Agent
	Over      []Agent
	Secrets   []Secret
	Stop      Act
	Stoppable bool
	Partial   bool // not everything was counted yet
	Missing   bool // not everything could be read
	Connect   []Area
	LiveURL   string
}

// Secret is something that waits to be seen once.
type Secret struct {
	Href, Title, Client string
	Names               []string
	Until               time.Time
}

// lookTime bounds what a page reads.
const lookTime = 8 * time.Second

// Home answers GET /me.
func (h *Handler) Home(w http.ResponseWriter, r *http.Request) {
	v := h.visit(w, r)
	if v == nil {
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), lookTime)
	defer cancel()
	seen, err := h.look(ctx, v)
	if err != nil {
		h.pages().Down(w, r, err)
		return
	}
	stop := h.Base + "/me/stop"
	home := homeView{
		Top: h.top(w, r, v, "agents"), Partial: !seen.whole, Missing: seen.missing, Connect: h.Connect, LiveURL: h.Base + "/me/live",
		Stop: Act{Action: stop, Token: v.token(stop)},
	}
	for _, l := range seen.links {
		a := h.agent(v, l, "home")
		h.did(&a, seen.tallies[l.ID], seen.running[l.ID])
		for _, work := range a.Running {
			if work.Approve != "" && l.State == link.Active {
				home.Waiting = append(home.Waiting, work)
			}
		}
		switch {
		case l.State == link.Revoked:
			home.Over = append(home.Over, a)
			continue
		case a.Token:
			home.Tokens = append(home.Tokens, a)
		default:
			home.Agents = append(home.Agents, a)
		}
		home.Stoppable = true
	}
	slices.SortFunc(home.Waiting, func(a, b Work) int { return a.At.Compare(b.At) }) // the oldest first
	home.Secrets = h.secrets(seen)
	h.pages().Show(w, r, http.StatusOK, "me", home)
}

// sight is what one look at a person's links found.
type sight struct {
	links   []*link.Record
	running map[string][]*operationv1.Operation
	tallies map[string]activity.Tally
	whole   bool
	kept    []secrets.Kept
	missing bool // something beside the links could not be read
}

// look reads everything of the person's at once. Without the links there is no page;
// without the rest there is one, for whoever wants to stop an agent.
func (h *Handler) look(ctx context.Context, v *visit) (*sight, error) {
	s := &sight{}
	person := v.session.PersonID
	var err error
	if s.links, err = h.Links.OfPerson(ctx, person); err != nil {
		return nil, err
	}
	all, living := idsOf(s.links)
	var running, counting, keeping error
	var looking sync.WaitGroup
	looking.Go(func() { s.running, running = h.Running.Of(ctx, living) })
	looking.Go(func() { s.tallies, s.whole, counting = h.Activity.Of(ctx, person, all) })
	looking.Go(func() { s.kept, keeping = h.Secrets.List(ctx, person) })
	looking.Wait()
	if err := errors.Join(running, counting, keeping); err != nil {
		h.Log.WarnContext(ctx, "not everything of a person's could be read", "error", err)
		s.missing, s.whole = true, true
	}
	return s, nil
}

// idsOf are the ids of the links, and of those that were not revoked.
func idsOf(links []*link.Record) (all, living []string) {
	for _, l := range links {
		all = append(all, l.ID)
		if l.State != link.Revoked {
			living = append(living, l.ID)
		}
	}
	return all, living
}

// secrets are those that nobody has seen yet.
func (h *Handler) secrets(s *sight) []Secret {
	var waiting []Secret
	for _, kept := range s.kept {
		if !kept.TakenAt.IsZero() {
			continue
		}
		secret := Secret{Href: h.Base + "/secrets/" + kept.ID, Title: kept.Tool, Names: kept.Names, Until: kept.ExpiresAt}
		if tool, known := h.Tools(kept.Tool); known {
			secret.Title = tool.Title
		}
		if i := slices.IndexFunc(s.links, func(l *link.Record) bool { return l.ID == kept.LinkID }); i >= 0 {
			secret.Client = s.links[i].ClientName
		}
		waiting = append(waiting, secret)
	}
	return waiting
}
