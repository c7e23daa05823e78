package auth

import (
	"errors"
	"fmt"
	"testing"

	"github.com/comporta-mcp/comporta/pkg/identity"
	"github.com/comporta-mcp/comporta/services/auth/internal/link"
)

func TestAnAdministratorRevokesALinkForEveryReplica(t *testing.T) {
	w := newWorld(t)
	replicas := []*identity.AuthClient{w.client(w.start(nil)), w.client(w.start(nil))}
	admin, nobody := "Token "+goodToken, "Token "+readerToken
	reader, err := ask(t, replicas[0], readerToken)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := ask(t, replicas[1], readerToken); err != nil { // so that it holds a copy in memory
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		as   identity.Secret
		id   string
		want error
	}{
		"somebody who is no administrator": {nobody, reader.Link.ID, identity.ErrNotAdmin},
		"a link that there is not":         {admin, "pt_ffffffffffffffff", identity.ErrNoLink},
	} {
		t.Run(name, func(t *testing.T) {
			if _, _, err := replicas[0].RevokeLink(t.Context(), c.as, c.id); !errors.Is(err, c.want) {
				t.Errorf("it answers %v, want %v", err, c.want)
			}
		})
	}
	if _, _, err := replicas[0].ListLinks(t.Context(), nobody, identity.LinkFilter{Limit: 10}); !errors.Is(err, identity.ErrNotAdmin) {
		t.Errorf("who is no administrator lists links: %v", err)
	}
	for i, want := range []bool{false, true} {
		info, already, err := replicas[0].RevokeLink(t.Context(), admin, reader.Link.ID)
		if err != nil || already != want || info.State != identity.LinkRevoked || info.Person.ID != reader.Person.ID {
			t.Errorf("revocation %d: %+v, already %v, %v", i+1, info, already, err)
		}
	}
	for i, replica := range replicas {
		eventually(t, link.MaxLate, func() string {
			if _, err := ask(t, replica, readerToken); !isRefused(err, identity.RefusedToken) {
				return fmt.Sprintf("replica %d answers %v", i+1, err)
			}
			return ""
		})
	}
	listed, more, err := replicas[1].ListLinks(t.Context(), admin, identity.LinkFilter{State: identity.LinkRevoked, Limit: 10})
	if err != nil || more || len(listed) != 1 || listed[0].ID != reader.Link.ID {
		t.Errorf("the revoked links are %+v, more %v, %v", listed, more, err)
	}
}
